//! Weights of few bits, with a scale and a zero point for each block of a row.
use super::{
    super::{Entry, matmul::narrowed},
    build::{int, op, ranked},
};
use crate::onnx::{
    Body, Context, Dim, Elem, Iter, Node, Num, Outcome, Scalar, Value,
    generic::map,
    problem::{invalid, unsupported},
};
use halyard_ir::names::ACTIVATIONS;

pub(super) const OPS: &[Entry] = &[("MatMulNBits", matmul), ("GatherBlockQuantized", gather)];

/// The number at a place of packed bytes, the low bits first: `part` of `8 / bits`.
fn unpacked(b: &mut Body<'_>, byte: &Scalar, part: &Scalar, bits: i64) -> Scalar {
    let wide = b.cast(byte, Elem::I32);
    if bits == 8 {
        return wide;
    }
    let (width, mask) = (b.int(Elem::I32, bits), b.int(Elem::I32, (1 << bits) - 1));
    let part = b.cast(part, Elem::I32);
    let by = b.mul(&part, &width);
    let shifted = Scalar::new(b.w.value(format!("arith.shrui {}, {} : i32", wide.name, by.name)), Elem::I32);
    b.and(&shifted, &mask)
}

/// Unpacks integers along the last dimension to i32; those of 8 bits stay unchanged. Takes the first `count`.
fn spread(c: &mut Context<'_>, packed: &Value, count: &Dim, bits: i64) -> Outcome<Value> {
    if bits == 8 {
        return Ok(packed.clone());
    }
    let axis = packed.rank() - 1;
    let mut shape = packed.shape.clone();
    shape[axis] = count.clone();
    let (ssa, ty) = (c.ssa(packed), packed.ty());
    c.elementwise_to(&shape, &[], Elem::U8, |b, _| {
        let mut at: Vec<_> = (0..=axis).map(|d| b.position(d)).collect();
        let per = b.index_constant(8 / bits);
        let part = b.rem(&at[axis], &per);
        at[axis] = b.div(&at[axis], &per);
        let byte = b.extract(&ssa, &ty, Elem::U8, &at);
        let number = unpacked(b, &byte, &part, bits);
        b.cast(&number, Elem::U8)
    })
}

/// `A · ((B - zero) · scale)ᵀ + bias`, where `B` is `[N, blocks, bytes]`.
fn matmul(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (a, packed, scales) = (n.input(0)?.clone(), n.input(1)?.clone(), n.input(2)?.clone());
    let (columns, steps) = (n.int("N", 0), n.int("K", 0));
    let (bits, block) = (n.int("bits", 4), n.int("block_size", 0));
    // How exact products must be at least: 4 is activations of 8 bits, below that as exact as floats are.
    let marks = match n.int("accuracy_level", 0) {
        4 => format!("{ACTIVATIONS} = \"i8\""),
        _ => String::new(),
    };
    super::build::unset(n, &["weight_prepacked"])?;
    if ![2, 4, 8].contains(&bits) || block < 1 || columns < 1 || steps < 1 {
        return unsupported(format!("`bits` is {bits}, `block_size` {block}, `N` {columns}, `K` {steps}"));
    }
    let blocks = (steps - 1) / block + 1;
    let Some(bytes) = block.checked_mul(bits).map(|bits| bits / 8) else {
        return invalid(format!("`block_size` is {block}"));
    };
    let size = columns.checked_mul(blocks).and_then(|count| count.checked_mul(bytes));
    if packed.elem != Elem::U8 || size.is_none() || packed.count() != size {
        return invalid(format!(
            "the weights of type `{}` are not of {columns} · {blocks} · {bytes} bytes",
            packed.ty()
        ));
    }
    if a.rank() < 1 {
        return invalid("the input is a scalar");
    }
    c.require_size((&a, a.rank() - 1), &Dim::fixed(steps), "as `K` is")?;
    let a = c.settle(&a);
    let [n_dim, k_dim, blocks_dim] = [columns, steps, blocks].map(Dim::fixed);
    let packed = c.reshape(&packed, &[n_dim.clone(), blocks_dim.clone(), bytes.into()])?;
    let scales = c.reshape(&scales, &[n_dim.clone(), blocks_dim.clone()])?;
    let zeros = match n.optional(3).cloned() {
        Some(zeros) if zeros.elem == Elem::U8 => {
            let per_row = (blocks * bits + 7) / 8;
            if zeros.count() != Some(columns * per_row) {
                return invalid(format!(
                    "the zero points of type `{}` are not of {columns} · {per_row} bytes",
                    zeros.ty()
                ));
            }
            Some(c.reshape(&zeros, &[n_dim.clone(), per_row.into()])?)
        }
        Some(zeros) => Some(c.reshape(&zeros, &[n_dim.clone(), blocks_dim.clone()])?),
        None => None,
    };
    let groups = n.optional(4).cloned();
    if groups.is_some() && n.optional(3).is_some_and(|z| z.elem == Elem::U8) {
        return unsupported(
            "`g_idx` together with packed zero points; give the zero points as floats, or sort the weights by group",
        );
    }
    if let Some(groups) = &groups {
        if groups.count() != Some(steps) {
            return invalid(format!("`g_idx` of type `{}` is not of {steps} elements", groups.ty()));
        }
        c.require_range(groups, &Dim::fixed(0), &Dim::fixed(blocks - 1))?;
    }
    // What kernels unpack as they multiply; anything else is made floats before.
    let constant = [Some(&packed), Some(&scales), zeros.as_ref()].into_iter().flatten().all(|v| v.known.is_some());
    let stays = constant && groups.is_none() && (block == 16 || block % 32 == 0);
    let elem = a.elem;
    let rows = c.product(&a.shape[..a.rank() - 1]);
    let flat = c.reshape(&a, &[rows.clone(), k_dim.clone()])?;
    let product = if stays {
        let centre = f64::from(1u32 << (bits - 1));
        let (columns, steps) = (n_dim.clone(), k_dim.clone());
        block_product(c, &flat, &BlockWeights { packed, scales, zeros, centre, bits, block, columns, steps }, &marks)
    } else {
        let zeros = match zeros {
            Some(zeros) if zeros.elem == Elem::U8 => Some(spread(c, &zeros, &blocks_dim, bits)?),
            zeros => zeros,
        };
        let weights = dequantised(c, &packed, &scales, zeros, groups, (bits, block), (&n_dim, &k_dim))?;
        by_rows(c, &flat, &weights, &marks)
    };
    let mut result = narrowed(c, &product, elem)?;
    if let Some(bias) = n.optional(5).cloned() {
        result = op(c, n, "Add", &[&result, &bias], &[])?;
    }
    let shape = [&a.shape[..a.rank() - 1], &[n_dim]].concat();
    Ok(vec![c.reshape(&result, &shape)?])
}

/// Weights of few bits for `x · ((B - zero) · scale)ᵀ`.
pub(in super::super) struct BlockWeights {
    /// `B`, bytes `[N, blocks, bytes of a block]`, the low bits first.
    pub(in super::super) packed: Value,
    /// `[N, blocks]`.
    pub(in super::super) scales: Value,
    /// Zero points: floats `[N, blocks]`, or packed like `B`, `[N, bytes]`. Without them all are `centre`.
    pub(in super::super) zeros: Option<Value>,
    pub(in super::super) centre: f64,
    pub(in super::super) bits: i64,
    pub(in super::super) block: i64,
    pub(in super::super) columns: Dim,
    pub(in super::super) steps: Dim,
}

/// Rows of floats times weights of few bits, in the accumulator's type. `marks` are attributes of the product.
pub(in super::super) fn block_product(c: &mut Context<'_>, x: &Value, of: &BlockWeights, marks: &str) -> Value {
    let weights = weights(c, of);
    by_rows(c, x, &weights, marks)
}

/// Rows times rows.
fn by_rows(c: &mut Context<'_>, x: &Value, weights: &Value, marks: &str) -> Value {
    let sum = x.elem.accumulator();
    let init = c.filled(sum, &[x.shape[0].clone(), weights.shape[0].clone()], Num::I(0));
    let iters = [Iter::Parallel, Iter::Parallel, Iter::Reduction];
    let ins = [(x, map(&[0, 2])), (weights, map(&[1, 2]))];
    c.marked_generic(marks, &iters, &ins, &[(&init, map(&[0, 1]))], |b, v| {
        let (x, y) = (b.cast(&v[0], sum), b.cast(&v[1], sum));
        let product = b.mul(&x, &y);
        vec![b.add(&v[2], &product)]
    })
    .remove(0)
}

/// The weights as floats of the accumulator, `[N, K]`, read through maps alone: the product that they go to unpacks them.
fn weights(c: &mut Context<'_>, of: &BlockWeights) -> Value {
    let BlockWeights { packed, scales, zeros, centre, bits, block, columns, steps } = of;
    let (wide, per) = (scales.elem.accumulator(), 8 / bits);
    let empty = c.empty(wide, &[columns.clone(), steps.clone()]);
    let of_block = format!("d0, d1 floordiv {block}");
    let mut ins =
        vec![(packed, format!("d0, d1 floordiv {block}, (d1 mod {block}) floordiv {per}")), (scales, of_block.clone())];
    let zero_bits = zeros.as_ref().is_some_and(|z| z.elem == Elem::U8).then_some(*bits);
    if let Some(zeros) = zeros {
        let packed = format!("d0, d1 floordiv {}", block * per);
        ins.push((zeros, if zero_bits.is_some() { packed } else { of_block }));
    }
    c.generic(&[Iter::Parallel; 2], &ins, &[(&empty, map(&[0, 1]))], |b, v| {
        let at = b.position(1);
        let (size, per) = (b.index_constant(*block), b.index_constant(per));
        let part = b.rem(&at, &size);
        let part = b.rem(&part, &per);
        let number = unpacked(b, &v[0], &part, *bits);
        let number = b.cast(&number, wide);
        let zero = match (zero_bits, v.get(2).filter(|_| v.len() > 3)) {
            (Some(bits), Some(byte)) => {
                let own = b.div(&at, &size);
                let part = b.rem(&own, &per);
                let zero = unpacked(b, byte, &part, bits);
                b.cast(&zero, wide)
            }
            (None, Some(zero)) => b.cast(zero, wide),
            (_, None) => b.float(wide, *centre),
        };
        let centred = b.sub(&number, &zero);
        let scale = b.cast(&v[1], wide);
        vec![b.mul(&centred, &scale)]
    })
    .remove(0)
}

/// The weights as floats in a tensor of their own. Where there are groups, they say which scale and zero point each step of the sum has.
fn dequantised(
    c: &mut Context<'_>,
    packed: &Value,
    scales: &Value,
    zeros: Option<Value>,
    groups: Option<Value>,
    (bits, block): (i64, i64),
    (n, k): (&Dim, &Dim),
) -> Outcome<Value> {
    let wide = scales.elem.accumulator();
    let (bytes, bytes_ty) = (c.ssa(packed), packed.ty());
    let (scale, scale_ty) = (c.ssa(scales), scales.ty());
    let zeros = zeros.map(|z| (c.ssa(&z), z.ty(), z.elem));
    let groups = groups.map(|g| (c.ssa(&g), g.ty(), g.elem));
    let last = scales.shape[1].get().unwrap_or(1) - 1;
    c.elementwise_to(&[n.clone(), k.clone()], &[], scales.elem, |b, _| {
        let (row, at) = (b.position(0), b.position(1));
        let (size, per) = (b.index_constant(block), b.index_constant(8 / bits));
        let (own, inner) = (b.div(&at, &size), b.rem(&at, &size));
        let (byte, part) = (b.div(&inner, &per), b.rem(&inner, &per));
        let byte = b.extract(&bytes, &bytes_ty, Elem::U8, &[row.clone(), own.clone(), byte]);
        let number = unpacked(b, &byte, &part, bits);
        let group = match &groups {
            Some((ssa, ty, of)) => {
                let group = b.extract(ssa, ty, *of, &[at]);
                let group = b.to_index(&group);
                let (zero, last) = (b.index_constant(0), b.index_constant(last));
                let group = b.max(&group, &zero);
                b.min(&group, &last)
            }
            None => own,
        };
        let number = b.cast(&number, wide);
        let zero = match &zeros {
            Some((ssa, ty, of)) => {
                let zero = b.extract(ssa, ty, *of, &[row.clone(), group.clone()]);
                b.cast(&zero, wide)
            }
            None => b.float(wide, f64::from(1u32 << (bits - 1))),
        };
        let centred = b.sub(&number, &zero);
        let scale = b.extract(&scale, &scale_ty, scales.elem, &[row, group]);
        let scale = b.cast(&scale, wide);
        let result = b.mul(&centred, &scale);
        b.cast(&result, scales.elem)
    })
}

/// Rows of a table of few bits, as floats.
fn gather(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (data, indices, scales) = (n.input(0)?.clone(), n.input(1)?.clone(), n.input(2)?.clone());
    let (bits, block) = (n.int("bits", 4), n.int("block_size", 128));
    let rank = data.rank();
    let narrow = data.elem.is_narrow();
    if data.elem != Elem::U8 && !narrow || ![2, 4, 8].contains(&bits) || block < 1 {
        return unsupported(format!("the table is of type `{}`, `bits` is {bits}, `block_size` {block}", data.ty()));
    }
    ranked(&scales, rank)?;
    let (axis, along) = (n.axis(n.int("gather_axis", 0), rank)?, n.axis(n.int("quantize_axis", 1), rank)?);
    if axis == along {
        return invalid("rows are picked along the axis of the blocks");
    }
    if axis == rank - 1 && bits != 8 && !narrow {
        return unsupported("elements are picked out of packed bytes");
    }
    let at = [int("axis", axis as i64)];
    let zeros = n.optional(3).cloned();
    let picked = op(c, n, "Gather", &[&data, &indices], &at)?;
    let scales = op(c, n, "Gather", &[&scales, &indices], &at)?;
    let zeros = zeros.map(|z| op(c, n, "Gather", &[&z, &indices], &at)).transpose()?;
    // The dimensions of indices replace the axis.
    let along = if along > axis { along + indices.rank() - 1 } else { along };
    if narrow {
        // Each integer becomes a separate element; the zero point is 0 if none is given.
        let (block, axis) = (int("block_size", block), int("axis", along as i64));
        let inputs = vec![Some(picked), Some(scales), zeros];
        return super::super::apply(c, n, "DequantizeLinear", inputs, vec![block, axis]);
    }
    let per = 8 / bits;
    let last = picked.rank() - 1;
    let count = picked.shape[last].times(per);
    let numbers = spread(c, &picked, &count, bits)?;
    let zeros = match zeros {
        Some(zeros) => {
            let count = if bits == 8 { zeros.shape[last].clone() } else { scales.shape[last].clone() };
            Some(spread(c, &zeros, &count, bits)?)
        }
        None => None,
    };
    let elem = scales.elem;
    let (scale, scale_ty) = (c.ssa(&scales), scales.ty());
    let zeros = zeros.map(|z| (c.ssa(&z), z.ty()));
    c.elementwise_to(&numbers.shape.clone(), std::slice::from_ref(&numbers), elem, |b, v| {
        let mut at: Vec<_> = (0..=last).map(|d| b.position(d)).collect();
        let size = b.index_constant(block);
        at[along] = b.div(&at[along], &size);
        let wide = elem.accumulator();
        let number = b.cast(&v[0], wide);
        let zero = match &zeros {
            Some((ssa, ty)) => {
                let zero = b.extract(ssa, ty, Elem::U8, &at);
                b.cast(&zero, wide)
            }
            None => b.float(wide, f64::from(1u32 << (bits - 1))),
        };
        let centred = b.sub(&number, &zero);
        let scale = b.extract(&scale, &scale_ty, elem, &at);
        let scale = b.cast(&scale, wide);
        let result = b.mul(&centred, &scale);
        b.cast(&result, elem)
    })
    .map(|v| vec![v])
}
