//! Exports: the kernels of executables.
use super::{Interface, fingerprint::interface_type};
use crate::{Attr, Op, Type, names};

/// A kernel: a function on tensors, whose type is its interface; or one that arrives lowered, see [`super::Level`].
#[derive(Debug, Clone, Copy)]
pub struct Export {
    /// The `func.func` (or `llvm.func`), with a body in a source, without one in a variant.
    pub op: Op,
}

impl Export {
    /// Views an operation; `None` unless it is an export.
    pub fn view(op: Op) -> Option<Self> {
        ((op.is("func.func") || op.is("llvm.func")) && op.has_attr(names::EXPORT)).then_some(Self { op })
    }

    /// The symbol name, which is the symbol in the object.
    pub fn name(self) -> String {
        self.op.symbol().unwrap_or_default()
    }

    /// The function type of its interface: on tensors, whatever the level.
    pub fn ty(self) -> Type {
        interface_type(self.op)
    }

    /// The type that the function has; on tensors only where it is not lowered.
    pub fn signature(self) -> Type {
        self.op.attr("function_type").and_then(Attr::as_type).expect("functions have a type")
    }

    /// Returns the interface.
    pub fn interface(self) -> Interface {
        Interface::of(self.op)
    }
}
