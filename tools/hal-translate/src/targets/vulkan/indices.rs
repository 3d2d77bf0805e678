//! Indices in memory: they have 64 bits there, as on the host, whatever a GPU counts with.
use halyard_ir::{Builder, Op, Type, Value};

/// Lets the memory of a function on buffers hold `i64` in the place of `index`; what is loaded and stored is converted.
pub(super) fn widen(function: Op) {
    let mut accesses = Vec::new();
    let widened = |value: Value| {
        if value.ty().is_memref() && value.ty().element().is_index() {
            value.set_ty(with_i64(value.ty()));
        }
    };
    function.walk(&mut |op| {
        let blocks = op.regions().into_iter().flat_map(|r| r.blocks());
        op.results().into_iter().chain(blocks.flat_map(|b| b.args())).for_each(widened);
        if op.is("memref.load") || op.is("memref.store") {
            accesses.push(op);
        }
    });
    for op in accesses {
        let i64 = Type::integer(op.context(), 64);
        if op.is("memref.store") && op.operand(0).ty().is_index() {
            op.set_operand(0, Builder::before(op).value("arith.index_cast", &[op.operand(0)], i64, &[]));
        } else if op.is("memref.load") && op.result(0).ty().is_index() {
            let (loaded, users, index) = (op.result(0), op.result(0).uses(), op.result(0).ty());
            loaded.set_ty(i64);
            let after = Builder { before: op.next(), ..Builder::before(op) };
            let number = after.value("arith.index_cast", &[loaded], index, &[]);
            users.into_iter().for_each(|(user, operand)| user.set_operand(operand, number));
        }
    }
}

/// A type of memory of `index` as one of `i64`, of the same shape, layout and space.
fn with_i64(ty: Type) -> Type {
    let text = ty.to_string();
    // The element follows the sizes: `memref<4x?xindex, strided<[?, 1]>>`.
    let end = text.find("index").expect("it holds indices");
    Type::parse(ty.context(), &format!("{}i64{}", &text[..end], &text[end + "index".len()..]))
        .expect("a type of memory")
}
