//! Executables and their exports.
use super::{Interface, Variant};
use crate::{Attr, Block, Builder, Loc, Op, Region, Type, names};

/// A unit of device code: a module nested in a program.
#[derive(Debug, Clone, Copy)]
pub struct Executable {
    /// The module.
    pub op: Op,
}

impl Executable {
    /// Views an operation; `None` unless it is an executable.
    pub fn view(op: Op) -> Option<Self> {
        (op.is("builtin.module") && op.has_attr(names::EXECUTABLE)).then_some(Self { op })
    }

    /// Makes an empty executable in no block.
    pub fn create(loc: Loc, name: &str) -> Self {
        // SAFETY: the location is live.
        let context = unsafe { mlir_sys::mlirLocationGetContext(loc) };
        let region = Region::create();
        region.append(Block::create(&[], loc));
        let attrs = [("sym_name", Attr::string(context, name)), (names::EXECUTABLE, Attr::unit(context))];
        Self { op: Builder::create(loc, "builtin.module", &[], &[], &attrs, vec![region]) }
    }

    /// The symbol name.
    pub fn name(self) -> String {
        self.op.symbol().unwrap_or_default()
    }

    /// The block that holds exports and variants.
    pub fn body(self) -> Block {
        self.op.body().expect("a module has a body")
    }

    /// The exports of the source, in order. Empty if the source was stripped; see [`Executable::interface_exports`].
    pub fn exports(self) -> Vec<Export> {
        self.body().ops().into_iter().filter_map(Export::view).collect()
    }

    /// The exports of the source or, where it was stripped, their declarations in the first variant.
    pub fn interface_exports(self) -> Vec<Export> {
        let exports = self.exports();
        if !exports.is_empty() {
            return exports;
        }
        self.variants().first().map(|v| v.exports()).unwrap_or_default()
    }

    /// The variants in order.
    pub fn variants(self) -> Vec<Variant> {
        self.body().ops().into_iter().filter_map(Variant::view).collect()
    }
}

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
        super::fingerprint::interface_type(self.op)
    }

    /// The type that the function has; on tensors only where it is not lowered.
    pub fn signature(self) -> Type {
        self.op.attr("function_type").and_then(Attr::as_type).expect("functions have a type")
    }

    /// Bindings and constants.
    pub fn interface(self) -> Interface {
        Interface::of(self.op)
    }
}
