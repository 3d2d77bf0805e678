//! Moves temporary memory of a workgroup to its stack: a kernel with many workgroups would otherwise allocate and free
//! it in each of them.
use halyard_ir::{Attr, Builder, Op, Type};

/// The limit on all of it, in bytes, like that of the scratch memory of generated kernels.
const LIMIT: u64 = 64 << 10;
/// The alignment, that of bindings.
const ALIGNMENT: i64 = 64;

/// Moves allocations of known size to the stack, the first ones first, until there is no more room. Those in loops stay: they
/// would take more with each iteration.
pub(super) fn rewrite(kernel: Op) {
    let mut left = LIMIT;
    let mut allocations = kernel.body_ops();
    // The operations that free it are also erased.
    allocations.retain(|op| op.is("memref.alloc") && op.operand_count() == 0);
    for op in allocations {
        let ty = op.result(0).ty();
        let bytes = ty.element_count().map(|n| n.unsigned_abs().saturating_mul(ty.element().byte_width()));
        let Some(bytes) = bytes.filter(|&bytes| bytes <= left) else { continue };
        // Memory that something else frees as well, such as a loop that it goes through, must be of the heap.
        let users = op.result(0).uses().into_iter().map(|(user, _)| user);
        let frees: Vec<Op> = users.filter(|user| user.is("memref.dealloc")).collect();
        let [free] = frees.as_slice() else { continue };
        if free.parent() != Some(kernel) {
            continue;
        }
        left -= bytes;
        let at = Builder::before(op);
        let attrs = [
            ("operandSegmentSizes", Attr::i32s(at.context(), &[0, 0])),
            ("alignment", Attr::integer(Type::integer(at.context(), 64), ALIGNMENT)),
        ];
        let memory = at.value("memref.alloca", &[], ty, &attrs);
        free.erase();
        op.result(0).replace_all_uses(memory);
        op.erase();
    }
}
