//! Axes whose sizes or scale are known only at run time: the program computes the table of positions and weights, one
//! axis at a time.
use super::{Axis, Plan};
use crate::onnx::{
    Body, Context, Dim, Elem, Iter, Num, Order, Outcome, Scalar, Value, generic::map, problem::unsupported,
};

/// A number that a body reads.
type Reader = Box<dyn Fn(&mut Body<'_>) -> Scalar>;

/// Numbers of an axis that bodies compute with, as f64.
struct Numbers {
    from: Reader,
    to: Reader,
    scale: Reader,
    region: Option<[Reader; 2]>,
}

/// Resizes axis `d`.
pub(super) fn apply(c: &mut Context<'_>, x: &Value, d: usize, axis: &Axis, plan: &Plan) -> Outcome<Value> {
    let numbers = numbers(c, axis);
    let places = places(c, axis, &numbers, plan)?;
    let mut shape = x.shape.clone();
    shape[d] = axis.to.clone();
    let rank = x.rank();
    let all: Vec<_> = (0..rank).collect();
    let (ssa, ty, size) = (c.ssa(x), x.ty(), c.index(&axis.from));
    let read = |b: &mut Body<'_>, position: &Scalar| {
        let at = b.to_index(position);
        let (zero, one) = (b.index_constant(0), b.index_constant(1));
        let last = b.sub(&Scalar::index(size.clone()), &one);
        let inside = b.max(&at, &zero);
        let inside = b.min(&inside, &last);
        let mut at: Vec<_> = (0..rank).map(|d| b.position(d)).collect();
        at[d] = inside;
        b.extract(&ssa, &ty, x.elem, &at)
    };
    let result = if plan.mode == "nearest" {
        let mode = plan.nearest.clone();
        if !["floor", "ceil", "round_prefer_floor", "round_prefer_ceil"].contains(&mode.as_str()) {
            return unsupported(format!("`nearest_mode` is `{mode}`"));
        }
        let positions = c.elementwise(std::slice::from_ref(&places), Elem::I64, |b, v| nearest(b, &v[0], &mode))?;
        let out = c.empty(x.elem, &shape);
        c.generic(&vec![Iter::Parallel; rank], &[(&positions, map(&[d]))], &[(&out, map(&all))], |b, v| {
            vec![read(b, &v[0])]
        })
        .remove(0)
    } else {
        let elem = x.elem.accumulator();
        let (first, weights) = weights(c, axis, &numbers, &places, elem, plan)?;
        let out = c.filled(elem, &shape, Num::I(0));
        let iters = [vec![Iter::Parallel; rank], vec![Iter::Reduction]].concat();
        let ins = [(&first, map(&[d])), (&weights, map(&[d, rank]))];
        let sum = c
            .generic(&iters, &ins, &[(&out, map(&all))], |b, v| {
                let tap = b.position(rank);
                let start = b.to_index(&v[0]);
                let at = b.add(&start, &tap);
                let element = read(b, &at);
                let wide = b.cast(&element, elem);
                let part = b.mul(&wide, &v[1]);
                vec![b.add(&v[2], &part)]
            })
            .remove(0);
        super::super::matmul::narrowed(c, &sum, x.elem)?
    };
    if plan.transform != "tf_crop_and_resize" {
        return Ok(result);
    }
    // What lies outside is given.
    let mut along = vec![Dim::fixed(1); rank - d];
    along[0] = axis.to.clone();
    let places = c.reshape(&places, &along)?;
    let (from, beyond) = (numbers.from, plan.extrapolation);
    c.elementwise_to(&shape, &[places, result], x.elem, |b, v| {
        let (from, one, zero) = (from(b), b.float(Elem::F64, 1.0), b.float(Elem::F64, 0.0));
        let last = b.sub(&from, &one);
        let (after, before) = (b.compare(Order::Ge, &v[0], &zero), b.compare(Order::Le, &v[0], &last));
        let inside = b.and(&after, &before);
        let nothing = b.number(x.elem, Num::F(beyond));
        b.select(&inside, &v[1], &nothing)
    })
}

fn numbers(c: &mut Context<'_>, axis: &Axis) -> Numbers {
    let mut size = |d: &Dim| -> Reader {
        let ssa = c.index(d);
        Box::new(move |b| b.cast(&Scalar::index(ssa.clone()), Elem::F64))
    };
    let (from, to) = (size(&axis.from), size(&axis.to));
    let scale: Reader = match &axis.scale {
        Some(scale) => Box::new(scale.scalar(c)),
        None => {
            let (from, to) = (c.index(&axis.from), c.index(&axis.to));
            Box::new(move |b| {
                let (to, from) =
                    (b.cast(&Scalar::index(to.clone()), Elem::F64), b.cast(&Scalar::index(from.clone()), Elem::F64));
                b.div(&to, &from)
            })
        }
    };
    let region = axis
        .region
        .as_ref()
        .map(|[start, end]| [Box::new(start.scalar(c)) as Reader, Box::new(end.scalar(c)) as Reader]);
    Numbers { from, to, scale, region }
}

/// Returns for each position of the result the corresponding place in the input.
fn places(c: &mut Context<'_>, axis: &Axis, numbers: &Numbers, plan: &Plan) -> Outcome<Value> {
    let known = [
        "half_pixel",
        "half_pixel_symmetric",
        "pytorch_half_pixel",
        "align_corners",
        "asymmetric",
        "tf_half_pixel_for_nn",
        "tf_crop_and_resize",
    ];
    if !known.contains(&plan.transform.as_str()) {
        return unsupported(format!("`coordinate_transformation_mode` is `{}`", plan.transform));
    }
    let out = c.empty(Elem::F64, std::slice::from_ref(&axis.to));
    let places = c.generic(&[Iter::Parallel], &[], &[(&out, map(&[0]))], |b, _| {
        let at = b.position(0);
        let at = b.cast(&at, Elem::F64);
        let place = origin(b, &at, numbers, plan);
        // Numbers that are none, or far outside, are no positions.
        let (zero, far) = (b.float(Elem::F64, 0.0), b.float(Elem::F64, 16.0));
        let from = (numbers.from)(b);
        let most = b.add(&from, &far);
        let least = b.neg(&most);
        let wrong = b.is_nan(&place);
        let place = b.select(&wrong, &zero, &place);
        let place = b.max(&place, &least);
        vec![b.min(&place, &most)]
    });
    Ok(places.into_iter().next().expect("one result"))
}

/// The place in the input of a position of the result, as [`super::table`] has it.
fn origin(b: &mut Body<'_>, at: &Scalar, n: &Numbers, plan: &Plan) -> Scalar {
    let number = |b: &mut Body<'_>, v: f64| b.float(Elem::F64, v);
    let (half, one, zero) = (number(b, 0.5), number(b, 1.0), number(b, 0.0));
    let centre = |b: &mut Body<'_>| {
        let (scale, middle) = ((n.scale)(b), b.add(at, &half));
        let place = b.div(&middle, &scale);
        b.sub(&place, &half)
    };
    match plan.transform.as_str() {
        "half_pixel" => centre(b),
        "half_pixel_symmetric" => {
            let (from, to, scale) = ((n.from)(b), (n.to)(b), (n.scale)(b));
            let exact = b.mul(&from, &scale);
            let adjusted = b.div(&to, &exact);
            let (off, middle) = (b.sub(&one, &adjusted), b.mul(&from, &half));
            let offset = b.mul(&middle, &off);
            let place = centre(b);
            b.add(&offset, &place)
        }
        "pytorch_half_pixel" => {
            let (to, place) = ((n.to)(b), centre(b));
            let several = b.compare(Order::Gt, &to, &one);
            b.select(&several, &place, &zero)
        }
        "align_corners" => {
            let (from, scale) = ((n.from)(b), (n.scale)(b));
            let (exact, last) = (b.mul(&from, &scale), b.sub(&from, &one));
            let steps = b.sub(&exact, &one);
            let way = b.mul(at, &last);
            let place = b.div(&way, &steps);
            let (distance, tiny) = (b.abs(&steps), number(b, 1e-12));
            let several = b.compare(Order::Gt, &distance, &tiny);
            b.select(&several, &place, &zero)
        }
        "asymmetric" => {
            let scale = (n.scale)(b);
            b.div(at, &scale)
        }
        "tf_half_pixel_for_nn" => {
            let (scale, middle) = ((n.scale)(b), b.add(at, &half));
            b.div(&middle, &scale)
        }
        _ => {
            let (from, to) = ((n.from)(b), (n.to)(b));
            let (start, end) = match &n.region {
                Some([start, end]) => (start(b), end(b)),
                None => (zero.clone(), one.clone()),
            };
            let (last, last_to) = (b.sub(&from, &one), b.sub(&to, &one));
            let (first, length) = (b.mul(&start, &last), b.sub(&end, &start));
            let (way, sum) = (b.mul(at, &length), b.add(&start, &end));
            let way = b.mul(&way, &last);
            let way = b.div(&way, &last_to);
            let place = b.add(&first, &way);
            let middle = b.mul(&half, &sum);
            let middle = b.mul(&middle, &last);
            let several = b.compare(Order::Gt, &to, &one);
            b.select(&several, &place, &middle)
        }
    }
}

fn nearest(b: &mut Body<'_>, place: &Scalar, mode: &str) -> Scalar {
    let half = b.float(Elem::F64, 0.5);
    let whole = match mode {
        "floor" => b.math("floor", place),
        "ceil" => b.math("ceil", place),
        "round_prefer_floor" => {
            let below = b.sub(place, &half);
            b.math("ceil", &below)
        }
        _ => {
            let above = b.add(place, &half);
            b.math("floor", &above)
        }
    };
    b.cast(&whole, Elem::I64)
}

/// The first position that each element of the result is made of, and the weights of as many as follow it.
fn weights(
    c: &mut Context<'_>,
    axis: &Axis,
    numbers: &Numbers,
    places: &Value,
    elem: Elem,
    plan: &Plan,
) -> Outcome<(Value, Value)> {
    let radius = if plan.mode == "linear" { 1 } else { 2 };
    let taps = taps(c, axis, numbers, radius, plan)?;
    let stretch = |b: &mut Body<'_>| {
        let (scale, one) = ((numbers.scale)(b), b.float(Elem::F64, 1.0));
        b.min(&scale, &one)
    };
    let antialias = plan.antialias;
    let first = c.elementwise(std::slice::from_ref(places), Elem::I64, |b, v| {
        let one = b.float(Elem::F64, 1.0);
        let reach = b.float(Elem::F64, f64::from(radius));
        let start = if antialias {
            let stretch = stretch(b);
            let reach = b.div(&reach, &stretch);
            let start = b.sub(&v[0], &reach);
            b.math("floor", &start)
        } else {
            let below = b.math("floor", &v[0]);
            b.sub(&below, &reach)
        };
        let start = b.add(&start, &one);
        b.cast(&start, Elem::I64)
    })?;
    let out = c.empty(Elem::F64, &[axis.to.clone(), taps.clone()]);
    let (excludes, cubic) = (plan.exclude_outside, plan.cubic);
    let exact = c
        .generic(&[Iter::Parallel; 2], &[(places, map(&[0])), (&first, map(&[0]))], &[(&out, map(&[0, 1]))], |b, v| {
            let tap = b.position(1);
            let tap = b.cast(&tap, Elem::I64);
            let at = b.add(&v[1], &tap);
            let at = b.cast(&at, Elem::F64);
            let away = b.sub(&at, &v[0]);
            let mut away = b.abs(&away);
            if antialias {
                let stretch = stretch(b);
                away = b.mul(&away, &stretch);
            }
            let weight = kernel(b, &away, radius, cubic);
            if !excludes {
                return vec![weight];
            }
            let (zero, one, from) = (b.float(Elem::F64, 0.0), b.float(Elem::F64, 1.0), (numbers.from)(b));
            let last = b.sub(&from, &one);
            let (after, before) = (b.compare(Order::Ge, &at, &zero), b.compare(Order::Le, &at, &last));
            let inside = b.and(&after, &before);
            vec![b.select(&inside, &weight, &zero)]
        })
        .remove(0);
    let weights = if excludes || antialias {
        let sums = c.reduce(&exact, &[1], Elem::F64, Num::I(0), |b, weight, sum| b.add(sum, weight));
        let sums = c.reshape(&sums, &[axis.to.clone(), Dim::fixed(1)])?;
        c.elementwise(&[exact, sums], elem, |b, v| {
            let (zero, one) = (b.float(Elem::F64, 0.0), b.float(Elem::F64, 1.0));
            let none = b.compare(Order::Eq, &v[1], &zero);
            let sum = b.select(&none, &one, &v[1]);
            let part = b.div(&v[0], &sum);
            b.cast(&part, elem)
        })?
    } else {
        super::super::matmul::narrowed(c, &exact, elem)?
    };
    Ok((first, weights))
}

/// Returns the largest number of positions that an element depends on.
fn taps(c: &mut Context<'_>, axis: &Axis, numbers: &Numbers, radius: i32, plan: &Plan) -> Outcome<Dim> {
    let all = i64::from(2 * radius);
    if !plan.antialias {
        return Ok(Dim::fixed(all));
    }
    match axis.scale.as_ref().map(|s| s.known()) {
        Some(Some(scale)) => Ok(Dim::fixed((all as f64 / scale.min(1.0)).ceil() as i64)),
        // The kernel is stretched by the sizes' quotient where the result is smaller.
        None => {
            let (span, some) = (axis.from.times(all), c.size_max(&axis.to, &Dim::fixed(1)));
            let stretched = c.size_over(&span.plus(&some).offset(-1), &some);
            Ok(c.size_max(&stretched, &Dim::fixed(all)))
        }
        Some(None) => {
            let out = c.empty(Elem::I64, &[Dim::fixed(1)]);
            let count = c
                .generic(&[Iter::Parallel], &[], &[(&out, map(&[0]))], |b, _| {
                    let (scale, one, tiny) = ((numbers.scale)(b), b.float(Elem::F64, 1.0), b.float(Elem::F64, 1e-6));
                    let stretch = b.min(&scale, &one);
                    let stretch = b.max(&stretch, &tiny);
                    let all = b.float(Elem::F64, all as f64);
                    let span = b.div(&all, &stretch);
                    let whole = b.math("ceil", &span);
                    vec![b.cast(&whole, Elem::I64)]
                })
                .remove(0);
            let count = c.read_dims(&count)?.remove(0);
            c.require_count(&count, "the number of positions that an element is made of")?;
            Ok(count)
        }
    }
}

/// The weight of a position so far away: a tent, or Keys' cubic convolution kernel.
fn kernel(b: &mut Body<'_>, away: &Scalar, radius: i32, a: f64) -> Scalar {
    let number = |b: &mut Body<'_>, v: f64| b.float(Elem::F64, v);
    let (zero, one) = (number(b, 0.0), number(b, 1.0));
    if radius == 1 {
        let weight = b.sub(&one, away);
        return b.max(&weight, &zero);
    }
    // Polynomials by Horner's rule, the highest power first.
    let polynomial = |b: &mut Body<'_>, factors: &[f64]| {
        let mut sum = number(b, factors[0]);
        for &factor in &factors[1..] {
            let (product, factor) = (b.mul(&sum, away), number(b, factor));
            sum = b.add(&product, &factor);
        }
        sum
    };
    let near = polynomial(b, &[a + 2.0, -(a + 3.0), 0.0, 1.0]);
    let far = polynomial(b, &[a, -5.0 * a, 8.0 * a, -4.0 * a]);
    let two = number(b, 2.0);
    let (is_near, is_far) = (b.compare(Order::Le, away, &one), b.compare(Order::Lt, away, &two));
    let far = b.select(&is_far, &far, &zero);
    b.select(&is_near, &near, &far)
}
