//! Makes workgroup count functions, from the constants of an export to x, y and z.
use halyard_diag::Result;
use halyard_ir::{Attr, Module, Op, Session, Type};

/// Normalises the functions of a module to the form that the linker reads: arithmetic on `index` alone, folded.
pub(crate) fn normalize(session: &Session, module: &Module<'_>) -> Result<()> {
    Op::from(module).walk(&mut |op| {
        let index = Type::index(op.context());
        for result in op.results().into_iter().filter(|r| is_word(r.ty())) {
            result.set_ty(index);
        }
        if op.is("arith.constant")
            && let Some(value) = op.attr("value").filter(|v| is_word(v.value_type())).and_then(Attr::as_int)
        {
            op.set_attr("value", Attr::integer(index, value));
        }
    });
    // Bounds of `scf.forall` may come from upstream's tiling.
    let mut affine = false;
    Op::from(module).walk(&mut |op| affine |= op.is_of("affine"));
    if affine {
        session.run_pipeline(module, "builtin.module(lower-affine)")?;
    }
    // What was a cast between the two is one of `index` to itself now.
    let mut casts = Vec::new();
    Op::from(module).walk(&mut |op| {
        if matches!(&*op.name(), "arith.index_cast" | "arith.index_castui") && op.operand(0).ty() == op.result(0).ty() {
            casts.push(op);
        }
    });
    for cast in casts {
        cast.result(0).replace_all_uses(cast.operand(0));
        cast.erase();
    }
    session.run_pipeline(module, "builtin.module(canonicalize,cse)")
}

fn is_word(ty: Type) -> bool {
    ty.is_integer() && matches!(ty.bits(), 32 | 64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_become_arithmetic_on_index() {
        let session = Session::new();
        let text = "func.func @f(%n: index) -> (index, index, index) {
            %i = arith.index_cast %n : index to i64
            %c = arith.constant 8 : i64
            %d = arith.ceildivsi %i, %c : i64
            %r = arith.index_cast %d : i64 to index
            %one = arith.constant 1 : index
            return %r, %one, %one : index, index, index }";
        let module = session.parse(text.as_bytes(), "test").unwrap();
        normalize(&session, &module).unwrap();
        let text = Op::from(&module).to_string();
        assert!(text.contains("arith.ceildivsi %arg0, %c8 : index") && !text.contains("i64"), "{text}");
    }
}
