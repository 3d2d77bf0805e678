//! The command line's rules about sizes: the rule for a dimension, and rules that apply to none.
use crate::{DimArgs, sizes::DimRule};
use halyard_diag::{Error, Result};
use std::collections::BTreeSet;

/// The rules of a model's inputs.
pub(super) struct Rules<'a> {
    sizes: &'a DimArgs,
    /// The texts of rules that found a dimension.
    used: BTreeSet<&'a str>,
    /// The subjects that rules may name: names of sizes, and dimensions without a name.
    known: BTreeSet<String>,
    /// Those that no rule fixes.
    open: BTreeSet<String>,
}

impl<'a> Rules<'a> {
    pub(super) fn new(sizes: &'a DimArgs) -> Self {
        Self { sizes, used: BTreeSet::new(), known: BTreeSet::new(), open: BTreeSet::new() }
    }

    /// The rule for a dimension, whose size may have a name.
    pub(super) fn of(&mut self, input: &str, axis: usize, name: Option<&str>) -> Option<&'a DimRule> {
        let place = format!("{input}.{axis}");
        let found = self.sizes.dims.iter().rev().find(|d| d.name == place || Some(&*d.name) == name);
        // Of several rules for one size, each is found.
        self.used
            .extend(self.sizes.dims.iter().filter(|d| d.name == place || Some(&*d.name) == name).map(|d| &*d.text));
        let shown = name.map_or(place, str::to_owned);
        if found.is_none_or(|rule| rule.size().is_none()) {
            self.open.insert(shown.clone());
        }
        self.known.insert(shown);
        found
    }

    /// Rules that fix all sizes that are open, to this one.
    pub(super) fn all_fixed(&self, size: i64) -> Vec<DimRule> {
        let fixed = |name: &String| DimRule {
            text: format!("{name}={size}"),
            name: name.clone(),
            least: size,
            most: Some(size),
            divisor: 1,
        };
        self.open.iter().map(fixed).collect()
    }

    /// Whether a rule names exactly this dimension.
    pub(super) fn is_about(&self, input: &str, axis: usize) -> bool {
        let place = format!("{input}.{axis}");
        self.sizes.dims.iter().any(|d| d.name == place)
    }

    /// Errors: rules for dimensions that the model does not have.
    pub(super) fn check(&self, file: &str) -> Result<()> {
        if let Some(rule) = self.sizes.dims.iter().find(|d| !self.used.contains(&*d.text)) {
            let error = Error::usage(format!("no input has a dimension `{}`", rule.name)).in_file(file);
            return Err(match self.known.is_empty() {
                true => error.note("all sizes of its inputs are known"),
                false => error.note(format!(
                    "the dimensions of its inputs are {}",
                    self.known.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
                )),
            });
        }
        Ok(())
    }
}
