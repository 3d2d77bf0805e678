//! Watching stages while they run: what times, prints and dumps them comes in here.
use halyard_diag::Result;
use halyard_ir::Op;
use std::time::Duration;

/// A stage at work.
#[derive(Debug, Clone, Copy)]
pub struct Running<'a> {
    /// Which one it is, bundles taken apart: from 0.
    pub index: usize,
    /// What messages call it: a pass, a file.
    pub name: &'a str,
    /// How it would be written alone.
    pub text: &'a str,
}

/// What is told of each stage. `()` watches nothing.
pub trait Observer {
    /// A stage is about to run on a module. Errors end the run.
    fn before(&mut self, stage: Running<'_>, module: Op) -> Result<()> {
        let _ = (stage, module);
        Ok(())
    }

    /// A stage has run for some time and has said `result`; what comes back goes on in its place.
    fn after(&mut self, stage: Running<'_>, module: Op, time: Duration, result: Result<()>) -> Result<()> {
        let _ = (stage, module, time);
        result
    }
}

impl Observer for () {}
