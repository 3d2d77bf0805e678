//! What structured operations and packing assume about sizes.
use super::super::{
    points,
    reach::{Reach, reach},
    sizes::Sizes,
    symbols::Sym,
};
use super::{Claim, Relation};
use crate::dispatch::structure::Structure;
use halyard_ir::{AffineKind, Attr, Bound, ForallLoop, Op, Structured, Value};

/// Of a loop, and those inside of it if all of it is one kernel.
pub(super) fn step(sizes: &mut Sizes, op: Op) -> Vec<Claim> {
    let mut found = vec![own_step(sizes, op)];
    found.extend(own_end(sizes, op));
    if Structure::of(op).is_some() {
        op.walk(&mut |inner| {
            if inner.is("scf.for") && inner != op && !is_made_in(inner.operand(2), op) {
                found.push(own_step(sizes, inner));
                found.extend(if has_bounds_of(inner, op) { None } else { own_end(sizes, inner) });
            }
        });
    }
    found
}

/// Of a loop in a loop over elements: its step and its end, if they are made in the outer one.
pub(super) fn step_inside(sizes: &mut Sizes, op: Op) -> Vec<Claim> {
    let outermost =
        std::iter::successors(Some(op), |op| op.parent().filter(|p| p.is("scf.for") || p.is("scf.if"))).last();
    let Some(outer) = outermost else { return Vec::new() };
    let step = is_made_in(op.operand(2), outer).then(|| own_step(sizes, op));
    let end = if step.is_some() || has_bounds_of(op, outer) { own_end(sizes, op) } else { None };
    step.into_iter().chain(end).collect()
}

/// Whether a loop starts or ends where an outer one says.
fn has_bounds_of(op: Op, outer: Op) -> bool {
    (0..2).any(|i| is_made_in(op.operand(i), outer))
}

/// Of a loop with several counters.
pub(super) fn steps(sizes: &mut Sizes, op: Op) -> Vec<Claim> {
    let mut found = Vec::new();
    for l in ForallLoop::all(op) {
        let numbers = [l.lower, l.upper, l.step].map(|bound| match bound {
            Bound::Known(n) => Sym::constant(n),
            Bound::Given(value) => sizes.scalar(value),
        });
        found.push(positive_step(numbers[2].clone()));
        found.extend(end_of(sizes, numbers, i64::MAX));
    }
    found
}

fn own_step(sizes: &mut Sizes, op: Op) -> Claim {
    positive_step(sizes.number(op.operand(2)))
}

/// The last step leads beyond the end without overflow: else the loop would never end. `None` where it surely does.
fn own_end(sizes: &mut Sizes, op: Op) -> Option<Claim> {
    let numbers = [0, 1, 2].map(|i| sizes.number(op.operand(i)));
    let ty = op.operand(1).ty();
    end_of(sizes, numbers, if ty.is_index() || ty.bits() == 64 { i64::MAX } else { (1 << (ty.bits() - 1)) - 1 })
}

/// The same for a loop from, to, in steps of, whose counter holds a largest number.
fn end_of(sizes: &mut Sizes, [from, end, step]: [Sym; 3], largest: i64) -> Option<Claim> {
    let last = sizes.symbols.sub(&Sym::constant(largest), &step);
    let room = sizes.symbols.sub(&last, &end);
    // The last step of 1 leads to the end itself.
    if step == Sym::constant(1) || sizes.symbols.is_surely_natural(&room) {
        return None;
    }
    let text = "steps of {1} lead beyond what a counter holds before they lead beyond the end, {0}".into();
    let claim = Claim::new(Relation::AtMost, end.clone(), last, text);
    Some(Claim { shown: vec![end.clone(), step], unless_idle: vec![(from, end)], ..claim })
}

fn positive_step(step: Sym) -> Claim {
    let text = "the step of the loop is {0}; it must be positive".into();
    let claim = Claim::new(Relation::AtMost, Sym::constant(1), step.clone(), text);
    Claim { shown: vec![step], ..claim }
}

fn is_made_in(value: Value, op: Op) -> bool {
    let maker = value.def().or_else(|| value.argument_block().and_then(|b| b.parent()));
    maker.is_some_and(|maker| maker == op || maker.is_inside(op))
}

/// The sizes of a tensor, and of the tiles that it is packed into.
pub(super) fn pack(sizes: &mut Sizes, op: Op, (plain, packed): (Value, Value)) -> Vec<Claim> {
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
pub(super) fn structured(sizes: &mut Sizes, op: Op) -> Vec<Claim> {
    let Some(structured) = Structured::of(op) else { return Vec::new() };
    let operands: Vec<(usize, Value)> =
        op.operands().into_iter().enumerate().filter(|(_, v)| v.ty().is_ranked_tensor()).collect();
    if is_known_to_fit(&structured, &operands) {
        return Vec::new();
    }
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

/// Whether every size is a number, every index is a loop, and all sizes along a loop are equal. Most operations are so, and need no
/// polynomials.
fn is_known_to_fit(structured: &Structured, operands: &[(usize, Value)]) -> bool {
    let mut lengths = vec![None; structured.loops()];
    operands.iter().all(|(k, value)| {
        let Some(map) = structured.maps.get(*k) else { return true };
        map.results().iter().zip(value.ty().shape()).all(|(expression, size)| match (expression, size) {
            (AffineKind::Dim(l), Some(size)) => *lengths[*l].get_or_insert(size) == size,
            _ => false,
        })
    })
}
