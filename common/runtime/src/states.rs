//! States: the mutable globals of an instance, which stay on its device between calls.
//!
//! A state holds a block. A load lets a slot share it, or moves it to the slot if the state is stored before it is
//! loaded again; a store moves the slot's block to the state. So neither a value that is computed in place nor one
//! that is newly computed is ever copied. The values of states at the start of a call are kept until the call has
//! succeeded.
use crate::{TensorSpec, buffer_pool::BufferPool, device::DeviceRange};
use halyard_diag::Error;

/// The states of an instance, in the order of [`crate::commands::HostProgram::states`].
#[derive(Debug, Default)]
pub(crate) struct States {
    pub(crate) list: Vec<State>,
}

#[derive(Debug, Default)]
pub(crate) struct State {
    /// `None` while the value that a call has taken is not stored again.
    pub(crate) holds: Option<Held>,
    /// The value at the start of the current call, once the call has loaded or stored the state.
    pub(crate) before: Option<Held>,
    /// Room for the sizes of the next value, so that calls allocate nothing in steady state.
    pub(crate) spare: Vec<usize>,
}

/// A value of a state.
#[derive(Debug, Clone)]
pub(crate) struct Held {
    pub(crate) span: DeviceRange,
    pub(crate) block: u32,
    pub(crate) shape: Vec<usize>,
    /// A call that failed has written a part of it.
    pub(crate) lost: bool,
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

pub(crate) fn name(spec: &TensorSpec) -> &str {
    spec.name.as_deref().unwrap_or_default()
}

pub(crate) fn lost(spec: &TensorSpec) -> Error {
    Error::input(format!(
        "state `{}` was being updated in place by a call that failed, and holds neither its old nor its new value",
        name(spec)
    ))
    .code("state-lost")
    .hint("set it to a value that was saved, or reset it")
}
