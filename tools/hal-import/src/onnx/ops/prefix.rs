//! Prefix operations along an axis: cumulative sums and products, and the positions of selected elements.
use super::{Entry, matmul::narrowed};
use crate::onnx::{
    Body, Context, Dim, Elem, Iter, Node, Num, Order, Outcome, Scalar, Value, generic::map, problem::invalid,
};

pub(super) const OPS: &[Entry] = &[
    ("CumSum", |c, n| cumulative(c, n, &Fold { start: Num::I(0), combine: |b, a, v| b.add(a, v) })),
    ("CumProd", |c, n| cumulative(c, n, &Fold { start: Num::I(1), combine: |b, a, v| b.mul(a, v) })),
];

/// The fold operation, with its neutral element.
pub(super) struct Fold {
    start: Num,
    combine: fn(&mut Body<'_>, &Scalar, &Scalar) -> Scalar,
}

/// The elements that each prefix contains.
#[derive(Clone, Copy)]
struct Way {
    /// Whether the element itself is excluded.
    exclusive: bool,
    /// Whether prefixes start at the end.
    reverse: bool,
}

/// Elements of a block, within which each looks at all others.
const BLOCK: i64 = 64;

fn cumulative(c: &mut Context<'_>, n: &Node, fold: &Fold) -> Outcome {
    let x = n.input(0)?.clone();
    if x.rank() == 0 {
        return invalid("the input is a scalar");
    }
    if x.elem == Elem::Bool {
        return crate::onnx::problem::unsupported("the elements are bools");
    }
    let way = Way { exclusive: n.int("exclusive", 0) != 0, reverse: n.int("reverse", 0) != 0 };
    let elem = x.elem.accumulator();
    let axis = c.read_dim(n.input(1)?)?;
    let axis = match axis.get() {
        Some(axis) => Dim::fixed(n.axis(axis, x.rank())? as i64),
        None => c.read_axis(&axis, x.rank())?,
    };
    let x = c.settle(&x);
    let result = match axis.get() {
        Some(axis) => prefix(c, &x, axis as usize, elem, fold, way, 2)?,
        None if x.rank() == 1 => prefix(c, &x, 0, elem, fold, way, 2)?,
        None => {
            let view = c.around(&x, &axis);
            let done = prefix(c, &view, 1, elem, fold, way, 2)?;
            c.regroup(&done, &x.shape)
        }
    };
    Ok(vec![narrowed(c, &result, x.elem)?])
}

/// The fold of what comes before each element along an axis. `depth`: how often blocks are made of blocks, where the size is
/// not known.
fn prefix(
    c: &mut Context<'_>,
    x: &Value,
    axis: usize,
    elem: Elem,
    fold: &Fold,
    way: Way,
    depth: usize,
) -> Outcome<Value> {
    let size = x.shape[axis].clone();
    if size.get().is_some_and(|size| size <= 2 * BLOCK) || (depth == 0 && size.get().is_none()) {
        return Ok(within(c, x, axis, elem, fold, way));
    }
    let blocks = in_blocks(c, x, axis, elem, fold, way, depth)?;
    let mut flat = x.shape.clone();
    flat[axis] = blocks.shape[axis].times(BLOCK);
    let all = c.reshape(&blocks, &flat)?;
    Ok(c.slice(&all, &vec![Dim::fixed(0); x.rank()], &x.shape, &vec![1; x.rank()]))
}

/// Does the same as [`prefix`] with the axis in blocks, the last of which may extend beyond the end: elements of a
/// block are folded with all others of the block, and the part before a block is a fold of blocks.
fn in_blocks(
    c: &mut Context<'_>,
    x: &Value,
    axis: usize,
    elem: Elem,
    fold: &Fold,
    way: Way,
    depth: usize,
) -> Outcome<Value> {
    let size = &x.shape[axis];
    let blocks = c.size_over(&size.offset(BLOCK - 1), &Dim::fixed(BLOCK));
    let (zeros, mut high) = (vec![Dim::fixed(0); x.rank()], vec![Dim::fixed(0); x.rank()]);
    high[axis] = blocks.times(BLOCK).minus(size);
    let padded = c.pad(x, &zeros, &high, fold.start);
    let mut shape = x.shape.clone();
    shape.splice(axis..=axis, [blocks, Dim::fixed(BLOCK)]);
    let view = c.reshape(&padded, &shape)?;
    let inner = within(c, &view, axis + 1, elem, fold, way);
    let totals = c.reduce(&view, &[axis + 1], elem, fold.start, |b, v, a| {
        let wide = b.cast(v, elem);
        (fold.combine)(b, a, &wide)
    });
    let before = prefix(c, &totals, axis, elem, fold, Way { exclusive: true, ..way }, depth.saturating_sub(1))?;
    let mut spread = shape.clone();
    spread[axis + 1] = Dim::fixed(1);
    let before = c.reshape(&before, &spread)?;
    c.elementwise_to(&shape, &[before, inner], elem, |b, v| (fold.combine)(b, &v[0], &v[1]))
}

/// Does the same as [`prefix`] as a reduction with a mask, so that positions stay parallel.
fn within(c: &mut Context<'_>, x: &Value, axis: usize, elem: Elem, fold: &Fold, way: Way) -> Value {
    let rank = x.rank();
    let init = c.filled(elem, &x.shape, fold.start);
    let window = c.empty(x.elem, &x.shape[axis..=axis]);
    let source: Vec<_> = (0..rank).map(|d| if d == axis { rank } else { d }).collect();
    let iters = [vec![Iter::Parallel; rank], vec![Iter::Reduction]].concat();
    let all: Vec<_> = (0..rank).collect();
    c.generic(&iters, &[(x, map(&source)), (&window, map(&[rank]))], &[(&init, map(&all))], |b, v| {
        let (here, other) = (b.position(axis), b.position(rank));
        let order = match (way.reverse, way.exclusive) {
            (false, false) => Order::Le,
            (false, true) => Order::Lt,
            (true, false) => Order::Ge,
            (true, true) => Order::Gt,
        };
        let counts = b.compare(order, &other, &here);
        let wide = b.cast(&v[0], elem);
        let combined = (fold.combine)(b, &v[2], &wide);
        vec![b.select(&counts, &combined, &v[2])]
    })
    .remove(0)
}

/// The positions (i64) at which a list of bools is true. Their number is known when the program runs.
pub(crate) fn positions(c: &mut Context<'_>, mask: &Value) -> Outcome<Value> {
    if mask.is_empty() {
        return Ok(c.empty(Elem::I64, &[Dim::fixed(0)]));
    }
    let sum = Fold { start: Num::I(0), combine: |b, a, v| b.add(a, v) };
    let total = c.reduce(mask, &[0], Elem::I64, Num::I(0), |b, v, a| {
        let one = b.cast(v, Elem::I64);
        b.add(a, &one)
    });
    let total = c.read_scalar(&total)?;
    let count = c.body().to_index(&total).name;
    // It is a count: not negative.
    let count = c.fresh_symbol(count);
    let way = Way { exclusive: false, reverse: false };
    let upto = match mask.shape[0].get() {
        Some(size) if size <= 2 * BLOCK => {
            let list = within(c, mask, 0, Elem::I64, &sum, way);
            c.reshape(&list, &[Dim::fixed(1), Dim::fixed(size)])?
        }
        _ => in_blocks(c, mask, 0, Elem::I64, &sum, way, 2)?,
    };
    Ok(first_above(c, &upto, &count))
}

/// Returns for each element of a list of bools the number of true elements up to it, less 1 (i64).
pub(super) fn ranks(c: &mut Context<'_>, mask: &Value) -> Outcome<Value> {
    let sum = Fold { start: Num::I(0), combine: |b, a, v| b.add(a, v) };
    let upto = prefix(c, mask, 0, Elem::I64, &sum, Way { exclusive: false, reverse: false }, 2)?;
    c.elementwise(&[upto], Elem::I64, |b, v| {
        let one = b.int(Elem::I64, 1);
        b.sub(&v[0], &one)
    })
}

/// Rows of any lengths, one after another.
pub(crate) struct LaidOut {
    /// The end of each row (`i64`).
    pub(crate) ends: Value,
    /// The row that each element belongs to (`i64`).
    pub(crate) owners: Value,
    /// The number of elements.
    pub(crate) total: Dim,
}

/// Returns the positions of rows' elements from a list of the rows' lengths (`i64`). Their number is known only at run
/// time.
pub(crate) fn laid_out(c: &mut Context<'_>, lengths: &Value) -> Outcome<LaidOut> {
    if let Some(t) = lengths.tensor() {
        let (mut ends, mut owners) = (Vec::new(), Vec::new());
        for (row, length) in t.ints().into_iter().enumerate() {
            owners.extend(std::iter::repeat_n(row as i64, length.max(0) as usize));
            ends.push(owners.len() as i64);
        }
        let total = Dim::fixed(owners.len() as i64);
        let [ends, owners] =
            [ends, owners].map(|list| Value::constant(crate::onnx::Tensor::from_ints(Elem::I64, &list)));
        return Ok(LaidOut { ends, owners, total });
    }
    if lengths.is_empty() {
        let none = c.empty(Elem::I64, &[Dim::fixed(0)]);
        return Ok(LaidOut { ends: none.clone(), owners: none, total: Dim::fixed(0) });
    }
    let sum = Fold { start: Num::I(0), combine: |b, a, v| b.add(a, v) };
    let ends = prefix(c, lengths, 0, Elem::I64, &sum, Way { exclusive: false, reverse: false }, 2)?;
    let total = c.reduce(lengths, &[0], Elem::I64, Num::I(0), |b, v, a| b.add(a, v));
    let total = c.read_scalar(&total)?;
    let total = c.body().to_index(&total).name;
    // Lengths are not negative.
    let total = c.fresh_symbol(total);
    let rows = c.reshape(&ends, &[Dim::fixed(1), lengths.shape[0].clone()])?;
    let owners = first_above(c, &rows, &total);
    Ok(LaidOut { ends, owners, total })
}

/// Returns for each number below `count` the first position at which ascending numbers exceed it; there is always one.
/// The numbers come in rows.
fn first_above(c: &mut Context<'_>, numbers: &Value, count: &Dim) -> Value {
    let (rows, columns) = (&numbers.shape[0], numbers.shape[1].clone());
    let size = c.size_times(rows, &columns);
    let single = rows.is(1);
    // Halving as often leaves one position.
    let steps = match size.get() {
        Some(size) => c.index(&Dim::fixed(i64::from(64 - size.leading_zeros()))),
        None => {
            let size = c.index(&size);
            let wide = c.w.value(format!("arith.index_cast {size} : index to i64"));
            let zeros = c.w.value(format!("math.ctlz {wide} : i64"));
            let bits = c.scalar(Elem::I64, Num::I(64));
            let steps = c.w.value(format!("arith.subi {bits}, {zeros} : i64"));
            c.w.value(format!("arith.index_cast {steps} : i64 to index"))
        }
    };
    let (zero, one, two) = (c.index(&Dim::fixed(0)), c.index(&Dim::fixed(1)), c.index(&Dim::fixed(2)));
    let (end, rows, columns) = (c.index(&size), c.index(rows), c.index(&columns));
    let (ssa, ty) = (c.ssa(numbers), numbers.ty());
    let out = c.empty(Elem::I64, std::slice::from_ref(count));
    c.generic(&[Iter::Parallel], &[], &[(&out, map(&[0]))], |b, _| {
        let here = b.position(0);
        let here = b.cast(&here, Elem::I64);
        let (step, low, high) = (b.w.name(), b.w.name(), b.w.name());
        let ends = b.w.open_values(
            2,
            &format!("scf.for {step} = {zero} to {steps} step {one} iter_args({low} = {zero}, {high} = {end}) -> (index, index) {{"),
        );
        let (low, high) = (Scalar::index(low), Scalar::index(high));
        let sum = b.add(&low, &high);
        let middle = Scalar::index(b.w.value(format!("arith.divui {}, {two} : index", sum.name)));
        let (row, column, limit) = if single {
            (Scalar::index(zero.clone()), middle.clone(), &columns)
        } else {
            let [row, column] =
                ["divui", "remui"].map(|op| Scalar::index(b.w.value(format!("arith.{op} {}, {columns} : index", middle.name))));
            (row, column, &rows)
        };
        // The position is in bounds by construction, which nothing else can prove.
        let place = if single { &column } else { &row };
        let from = b.compare(Order::Ge, place, &Scalar::index(zero.clone()));
        let to = b.compare(Order::Lt, place, &Scalar::index(limit.clone()));
        let inside = b.and(&from, &to);
        let found = b.w.open_values(1, &format!("scf.if {} -> (i64) {{", inside.name)).remove(0);
        let read = b.extract(&ssa, &ty, Elem::I64, &[row, column]);
        b.w.line(format!("scf.yield {} : i64", read.name));
        b.w.between("} else {");
        b.w.line(format!("scf.yield {} : i64", here.name));
        b.w.close("}");
        let behind = b.compare(Order::Le, &Scalar::new(found, Elem::I64), &here);
        let next = b.add(&middle, &Scalar::index(one.clone()));
        let low = b.select(&behind, &next, &low);
        let high = b.select(&behind, &high, &middle);
        b.w.line(format!("scf.yield {}, {} : index, index", low.name, high.name));
        b.w.close("}");
        vec![b.cast(&Scalar::index(ends[0].clone()), Elem::I64)]
    })
    .remove(0)
}
