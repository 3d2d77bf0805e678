//! `NonMaxSuppression`: selects the boxes with the best scores, except those that overlap a better one too much.
use super::{Entry, prefix::positions, sort::nested, tournament::Leaders};
use crate::onnx::{
    Body, Context, Dim, Elem, Iter, Node, Num, Order, Outcome, Scalar, Value,
    context::require::{Rule, dimension},
    generic::map,
    problem::{invalid, unsupported},
};

pub(super) const OPS: &[Entry] = &[("NonMaxSuppression", suppress)];

fn suppress(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (boxes, scores) = (n.input(0)?.clone(), n.input(1)?.clone());
    if boxes.rank() != 3 || scores.rank() != 3 || !boxes.elem.is_float() || !scores.elem.is_float() {
        return invalid(format!("boxes of type `{}` and scores of type `{}` do not fit", boxes.ty(), scores.ty()));
    }
    let centred = match n.int("center_point_box", 0) {
        0 => false,
        1 => true,
        other => return unsupported(format!("`center_point_box` is {other}")),
    };
    c.require_same((&boxes, 0), (&scores, 0))?;
    c.require_same((&boxes, 1), (&scores, 2))?;
    let (own, four) = (&boxes.shape[2], Dim::fixed(4));
    let text = format!("{} is {{0}}, not 4, the numbers of a box", dimension(&boxes, 2));
    c.require(Rule::Equal(own.clone(), four), &text, &[own])?;
    let (boxes, scores) = (c.settle(&boxes), c.settle(&scores));
    let most = match n.optional(2).filter(|v| !v.is_empty()) {
        Some(v) => c.read_dim(v)?,
        None => Dim::fixed(0),
    };
    let size = scores.shape[2].clone();
    let most = c.size_max(&most, &Dim::fixed(0));
    let most = c.size_min(&most, &size);
    if most.is(0) || scores.is_empty() {
        return Ok(vec![c.empty(Elem::I64, &[Dim::fixed(0), Dim::fixed(3)])]);
    }
    let mut limits = Vec::new();
    for input in [3, 4] {
        limits.push(match n.optional(input).filter(|v| !v.is_empty()) {
            Some(v) => Some(c.read_scalar(v)?),
            None => None,
        });
    }
    let overlap = limits[0].clone().unwrap_or_else(|| Scalar::new(c.scalar(boxes.elem, Num::I(0)), boxes.elem));
    let corners = corners(c, &boxes, centred)?;
    let (chosen, counts) = choose(c, &scores, &corners, &most, &overlap, limits[1].as_ref())?;
    selected(c, &chosen, &counts)
}

/// The least and largest coordinates of the boxes: `[batch, box, 4]`.
fn corners(c: &mut Context<'_>, boxes: &Value, centred: bool) -> Outcome<Value> {
    let (ssa, ty) = (c.ssa(boxes), boxes.ty());
    let out = c.empty(boxes.elem, &boxes.shape);
    Ok(c.generic(&[Iter::Parallel; 3], &[], &[(&out, map(&[0, 1, 2]))], |b, _| {
        let (batch, place, which) = (b.position(0), b.position(1), b.position(2));
        let (one, two) = (b.index_constant(1), b.index_constant(2));
        // Along y, then along x if corners are given; the other order for centres.
        let (axis, end) = (b.div(&which, &two), b.rem(&which, &two));
        let other = b.add(&axis, &two);
        let [first, second] =
            [axis, other].map(|at| b.extract(&ssa, &ty, boxes.elem, &[batch.clone(), place.clone(), at]));
        let upper = b.compare(Order::Eq, &end, &one);
        let (low, high) = if centred {
            let two = b.like(&second, 2.0);
            let half = b.div(&second, &two);
            (b.sub(&first, &half), b.add(&first, &half))
        } else {
            (b.min(&first, &second), b.max(&first, &second))
        };
        vec![b.select(&upper, &high, &low)]
    })
    .remove(0))
}

/// Selects boxes for each class of each batch, and counts them: one after the other, since each depends on the earlier
/// ones.
fn choose(
    c: &mut Context<'_>,
    scores: &Value,
    corners: &Value,
    most: &Dim,
    overlap: &Scalar,
    threshold: Option<&Scalar>,
) -> Outcome<(Value, Value)> {
    let rows = scores.shape[..2].to_vec();
    let leaders = Leaders::of(c, scores, true)?;
    let state = [
        c.filled(Elem::I64, &[rows.clone(), vec![most.clone()]].concat(), Num::I(0)),
        c.filled(Elem::I64, &rows, Num::I(0)),
        // Whether there may be more.
        c.filled(Elem::Bool, &rows, Num::I(1)),
        leaders.state[0].clone(),
        leaders.state[1].clone(),
    ];
    let types: Vec<_> = state.iter().map(Value::ty).collect();
    let list = types.join(", ");
    let (zero, one, room) = (c.index(&Dim::fixed(0)), c.index(&Dim::fixed(1)), Scalar::index(c.index(most)));
    let (boxes, boxes_ty) = (c.ssa(corners), corners.ty());
    let size = Scalar::index(c.index(&corners.shape[1]));
    let ends = [c.index(&rows[0]), c.index(&rows[1]), size.name.clone()];
    let done = nested(c, &ends, &state, |b, at, now| {
        let row = &at[..2];
        let pair = format!("{}, {}", row[0].name, row[1].name);
        let none = Scalar::index(zero.clone());
        let count = b.extract(&now[1], &types[1], Elem::I64, row);
        let count = b.to_index(&count);
        let open = b.extract(&now[2], &types[2], Elem::Bool, row);
        let (from, to) = (b.compare(Order::Ge, &count, &none), b.compare(Order::Lt, &count, &room));
        let inside = b.and(&from, &to);
        let goes = b.and(&inside, &open);
        let tried = b.w.open_values(5, &format!("scf.if {} -> ({list}) {{", goes.name));
        let left = [now[3].clone(), now[4].clone()];
        let best = leaders.best(b, row, &left);
        let place = b.to_index(&best.place);
        let (from, to) = (b.compare(Order::Ge, &place, &none), b.compare(Order::Lt, &place, &size));
        let inside = b.and(&from, &to);
        let mut good = b.and(&best.some, &inside);
        if let Some(threshold) = threshold {
            let above = b.compare(Order::Gt, &best.value, threshold);
            good = b.and(&good, &above);
        }
        let looked = b.w.open_values(5, &format!("scf.if {} -> ({list}) {{", good.name));
        let [values, places] = leaders.without(b, row, &best, &left);
        let corner = |b: &mut Body<'_>, place: &Scalar| {
            [0, 1, 2, 3].map(|i| {
                let which = b.index_constant(i);
                b.extract(&boxes, &boxes_ty, corners.elem, &[row[0].clone(), place.clone(), which])
            })
        };
        let own = corner(b, &place);
        // Against all that were chosen before it.
        let off = b.int(Elem::Bool, 0);
        let upto = b.min(&count, &room);
        let (before, hit) = (b.w.name(), b.w.name());
        let suppressed =
            b.w.open_values(
                1,
                &format!(
                    "scf.for {before} = {zero} to {} step {one} iter_args({hit} = {}) -> (i1) {{",
                    upto.name, off.name
                ),
            )
            .remove(0);
        let other = b.extract(&now[0], &types[0], Elem::I64, &[row[0].clone(), row[1].clone(), Scalar::index(before)]);
        let other = b.to_index(&other);
        let (from, to) = (b.compare(Order::Ge, &other, &none), b.compare(Order::Lt, &other, &size));
        let inside = b.and(&from, &to);
        let here = b.w.open_values(1, &format!("scf.if {} -> (i1) {{", inside.name)).remove(0);
        let other = corner(b, &other);
        let too_much = overlaps(b, &own, &other, overlap);
        b.w.line(format!("scf.yield {} : i1", too_much.name));
        b.w.between("} else {");
        b.w.line(format!("scf.yield {} : i1", off.name));
        b.w.close("}");
        let any = b.or(&Scalar::new(hit, Elem::Bool), &Scalar::new(here, Elem::Bool));
        b.w.line(format!("scf.yield {} : i1", any.name));
        b.w.close("}");
        let stays = b.not(&Scalar::new(suppressed, Elem::Bool));
        let taken = b.w.open_values(2, &format!("scf.if {} -> ({}, {}) {{", stays.name, types[0], types[1]));
        let next = b.add(&count, &Scalar::index(one.clone()));
        let next = b.cast(&next, Elem::I64);
        let with = b
            .w
            .value(format!("tensor.insert {} into {}[{pair}, {}] : {}", best.place.name, now[0], count.name, types[0]));
        let more = b.w.value(format!("tensor.insert {} into {}[{pair}] : {}", next.name, now[1], types[1]));
        b.w.line(format!("scf.yield {with}, {more} : {}, {}", types[0], types[1]));
        b.w.between("} else {");
        b.w.line(format!("scf.yield {}, {} : {}, {}", now[0], now[1], types[0], types[1]));
        b.w.close("}");
        b.w.line(format!("scf.yield {}, {}, {}, {values}, {places} : {list}", taken[0], taken[1], now[2]));
        b.w.between("} else {");
        let off = b.int(Elem::Bool, 0);
        let closed = b.w.value(format!("tensor.insert {} into {}[{pair}] : {}", off.name, now[2], types[2]));
        b.w.line(format!("scf.yield {}, {}, {closed}, {}, {} : {list}", now[0], now[1], now[3], now[4]));
        b.w.close("}");
        b.w.line(format!("scf.yield {} : {list}", looked.join(", ")));
        b.w.between("} else {");
        b.w.line(format!("scf.yield {} : {list}", now.join(", ")));
        b.w.close("}");
        tried
    });
    Ok((done[0].clone(), done[1].clone()))
}

/// Whether the intersection of two boxes exceeds this fraction of their union.
fn overlaps(
    b: &mut Body<'_>,
    [a0, a1, a2, a3]: &[Scalar; 4],
    [b0, b1, b2, b3]: &[Scalar; 4],
    limit: &Scalar,
) -> Scalar {
    let zero = b.like(a0, 0.0);
    let mut extent = |low: [&Scalar; 2], high: [&Scalar; 2]| {
        let (from, to) = (b.max(low[0], low[1]), b.min(high[0], high[1]));
        let common = b.sub(&to, &from);
        let (one, two) = (b.sub(high[0], low[0]), b.sub(high[1], low[1]));
        (common, one, two)
    };
    let (height, first_height, second_height) = extent([a0, b0], [a1, b1]);
    let (width, first_width, second_width) = extent([a2, b2], [a3, b3]);
    let common = b.mul(&height, &width);
    let (first, second) = (b.mul(&first_height, &first_width), b.mul(&second_height, &second_width));
    let both = b.add(&first, &second);
    let union = b.sub(&both, &common);
    let ratio = b.div(&common, &union);
    let mut result = b.compare(Order::Gt, &ratio, limit);
    for part in [&height, &width, &common, &first, &second, &union] {
        let some = b.compare(Order::Gt, part, &zero);
        result = b.and(&result, &some);
    }
    result
}

/// Returns the selection, class by class, as `[batch, class, box]`.
fn selected(c: &mut Context<'_>, chosen: &Value, counts: &Value) -> Outcome {
    let (classes, most) = (chosen.shape[1].clone(), chosen.shape[2].clone());
    let column = c.reshape(counts, &[chosen.shape[0].clone(), classes.clone(), Dim::fixed(1)])?;
    let mask = c.elementwise_to(&chosen.shape.clone(), &[column], Elem::Bool, |b, v| {
        let here = b.position(2);
        let here = b.cast(&here, Elem::I64);
        b.compare(Order::Lt, &here, &v[0])
    })?;
    let all = c.product(&chosen.shape);
    let (mask, boxes) = (c.reshape(&mask, std::slice::from_ref(&all))?, c.reshape(chosen, std::slice::from_ref(&all))?);
    let found = positions(c, &mask)?;
    let boxes = super::choose::rows(c, &boxes, 0, &found)?;
    let shape = [found.shape[0].clone(), Dim::fixed(3)];
    let out = c.empty(Elem::I64, &shape);
    if found.is_empty() {
        return Ok(vec![out]);
    }
    let (most, classes) = (Scalar::index(c.index(&most)), Scalar::index(c.index(&classes)));
    Ok(c.generic(&[Iter::Parallel; 2], &[(&found, map(&[0])), (&boxes, map(&[0]))], &[(&out, map(&[0, 1]))], |b, v| {
        let (which, zero, one) = (b.position(1), b.index_constant(0), b.index_constant(1));
        let (most, classes) = (b.max(&most, &one), b.max(&classes, &one));
        let place = b.to_index(&v[0]);
        let row = b.div(&place, &most);
        let (batch, class) = (b.div(&row, &classes), b.rem(&row, &classes));
        let (batch, class) = (b.cast(&batch, Elem::I64), b.cast(&class, Elem::I64));
        let (first, second) = (b.compare(Order::Eq, &which, &zero), b.compare(Order::Eq, &which, &one));
        let rest = b.select(&second, &class, &v[1]);
        vec![b.select(&first, &batch, &rest)]
    }))
}
