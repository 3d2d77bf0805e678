//! Counts the arithmetic of a source.
use super::{KnownSizes, SizeSum};
use crate::{Affine, AffineKind, ByteFunctions, Op, Structured, Type, Value, is_byte, is_contraction, is_convolution};
use std::collections::HashSet;

/// An amount of arithmetic of one kind.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Arithmetic {
    /// The number of operations.
    pub(super) operations: SizeSum,
    /// The operations among them that belong to products of two non-constant tensors and their sums.
    pub(super) products: SizeSum,
    /// The type of most of them: `f32`, `f64`, `i8`; `None` for other types.
    pub(super) kind: Option<&'static str>,
}

/// The arithmetic of an export: for each structured operation the number of points of its iteration space times the arithmetic of its
/// body, but for functions from a byte to a byte, which a table can stand for. `None` if a size is not known, or there is none.
pub(super) fn arithmetic(export: Op, sizes: &KnownSizes) -> Option<Arithmetic> {
    let (mut operations, mut products) = (SizeSum::default(), SizeSum::default());
    let mut most: (i64, Option<&'static str>) = (0, None);
    let mut known = Some(());
    let from_byte_to_byte = from_byte_to_byte(export);
    let mut add = |op: Op| -> Option<()> {
        let body = body_of(op);
        if body.count == 0 || from_byte_to_byte.contains(&op) {
            return Some(());
        }
        let work = points(op, sizes)?.times(&SizeSum::number(body.count))?;
        operations = operations.plus(&work)?;
        let inside = op.parent() == Some(export);
        if inside && body.is_product && (is_contraction(op) || is_convolution(op)) && !has_constant(op) {
            products = products.plus(&work)?;
        }
        // Sizes that are not known count alike.
        let weight = work.terms().map(|(factor, constants)| factor << (4 * constants.len().min(8))).max().unwrap_or(0);
        if weight > most.0 {
            most = (weight, body.kind);
        }
        Some(())
    };
    export.walk(&mut |op| {
        if op.is_of("linalg") && !op.regions().is_empty() && known.is_some() {
            known = add(op);
        }
    });
    known?;
    (most.0 > 0).then_some(Arithmetic { operations, products, kind: most.1 })
}

/// The operations that compute bytes from one byte each.
fn from_byte_to_byte(export: Op) -> HashSet<Op> {
    let (mut functions, mut nodes) = (ByteFunctions::default(), HashSet::new());
    export.walk(&mut |op| {
        for result in op.results().into_iter().filter(|result| is_byte(*result)) {
            nodes.extend(functions.of(result).iter().flat_map(|function| function.nodes.iter().copied()));
        }
    });
    nodes
}

/// The work of an operation's body at one point of its iteration space.
struct PointWork {
    /// Operations on numbers that are not indices.
    count: i64,
    /// Whether it multiplies and accumulates.
    is_product: bool,
    kind: Option<&'static str>,
}

fn body_of(op: Op) -> PointWork {
    const COUNTED: [&str; 17] = [
        "addf", "subf", "mulf", "divf", "maximumf", "minimumf", "maxnumf", "minnumf", "negf", "addi", "subi", "muli",
        "maxsi", "minsi", "maxui", "minui", "fma",
    ];
    let mut work = PointWork { count: 0, is_product: false, kind: None };
    let (mut multiplies, mut adds) = (false, false);
    for block in op.regions().into_iter().flat_map(|r| r.blocks()) {
        for inner in block.ops() {
            let name = inner.name();
            let computes = name.starts_with("math.") || COUNTED.iter().any(|n| name.strip_prefix("arith.") == Some(n));
            if !computes || inner.result_count() != 1 || inner.result(0).ty().is_index() {
                continue;
            }
            work.count += 1;
            work.kind = work.kind.or_else(|| kind_of(inner.result(0).ty()));
            multiplies |= matches!(&*name, "arith.mulf" | "arith.muli");
            adds |= matches!(&*name, "arith.addf" | "arith.addi");
        }
    }
    work.is_product = multiplies && adds;
    let tensors = || op.operands().into_iter().filter(|v| v.ty().is_tensor());
    if work.kind.is_none() && work.is_product && tensors().take(2).all(is_of_bytes) {
        work.kind = Some("i8");
    }
    work
}

/// Whether a factor is of bytes, or of integers that bytes were made, less a zero point.
fn is_of_bytes(factor: Value) -> bool {
    let elem = factor.ty().element();
    if !elem.is_integer() || elem.bits() == 8 {
        return elem.is_integer();
    }
    let Some(op) = factor.def() else { return false };
    match &*op.name() {
        "tensor.pad" | "tensor.expand_shape" | "tensor.collapse_shape" | "tensor.extract_slice" => {
            is_of_bytes(op.operand(0))
        }
        "linalg.generic" => {
            let ops = op.body_ops();
            let extends = |op: &Op| op.is("arith.extsi") || op.is("arith.extui");
            let plain =
                |op: &Op| extends(op) || op.is("arith.subi") || op.is("arith.constant") || op.is("linalg.yield");
            ops.iter().all(plain) && ops.iter().any(|op| extends(op) && op.operand(0).ty().bits() == 8)
        }
        _ => false,
    }
}

fn kind_of(ty: Type) -> Option<&'static str> {
    match ty.bits() {
        32 if ty.is_float() => Some("f32"),
        64 if ty.is_float() => Some("f64"),
        _ => None,
    }
}

/// Whether a factor is a constant, which a kernel may transform in any way.
fn has_constant(op: Op) -> bool {
    let inputs = op.operand_count() - op.result_count();
    (0..inputs).any(|i| op.operand(i).def().is_some_and(|def| def.is("linalg.fill") || def.is("arith.constant")))
}

/// The points of the iteration space of a structured operation.
fn points(op: Op, known: &KnownSizes) -> Option<SizeSum> {
    loop_sizes(op, known)?.into_iter().try_fold(SizeSum::number(1), |product, size| product.times(&size?))
}

/// The sizes of the loops of a structured operation, as far as they are known.
pub(super) fn loop_sizes(op: Op, known: &KnownSizes) -> Option<Vec<Option<SizeSum>>> {
    let mut sizes: Vec<Option<SizeSum>> = Vec::new();
    for (map, value) in operands(op)? {
        sizes.resize(sizes.len().max(map.dims()), None);
        for (d, result) in map.results().into_iter().enumerate() {
            if let AffineKind::Dim(position) = result
                && sizes[position].as_ref().is_none_or(|s| s.as_number().is_none())
                && let Some(size) = known.of(value, d)
            {
                // A number says more than a constant.
                if sizes[position].is_none() || size.as_number().is_some() {
                    sizes[position] = Some(size);
                }
            }
        }
    }
    Some(sizes)
}

/// The tensors of a structured operation with their maps.
pub(super) fn operands(op: Op) -> Option<Vec<(Affine, Value)>> {
    let maps = Structured::of(op)?.maps;
    let both = maps.into_iter().zip(op.operands());
    Some(both.filter(|(_, v)| v.ty().is_tensor()).collect())
}
