//! The layout of the block of push constants.
//!
//! Load-time constants follow in words that the final block does not have: they become specialisation constants, see
//! [`super::patch`].
use halyard_diag::{Error, Result};
use halyard_ir::{
    Op, Type,
    form::{Interface, kernel_abi},
};

/// The positions of constants, in words of 32 bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Push {
    /// The first word of each constant in order, load-time ones last.
    pub words: Vec<usize>,
    /// The number of words of the block.
    pub pushed: usize,
    /// The words together with those of load-time constants.
    pub all: usize,
}

impl Push {
    /// The layout for an export. Errors: more than every device takes.
    pub(super) fn of(export: Op) -> Result<Self> {
        let abi = kernel_abi(export);
        let layout = abi.push_constants().map_err(|why| {
            Error::input(why)
                .code("unsupported-type")
                .hint("constants are the dynamic sizes of its tensors and its scalars: make some of them static")
        })?;
        let pushed = layout.size as usize / 4;
        let places = layout.places.iter().map(|(offset, _)| *offset as usize / 4);
        let words: Vec<usize> = places.chain((0..abi.load_constants.len()).map(|i| pushed + i)).collect();
        Ok(Self { words, pushed, all: pushed + abi.load_constants.len() })
    }
}

/// The types of the constants of an interface, in order.
pub(super) fn constants(interface: &Interface) -> Vec<Type> {
    let buffer = |ty: &&Type| ty.is_tensor() || ty.is_memref();
    let all = || interface.inputs.iter().chain(&interface.results);
    let sizes = all().filter(buffer).flat_map(|ty| {
        let dynamic = ty.shape().into_iter().filter(Option::is_none);
        dynamic.map(|_| Type::index(ty.context()))
    });
    sizes.chain(all().filter(|ty| !buffer(ty)).copied()).collect()
}
