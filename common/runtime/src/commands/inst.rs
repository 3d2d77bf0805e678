//! Host commands and their operands.
use super::{
    HostInput, HostPlace, HostResult, ScalarInst, ScalarType,
    operand::{Buffer, Operand, Register},
};
use serde::{Deserialize, Serialize};

/// One host command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Inst {
    /// Scalar arithmetic.
    Scalar(ScalarInst),
    /// Runs a kernel over its workgroups.
    Dispatch {
        /// An index in [`super::HostProgram::kernels`].
        kernel: u32,
        /// The buffer of each binding.
        bindings: Vec<Buffer>,
        /// The value of each constant, as the kernel receives it.
        constants: Vec<Operand>,
        /// The model's names of the tensors that the bindings hold after it, one per binding, empty for those without
        /// a name; or an empty list.
        values: Vec<String>,
    },
    /// Copies bytes between buffers of one length that do not overlap.
    Copy {
        /// The buffer to copy from.
        source: Buffer,
        /// The buffer to copy to.
        target: Buffer,
    },
    /// Sets all elements.
    Fill {
        /// The buffer.
        target: Buffer,
        /// The bits of an element.
        value: Operand,
        /// The bytes of an element: 1, 2, 4 or 8.
        width: u8,
    },
    /// Allocates new, undefined memory for a slot; releases what it held.
    Allocate {
        /// The number of the slot.
        slot: u32,
        /// The size in bytes.
        bytes: Operand,
    },
    /// Makes a slot a view of a part of another buffer, which is kept alive.
    View {
        /// The number of the slot.
        slot: u32,
        /// The buffer to view.
        source: Buffer,
    },
    /// Makes sure that a slot is the only one of its memory, so that it may be written: copies it otherwise.
    Own {
        /// The number of the slot.
        slot: u32,
    },
    /// Releases the memory of a slot.
    Release {
        /// The number of the slot.
        slot: u32,
    },
    /// Reads an element.
    Load {
        /// The type of the element.
        ty: ScalarType,
        /// The register to write.
        target: Register,
        /// The buffer that holds the element.
        source: Buffer,
        /// The position of the element in row-major order.
        index: Operand,
    },
    /// Writes an element.
    Store {
        /// The type of the element.
        ty: ScalarType,
        /// The value.
        value: Operand,
        /// The buffer that holds the element.
        target: Buffer,
        /// The position of the element in row-major order.
        index: Operand,
    },
    /// Runs one of two lists of commands.
    If {
        /// The condition: nonzero is true.
        condition: Operand,
        /// The commands if the condition is true.
        then: Vec<Inst>,
        /// The commands if it is false.
        otherwise: Vec<Inst>,
    },
    /// Counts from `lower` up to but without `upper`.
    For {
        /// The register of the loop counter.
        counter: Register,
        /// The first value.
        lower: Operand,
        /// The upper bound, exclusive.
        upper: Operand,
        /// The step; must be positive.
        step: Operand,
        /// Whether the bounds are compared as unsigned 64-bit integers.
        unsigned: bool,
        /// The commands of one iteration.
        body: Vec<Inst>,
    },
    /// Runs `before`, then ends unless `condition` holds, then runs `after`, and so on.
    While {
        /// The commands before the condition.
        before: Vec<Inst>,
        /// The condition, evaluated after `before`: nonzero continues.
        condition: Operand,
        /// The commands after the condition.
        after: Vec<Inst>,
    },
    /// Fails the call unless the condition holds.
    Assert {
        /// The condition: 0 fails the call.
        condition: Operand,
        /// The message, a [`halyard_diag::Template`].
        message: String,
        /// The values for its placeholders.
        values: Vec<MessageValue>,
    },
    /// Calls a function of a module or of the embedding application, on the thread that runs the program.
    Host {
        /// An index in [`super::HostProgram::host_functions`].
        function: u32,
        /// The inputs, one per argument.
        inputs: Vec<HostInput>,
        /// The results, one per result of the function.
        results: Vec<HostResult>,
    },
    /// Makes a slot hold the value of a state.
    LoadState {
        /// The number of the slot.
        slot: u32,
        /// An index in [`super::HostProgram::states`].
        state: u32,
        /// The registers that its sizes go to, one for each dimension whose size is not fixed.
        dims: Vec<Register>,
        /// The state is stored before it is loaded again, so that the slot has the memory for itself, and may be
        /// written in place.
        take: bool,
    },
    /// Stores a tensor in a state: moves the memory of a slot, copies anything else.
    StoreState {
        /// An index in [`super::HostProgram::states`].
        state: u32,
        /// The tensor.
        source: Buffer,
        /// Its sizes.
        dims: Vec<Operand>,
    },
}

impl Inst {
    /// Visits commands and those inside them, the outer ones first.
    pub fn walk(list: &mut [Self], visit: &mut dyn FnMut(&mut Self)) {
        for inst in list {
            visit(inst);
            match inst {
                Self::If { then: first, otherwise: second, .. } | Self::While { before: first, after: second, .. } => {
                    Self::walk(first, visit);
                    Self::walk(second, visit);
                }
                Self::For { body, .. } => Self::walk(body, visit),
                _ => {}
            }
        }
    }

    /// The buffers of a command, without those of commands inside it.
    pub fn buffers_mut(&mut self) -> Vec<&mut Buffer> {
        match self {
            Self::Dispatch { bindings, .. } => bindings.iter_mut().collect(),
            Self::Copy { source, target } => vec![source, target],
            Self::Fill { target, .. } | Self::Store { target, .. } => vec![target],
            Self::View { source, .. } | Self::Load { source, .. } | Self::StoreState { source, .. } => vec![source],
            Self::Host { inputs, results, .. } => {
                let results = results.iter_mut().filter_map(|r| match &mut r.place {
                    HostPlace::Buffer(buffer) => Some(buffer),
                    HostPlace::Slot(_) => None,
                });
                inputs.iter_mut().map(|i| &mut i.buffer).chain(results).collect()
            }
            Self::Scalar(_)
            | Self::Allocate { .. }
            | Self::Own { .. }
            | Self::Release { .. }
            | Self::If { .. }
            | Self::For { .. }
            | Self::While { .. }
            | Self::Assert { .. }
            | Self::LoadState { .. } => Vec::new(),
        }
    }
}

/// A value in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageValue {
    /// The value.
    pub value: Operand,
    /// Its type.
    pub ty: ScalarType,
    /// Whether it is an unsigned integer.
    pub unsigned: bool,
}
