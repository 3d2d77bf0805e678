//! Instances: what a program needs to run.
use crate::{CapturedDispatch, DispatchRecord, Program, Tensor};
use halyard_diag::{Error, Result};
use std::time::Duration;

/// How to run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Threads that execute workgroups; 0 is one per available core. With 1 everything runs on the caller's thread.
    pub threads: usize,
}

/// A program with its memory, threads and mutable globals. Calls of one instance share them, so a call takes it
/// exclusively; make several instances to call concurrently.
#[derive(Debug)]
pub struct Instance {
    program: Program,
}

impl Instance {
    /// Makes an instance. Mutable globals start with their initial values.
    pub fn new(program: &Program, _options: Options) -> Result<Self> {
        Ok(Self { program: program.clone() })
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The number of threads that execute workgroups.
    pub fn threads(&self) -> usize {
        1
    }

    /// Calls a function. Errors: no such function, inputs that do not fit its signature (says which), a failed
    /// assertion of the program.
    pub fn call(&mut self, name: &str, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        let mut outputs = Vec::new();
        self.call_into(name, inputs, &mut outputs)?;
        Ok(outputs)
    }

    /// Like [`Instance::call`], into tensors of an earlier call: those of the right type and shape are reused, so that
    /// a program of static shapes allocates nothing in steady state.
    pub fn call_into(&mut self, _name: &str, _inputs: &[Tensor], _outputs: &mut Vec<Tensor>) -> Result<()> {
        Err(Error::usage("no function"))
    }

    /// Like [`Instance::call`], timing every dispatch.
    pub fn profile(&mut self, _name: &str, _inputs: &[Tensor]) -> Result<(Vec<Tensor>, Vec<DispatchRecord>)> {
        Err(Error::usage("no function"))
    }

    /// Like [`Instance::call`], keeping one dispatch of each kind (kernel, workgroups, constants, binding sizes) with
    /// the real contents of its buffers, in order of first occurrence.
    pub fn capture(&mut self, _name: &str, _inputs: &[Tensor]) -> Result<Vec<CapturedDispatch>> {
        Err(Error::usage("no function"))
    }

    /// Runs a captured dispatch several times in a row and says how long that took in all.
    pub fn run_dispatch(&mut self, _dispatch: &mut CapturedDispatch, _iterations: usize) -> Result<Duration> {
        Err(Error::usage("no function"))
    }
}
