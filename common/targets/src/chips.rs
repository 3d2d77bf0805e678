//! Targets that are a chip from a list: `KIND[:CHIP]`. They have no features, since the chip determines them.
use crate::device::{NameList, usage};
use halyard_diag::{Result, either, nearest};

/// The chips of a kind of GPU.
pub(crate) struct Chips {
    /// The name of the kind, as `--target` has it.
    pub kind: &'static str,
    /// All chips for which code can be generated.
    pub all: &'static [&'static str],
    /// The one that is meant where none is named.
    pub usual: &'static str,
    /// A device in messages: "an NVIDIA GPU".
    pub device: &'static str,
    /// A chip that an error names as an example.
    pub example: &'static str,
    /// The name of a chip that people write otherwise, if it has another form.
    pub normal: fn(&str) -> String,
}

impl Chips {
    /// Returns the chip of this name.
    pub(crate) fn find(&self, name: &str) -> Option<&'static str> {
        self.all.iter().find(|chip| **chip == name).copied()
    }

    /// Lists the chips. Errors: one is named that does not exist.
    pub(crate) fn names(&self, rest: &str) -> Result<Vec<NameList>> {
        self.parse(rest, &[])?;
        let names = self.all.iter().map(|chip| (*chip).to_owned()).collect();
        Ok(vec![NameList { title: format!("chips of {}", self.kind), names }])
    }

    /// Reads what follows the name of the kind. Errors: an unknown chip (with near names), features.
    pub(crate) fn parse(&self, rest: &str, features: &[String]) -> Result<&'static str> {
        let name = if rest.is_empty() { self.usual } else { rest };
        let Some(chip) = self.find(name) else {
            let error = usage(format!("unknown chip `{name}` of `{}`", self.kind));
            let (normal, near) = ((self.normal)(name), nearest(name, self.all.iter().copied()));
            return Err(if self.find(&normal).is_some() {
                error.hint(format!("did you mean `{normal}`?"))
            } else if near.is_empty() {
                error.note(format!("known chips are `{}`", self.all.join("`, `")))
            } else {
                error.hint(format!("did you mean {}?", either(&near)))
            });
        };
        match features.first() {
            None => Ok(chip),
            Some(feature) => Err(usage(format!(
                "feature `{feature}` of `{}:{chip}`: what {} has is said by its chip",
                self.kind, self.device
            ))
            .hint(format!("`--target={}:{}` names another chip", self.kind, self.example))),
        }
    }
}
