//! `--prune=WHICH`.
use std::{fmt, path::PathBuf, str::FromStr};

/// A condition that entries meet which are removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PruneCondition {
    /// Of this machine.
    Machine(String),
    /// For this target.
    Target(String),
    /// Of this version of the tool.
    Version(String),
    /// Of any other version.
    OtherVersions(String),
    /// Of this content key.
    Key(String),
    /// Of executables that this program does not have.
    Unused(PathBuf),
    /// All trials.
    Trials,
}

impl FromStr for PruneCondition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, value) = text.split_once('=').unwrap_or((text, ""));
        match (kind, value.is_empty()) {
            ("trials", true) if !text.contains('=') => Ok(Self::Trials),
            ("machine", false) => Ok(Self::Machine(value.into())),
            ("target", false) => Ok(Self::Target(value.into())),
            ("version", false) => Ok(Self::Version(value.into())),
            ("other-versions", false) => Ok(Self::OtherVersions(value.into())),
            ("key", false) => Ok(Self::Key(value.into())),
            ("unused", false) => Ok(Self::Unused(value.into())),
            _ => Err("write machine=NAME, target=NAME, version=V, other-versions=V, key=KEY, unused=PROGRAM or trials"
                .into()),
        }
    }
}

impl fmt::Display for PruneCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Machine(name) => write!(f, "machine={name}"),
            Self::Target(name) => write!(f, "target={name}"),
            Self::Version(v) => write!(f, "version={v}"),
            Self::OtherVersions(v) => write!(f, "other-versions={v}"),
            Self::Key(key) => write!(f, "key={key}"),
            Self::Unused(program) => write!(f, "unused={}", program.display()),
            Self::Trials => f.write_str("trials"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read() {
        for text in [
            "machine=A CPU, 2 threads",
            "target=cpu:x=y",
            "version=1",
            "other-versions=1",
            "key=k",
            "unused=p.mlir",
            "trials",
        ] {
            assert_eq!(text.parse::<PruneCondition>().unwrap().to_string(), text);
        }
        for text in ["", "machine", "machine=", "trials=1", "age=3"] {
            assert!(text.parse::<PruneCondition>().is_err(), "{text}");
        }
    }
}
