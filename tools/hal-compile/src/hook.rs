//! The phases at which user stages run.
use std::{fmt, str::FromStr};

/// A place between two steps; named after the phase that the program is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Hook {
    /// Functions on tensors, before executables are formed.
    Input,
    /// After executables are formed.
    Executables,
    /// After executables have objects.
    Objects,
}

impl Hook {
    pub(crate) const ALL: [Self; 3] = [Self::Input, Self::Executables, Self::Objects];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Executables => "executables",
            Self::Objects => "objects",
        }
    }
}

impl fmt::Display for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The value of `--stage=HOOK:STAGE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookedStage {
    pub(crate) hook: Hook,
    pub(crate) stage: String,
}

impl FromStr for HookedStage {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Hook::ALL.map(|h| format!("`{h}`")).join(", ");
        let (hook, stage) = text
            .split_once(':')
            .ok_or_else(|| format!("say where it runs, as in `executables:{text}`; the places are {known}"))?;
        let hook = Hook::ALL.into_iter().find(|h| h.name() == hook);
        let hook = hook.ok_or_else(|| format!("the places for stages are {known}"))?;
        if stage.trim().is_empty() {
            return Err("there is no stage after the colon".into());
        }
        Ok(Self { hook, stage: stage.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_have_places() {
        let stage: HookedStage = "input:builtin.module(cse)".parse().unwrap();
        assert_eq!((stage.hook, &*stage.stage), (Hook::Input, "builtin.module(cse)"));
        for bad in ["cse", "link:cse", "input:", ":cse"] {
            assert!(bad.parse::<HookedStage>().is_err(), "{bad}");
        }
    }
}
