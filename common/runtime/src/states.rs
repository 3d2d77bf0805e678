//! States: the mutable globals of an instance, which stay on its device between calls.
//!
//! A state holds a block. A load lets a slot share it, or hands it over if the state is stored before it is loaded again; a
//! store takes over the block of the slot that it is given. So a value that is computed in place of the old one is never
//! copied, and neither is one that was made anew. What states held when a call began stays until the call has succeeded.
use crate::{
    Instance, LoadedProgram, Tensor, TensorSpec,
    buffer_pool::BufferPool,
    device::DeviceRange,
    interpret::Machine,
    schedule::{Base, Buffer, Initial, Operand, Register},
};
use halyard_diag::{Error, Result};

/// The states of an instance, in the order of [`crate::schedule::HostProgram::states`].
#[derive(Debug, Default)]
pub(crate) struct States {
    list: Vec<State>,
}

#[derive(Debug, Default)]
struct State {
    /// `None` while the value that a call has taken is not stored again.
    holds: Option<Held>,
    /// What it held when the call in progress began, once the call has taken or stored it.
    before: Option<Held>,
    /// Room for the sizes of the next value, so that calls allocate nothing in steady state.
    spare: Vec<usize>,
}

/// A value of a state.
#[derive(Debug, Clone)]
struct Held {
    span: DeviceRange,
    block: u32,
    shape: Vec<usize>,
    /// A call that failed has written a part of it.
    lost: bool,
}

impl States {
    /// Keeps what the call has stored, or goes back to what was there before it.
    pub(crate) fn end_call(&mut self, blocks: &mut BufferPool, succeeded: bool) {
        for state in &mut self.list {
            let Some(mut before) = state.before.take() else { continue };
            let written = blocks.unpin(before.block);
            if succeeded && state.holds.is_some() {
                state.spare = before.shape;
                continue;
            }
            if let Some(new) = state.holds.take() {
                blocks.release(new.block);
            }
            blocks.share(before.block);
            before.lost |= written;
            state.holds = Some(before);
        }
    }
}

impl Machine<'_> {
    pub(crate) fn load_state(&mut self, slot: u32, index: usize, dims: &[Register], take: bool) -> Result<()> {
        let spec = &self.program.schedule.states[index].spec;
        let state = &mut self.states.list[index];
        let Some(held) = &state.holds else {
            return Err(Error::input(format!("the program takes state `{}` twice", name(spec))).code("program-failed"));
        };
        if held.lost {
            return Err(lost(spec));
        }
        let sizes = held.shape.iter().zip(&spec.shape).filter(|(_, fixed)| fixed.is_none()).map(|(&d, _)| d);
        for (&register, size) in dims.iter().zip(sizes) {
            self.frame.registers[register as usize] = size as u64;
        }
        let (span, block) = (held.span, held.block);
        if !take {
            self.blocks.share(block);
        } else if let Some(held) = state.holds.take()
            && state.before.is_none()
        {
            self.blocks.pin(block);
            state.before = Some(held);
        }
        self.hold(slot, span, Some(block));
        Ok(())
    }

    pub(crate) fn store_state(&mut self, index: usize, source: &Buffer, dims: &[Operand]) -> Result<()> {
        let spec = &self.program.schedule.states[index].spec;
        let from = self.resolve(source)?;
        let mut shape = std::mem::take(&mut self.states.list[index].spare);
        shape.clear();
        shape.extend(dims.iter().map(|&d| usize::try_from(self.value(d)).unwrap_or(usize::MAX)));
        let bytes = Tensor::byte_count(spec.dtype, &shape).map(|b| b as u64);
        if !spec.accepts(spec.dtype, &shape) || bytes != Some(from.bytes) {
            let got = crate::shape_text(&shape, spec.dtype);
            return Err(Error::input(format!(
                "state `{}` is `{}`, the program stores `{got}`",
                name(spec),
                spec.type_text()
            ))
            .code("program-failed"));
        }
        let block = if let Base::Slot(slot) = source.base { self.held(slot) } else { None };
        let (span, block) = match block {
            Some(block) => {
                self.blocks.share(block);
                (from, block)
            }
            None => {
                let (block, span) = self.blocks.take(from.bytes, self.device)?;
                if let Err(e) = self.device.copy(from, span) {
                    self.blocks.release(block);
                    return Err(e);
                }
                (span, block)
            }
        };
        let state = &mut self.states.list[index];
        if let Some(old) = state.holds.replace(Held { span, block, shape, lost: false }) {
            if state.before.is_none() {
                self.blocks.pin(old.block);
            }
            self.blocks.release(old.block);
            state.before.get_or_insert(old);
        }
        Ok(())
    }
}

impl LoadedProgram {
    /// The names and types of the states that each instance has; a size that is any changes from call to call.
    pub fn states(&self) -> impl ExactSizeIterator<Item = &TensorSpec> {
        self.inner.schedule.states.iter().map(|s| &s.spec)
    }

    /// The sizes that a state has before the first call, by its number.
    pub fn initial_shape(&self, state: usize) -> &[u64] {
        let schedule = &self.inner.schedule;
        match &schedule.states[state].initial {
            Initial::Zeros(shape) => shape,
            Initial::Constant(constant) => &schedule.constants[*constant as usize].shape,
        }
    }

    fn state(&self, name: &str) -> Result<usize> {
        self.states().position(|s| s.name.as_deref() == Some(name)).ok_or_else(|| {
            let known: Vec<_> = self.states().map(|s| format!("`{}`", self::name(s))).collect();
            let error = Error::usage(format!("the program has no state `{name}`")).code("unknown-state");
            if known.is_empty() {
                error.note("it has none")
            } else {
                error.hint(format!("it has {}", known.join(", ")))
            }
        })
    }
}

impl Instance {
    /// What a state holds. Errors: no such state; it is lost, since a call that was updating it failed.
    pub fn state(&mut self, name: &str) -> Result<Tensor> {
        let index = self.program.state(name)?;
        let spec = &self.program.inner.schedule.states[index].spec;
        let held = self.states.list[index].holds.as_ref().filter(|h| !h.lost).ok_or_else(|| lost(spec))?;
        let mut tensor = Tensor::zeros(spec.dtype, &held.shape);
        let read = self.device.read(held.span, tensor.bytes_mut());
        let finished = self.device.finish();
        self.device.end_call();
        read.and(finished).map(|()| tensor)
    }

    /// Sets a state, as if a call had stored the tensor. Errors: no such state; the tensor does not fit its type.
    pub fn set_state(&mut self, name: &str, tensor: &Tensor) -> Result<()> {
        let index = self.program.state(name)?;
        let spec = &self.program.inner.schedule.states[index].spec;
        if !spec.accepts(tensor.dtype(), tensor.shape()) {
            return Err(Error::input(format!(
                "state `{name}`: expected `{}`, got `{}`",
                spec.type_text(),
                tensor.type_text()
            ))
            .code("wrong-state"));
        }
        self.fill_state(index, tensor.shape().to_vec(), |device, span| device.write(span, tensor.bytes()))
    }

    /// Gives a state its initial value. Errors: no such state; no memory.
    pub fn reset_state(&mut self, name: &str) -> Result<()> {
        let index = self.program.state(name)?;
        self.reset(index)
    }

    /// Gives all states their initial values. Errors: no memory.
    pub fn reset_states(&mut self) -> Result<()> {
        let count = self.program.inner.schedule.states.len();
        self.states.list.resize_with(count, State::default);
        (0..count).try_for_each(|index| self.reset(index))
    }

    fn reset(&mut self, index: usize) -> Result<()> {
        let loaded = std::sync::Arc::clone(&self.program.inner);
        let sizes = |shape: &[u64]| shape.iter().map(|&d| d as usize).collect();
        match &loaded.schedule.states[index].initial {
            Initial::Zeros(shape) => {
                self.fill_state(
                    index,
                    sizes(shape),
                    |device, span| {
                        if span.bytes == 0 { Ok(()) } else { device.fill(span, &[0]) }
                    },
                )
            }
            Initial::Constant(constant) => {
                let (from, shape) =
                    (self.constants[*constant as usize], &loaded.schedule.constants[*constant as usize].shape);
                self.fill_state(index, sizes(shape), |device, span| {
                    device.copy(DeviceRange { bytes: span.bytes, ..from }, span)
                })
            }
        }
    }

    /// Lets a state hold new memory that `write` fills.
    fn fill_state(
        &mut self,
        index: usize,
        shape: Vec<usize>,
        write: impl FnOnce(&mut dyn crate::device::Device, DeviceRange) -> Result<()>,
    ) -> Result<()> {
        let dtype = self.program.inner.schedule.states[index].spec.dtype;
        let bytes = Tensor::byte_count(dtype, &shape).expect("the shape was checked") as u64;
        // The old value goes first, so that its memory is used again.
        let old = self.states.list[index].holds.take();
        old.iter().for_each(|old| self.blocks.release(old.block));
        let (block, span) = self.blocks.take(bytes, &mut *self.device).inspect_err(|_| {
            old.iter().for_each(|old| self.blocks.share(old.block));
            self.states.list[index].holds = old.clone();
        })?;
        let written = write(&mut *self.device, span);
        let finished = self.device.finish();
        self.device.end_call();
        let result = written.and(finished);
        self.states.list[index].holds = Some(Held { span, block, shape, lost: result.is_err() });
        result
    }
}

fn name(spec: &TensorSpec) -> &str {
    spec.name.as_deref().unwrap_or_default()
}

fn lost(spec: &TensorSpec) -> Error {
    Error::input(format!(
        "state `{}` was being updated in place by a call that failed, and holds neither its old nor its new value",
        name(spec)
    ))
    .code("state-lost")
    .hint("set it to a value that was saved, or reset it")
}
