//! Host commands and their operands.
use super::{
    HostInput, HostPlace, HostResult, ScalarInst, ScalarType,
    operand::{Buffer, Operand, Register},
};
use serde::{Deserialize, Serialize};

/// One step of the host program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Inst {
    /// Scalar arithmetic.
    Scalar(ScalarInst),
    /// Runs a kernel over its workgroups.
    Dispatch {
        /// An index in [`super::HostProgram::kernels`].
        kernel: u32,
        /// One per binding.
        bindings: Vec<Buffer>,
        /// One per constant, as the kernel gets them.
        constants: Vec<Operand>,
        /// What the model calls the tensors that the bindings hold after it, one per binding, empty where it has no name;
        /// or none at all.
        values: Vec<String>,
    },
    /// Copies bytes between buffers of one length that do not overlap.
    Copy {
        /// From.
        source: Buffer,
        /// To.
        target: Buffer,
    },
    /// Sets all elements.
    Fill {
        /// What.
        target: Buffer,
        /// The bits of an element.
        value: Operand,
        /// The bytes of an element: 1, 2, 4 or 8.
        width: u8,
    },
    /// Gives a slot memory of its own, undefined contents; releases what it held.
    Allocate {
        /// Which.
        slot: u32,
        /// How much.
        bytes: Operand,
    },
    /// Lets a slot stand for a part of another buffer, which is kept alive.
    View {
        /// Which.
        slot: u32,
        /// Of what.
        source: Buffer,
    },
    /// Makes sure that a slot is the only one of its memory, so that it may be written: copies it otherwise.
    Own {
        /// Which.
        slot: u32,
    },
    /// Releases what a slot holds.
    Release {
        /// Which.
        slot: u32,
    },
    /// Reads an element.
    Load {
        /// Its type.
        ty: ScalarType,
        /// Where to.
        target: Register,
        /// From where.
        source: Buffer,
        /// The position of the element in row-major order.
        index: Operand,
    },
    /// Writes an element.
    Store {
        /// Its type.
        ty: ScalarType,
        /// What.
        value: Operand,
        /// Where to.
        target: Buffer,
        /// The position of the element in row-major order.
        index: Operand,
    },
    /// Either or.
    If {
        /// Not 0.
        condition: Operand,
        /// If so.
        then: Vec<Inst>,
        /// If not.
        otherwise: Vec<Inst>,
    },
    /// Counts from `lower` up to but without `upper`.
    For {
        /// The register that counts.
        counter: Register,
        /// The first value.
        lower: Operand,
        /// The end.
        upper: Operand,
        /// Must be positive.
        step: Operand,
        /// How the bounds are compared: as signed or unsigned 64-bit numbers.
        unsigned: bool,
        /// The commands of one iteration.
        body: Vec<Inst>,
    },
    /// Runs `before`, then ends unless `condition` holds, then runs `after`, and so on.
    While {
        /// First.
        before: Vec<Inst>,
        /// Not 0, evaluated after `before`.
        condition: Operand,
        /// Second.
        after: Vec<Inst>,
    },
    /// Fails the call unless the condition holds.
    Assert {
        /// Not 0.
        condition: Operand,
        /// What to say, a [`halyard_diag::Template`].
        message: String,
        /// What takes the places in it.
        values: Vec<MessageValue>,
    },
    /// Calls a function of a module or of the embedding application, on the thread that runs the program.
    Host {
        /// An index in [`super::HostProgram::host_functions`].
        function: u32,
        /// One per argument.
        inputs: Vec<HostInput>,
        /// One per result.
        results: Vec<HostResult>,
    },
    /// Lets a slot stand for what a state holds.
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
    /// Lets a state hold a tensor: the memory of a slot itself, a copy of anything else.
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

/// A value of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageValue {
    /// Where it comes from.
    pub value: Operand,
    /// Its type.
    pub ty: ScalarType,
    /// It is an integer without a sign.
    pub unsigned: bool,
}
