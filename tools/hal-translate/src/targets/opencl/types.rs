//! The element types of kernels: LLVM's code generator would end at one that SPIR-V lacks. And what modules need of a device.
use crate::target::Target;
use halyard_diag::Result;
use halyard_ir::{Module, Op};
use halyard_targets::{OpenclTarget, Use};
use std::collections::BTreeSet;

/// `OpCapability`, and the capabilities that a device may lack. Source: "SPIR-V Specification", binary form.
const OP_CAPABILITY: u32 = 17;
const OPTIONAL: [(u32, &str); 2] = [(9, "Float16"), (10, "Float64")];
/// Words of a module before its first instruction.
const HEADER: usize = 5;

/// Errors: a kernel computes with numbers that SPIR-V lacks.
pub(super) fn check(module: &Module<'_>) -> Result<()> {
    let mut types = BTreeSet::new();
    Op::from(module).walk(&mut |op| {
        let blocks = op.regions().into_iter().flat_map(|region| region.blocks());
        for value in op.results().into_iter().chain(blocks.flat_map(|block| block.args())) {
            let element = value.ty().element();
            if element.is_float() || element.is_integer() {
                types.insert(element.to_string());
            }
        }
    });
    types.iter().try_for_each(|ty| Target::Opencl(OpenclTarget).require(ty, Use::Computed).map(|_| ()))
}

/// The capabilities that a module declares and a device may lack, in the order of [`OPTIONAL`].
pub(super) fn needs(module: &[u8]) -> Vec<String> {
    let words: Vec<u32> = module.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
    let mut declared = BTreeSet::new();
    let mut rest = words.get(HEADER..).unwrap_or_default();
    // Capabilities come first.
    while let [head, capability, ..] = rest {
        if head & 0xffff != OP_CAPABILITY {
            break;
        }
        declared.insert(*capability);
        rest = &rest[2..];
    }
    OPTIONAL.iter().filter(|(number, _)| declared.contains(number)).map(|(_, name)| (*name).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_declared_and_optional_is_needed() {
        let words = [0x0723_0203, 0x0001_0200, 0, 8, 0, 0x0002_0011, 6, 0x0002_0011, 10, 0x0003_000e, 2, 9];
        let bytes: Vec<u8> = words.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
        assert_eq!(needs(&bytes), ["Float64"]);
        assert!(needs(&bytes[..20]).is_empty() && needs(&[]).is_empty());
    }
}
