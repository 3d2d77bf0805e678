//! What a body may do wrong, depending on its data: read or write outside of a tensor, divide by zero, shift too far, break a
//! promise of its own (`cf.assert`).
use super::{interval::Interval, ranges::Ranges, size::Size, space::Space};
use halyard_ir::{Attr, Block, Op, Type, Value};

/// Constants of at most so many elements are looked at one by one.
const FEW: i64 = 1 << 16;

/// A value that has no meaning in an operation, such as a divisor of 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Danger {
    /// An index, for a dimension of that size; of `tensor.extract` or `tensor.insert`, or an offset of a slice so long.
    Index { size: Size, dimension: usize, length: i64 },
    /// A divisor, which may be 0.
    Divisor,
    /// How far an integer is shifted.
    Shift,
    /// A condition, which may not hold.
    Broken,
}

/// A place of a body where something may be wrong.
#[derive(Debug, Clone)]
pub(super) struct Hazard {
    /// The operation.
    pub(super) op: Op,
    /// The number of its operand.
    pub(super) operand: usize,
    /// The value as it was found.
    pub(super) value: Value,
    /// The bits that it has.
    pub(super) bits: u32,
    pub(super) danger: Danger,
    /// On which conditions the place is reached.
    pub(super) path: Vec<(Value, bool)>,
    /// It is in a loop inside of the body.
    pub(super) looped: bool,
    /// There may be no value at all, though all loops around the body run: it is found beside a condition or in a loop.
    pub(super) may_be_absent: bool,
    /// It is right wherever the dimension has an element at all.
    pub(super) unless_empty: bool,
    /// The value is wrong in every run: an index, if it is one.
    pub(super) certain: Option<i128>,
}

/// Everything in the body of an operation that nobody can tell to be right.
pub(super) fn hazards(space: &Space) -> Vec<Hazard> {
    let mut found = Vec::new();
    if space.is_empty() {
        return found;
    }
    let regions = space.op.regions().into_iter().flat_map(|r| r.blocks());
    // The body of a loop of its own stands in no further loop.
    regions.for_each(|block| visit(space, block, &mut Vec::new(), false, &mut found));
    found
}

fn visit(space: &Space, block: Block, path: &mut Vec<(Value, bool)>, looped: bool, found: &mut Vec<Hazard>) {
    for op in block.ops() {
        for (operand, value, danger) in dangers(op) {
            let ranges = Ranges::new(space, path);
            if is_fine(&ranges, value, danger) || is_about_sizes(space, op, value) {
                continue;
            }
            let certain = match constant_of(space, value) {
                // Each element of a constant is looked at by itself.
                Some((argument, mut elements)) => {
                    elements.sort_unstable();
                    elements.dedup();
                    let mut wrong = None;
                    let all = elements.iter().all(|e| {
                        let there = ranges.clone().at(argument, *e);
                        let fine = is_fine(&there, value, danger);
                        let point = there.interval(value);
                        if !fine && point.is_point() && wrong.is_none() {
                            wrong = Some(point.lo);
                        }
                        fine
                    });
                    if all {
                        continue;
                    }
                    wrong
                }
                None => None,
            };
            let certain = certain.filter(|_| path.is_empty() && is_known(space, danger));
            let unless_empty = match danger {
                Danger::Index { size: size @ (Size::Dim(..) | Size::Value(_)), length: 1, .. } => {
                    path.is_empty() && !looped && is_fine(&ranges.with_some(size), value, danger)
                }
                _ => false,
            };
            let bits = width(value.ty());
            let may_be_absent = looped || !path.is_empty() || space.op.is("scf.for");
            let path = path.clone();
            found.push(Hazard { op, operand, value, bits, danger, path, looped, may_be_absent, unless_empty, certain });
        }
        let name = op.name();
        for (i, region) in op.regions().into_iter().enumerate() {
            let conditional = name == "scf.if";
            if conditional {
                path.push((op.operand(0), i == 0));
            }
            let looped = looped || !conditional;
            region.blocks().into_iter().for_each(|inner| visit(space, inner, path, looped, found));
            if conditional {
                path.pop();
            }
        }
    }
}

/// What may be wrong about the operands of an operation.
fn dangers(op: Op) -> Vec<(usize, Value, Danger)> {
    let operand = |i: usize, danger: Danger| vec![(i, op.operand(i), danger)];
    match &*op.name() {
        "tensor.extract" => indices(op, 0),
        "tensor.insert" => indices(op, 1),
        "tensor.extract_slice" => offsets(op, 0),
        "tensor.insert_slice" | "tensor.parallel_insert_slice" => offsets(op, 1),
        "arith.divsi" | "arith.divui" | "arith.remsi" | "arith.remui" | "arith.floordivsi" | "arith.ceildivsi"
        | "arith.ceildivui" => operand(1, Danger::Divisor),
        "arith.shli" | "arith.shrsi" | "arith.shrui" => operand(1, Danger::Shift),
        "cf.assert" => operand(0, Danger::Broken),
        _ => Vec::new(),
    }
}

fn indices(op: Op, tensor: usize) -> Vec<(usize, Value, Danger)> {
    let value = op.operand(tensor);
    let index = |dimension| {
        let operand = tensor + 1 + dimension;
        (operand, op.operand(operand), Danger::Index { size: Size::of(value, dimension), dimension, length: 1 })
    };
    (0..value.ty().rank()).map(index).collect()
}

/// The offsets of a slice of known lengths.
fn offsets(op: Op, tensor: usize) -> Vec<(usize, Value, Danger)> {
    let offsets = op.attr("static_offsets").and_then(Attr::as_i64s).unwrap_or_default();
    let dynamic = offsets.into_iter().enumerate().filter(|(_, offset)| *offset == i64::MIN);
    (tensor + 1..)
        .zip(dynamic)
        .filter_map(|(operand, (dimension, _))| {
            let length = length_of_slice(op, dimension)?;
            let size = Size::of(op.operand(tensor), dimension);
            Some((operand, op.operand(operand), Danger::Index { size, dimension, length }))
        })
        .collect()
}

/// From the first to the last element of a slice in one dimension, where sizes and strides are known and not negative.
fn length_of_slice(op: Op, dimension: usize) -> Option<i64> {
    let known = |name: &str| op.attr(name)?.as_i64s()?.get(dimension).copied().filter(|n| *n > 0);
    (known("static_sizes")? - 1).checked_mul(known("static_strides")?)?.checked_add(1)
}

/// Whether a slice in a loop over elements is checked step by step in one dimension: its offset is not known, its length is.
/// More than one element is read only where the tensor is known to have as many.
pub(in crate::dispatch) fn is_guarded_slice(op: Op, dimension: usize) -> bool {
    let offsets = op.attr("static_offsets").and_then(Attr::as_i64s).unwrap_or_default();
    let Some(length) = length_of_slice(op, dimension).filter(|_| offsets.get(dimension) == Some(&i64::MIN)) else {
        return false;
    };
    let reads = op.is("tensor.extract_slice");
    length == 1 || !reads || op.operand(0).ty().shape()[dimension].is_some_and(|size| size >= length)
}

fn is_fine(ranges: &Ranges<'_>, value: Value, danger: Danger) -> bool {
    let range = ranges.interval(value);
    match danger {
        _ if range.is_empty() => true,
        Danger::Index { size, length: 1, .. } => ranges.is_inside(value, size),
        Danger::Index { size, length, .. } => match size.known() {
            Some(n) => range.lo >= 0 && range.hi <= i128::from(n - length),
            None => false,
        },
        Danger::Divisor => !range.contains(0),
        Danger::Shift => range.is_within(Interval::new(0, i128::from(width(value.ty())) - 1)),
        Danger::Broken => !range.contains(0),
    }
}

/// The first operation in a distributed loop (`scf.forall`) that nobody can tell to be right, but for slices and elements that the loop
/// itself reads and writes: those are claims of `assumptions`.
pub(in crate::dispatch) fn first_danger(op: Op) -> Option<Op> {
    let mut unguarded = None;
    op.walk(&mut |inner| {
        // Numbers of the whole tensor are looked at when they are elements of a body; positions in a tensor never are.
        let of_tensors = || dangers(inner).iter().any(|(_, value, _)| value.ty().is_tensor());
        if matches!(&*inner.name(), "tensor.gather" | "tensor.scatter") || of_tensors() {
            unguarded.get_or_insert(inner);
        }
    });
    unguarded.or_else(|| hazards(&Space::of(op)).first().map(|hazard| hazard.op))
}

/// Whether an operation is checked by what is known of sizes. In loops over elements, nothing is; elsewhere nothing that is data.
fn is_about_sizes(space: &Space, op: Op, value: Value) -> bool {
    let is_slice = op.name().ends_with("_slice");
    if space.op.is("scf.forall") {
        let is_element = op.is("tensor.extract") || op.is("tensor.insert");
        let mut around = std::iter::successors(op.parent(), |op| op.parent()).take_while(|op| *op != space.op);
        return (is_slice || is_element) && around.all(|op| op.is_of("scf"));
    }
    is_slice && !space.op.is("scf.for") && !is_data(space, value)
}

/// Whether a value depends on elements of tensors.
fn is_data(space: &Space, value: Value) -> bool {
    let (mut stack, mut seen) = (vec![value], Vec::new());
    while let Some(value) = stack.pop() {
        if seen.contains(&value) {
            continue;
        }
        seen.push(value);
        match value.def() {
            Some(op) if op.is("tensor.extract") => return true,
            Some(op) if op.is_inside(space.op) && !op.is("tensor.dim") => {
                stack.extend(crate::dispatch::graph::all_operands(op))
            }
            Some(_) => {}
            // Loops count by themselves; what they carry may be anything.
            None => match value.argument_block().and_then(|b| b.parent()).filter(|p| p.is_inside(space.op)) {
                Some(parent) if parent.is("scf.for") && value.index() == 0 => {
                    stack.extend(parent.operands().into_iter().take(3))
                }
                Some(_) if value.ty().is_tensor() => {}
                Some(_) => return true,
                None => {}
            },
        }
    }
    false
}

/// The bits of an integer.
pub(super) fn width(ty: Type) -> u32 {
    if ty.is_index() { 64 } else { ty.bits() }
}

/// Whether what a value must keep to is known at import.
fn is_known(space: &Space, danger: Danger) -> bool {
    let runs = (0..space.extents.len()).all(|d| space.known(d).is_some());
    runs && !matches!(danger, Danger::Index { size: Size::Dim(..) | Size::Value(_), .. })
}

/// The one argument of the body on which a value depends, if it is given all elements of a constant, and those.
fn constant_of(space: &Space, value: Value) -> Option<(Value, Vec<i128>)> {
    let mut arguments = Vec::new();
    let mut stack = vec![value];
    let mut steps = 0;
    while let Some(value) = stack.pop() {
        steps += 1;
        match value.def() {
            Some(op) if op.is("arith.constant") => {}
            Some(op) if op.is_of("arith") && steps < 64 => stack.extend(op.operands()),
            Some(_) => return None,
            None if arguments.contains(&value) => {}
            None => arguments.push(value),
        }
    }
    let [argument] = arguments[..] else { return None };
    let operand = space.operand_of(argument)?;
    let structured = space.structured.as_ref()?;
    // Every element is read.
    let map = structured.maps[argument.index()].projected_permutation()?;
    let mut once = map.clone();
    once.sort_unstable();
    once.dedup();
    let whole = once.len() == map.len() && argument.index() < structured.inputs;
    let few = whole && operand.ty().element_count().is_some_and(|n| n <= FEW);
    few.then(|| super::space::elements(operand)).flatten().map(|elements| (argument, elements))
}
