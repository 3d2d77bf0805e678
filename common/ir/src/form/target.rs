//! The target attribute of a variant for a CPU. The C API cannot access its fields, so its text is parsed.
use crate::{Attr, Session};

/// The parts of `#llvm.target<triple = "…", chip = "…", features = <["+a", "-b"]>>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetParts {
    /// Empty if the attribute does not say it.
    pub triple: String,
    /// LLVM's name of the CPU; `generic` if the attribute does not say it.
    pub chip: String,
    /// Features that it has or lacks beyond its chip, with a sign.
    pub features: Vec<String>,
}

impl TargetParts {
    /// Reads an attribute; `None` unless it is an `#llvm.target`.
    pub fn of(attr: Attr) -> Option<Self> {
        Self::parse(&attr.to_string())
    }

    fn parse(text: &str) -> Option<Self> {
        let inside = text.strip_prefix("#llvm.target")?;
        let field = |name: &str| {
            let (_, rest) = inside.split_once(&format!("{name} = \""))?;
            Some(rest.split('"').next()?.to_owned())
        };
        let list = inside.split_once("features = <[").and_then(|(_, rest)| rest.split(']').next()).unwrap_or_default();
        let features = list.split(',').map(|f| f.trim().trim_matches('"').to_owned()).filter(|f| !f.is_empty());
        Some(Self {
            triple: field("triple").unwrap_or_default(),
            chip: field("chip").unwrap_or_else(|| "generic".into()),
            features: features.collect(),
        })
    }

    /// The attribute; `None` if a part is not a plain name.
    pub fn attr(&self, session: &Session) -> Option<Attr> {
        let mut text = format!("#llvm.target<triple = {:?}, chip = {:?}", self.triple, self.chip);
        if !self.features.is_empty() {
            let list: Vec<_> = self.features.iter().map(|f| format!("{f:?}")).collect();
            text += &format!(", features = <[{}]>", list.join(", "));
        }
        Attr::parse(session.raw(), &(text + ">"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_read_and_written() {
        let session = Session::new();
        session.load_dialects(&["llvm"]);
        let parts = TargetParts {
            triple: "x86_64-unknown-linux-gnu".into(),
            chip: "x86-64-v4".into(),
            features: vec!["-avx512f".into(), "+gfni".into()],
        };
        assert_eq!(TargetParts::of(parts.attr(&session).unwrap()), Some(parts));
        assert_eq!(TargetParts::parse("#nvvm.target"), None);
        let least = TargetParts::parse("#llvm.target<>").unwrap();
        assert_eq!((&*least.triple, &*least.chip, least.features.len()), ("", "generic", 0));
    }
}
