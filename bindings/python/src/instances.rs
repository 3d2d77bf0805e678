//! Instances of a program for calls of several threads.
use crate::error::bug;
use halyard_diag::Result;
use halyard_runtime::{Instance, InstanceOptions, LoadedProgram};
use pyo3::PyResult;
use std::{mem, sync::Mutex};

/// Instances that no call uses. There are never more than calls ran at once.
pub(crate) struct Instances {
    program: LoadedProgram,
    options: InstanceOptions,
    idle: Mutex<Idle>,
}

struct Idle {
    /// The process that made them.
    process: u32,
    list: Vec<Instance>,
}

impl Instances {
    pub(crate) fn new(program: LoadedProgram, threads: usize) -> Self {
        let idle = Mutex::new(Idle { process: std::process::id(), list: Vec::new() });
        Self { program, options: InstanceOptions { threads }, idle }
    }

    pub(crate) fn program(&self) -> &LoadedProgram {
        &self.program
    }

    /// A new instance.
    pub(crate) fn make(&self) -> Result<Instance> {
        Instance::new(&self.program, self.options)
    }

    /// Takes an instance, or makes one.
    pub(crate) fn take(&self) -> PyResult<Result<Instance>> {
        let mut idle = self.idle.lock().map_err(|_| bug("a call panicked"))?;
        if idle.process != std::process::id() {
            // After a fork their threads are gone: whoever waits for one waits for ever.
            idle.process = std::process::id();
            mem::forget(mem::take(&mut idle.list));
        }
        let found = idle.list.pop();
        drop(idle);
        Ok(found.map_or_else(|| self.make(), Ok))
    }

    /// Gives an instance back.
    pub(crate) fn put(&self, instance: Instance) {
        if let Ok(mut idle) = self.idle.lock() {
            idle.list.push(instance);
        }
    }

    /// The number of instances that no call uses.
    pub(crate) fn idle(&self) -> usize {
        self.idle.lock().map_or(0, |idle| idle.list.len())
    }
}
