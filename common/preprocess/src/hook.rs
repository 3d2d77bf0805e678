//! The hooks at which preprocessors run.
use halyard_diag::{Error, Result};
use halyard_ir::{
    Op,
    form::{Phase, Program},
};

/// A hook: the input of a preprocessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hook {
    /// The model as the user gave it.
    Input,
    /// The whole program of phase `input`, before executables are formed.
    Global,
    /// The same once it is brought into the form that executables are cut from. Plugins only.
    Dispatch,
    /// Each executable.
    Executable,
    /// Each object.
    Object,
    /// The whole program of phase `objects`, before it is linked. Plugins only.
    Link,
}

impl Hook {
    /// The hooks that have flags, in the order of phases.
    pub const ALL: [Self; 4] = [Self::Input, Self::Global, Self::Executable, Self::Object];
    /// The hooks where plugins run, in the order of phases.
    pub const OF_PLUGINS: [Self; 6] =
        [Self::Input, Self::Global, Self::Dispatch, Self::Executable, Self::Object, Self::Link];

    /// Returns the value of `HALYARD_HOOK`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Global => "global",
            Self::Dispatch => "dispatch",
            Self::Executable => "executable",
            Self::Object => "object",
            Self::Link => "link",
        }
    }

    /// Returns the name of the flag.
    pub fn flag(self) -> &'static str {
        match self {
            Self::Input => "--preprocess-input-with",
            Self::Global => "--preprocess-global-with",
            Self::Executable => "--preprocess-executables-with",
            Self::Object => "--preprocess-objects-with",
            Self::Dispatch => "--plugin-stages=dispatch",
            Self::Link => "--plugin-stages=link",
        }
    }

    /// Fails unless a module is in the phase that the hook is for; names the tool that is missing or came too early.
    pub(super) fn check_phase(self, module: Op, flag: &str) -> Result<()> {
        let Some(program) = Program::view(module) else {
            if self == Self::Input {
                return Ok(());
            }
            return Err(Error::input(format!("{flag} needs a program, and the module has no `hal.phase`"))
                .code("not-a-program")
                .hint(format!("run `{}` first", self.needs().made_by())));
        };
        let (needs, is) = (self.needs(), program.phase()?);
        if is == needs {
            return Ok(());
        }
        let error = Error::input(format!("{flag} needs a program in phase `{needs}`, this one is in phase `{is}`"));
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
            Self::Input | Self::Global | Self::Dispatch => Phase::Input,
            Self::Executable => Phase::Executables,
            Self::Object | Self::Link => Phase::Objects,
        }
    }

    fn followed_by(self) -> &'static str {
        match self {
            Self::Input | Self::Global | Self::Dispatch => "hal-import",
            Self::Executable => "hal-translate",
            Self::Object | Self::Link => "hal-link",
        }
    }
}
