//! What each operation takes for granted about the sizes that it works on.
use super::{
    points,
    reach::{Reach, reach},
    sizes::{Sizes, groups, is_wide, kept},
    symbols::Sym,
};
use crate::dispatch::structure::Structure;
use halyard_ir::{AffineKind, Attr, Op, Structured, Value};

/// How two numbers have to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    /// The same.
    Equal,
    /// The first one is not greater.
    AtMost,
    /// The first one is an index into as many as the second one says.
    Inside,
}

/// A condition that has to hold before an operation runs.
#[derive(Debug, Clone)]
pub(super) struct Claim {
    pub(super) relation: Relation,
    pub(super) left: Sym,
    pub(super) right: Sym,
    /// Where one of these is 0, nothing has to hold.
    pub(super) unless_zero: Vec<Sym>,
    /// What to say where it does not hold; `{0}`, `{1}`, … stand for `shown`.
    pub(super) text: String,
    pub(super) shown: Vec<Sym>,
    /// The same from numbers that are exact, and harder to see through, for where this one does not surely hold.
    pub(super) exact: Option<Box<Claim>>,
}

impl Claim {
    fn new(relation: Relation, left: Sym, right: Sym, text: String) -> Self {
        let shown = vec![left.clone(), right.clone()];
        Self { relation, left, right, unless_zero: Vec::new(), text, shown, exact: None }
    }

    fn natural(size: &Sym, text: String) -> Self {
        let claim = Self::new(Relation::AtMost, Sym::constant(0), size.clone(), text);
        Self { shown: vec![size.clone()], ..claim }
    }
}

/// The claims of an operation, in the order in which they are checked.
pub(super) fn claims(sizes: &mut Sizes, op: Op) -> Vec<Claim> {
    let name = op.name();
    let made = |sizes: &mut Sizes| natural_result(sizes, op.result(0));
    match &*name {
        "tensor.empty" | "tensor.generate" | "tensor.splat" => made(sizes),
        "tensor.pad" => made(sizes)
            .into_iter()
            .map(|c| Claim { text: format!("its padding is more than there is: {}", c.text), ..c })
            .collect(),
        "tensor.cast" => cast(sizes, op),
        "tensor.extract_slice" => slice(sizes, op, op.operand(0), 1),
        "tensor.insert_slice" => insert_slice(sizes, op),
        "tensor.extract" => element(sizes, op, op.operand(0), 1),
        "tensor.insert" => element(sizes, op, op.operand(1), 2),
        "tensor.expand_shape" => expand(sizes, op),
        "tensor.reshape" => reshape(sizes, op),
        "tensor.concat" => concat(sizes, op),
        "tensor.dim" => dim(sizes, op),
        "scf.for" => step(sizes, op),
        "linalg.pack" => pack(sizes, op, (op.operand(0), op.operand(1))),
        "linalg.unpack" => pack(sizes, op, (op.operand(1), op.operand(0))),
        "linalg.softmax" => alike(sizes, op, &op.operands()),
        _ if name.starts_with("linalg.") => structured(sizes, op),
        _ if name.starts_with("arith.") || name.starts_with("math.") => alike(sizes, op, &op.operands()),
        _ => Vec::new(),
    }
}

/// No dimension is negative.
fn natural_result(sizes: &mut Sizes, result: Value) -> Vec<Claim> {
    let dims = sizes.dims(result);
    let one = |(d, size): (usize, &Sym)| Claim::natural(size, format!("dimension {d} of its result has size {{0}}"));
    dims.iter().enumerate().map(one).collect()
}

/// Tensors of one shape.
fn alike(sizes: &mut Sizes, op: Op, operands: &[Value]) -> Vec<Claim> {
    let tensors: Vec<(usize, Value)> =
        operands.iter().copied().enumerate().filter(|(_, v)| v.ty().is_ranked_tensor()).collect();
    let Some(((first, to), others)) = tensors.split_first() else { return Vec::new() };
    let mut found = Vec::new();
    // The numbers of operands go by the operation.
    let number = |k: usize| op.operands().iter().position(|v| *v == operands[k]).unwrap_or(k);
    for (k, value) in others.iter().filter(|(_, v)| v.ty().rank() == to.ty().rank()) {
        for (d, (a, b)) in sizes.dims(*to).into_iter().zip(sizes.dims(*value)).enumerate().filter(|(_, (a, b))| a != b)
        {
            let text = format!(
                "dimension {d} of operand {} is {{0}}, of operand {} {{1}}; they must be equal",
                number(*first),
                number(*k)
            );
            found.push(Claim::new(Relation::Equal, a, b, text));
        }
    }
    found
}

fn cast(sizes: &mut Sizes, op: Op) -> Vec<Claim> {
    let (source, to) = (op.operand(0).ty(), op.result(0).ty());
    if !source.is_ranked_tensor() || !to.is_ranked_tensor() {
        return Vec::new();
    }
    let dims = sizes.dims(op.operand(0));
    let known = to.shape().into_iter().enumerate().filter_map(|(d, size)| Some((d, size?)));
    known
        .map(|(d, size)| {
            let text = format!("dimension {d} of its operand is {{0}}; it must be {{1}}");
            Claim::new(Relation::Equal, dims[d].clone(), Sym::constant(size), text)
        })
        .collect()
}

/// A part of `whole` lies in it.
fn slice(sizes: &mut Sizes, op: Op, whole: Value, first: usize) -> Vec<Claim> {
    let part = sizes.slice(op, first);
    let dims = sizes.dims(whole);
    let mut found = Vec::new();
    for (d, size) in part.sizes.iter().enumerate() {
        found.push(Claim::natural(size, format!("size {{0}} of dimension {d} is negative")));
    }
    for (d, dim) in dims.iter().enumerate() {
        let (offset, size, stride) = (&part.offsets[d], &part.sizes[d], &part.strides[d]);
        if stride.known().is_none() {
            let text = format!("the stride of dimension {d} is {{1}}; it must be {{0}} at least");
            found.push(Claim::new(Relation::AtMost, Sym::constant(1), stride.clone(), text));
        }
        let count = sizes.symbols.sub(size, &Sym::constant(1));
        let way = sizes.symbols.mul(&count, stride);
        let end = sizes.symbols.add(offset, &way);
        let (least, most) =
            if stride.known().is_some_and(|s| s < 0) { (end, offset.clone()) } else { (offset.clone(), end) };
        let last = sizes.symbols.sub(dim, &Sym::constant(1));
        let by = if stride.known() == Some(1) { "" } else { " by {3}" };
        let text = format!("dimension {d}: {{1}} elements from {{0}}{by} do not lie in a size of {{2}}");
        let shown = vec![offset.clone(), size.clone(), dim.clone(), stride.clone()];
        let shown = if by.is_empty() { shown[..3].to_vec() } else { shown };
        for (left, right) in [(Sym::constant(0), least), (most, last)] {
            let claim = Claim::new(Relation::AtMost, left, right, text.clone());
            found.push(Claim { unless_zero: part.sizes.clone(), shown: shown.clone(), ..claim });
        }
    }
    found
}

fn insert_slice(sizes: &mut Sizes, op: Op) -> Vec<Claim> {
    let mut found = slice(sizes, op, op.operand(1), 2);
    let part = sizes.slice(op, 2);
    let declared = op.attr("static_sizes").and_then(Attr::as_i64s).unwrap_or_default();
    let source = op.operand(0);
    let kept = kept(&part.sizes, &declared, &source.ty().shape());
    for (d, (is, wants)) in sizes.dims(source).into_iter().zip(kept).enumerate() {
        let text = format!("dimension {d} of what is inserted is {{0}}, of the place {{1}}; they must be equal");
        found.push(Claim::new(Relation::Equal, is, wants, text));
    }
    found
}

/// An element of `tensor`; the first index is operand `first`.
fn element(sizes: &mut Sizes, op: Op, tensor: Value, first: usize) -> Vec<Claim> {
    // Who reads in a loop is looked after element by element.
    let in_loop = std::iter::successors(op.parent(), |op| op.parent()).any(|op| op.is("scf.for") || op.is("scf.while"));
    if in_loop {
        return Vec::new();
    }
    let dims = sizes.dims(tensor);
    (dims.into_iter().enumerate())
        .map(|(d, size)| {
            let index = sizes.scalar(op.operand(first + d));
            Claim::new(
                Relation::Inside,
                index,
                size,
                format!("index {{0}} of dimension {d} lies outside of size {{1}}"),
            )
        })
        .collect()
}

fn expand(sizes: &mut Sizes, op: Op) -> Vec<Claim> {
    let mut found = natural_result(sizes, op.result(0));
    let (source, to) = (sizes.dims(op.operand(0)), sizes.dims(op.result(0)));
    for (d, group) in groups(op).unwrap_or_default().into_iter().enumerate() {
        let product = sizes.product(group.into_iter().map(|g| to.get(g).cloned()));
        if let (Some(product), Some(size)) = (product, source.get(d)) {
            let text =
                format!("dimension {d} of its operand is {{0}}, that of what it becomes {{1}}; they must be equal");
            found.push(Claim::new(Relation::Equal, size.clone(), product, text));
        }
    }
    found
}

fn reshape(sizes: &mut Sizes, op: Op) -> Vec<Claim> {
    let Some(made) = op.operand(1).def().filter(|d| d.is("tensor.from_elements")) else { return Vec::new() };
    if !made.operands().into_iter().all(is_wide) {
        return Vec::new();
    }
    let wanted: Vec<Sym> = made.operands().into_iter().map(|v| sizes.scalar(v)).collect();
    let mut found: Vec<Claim> = (wanted.iter().enumerate())
        .map(|(d, size)| Claim::natural(size, format!("dimension {d} of its result has size {{0}}")))
        .collect();
    for (d, (size, known)) in wanted.iter().zip(op.result(0).ty().shape()).enumerate() {
        if let Some(known) = known {
            let text = format!("dimension {d} of its result is {{0}}; it must be {{1}}");
            found.push(Claim::new(Relation::Equal, size.clone(), Sym::constant(known), text));
        }
    }
    let dims = sizes.dims(op.operand(0));
    let (from, to) = (sizes.product(dims.into_iter().map(Some)), sizes.product(wanted.into_iter().map(Some)));
    if let (Some(from), Some(to)) = (from, to) {
        found.push(Claim::new(
            Relation::Equal,
            from,
            to,
            "its operand has {0} elements, its result {1}; they must be equal".into(),
        ));
    }
    found
}

fn concat(sizes: &mut Sizes, op: Op) -> Vec<Claim> {
    let axis = op.attr("dim").and_then(Attr::as_int);
    let mut found = Vec::new();
    let (first, others) = (sizes.dims(op.operand(0)), &op.operands()[1..]);
    for (k, part) in others.iter().enumerate() {
        let part = sizes.dims(*part);
        for (d, (a, b)) in first.iter().zip(part).enumerate().filter(|(d, _)| Some(*d as i64) != axis) {
            let text = format!("dimension {d} of operand 0 is {{0}}, of operand {} {{1}}; they must be equal", k + 1);
            found.push(Claim::new(Relation::Equal, a.clone(), b, text));
        }
    }
    // The type of the result may know more.
    let mut whole = first;
    if let Some(axis) = axis.and_then(|a| usize::try_from(a).ok()) {
        for part in others {
            let part = sizes.dims(*part);
            whole[axis] = sizes.symbols.add(&whole[axis], &part[axis]);
        }
    }
    for (d, (is, known)) in whole.into_iter().zip(op.result(0).ty().shape()).enumerate() {
        if let Some(known) = known {
            let text = format!("dimension {d} of its result is {{0}}; it must be {{1}}");
            found.push(Claim::new(Relation::Equal, is, Sym::constant(known), text));
        }
    }
    found
}

fn dim(sizes: &mut Sizes, op: Op) -> Vec<Claim> {
    let (index, rank) = (sizes.scalar(op.operand(1)), op.operand(0).ty().rank() as i64);
    vec![Claim::new(
        Relation::Inside,
        index,
        Sym::constant(rank),
        "dimension {0} of a tensor of rank {1} is asked for".into(),
    )]
}

/// Of a loop, and those inside of it if all of it is one kernel.
fn step(sizes: &mut Sizes, op: Op) -> Vec<Claim> {
    let mut found = Vec::new();
    let mut claim = |op: Op, sizes: &mut Sizes| {
        let step = sizes.number(op.operand(2));
        let claim = Claim::new(
            Relation::AtMost,
            Sym::constant(1),
            step.clone(),
            "the step of the loop is {0}; it must be positive".into(),
        );
        found.push(Claim { shown: vec![step], ..claim });
    };
    claim(op, sizes);
    if Structure::of(op).is_some() {
        op.walk(&mut |inner| {
            let outside = inner.is("scf.for") && inner != op && inner.operand(2).def().is_none_or(|d| !d.is_inside(op));
            let argument = inner.is("scf.for")
                && inner.operand(2).argument_block().and_then(|b| b.parent()).is_some_and(|p| p.is_inside(op));
            if outside && !argument {
                claim(inner, sizes);
            }
        });
    }
    found
}

/// The sizes of a tensor, and of the tiles that it is packed into.
fn pack(sizes: &mut Sizes, op: Op, (plain, packed): (Value, Value)) -> Vec<Claim> {
    let i64s = |name: &str| op.attr(name).and_then(Attr::as_i64s).unwrap_or_default();
    let (at, tiles, order) = (i64s("inner_dims_pos"), i64s("static_inner_tiles"), i64s("outer_dims_perm"));
    let dynamic = tiles.iter().filter(|t| **t == i64::MIN).count();
    let operands = op.operands();
    let tiles = sizes.mixed_i64s(&tiles, &operands[operands.len() - dynamic..]);
    let has_padding = op.is("linalg.pack") && operands.len() - dynamic > 2;
    let (plain, packed) = (sizes.dims(plain), sizes.dims(packed));
    let mut found = Vec::new();
    for (i, tile) in tiles.iter().enumerate() {
        let text = format!("tile {i} has size {{0}}; it must be positive");
        let claim = Claim::new(Relation::AtMost, Sym::constant(1), tile.clone(), text);
        found.push(Claim { shown: vec![tile.clone()], ..claim });
        let inner = &packed[plain.len() + i];
        let text = format!("tile {i} has size {{0}}, the packed tensor {{1}} there; they must be equal");
        found.push(Claim::new(Relation::Equal, tile.clone(), inner.clone(), text));
    }
    for (d, size) in plain.iter().enumerate() {
        let place = if order.is_empty() { Some(d) } else { order.iter().position(|o| *o == d as i64) };
        let Some(outer) = place.and_then(|p| packed.get(p)) else { continue };
        let Some(tile) = at.iter().position(|a| *a == d as i64).map(|i| tiles[i].clone()) else {
            let text = format!("dimension {d} is {{0}}, of the packed tensor {{1}}; they must be equal");
            found.push(Claim::new(Relation::Equal, size.clone(), outer.clone(), text));
            continue;
        };
        let room = sizes.symbols.mul(outer, &tile);
        let text = format!("dimension {d} is {{0}}, which is not what the packed tensor holds: {{1}}");
        if op.is("linalg.pack") && !has_padding {
            found.push(Claim::new(Relation::Equal, size.clone(), room, text));
            continue;
        }
        // Tiles at the end may be filled in part, or not at all.
        found.push(Claim::new(Relation::AtMost, size.clone(), room, text));
    }
    found
}

/// A structured operation: operands agree about the lengths of loops, and no index leads out of an operand.
fn structured(sizes: &mut Sizes, op: Op) -> Vec<Claim> {
    let Some(structured) = Structured::of(op) else { return Vec::new() };
    let operands: Vec<(usize, Value)> =
        op.operands().into_iter().enumerate().filter(|(_, v)| v.ty().is_ranked_tensor()).collect();
    let operands: Vec<(usize, Vec<AffineKind>, Vec<Sym>)> = (operands.into_iter())
        .filter_map(|(k, v)| Some((k, structured.maps.get(k)?.results(), sizes.dims(v))))
        .collect();
    let mut found = Vec::new();
    // The length of each loop and who says it.
    let mut lengths: Vec<Option<(Sym, usize, usize)>> = vec![None; structured.loops()];
    for (k, map, dims) in &operands {
        for (d, (expr, size)) in map.iter().zip(dims).enumerate() {
            let AffineKind::Dim(l) = expr else { continue };
            match &lengths[*l] {
                None => lengths[*l] = Some((size.clone(), *k, d)),
                Some((length, ..)) if length == size => {}
                Some((length, by, at)) => {
                    let text = format!(
                        "dimension {at} of operand {by} is {{0}}, dimension {d} of operand {k} is {{1}}; they must be equal"
                    );
                    found.push(Claim::new(Relation::Equal, length.clone(), size.clone(), text));
                }
            }
        }
    }
    let loops: Vec<Option<Sym>> = lengths.into_iter().map(|l| l.map(|(length, ..)| length)).collect();
    for (k, map, dims) in &operands {
        for (d, (expr, size)) in map.iter().zip(dims).enumerate() {
            if matches!(expr, AffineKind::Dim(_)) {
                continue;
            }
            let Some(reach) = reach(&mut sizes.symbols, expr, &loops) else { continue };
            let unless_zero: Vec<Sym> = loops.iter().flatten().cloned().collect();
            let last = sizes.symbols.sub(size, &Sym::constant(1));
            let inside = |reach: &Reach| {
                let natural =
                    Claim::natural(&reach.least, format!("an index of dimension {d} of operand {k} is {{0}}"));
                let text = format!("indices of dimension {d} of operand {k} reach {{0}}, beyond its size {{1}}");
                let ends = Claim::new(Relation::AtMost, reach.most.clone(), last.clone(), text);
                let unless_zero = || unless_zero.clone();
                [
                    Claim { unless_zero: unless_zero(), ..natural },
                    Claim { unless_zero: unless_zero(), shown: vec![reach.most.clone(), size.clone()], ..ends },
                ]
            };
            let by_points = if reach.is_exact() { None } else { points::exact(&mut sizes.symbols, expr, &loops) };
            let exact = by_points.map(|r| inside(&r).map(|c| Some(Box::new(c)))).unwrap_or_default();
            found.extend(inside(&reach).into_iter().zip(exact).map(|(claim, exact)| Claim { exact, ..claim }));
        }
    }
    found
}
