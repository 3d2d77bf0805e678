//! States for callers: their names and types; reading, writing and resetting them.
use super::Instance;
use crate::{
    LoadedProgram, Tensor, TensorSpec,
    commands::Initial,
    device::DeviceRange,
    states::{Held, State, lost, name},
};
use halyard_diag::{Error, Result};

impl LoadedProgram {
    /// The names and types of the states that each instance has; a size that is any changes from call to call.
    pub fn states(&self) -> impl ExactSizeIterator<Item = &TensorSpec> {
        self.inner.host_program.states.iter().map(|s| &s.spec)
    }

    /// The sizes that a state has before the first call, by its number.
    pub fn initial_shape(&self, state: usize) -> &[u64] {
        let host_program = &self.inner.host_program;
        match &host_program.states[state].initial {
            Initial::Zeros(shape) => shape,
            Initial::Constant(constant) => &host_program.constants[*constant as usize].shape,
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
    /// Returns the value of a state. Fails if there is no such state, or if its value was lost in a call that failed
    /// while updating it.
    pub fn state(&mut self, name: &str) -> Result<Tensor> {
        let index = self.program.state(name)?;
        let spec = &self.program.inner.host_program.states[index].spec;
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
        let spec = &self.program.inner.host_program.states[index].spec;
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

    /// Resets a state to its initial value. Fails if there is no such state, or no memory.
    pub fn reset_state(&mut self, name: &str) -> Result<()> {
        let index = self.program.state(name)?;
        self.reset(index)
    }

    /// Resets all states to their initial values. Fails if there is no memory.
    pub fn reset_states(&mut self) -> Result<()> {
        let count = self.program.inner.host_program.states.len();
        self.states.list.resize_with(count, State::default);
        (0..count).try_for_each(|index| self.reset(index))
    }

    fn reset(&mut self, index: usize) -> Result<()> {
        let loaded = std::sync::Arc::clone(&self.program.inner);
        let sizes = |shape: &[u64]| shape.iter().map(|&d| d as usize).collect();
        match &loaded.host_program.states[index].initial {
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
                    (self.constants[*constant as usize], &loaded.host_program.constants[*constant as usize].shape);
                self.fill_state(index, sizes(shape), |device, span| {
                    device.copy(DeviceRange { bytes: span.bytes, ..from }, span)
                })
            }
        }
    }

    /// Sets a state to new memory that `write` fills.
    fn fill_state(
        &mut self,
        index: usize,
        shape: Vec<usize>,
        write: impl FnOnce(&mut dyn crate::device::Device, DeviceRange) -> Result<()>,
    ) -> Result<()> {
        let dtype = self.program.inner.host_program.states[index].spec.dtype;
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
