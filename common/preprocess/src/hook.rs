//! Where preprocessing stands on the way of a program.
use halyard_diag::{Error, Result};
use halyard_ir::{
    Op,
    form::{Phase, Program},
};

/// A hook: what tools are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hook {
    /// The model as it was given.
    Input,
    /// The whole program of phase `input`, before executables are formed.
    Global,
    /// Each executable.
    Executable,
    /// Each object.
    Object,
}

impl Hook {
    /// All of them, in the order of phases.
    pub const ALL: [Self; 4] = [Self::Input, Self::Global, Self::Executable, Self::Object];

    /// The word in `HALYARD_HOOK`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Global => "global",
            Self::Executable => "executable",
            Self::Object => "object",
        }
    }

    /// The flag.
    pub fn flag(self) -> &'static str {
        match self {
            Self::Input => "--preprocess-input-with",
            Self::Global => "--preprocess-global-with",
            Self::Executable => "--preprocess-executables-with",
            Self::Object => "--preprocess-objects-with",
        }
    }

    /// Fails unless a module is in the phase that the hook is for; names the tool that is missing or came too early.
    pub(super) fn check_phase(self, module: Op) -> Result<()> {
        let flag = self.flag();
        let Some(program) = Program::view(module) else {
            if self == Self::Input {
                return Ok(());
            }
            return Err(Error::input(format!("`{flag}` needs a program, and the module has no `hal.phase`"))
                .code("not-a-program")
                .hint(format!("run `{}` first", self.needs().made_by())));
        };
        let (needs, is) = (self.needs(), program.phase()?);
        if is == needs {
            return Ok(());
        }
        let error = Error::input(format!("`{flag}` needs a program in phase `{needs}`, this one is in phase `{is}`"));
        let error = error.code("wrong-phase");
        Err(if is < needs {
            error.hint(format!("run `{}` before it", needs.made_by()))
        } else {
            error.hint(format!(
                "put it before `{}` in the pipe: there it would still have an effect",
                self.followed_by()
            ))
        })
    }

    fn needs(self) -> Phase {
        match self {
            Self::Input | Self::Global => Phase::Input,
            Self::Executable => Phase::Executables,
            Self::Object => Phase::Objects,
        }
    }

    fn followed_by(self) -> &'static str {
        match self {
            Self::Input | Self::Global => "hal-import",
            Self::Executable => "hal-translate",
            Self::Object => "hal-link",
        }
    }
}
