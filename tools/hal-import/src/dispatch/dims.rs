//! The dynamic dimensions of what a group makes, computed by the host before it calls the executable.
use halyard_ir::{Attr, Builder, Op, Type, Value};

/// The `index` values of the dynamic dimensions of a value, in order, computed from what is known before the operations
/// in `group` run. Errors: the operation that nobody can tell the size of.
pub(super) fn dynamic_dims(builder: &Builder, value: Value, group: &[Op]) -> Result<Vec<Value>, Op> {
    let shape = value.ty().shape();
    (0..shape.len()).filter(|d| shape[*d].is_none()).map(|d| dim(builder, value, d, group)).collect()
}

/// One dimension of a value as an `index` value.
fn dim(builder: &Builder, value: Value, d: usize, group: &[Op]) -> Result<Value, Op> {
    if let Some(size) = value.ty().shape()[d] {
        return Ok(builder.index(size));
    }
    let Some(def) = value.def() else { return Ok(dim_of(builder, value, d)) };
    if def.is("tensor.empty") {
        return Ok(def.operand(dynamic_before(value.ty(), d)));
    }
    if !group.contains(&def) {
        return Ok(dim_of(builder, value, d));
    }
    let i64s = |name: &str| def.attr(name).and_then(Attr::as_i64s).unwrap_or_default();
    match &*def.name() {
        "tensor.pad" => {
            let (low, high) = (i64s("static_low"), i64s("static_high"));
            let lows = low.iter().filter(|v| **v == i64::MIN).count();
            let mut size = dim(builder, def.operand(0), d, group)?;
            for (list, first) in [(&low, 1), (&high, 1 + lows)] {
                let amount = if list[d] == i64::MIN {
                    def.operand(first + list[..d].iter().filter(|v| **v == i64::MIN).count())
                } else {
                    builder.index(list[d])
                };
                size = builder.value("arith.addi", &[size, amount], Type::index(builder.context()), &[]);
            }
            Ok(size)
        }
        "tensor.concat" if def.attr("dim").and_then(Attr::as_int) == Some(d as i64) => {
            let mut size = builder.index(0);
            for part in def.operands() {
                let part = dim(builder, part, d, group)?;
                size = builder.value("arith.addi", &[size, part], Type::index(builder.context()), &[]);
            }
            Ok(size)
        }
        "tensor.concat" => dim(builder, def.operand(0), d, group),
        "tensor.extract_slice" => {
            let (offsets, sizes) = (i64s("static_offsets"), i64s("static_sizes"));
            // A slice may drop dimensions of size 1; dynamic sizes stay, in order.
            let first = 1 + offsets.iter().filter(|v| **v == i64::MIN).count();
            let nth = dynamic_before(value.ty(), d);
            if nth < sizes.iter().filter(|v| **v == i64::MIN).count() { Ok(def.operand(first + nth)) } else { Err(def) }
        }
        "tensor.generate" => Ok(def.operand(dynamic_before(value.ty(), d))),
        "tensor.insert_slice" | "tensor.scatter" | "linalg.pack" | "linalg.unpack" => {
            dim(builder, def.operand(1), d, group)
        }
        "tensor.gather" => {
            // First the positions, whose last dimension is coordinates; then what each of them takes of the source.
            let (source, indices) = (def.operand(0), def.operand(1));
            let positions = indices.ty().rank() - 1;
            if d < positions {
                return dim(builder, indices, d, group);
            }
            let gathered = i64s("gather_dims");
            let is_whole = value.ty().rank() == positions + source.ty().rank();
            let kept = (0..source.ty().rank()).filter(|k| is_whole || !gathered.contains(&(*k as i64)));
            kept.clone().nth(d - positions).map_or(Err(def), |k| dim(builder, source, k, group))
        }
        // What a loop carries keeps its shape.
        "scf.for" => dim(builder, def.operand(3 + value.index()), d, group),
        // Outputs come last, one per result.
        "scf.forall" => dim(builder, def.operand(def.operand_count() - def.result_count() + value.index()), d, group),
        // Inits come last, one per result, and have the shape of the results.
        _ if def.is_of("linalg") => {
            let init = def.operand_count() - def.result_count() + value.index();
            let init = def.operand(init);
            if init.ty().is_ranked_tensor() && init.ty().rank() == value.ty().rank() {
                dim(builder, init, d, group)
            } else {
                Err(def)
            }
        }
        _ => Err(def),
    }
}

/// The size of a dimension, by `tensor.dim`.
pub(super) fn dim_of(builder: &Builder, value: Value, d: usize) -> Value {
    let index = builder.index(d as i64);
    builder.value("tensor.dim", &[value, index], Type::index(builder.context()), &[])
}

/// How many dynamic dimensions stand before one.
fn dynamic_before(ty: Type, d: usize) -> usize {
    ty.shape()[..d].iter().filter(|s| s.is_none()).count()
}
