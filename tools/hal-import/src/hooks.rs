//! Runs plugins at their hooks.
use halyard_cli::Printer;
use halyard_diag::Result;
use halyard_ir::{Module, Op, Session, form::Program};
use halyard_preprocess::{Hook, Preprocess};

/// The plugins' stages at hooks, and the receiver of their messages.
#[derive(Debug, Clone, Copy)]
pub struct Hooks<'a> {
    /// The actions of the plugins.
    pub tasks: &'a Preprocess,
    /// Prints their messages.
    pub printer: &'a Printer,
}

impl Hooks<'_> {
    /// Whether there is an action at a hook.
    pub(crate) fn has(self, hook: Hook) -> bool {
        self.tasks.has(hook)
    }

    /// Does it. Errors: what the plugins say.
    pub(crate) fn run<'s>(self, hook: Hook, session: &'s Session, module: Module<'s>) -> Result<Module<'s>> {
        let module = self.tasks.run_at(hook, session, self.printer, module.into())?;
        session.take_diagnostics().iter().for_each(|d| self.printer.diagnostic(d));
        Ok(module)
    }

    /// Runs plugins on a model in MLIR as it was given, or as bytes and a name if it could not be parsed. Programs
    /// have already passed this hook. Fails with the plugins' errors, or with the parser's error.
    pub(crate) fn run_on_model<'s>(
        self,
        session: &'s Session,
        parsed: Result<Module<'s>>,
        (bytes, name): (&[u8], &str),
    ) -> Result<Module<'s>> {
        let model = match parsed {
            Ok(module) if Program::view(Op::from(&module)).is_some() => return Ok(module),
            Ok(module) => module.into(),
            Err(e) => self.tasks.convert(session, self.printer, (bytes, name), e)?,
        };
        let module = self.tasks.run_at(Hook::Input, session, self.printer, model)?;
        session.take_diagnostics().iter().for_each(|d| self.printer.diagnostic(d));
        Ok(module)
    }
}
