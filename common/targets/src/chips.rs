//! Targets that are a chip from a list: `KIND[:CHIP]`. They have no features, since the chip determines them.
use crate::device::{NameList, usage};
use halyard_diag::{Result, either, nearest};
use halyard_ir::Attr;

/// How to specify features of a device, where the chip determines them.
pub(crate) const FEATURE_WORDS: &str = "what a device must have is said by the chip of the target";

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
    /// The target attribute of variants.
    pub attr: &'static str,
    /// The chip that MLIR means where the attribute names none: it leaves its own default out.
    pub usual_in_attr: &'static str,
    /// The name of a chip that people write otherwise, if it has another form.
    pub normal: fn(&str) -> String,
}

impl Chips {
    /// Returns the chip of this name.
    pub(crate) fn find(&self, name: &str) -> Option<&'static str> {
        self.all.iter().find(|chip| **chip == name).copied()
    }

    /// Reads the target attribute of a variant, `#….target<chip = "…">`; `None` if it is another one, or of another chip.
    pub(crate) fn of_attr(&self, attr: Attr) -> Option<&'static str> {
        let text = attr.to_string();
        match text.strip_prefix(self.attr)?.split_once("chip = \"") {
            Some((_, rest)) => self.find(rest.split('"').next()?),
            None => self.find(self.usual_in_attr),
        }
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
