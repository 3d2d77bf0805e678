//! Instances: the state and memory of a running program.
mod device;
mod states;
mod timeline;

use crate::{
    CallTrace, CapturedDispatch, DispatchRecord, FunctionInfo, LoadedProgram, OutputMemory, Tensor, TensorView,
    TracedDispatch,
    buffer_pool::BufferPool,
    commands::Function,
    device::{Device, DeviceRange, KernelCall},
    guard::Guard,
    interpret::{Frame, Machine, Observer, Plain},
    observe::{Capture, Profile},
    outputs::Outputs,
    program::Loaded,
    record::CapturedBinding,
    recorder::{Recorder, Recording},
    shape_text,
    states::States,
    trace::Tracer,
    view::Viewed,
};
use device::open;
use halyard_diag::{Error, Result};
use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
    time::Duration,
};

/// Options of an instance.
#[derive(Debug, Clone, Copy, Default)]
pub struct InstanceOptions {
    /// Threads that execute workgroups; 0 is one per available core. With 1 everything runs on the caller's thread.
    pub threads: usize,
}

/// A program with its memory, threads and states. Calls of one instance share them, so a call takes it exclusively; make
/// several instances to call concurrently.
#[derive(Debug)]
pub struct Instance {
    pub(crate) device: Box<dyn Device>,
    arena: DeviceRange,
    /// The range of each constant of the program.
    pub(crate) constants: Vec<DeviceRange>,
    pub(crate) states: States,
    pub(crate) blocks: BufferPool,
    frame: Frame,
    /// The load-time constants of each kernel.
    load_constants: Vec<Vec<i64>>,
    pub(crate) program: LoadedProgram,
    /// What is recorded of the current call, if it is.
    pub(crate) recording: Option<Recording>,
}

impl Instance {
    /// Makes an instance. States start with their initial values. Errors: no memory, no threads.
    pub fn new(program: &LoadedProgram, options: InstanceOptions) -> Result<Self> {
        let loaded = &program.inner;
        if !loaded.complete {
            return Err(
                Error::usage("the program was loaded without all functions that it calls").code("missing-import")
            );
        }
        let (mut device, load_constants) = open(loaded, options)?;
        let constants = device.constants(&loaded.constants.all())?;
        // Functions do not call each other, so that one arena serves them all.
        let arena = device.allocate(loaded.host_program.functions.iter().map(|f| f.arena).max().unwrap_or(0))?;
        device.finish()?;
        let (states, blocks, frame) = (States::default(), BufferPool::default(), Frame::default());
        let mut instance = Self {
            device,
            arena,
            constants,
            states,
            blocks,
            frame,
            load_constants,
            program: program.clone(),
            recording: None,
        };
        instance.reset_states()?;
        Ok(instance)
    }

    /// Returns the program.
    pub fn program(&self) -> &LoadedProgram {
        &self.program
    }

    /// The number of threads that execute workgroups.
    pub fn threads(&self) -> usize {
        self.device.threads()
    }

    /// The system's numbers of those of these threads that belong to the instance: all but the one that calls it.
    pub fn own_threads(&self) -> Vec<i32> {
        self.device.own_threads()
    }

    /// Calls a function. Errors: no such function, inputs that do not fit its signature (says which), a failed
    /// assertion of the program. States are as before a call that fails; one that it was updating in place is lost then, and
    /// calls that read it fail until it is set or reset.
    pub fn call(&mut self, name: &str, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        let mut outputs = Vec::new();
        self.call_into(name, inputs, &mut outputs)?;
        Ok(outputs)
    }

    /// Like [`Instance::call`], into tensors of an earlier call: those of the right type and shape are reused, so that
    /// a program of static shapes allocates nothing in steady state.
    pub fn call_into(&mut self, name: &str, inputs: &[Tensor], outputs: &mut Vec<Tensor>) -> Result<()> {
        self.observed(name, inputs, outputs, &mut Plain)
    }

    /// Like [`Instance::call`], on memory of the caller, which is not copied.
    pub fn call_on(&mut self, name: &str, inputs: &[TensorView<'_>]) -> Result<Vec<Tensor>> {
        let mut outputs = Vec::new();
        self.call_on_into(name, inputs, &mut outputs)?;
        Ok(outputs)
    }

    /// Like [`Instance::call_into`], on memory of the caller, which is not copied.
    pub fn call_on_into(&mut self, name: &str, inputs: &[TensorView<'_>], outputs: &mut Vec<Tensor>) -> Result<()> {
        self.observed(name, inputs, outputs, &mut Plain)
    }

    /// Like [`Instance::call_on_into`], with outputs in memory of the caller where `memory` has some; `outputs` then holds the
    /// others. Gives the shapes of all outputs.
    ///
    /// Kernels write outputs of static shapes there if the memory starts at a multiple of [`crate::ALIGNMENT`] and overlaps no input.
    /// Otherwise, and where sizes are known only at the end, they are copied once. After a failure the contents of the memory
    /// are undefined. Further errors: memory for another number of outputs, of another type, too small or overlapping
    /// memory of another output.
    ///
    /// # Safety
    /// The memory may be written during the call, and nothing else accesses it but the call and its inputs.
    pub unsafe fn call_into_memory(
        &mut self,
        name: &str,
        inputs: &[TensorView<'_>],
        memory: &[Option<OutputMemory>],
        outputs: &mut Vec<Tensor>,
    ) -> Result<Vec<Vec<usize>>> {
        let loaded = Arc::clone(&self.program.inner);
        let function = self.function(&loaded, name)?;
        let mut outputs = Outputs::lent(outputs, memory, &function.info, inputs)?;
        self.observe(&loaded, function, inputs, &mut outputs, &mut Plain)?;
        outputs.deliver(function);
        Ok(outputs.shapes)
    }

    /// Like [`Instance::call`], timing every dispatch.
    pub fn profile(&mut self, name: &str, inputs: &[Tensor]) -> Result<(Vec<Tensor>, Vec<DispatchRecord>)> {
        let (mut outputs, mut profile) = (Vec::new(), Profile::default());
        self.observed(name, inputs, &mut outputs, &mut profile)?;
        Ok((outputs, profile.records))
    }

    /// Like [`Instance::call`], keeping one dispatch of each kind (kernel, workgroups, constants, binding sizes) with
    /// the real contents of its buffers, in order of first occurrence.
    pub fn capture(&mut self, name: &str, inputs: &[Tensor]) -> Result<Vec<CapturedDispatch>> {
        let loaded = self.program.inner.clone();
        let mut capture = Capture {
            kernels: &loaded.host_program.kernels,
            constants: &loaded.constants,
            on_device: &self.constants.clone(),
            seen: BTreeMap::new(),
            captured: Vec::new(),
        };
        self.observed(name, inputs, &mut Vec::new(), &mut capture)?;
        Ok(capture.captured)
    }

    /// Like [`Instance::call`], and records all dispatches with their buffers before and after, up to a number of
    /// bytes.
    pub fn trace(&mut self, name: &str, inputs: &[Tensor], limit: u64) -> Result<(Vec<Tensor>, CallTrace)> {
        let loaded = self.program.inner.clone();
        let mut tracer = Tracer {
            host_program: &loaded.host_program,
            chosen: &loaded.chosen,
            constants: &loaded.constants,
            on_device: &self.constants.clone(),
            limit,
            trace: CallTrace::default(),
            kept: HashMap::new(),
            values: Vec::new(),
        };
        let mut outputs = Vec::new();
        self.observed(name, inputs, &mut outputs, &mut tracer)?;
        Ok((outputs, tracer.trace))
    }

    /// Like [`Instance::call`], but runs each dispatch on copies between inaccessible pages; slow. Also returns the
    /// number of dispatches. Further errors: a device other than the CPU, and kernels that write outside their
    /// bindings, do not write all of a result, or do not compute the same twice. A kernel that accesses memory far
    /// outside crashes.
    pub fn call_guarded(&mut self, name: &str, inputs: &[Tensor]) -> Result<(Vec<Tensor>, usize)> {
        if let Some(title) = self.program.device_title() {
            return Err(Error::usage(format!(
                "kernels can be guarded on the CPU only, and the program runs on {title}"
            ))
            .code("guarded-device"));
        }
        let loaded = Arc::clone(&self.program.inner);
        let (mut outputs, mut guard) = (Vec::new(), Guard { kernels: &loaded.host_program.kernels, dispatches: 0 });
        self.observed(name, inputs, &mut outputs, &mut guard)?;
        Ok((outputs, guard.dispatches))
    }

    /// Runs a dispatch of a trace of this program again, on its own constants and, where they are given, on other contents. Gives what
    /// each binding that it writes holds then. Errors: contents of another size.
    pub fn run_traced(&mut self, traced: &TracedDispatch, instead: &[Option<&[u8]>]) -> Result<Vec<Option<Vec<u8>>>> {
        let mut dispatch = traced.again(&self.program.inner, instead)?;
        self.run_dispatch(&mut dispatch, 1)?;
        let written = |i: usize| dispatch.written[i].then(|| dispatch.binding(i).to_vec());
        Ok((0..dispatch.binding_bytes.len()).map(written).collect())
    }

    /// Runs a captured dispatch several times in a row and says how long that took in all. A kernel that works in place
    /// sees what its last run left.
    pub fn run_dispatch(&mut self, dispatch: &mut CapturedDispatch, iterations: usize) -> Result<Duration> {
        let took = self.time_dispatch(dispatch, iterations);
        let finished = self.device.finish();
        // Also after a failure, such as memory of a device that is exhausted.
        self.device.end_call();
        finished.and(took)
    }

    fn time_dispatch(&mut self, dispatch: &mut CapturedDispatch, iterations: usize) -> Result<Duration> {
        let mut spans: Vec<DeviceRange> = Vec::new();
        for binding in &mut dispatch.bindings {
            let span = match binding {
                CapturedBinding::Owned(bytes) => self.device.import_mut(bytes, true)?,
                CapturedBinding::Constant { constant, offset, bytes } => {
                    self.constants[*constant as usize].part(*offset, *bytes).expect("it was a part of it")
                }
                CapturedBinding::Same(earlier) => spans[*earlier],
            };
            spans.push(span);
        }
        let CapturedDispatch { kernel, workgroups, ref constants, .. } = *dispatch;
        self.device.time(KernelCall { kernel, bindings: &spans, constants, workgroups }, iterations)
    }

    fn observed<T: Viewed>(
        &mut self,
        name: &str,
        inputs: &[T],
        outputs: &mut Vec<Tensor>,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        let loaded = Arc::clone(&self.program.inner);
        let function = self.function(&loaded, name)?;
        self.observe(&loaded, function, inputs, &mut Outputs::own(outputs), observer)
    }

    fn function<'l>(&self, loaded: &'l Loaded, name: &str) -> Result<&'l Function> {
        match loaded.host_program.functions.iter().find(|f| f.info.name == name) {
            Some(function) => Ok(function),
            None => Err(self.program.function(Some(name)).err().unwrap_or_else(|| Error::usage("no such function"))),
        }
    }

    fn observe<T: Viewed>(
        &mut self,
        loaded: &Loaded,
        function: &Function,
        inputs: &[T],
        outputs: &mut Outputs<'_>,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        check_inputs(&function.info, inputs)?;
        let result = self.run(loaded, function, inputs, outputs, observer);
        // Also after a failure: what still works uses the memory of inputs and outputs.
        self.device.end_call();
        self.blocks.end_call(&mut *self.device);
        result
    }

    fn run<T: Viewed>(
        &mut self,
        loaded: &Loaded,
        function: &Function,
        inputs: &[T],
        outputs: &mut Outputs<'_>,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        let mut recorder;
        let device: &mut dyn Device = match &mut self.recording {
            None => &mut *self.device,
            Some(recording) => {
                recorder = Recorder { device: &mut *self.device, recording };
                &mut recorder
            }
        };
        let frame = &mut self.frame;
        frame.registers.clear();
        frame.registers.resize(function.registers as usize, 0);
        for &(input, dim, register) in &function.input_dims {
            frame.registers[register as usize] = inputs[input as usize].view().shape()[dim as usize] as u64;
        }
        frame.inputs.clear();
        for input in inputs {
            frame.inputs.push(device.import(input.view().bytes())?);
        }
        outputs.prepare(function);
        frame.outputs.clear();
        for output in 0..function.outputs.len() {
            frame.outputs.push(device.import_mut(outputs.written(function, output), false)?);
        }
        let mut machine = Machine {
            program: loaded,
            function,
            device,
            blocks: &mut self.blocks,
            arena: self.arena,
            constants: &self.constants,
            states: &mut self.states,
            load_constants: &self.load_constants,
            frame,
            observer,
        };
        let ran = machine.run();
        let finished = machine.device.finish();
        let result = ran.and(finished).and_then(|()| outputs.collect(&mut machine));
        machine.states.end_call(machine.blocks, result.is_ok());
        machine.clear();
        result
    }
}

fn check_inputs<T: Viewed>(info: &FunctionInfo, inputs: &[T]) -> Result<()> {
    if inputs.len() != info.inputs.len() {
        let signature: Vec<_> = info.inputs.iter().map(|s| s.type_text()).collect();
        let expected = info.inputs.len();
        let plural = if expected == 1 { "" } else { "s" };
        return Err(Error::input(format!(
            "function `{}` takes {expected} input{plural}, got {}",
            info.name,
            inputs.len()
        ))
        .code("wrong-input")
        .note(format!("it takes ({})", signature.join(", "))));
    }
    for (i, (spec, input)) in info.inputs.iter().zip(inputs).enumerate() {
        let input = input.view();
        if !spec.accepts(input.dtype(), input.shape()) {
            let name = spec.name.as_ref().map_or(String::new(), |n| format!(" `{n}`"));
            return Err(Error::input(format!(
                "input {i}{name} of function `{}`: expected `{}`, got `{}`",
                info.name,
                spec.type_text(),
                shape_text(input.shape(), input.dtype())
            ))
            .code("wrong-input"));
        }
    }
    Ok(())
}
