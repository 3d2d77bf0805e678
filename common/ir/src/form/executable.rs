//! A view of an executable.
use super::Export;
use crate::{Attr, Block, Builder, Loc, Op, Region, names};

/// A unit of device code: a module nested in a program.
#[derive(Debug, Clone, Copy)]
pub struct Executable {
    /// The nested module.
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

    /// Returns the symbol name.
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
}
