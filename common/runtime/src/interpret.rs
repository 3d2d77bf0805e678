//! Runs the host commands of a function.
mod states;

use crate::{
    buffer_pool::BufferPool,
    commands::{Base, Buffer, Function, Inst, Operand, evaluate},
    device::{Device, DeviceRange, KernelCall},
    program::Loaded,
    states::States,
};
use halyard_diag::{Error, Result, Template};

/// The working data of a call; kept between calls to save allocations.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    pub(crate) registers: Vec<u64>,
    slots: Vec<Slot>,
    pub(crate) inputs: Vec<DeviceRange>,
    pub(crate) outputs: Vec<DeviceRange>,
    /// The shape of an output.
    pub(crate) shape: Vec<usize>,
    bindings: Vec<DeviceRange>,
    constants: Vec<i64>,
    scratch: Vec<u64>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    span: DeviceRange,
    /// The block that it counts as a user of; a view of memory that outlives the call has none.
    block: Option<u32>,
}

/// An observer of dispatches.
pub(crate) trait Observer {
    /// Announces the model's names of the tensors that the bindings of the next dispatch hold after it; see
    /// [`Inst::Dispatch`].
    fn about(&mut self, _values: &[String]) {}
    /// Runs the dispatch, with whatever it does around.
    fn dispatch(&mut self, device: &mut dyn Device, call: KernelCall<'_>) -> Result<()>;
}

/// An observer that only runs the dispatch.
pub(crate) struct Plain;

impl Observer for Plain {
    fn dispatch(&mut self, device: &mut dyn Device, call: KernelCall<'_>) -> Result<()> {
        device.dispatch(call)
    }
}

/// A call in progress.
pub(crate) struct Machine<'a> {
    pub(crate) program: &'a Loaded,
    pub(crate) function: &'a Function,
    pub(crate) device: &'a mut dyn Device,
    pub(crate) blocks: &'a mut BufferPool,
    pub(crate) arena: DeviceRange,
    pub(crate) constants: &'a [DeviceRange],
    pub(crate) states: &'a mut States,
    pub(crate) load_constants: &'a [Vec<i64>],
    pub(crate) frame: &'a mut Frame,
    pub(crate) observer: &'a mut dyn Observer,
}

impl Machine<'_> {
    /// Runs the body. Inputs, outputs and the registers of input dimensions are in the frame.
    pub(crate) fn run(&mut self) -> Result<()> {
        self.frame.slots.clear();
        self.frame.slots.resize(self.function.slots as usize, Slot::default());
        self.block(&self.function.body)
    }

    /// Releases all slots.
    pub(crate) fn clear(&mut self) {
        for slot in 0..self.frame.slots.len() {
            self.release(slot as u32);
        }
    }

    pub(crate) fn value(&self, operand: Operand) -> u64 {
        operand.get(&self.frame.registers)
    }

    /// The range that a buffer names. Errors: it does not lie in its base.
    pub(crate) fn resolve(&self, buffer: &Buffer) -> Result<DeviceRange> {
        let base = match buffer.base {
            Base::Transient(i) => {
                let t = self.function.transients[i as usize];
                DeviceRange { address: self.arena.address + t.offset, bytes: t.bytes }
            }
            Base::Slot(i) => self.frame.slots[i as usize].span,
            Base::Input(i) => self.frame.inputs[i as usize],
            Base::Output(i) => self.frame.outputs[i as usize],
            Base::Constant(i) => self.constants[i as usize],
            Base::Weight(_) => unreachable!("weights are bound when a program is loaded"),
        };
        let (offset, bytes) = (self.value(buffer.offset), self.value(buffer.bytes));
        base.part(offset, bytes).ok_or_else(|| {
            Error::input(format!(
                "the program reaches outside a tensor: bytes {} to {} of {}",
                offset as i64,
                offset.wrapping_add(bytes) as i64,
                base.bytes
            ))
            .code("out-of-bounds")
            .hint("do the inputs have the sizes that the model expects?")
        })
    }

    fn block(&mut self, insts: &[Inst]) -> Result<()> {
        insts.iter().try_for_each(|inst| self.inst(inst))
    }

    fn inst(&mut self, inst: &Inst) -> Result<()> {
        match inst {
            Inst::Scalar(inst) => evaluate(inst, &mut self.frame.registers)
                .map_err(|why| Error::input(format!("the program fails: {why}")).code("program-failed")),
            Inst::Dispatch { kernel, bindings, constants, values } => {
                self.observer.about(values);
                self.dispatch(*kernel as usize, bindings, constants)
            }
            Inst::Copy { source, target } => {
                let (source, target) = (self.resolve(source)?, self.resolve(target)?);
                if source.bytes != target.bytes {
                    return Err(Error::input(format!("the program copies {} bytes to {}", source.bytes, target.bytes))
                        .code("out-of-bounds"));
                }
                self.device.copy(source, target)
            }
            Inst::Fill { target, value, width } => {
                let target = self.resolve(target)?;
                let bytes = self.value(*value).to_le_bytes();
                self.device.fill(target, &bytes[..usize::from(*width)])
            }
            Inst::Allocate { slot, bytes } => {
                self.release(*slot);
                let bytes = self.value(*bytes);
                if i64::try_from(bytes).is_err() {
                    return Err(Error::input("the program makes a tensor of negative size")
                        .code("program-failed")
                        .hint("do the inputs have the sizes that the model expects?"));
                }
                let (block, span) = self.blocks.take(bytes, self.device)?;
                self.frame.slots[*slot as usize] = Slot { span, block: Some(block) };
                Ok(())
            }
            Inst::View { slot, source } => {
                let span = self.resolve(source)?;
                let block = if let Base::Slot(i) = source.base { self.frame.slots[i as usize].block } else { None };
                if let Some(block) = block {
                    self.blocks.share(block);
                }
                self.release(*slot);
                self.frame.slots[*slot as usize] = Slot { span, block };
                Ok(())
            }
            Inst::Own { slot } => self.own(*slot),
            Inst::Release { slot } => {
                self.release(*slot);
                Ok(())
            }
            Inst::Load { ty, target, source, index } => {
                let element = self.element(source, *index, ty.size())?;
                let mut bytes = [0; 8];
                self.device.read(element, &mut bytes[..ty.size()])?;
                self.frame.registers[*target as usize] = u64::from_le_bytes(bytes) & ty.mask();
                Ok(())
            }
            Inst::Store { ty, value, target, index } => {
                let element = self.element(target, *index, ty.size())?;
                let bytes = self.value(*value).to_le_bytes();
                self.device.write(element, &bytes[..ty.size()])
            }
            Inst::If { condition, then, otherwise } => {
                if self.value(*condition) & 1 != 0 {
                    self.block(then)
                } else {
                    self.block(otherwise)
                }
            }
            Inst::For { counter, lower, upper, step, unsigned, body } => {
                let (mut i, upper, step) = (self.value(*lower), self.value(*upper), self.value(*step));
                if step == 0 || (!*unsigned && (step as i64) < 0) {
                    return Err(
                        Error::input(format!("a loop of the program has step {}", step as i64)).code("program-failed")
                    );
                }
                while if *unsigned { i < upper } else { (i as i64) < upper as i64 } {
                    self.frame.registers[*counter as usize] = i;
                    self.block(body)?;
                    let next = if *unsigned {
                        i.checked_add(step)
                    } else {
                        (i as i64).checked_add(step as i64).map(|n| n as u64)
                    };
                    let Some(next) = next else { break };
                    i = next;
                }
                Ok(())
            }
            Inst::While { before, condition, after } => loop {
                self.block(before)?;
                if self.value(*condition) & 1 == 0 {
                    return Ok(());
                }
                self.block(after)?;
            },
            Inst::Assert { condition, message, values } => {
                if self.value(*condition) & 1 != 0 {
                    return Ok(());
                }
                let template = Template::parse(message).expect("messages were validated");
                let text = template.fill(|i| values[i].ty.text(self.value(values[i].value), values[i].unsigned));
                Err(Error::input(text).code("assertion-failed"))
            }
            Inst::Host { function, inputs, results } => self.call_host(*function as usize, inputs, results),
            Inst::LoadState { slot, state, dims, take } => self.load_state(*slot, *state as usize, dims, *take),
            Inst::StoreState { state, source, dims } => self.store_state(*state as usize, source, dims),
        }
    }

    /// Makes a slot hold a block, as its user.
    pub(crate) fn hold(&mut self, slot: u32, span: DeviceRange, block: Option<u32>) {
        self.release(slot);
        self.frame.slots[slot as usize] = Slot { span, block };
    }

    /// The block that a slot counts as a user of.
    pub(crate) fn held(&self, slot: u32) -> Option<u32> {
        self.frame.slots[slot as usize].block
    }

    fn dispatch(&mut self, kernel: usize, bindings: &[Buffer], constants: &[Operand]) -> Result<()> {
        let mut spans = std::mem::take(&mut self.frame.bindings);
        spans.clear();
        for binding in bindings {
            spans.push(self.resolve(binding)?);
        }
        self.frame.constants.clear();
        for &constant in constants {
            let value = self.value(constant);
            self.frame.constants.push(value as i64);
        }
        self.frame.constants.extend_from_slice(&self.load_constants[kernel]);
        let description = &self.program.host_program.kernels[kernel];
        let variant = &description.variants[self.program.chosen[kernel]];
        let workgroups =
            variant.workgroups.compute(&self.frame.constants, &mut self.frame.scratch).ok_or_else(|| {
                Error::input(format!(
                    "kernel `{}` has no workgroup count for constants {:?}",
                    description.export, self.frame.constants
                ))
                .code("program-failed")
            })?;
        let call = KernelCall { kernel, bindings: &spans, constants: &self.frame.constants, workgroups };
        self.observer.dispatch(self.device, call)?;
        self.frame.bindings = spans;
        Ok(())
    }

    fn element(&self, buffer: &Buffer, index: Operand, size: usize) -> Result<DeviceRange> {
        let span = self.resolve(buffer)?;
        let (index, size) = (self.value(index), size as u64);
        index.checked_mul(size).and_then(|offset| span.part(offset, size)).ok_or_else(|| {
            Error::input(format!("the program reads element {} of a tensor of {}", index as i64, span.bytes / size))
                .code("out-of-bounds")
        })
    }

    fn release(&mut self, slot: u32) {
        if let Some(block) = std::mem::take(&mut self.frame.slots[slot as usize]).block {
            self.blocks.release(block);
        }
    }

    fn own(&mut self, slot: u32) -> Result<()> {
        let Slot { span, block } = self.frame.slots[slot as usize];
        if let Some(block) = block.filter(|&b| self.blocks.is_unique(b)) {
            self.blocks.write(block);
            return Ok(());
        }
        let (copy, target) = self.blocks.take(span.bytes, self.device)?;
        let copied = self.device.copy(span, target);
        // The slot has the new block in any case, and releases it.
        self.release(slot);
        self.frame.slots[slot as usize] = Slot { span: target, block: Some(copy) };
        copied
    }
}
