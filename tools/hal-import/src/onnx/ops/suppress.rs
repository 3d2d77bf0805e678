//! `NonMaxSuppression`: boxes with the best scores, without those that overlap a better one too much.
use super::{Entry, choose::clamped, prefix::positions, sort::sorted};
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
    // Best first, in a row for each class of each batch.
    let rows = c.size_times(&scores.shape[0], &scores.shape[1]);
    let (values, places) = sorted(c, &scores, 2, &size, true)?;
    let (values, places) = (c.reshape(&values, &[rows.clone(), size.clone()])?, c.reshape(&places, &[rows.clone(), size.clone()])?);
    let ordered = corners(c, &boxes, &places, &scores.shape[1], centred)?;
    let (chosen, counts) = choose(c, &values, &ordered, &most, &overlap, limits[1].as_ref())?;
    selected(c, &chosen, &counts, &places, &scores.shape[1])
}

/// The least and largest coordinates of the boxes, in the order of the scores: `[row, box, 4]`.
fn corners(c: &mut Context<'_>, boxes: &Value, places: &Value, classes: &Dim, centred: bool) -> Outcome<Value> {
    let shape = [places.shape[0].clone(), places.shape[1].clone(), Dim::fixed(4)];
    let (batches, size) = (boxes.shape[0].clone(), boxes.shape[1].clone());
    let classes = Scalar::index(c.index(classes));
    let (last_batch, last) = (Scalar::index(c.index(&batches.offset(-1))), Scalar::index(c.index(&size.offset(-1))));
    let (ssa, ty) = (c.ssa(boxes), boxes.ty());
    let out = c.empty(boxes.elem, &shape);
    Ok(c.generic(&[Iter::Parallel; 3], &[(places, map(&[0, 1]))], &[(&out, map(&[0, 1, 2]))], |b, v| {
        let (row, which) = (b.position(0), b.position(2));
        let (one, two) = (b.index_constant(1), b.index_constant(2));
        let safe = b.max(&classes, &one);
        let batch = b.div(&row, &safe);
        let batch = clamped(b, &batch, &last_batch);
        let place = b.to_index(&v[0]);
        let place = clamped(b, &place, &last);
        // Along y, then along x where corners are given; the other way round for centres.
        let (axis, end) = (b.div(&which, &two), b.rem(&which, &two));
        let other = b.add(&axis, &two);
        let [first, second] = [axis, other].map(|at| b.extract(&ssa, &ty, boxes.elem, &[batch.clone(), place.clone(), at]));
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

/// For each row the places that are chosen, and how many: one after the other, as each depends on those before.
fn choose(
    c: &mut Context<'_>,
    values: &Value,
    ordered: &Value,
    most: &Dim,
    overlap: &Scalar,
    threshold: Option<&Scalar>,
) -> Outcome<(Value, Value)> {
    let (rows, size) = (values.shape[0].clone(), values.shape[1].clone());
    let chosen = c.filled(Elem::I64, &[rows.clone(), most.clone()], Num::I(0));
    let counts = c.filled(Elem::I64, std::slice::from_ref(&rows), Num::I(0));
    let (types, list) = ([chosen.ty(), counts.ty()], format!("{}, {}", chosen.ty(), counts.ty()));
    let (zero, one) = (c.index(&Dim::fixed(0)), c.index(&Dim::fixed(1)));
    let (end, length, room) = (c.index(&rows), c.index(&size), Scalar::index(c.index(most)));
    let initial = [c.ssa(&chosen), c.ssa(&counts)];
    let (values_ssa, boxes_ssa) = (c.ssa(values), c.ssa(ordered));
    let mut b = c.body();
    let names = |b: &mut Body<'_>| [b.w.name(), b.w.name(), b.w.name()];
    let head = |at: &str, end: &str, names: [&str; 2], from: &[String; 2]| {
        format!(
            "scf.for {at} = {zero} to {end} step {one} iter_args({} = {}, {} = {}) -> ({list}) {{",
            names[0], from[0], names[1], from[1]
        )
    };
    let [row, outer_chosen, outer_counts] = names(&mut b);
    let done = b.w.open_values(2, &head(&row, &end, [&outer_chosen, &outer_counts], &initial));
    let [place, now, now_counts] = names(&mut b);
    let passed = b.w.open_values(2, &head(&place, &length, [&now, &now_counts], &[outer_chosen, outer_counts]));
    let [row, place] = [row, place].map(Scalar::index);
    let (none, step) = (Scalar::index(zero.clone()), Scalar::index(one.clone()));
    let count = b.extract(&now_counts, &types[1], Elem::I64, std::slice::from_ref(&row));
    let count = b.to_index(&count);
    let (from, to) = (b.compare(Order::Ge, &count, &none), b.compare(Order::Lt, &count, &room));
    let mut goes = b.and(&from, &to);
    if let Some(threshold) = threshold {
        let score = b.extract(&values_ssa, &values.ty(), values.elem, &[row.clone(), place.clone()]);
        let above = b.compare(Order::Gt, &score, threshold);
        goes = b.and(&goes, &above);
    }
    let tried = b.w.open_values(2, &format!("scf.if {} -> ({list}) {{", goes.name));
    let corner = |b: &mut Body<'_>, place: &Scalar| {
        [0, 1, 2, 3].map(|i| {
            let at = b.index_constant(i);
            b.extract(&boxes_ssa, &ordered.ty(), ordered.elem, &[row.clone(), place.clone(), at])
        })
    };
    let own = corner(&mut b, &place);
    // Against all that were chosen before it.
    let off = b.int(Elem::Bool, 0);
    let upto = b.min(&count, &room);
    let [at, hit, _] = names(&mut b);
    let suppressed = b
        .w
        .open_values(1, &format!("scf.for {at} = {zero} to {} step {one} iter_args({hit} = {}) -> (i1) {{", upto.name, off.name))
        .remove(0);
    let before = b.extract(&now, &types[0], Elem::I64, &[row.clone(), Scalar::index(at)]);
    let before = b.to_index(&before);
    let (from, to) = (b.compare(Order::Ge, &before, &none), b.compare(Order::Lt, &before, &Scalar::index(length.clone())));
    let inside = b.and(&from, &to);
    let here = b.w.open_values(1, &format!("scf.if {} -> (i1) {{", inside.name)).remove(0);
    let other = corner(&mut b, &before);
    let too_much = overlaps(&mut b, &own, &other, overlap);
    b.w.line(format!("scf.yield {} : i1", too_much.name));
    b.w.between("} else {");
    b.w.line(format!("scf.yield {} : i1", off.name));
    b.w.close("}");
    let any = b.or(&Scalar::new(hit, Elem::Bool), &Scalar::new(here, Elem::Bool));
    b.w.line(format!("scf.yield {} : i1", any.name));
    b.w.close("}");
    let stays = b.not(&Scalar::new(suppressed, Elem::Bool));
    let taken = b.w.open_values(2, &format!("scf.if {} -> ({list}) {{", stays.name));
    let (number, next) = (b.cast(&place, Elem::I64), b.add(&count, &step));
    let next = b.cast(&next, Elem::I64);
    let with = b.w.value(format!("tensor.insert {} into {now}[{}, {}] : {}", number.name, row.name, count.name, types[0]));
    let more = b.w.value(format!("tensor.insert {} into {now_counts}[{}] : {}", next.name, row.name, types[1]));
    b.w.line(format!("scf.yield {with}, {more} : {list}"));
    b.w.between("} else {");
    b.w.line(format!("scf.yield {now}, {now_counts} : {list}"));
    b.w.close("}");
    b.w.line(format!("scf.yield {}, {} : {list}", taken[0], taken[1]));
    b.w.between("} else {");
    b.w.line(format!("scf.yield {now}, {now_counts} : {list}"));
    b.w.close("}");
    b.w.line(format!("scf.yield {}, {} : {list}", tried[0], tried[1]));
    b.w.close("}");
    b.w.line(format!("scf.yield {}, {} : {list}", passed[0], passed[1]));
    b.w.close("}");
    Ok((Value::new(done[0].clone(), Elem::I64, chosen.shape), Value::new(done[1].clone(), Elem::I64, counts.shape)))
}

/// Whether the intersection of two boxes is more than this part of their union.
fn overlaps(b: &mut Body<'_>, [a0, a1, a2, a3]: &[Scalar; 4], [b0, b1, b2, b3]: &[Scalar; 4], limit: &Scalar) -> Scalar {
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

/// What was chosen, row by row, as `[batch, class, box]`.
fn selected(c: &mut Context<'_>, chosen: &Value, counts: &Value, places: &Value, classes: &Dim) -> Outcome {
    let (rows, most) = (chosen.shape[0].clone(), chosen.shape[1].clone());
    let column = c.reshape(counts, &[rows.clone(), Dim::fixed(1)])?;
    let mask = c.elementwise_to(&chosen.shape.clone(), &[column], Elem::Bool, |b, v| {
        let here = b.position(1);
        let here = b.cast(&here, Elem::I64);
        b.compare(Order::Lt, &here, &v[0])
    })?;
    let last = Scalar::index(c.index(&places.shape[1].offset(-1)));
    let (ssa, ty) = (c.ssa(places), places.ty());
    let boxes = c.elementwise(std::slice::from_ref(chosen), Elem::I64, |b, v| {
        let (row, place) = (b.position(0), b.to_index(&v[0]));
        let place = clamped(b, &place, &last);
        b.extract(&ssa, &ty, Elem::I64, &[row, place])
    })?;
    let all = c.size_times(&rows, &most);
    let (mask, boxes) = (c.reshape(&mask, std::slice::from_ref(&all))?, c.reshape(&boxes, std::slice::from_ref(&all))?);
    let found = positions(c, &mask)?;
    let boxes = super::choose::rows(c, &boxes, 0, &found)?;
    let shape = [found.shape[0].clone(), Dim::fixed(3)];
    let out = c.empty(Elem::I64, &shape);
    if found.is_empty() {
        return Ok(vec![out]);
    }
    let (most, classes) = (Scalar::index(c.index(&most)), Scalar::index(c.index(classes)));
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
