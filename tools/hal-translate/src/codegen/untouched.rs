//! Keeps elements of outs that an operation does not write. Upstream assumes that an out is overwritten if the body
//! does not read it; but a map may skip elements, and a loop that a result does not depend on may have no iteration.
//! In these cases the body is made to read the out.
use halyard_ir::{Affine, AffineKind, Attr, Block, Builder, Op, Structured, Type, Value};

/// Rewrites the operations of a module.
pub(crate) fn rewrite(module: Op) {
    let mut found = Vec::new();
    module.walk(&mut |op| {
        if op.is_of("linalg") && op.result_count() > 0 {
            found.push(op);
        }
    });
    for op in found {
        let (Some(structured), Some(body)) = (Structured::of(op), op.body()) else { continue };
        let (args, sizes) = (body.args(), sizes(op, &structured));
        for result in 0..op.result_count() {
            let unread = args.get(structured.inputs + result).filter(|arg| !arg.has_uses());
            let shape = op.result(result).ty().shape();
            if let Some(&out) = unread
                && !writes_all(structured.maps[structured.inputs + result], &shape, &sizes)
            {
                read(body, result, out, sizes.iter().position(|size| *size != Some(1)));
            }
        }
    }
}

/// The sizes of the loops, where a type says them.
fn sizes(op: Op, structured: &Structured) -> Vec<Option<i64>> {
    let mut sizes = vec![None; structured.loops()];
    for (operand, map) in op.operands().into_iter().zip(&structured.maps) {
        if !operand.ty().is_ranked_tensor() {
            continue;
        }
        for (expr, size) in map.results().into_iter().zip(operand.ty().shape()) {
            if let AffineKind::Dim(d) = expr {
                sizes[d] = sizes[d].or(size);
            }
        }
    }
    sizes
}

/// Whether every element of a result is surely written.
fn writes_all(map: Affine, shape: &[Option<i64>], sizes: &[Option<i64>]) -> bool {
    let mut written = vec![false; sizes.len()];
    let each = map.results().into_iter().zip(shape).all(|(expr, size)| match expr {
        AffineKind::Dim(d) => !std::mem::replace(&mut written[d], true),
        AffineKind::Constant(0) => *size == Some(1),
        _ => false,
    });
    each && written.iter().zip(sizes).all(|(written, size)| *written || size.is_some_and(|n| n > 0))
}

/// Makes a body read an out, with a comparison that always holds but that no pass before bufferization can fold: the
/// index of a loop is never negative; if all loops have one iteration, the out's own bits as an unsigned integer.
fn read(body: Block, result: usize, out: Value, runs: Option<usize>) {
    let Some(end) = body.terminator() else { return };
    let at = Builder::before(end);
    let (context, value) = (at.context(), end.operand(result));
    let (i64, index) = (Type::integer(context, 64), Type::index(context));
    // Signed and unsigned, at least.
    let (number, predicate) = match runs {
        Some(d) => (at.value("linalg.index", &[], index, &[("dim", Attr::integer(i64, d as i64))]), 5),
        None if out.ty().is_float() => {
            (at.value("arith.bitcast", &[out], Type::integer(context, out.ty().bits()), &[]), 9)
        }
        None => (out, 9),
    };
    let zero = at.constant(Attr::integer(number.ty(), 0));
    let holds = at.value(
        "arith.cmpi",
        &[number, zero],
        Type::integer(context, 1),
        &[("predicate", Attr::integer(i64, predicate))],
    );
    end.set_operand(result, at.value("arith.select", &[holds, value, out], value.ty(), &[]));
}
