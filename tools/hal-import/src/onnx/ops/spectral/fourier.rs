//! The discrete Fourier transform of rows: products with matrices of roots of unity, and for composite lengths the
//! usual factorisation into shorter transforms.
use super::super::matmul::{narrowed, product};
use crate::onnx::{
    Body, Context, Dim, Elem, Iter, Num, Order, Outcome, Scalar, Tensor, Value, context::require::Rule, generic::map,
};

/// The kind of transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kind {
    pub(super) inverse: bool,
    /// Only the first half of the spectrum is given (forwards) or taken (inverse, whose result is then real).
    pub(super) onesided: bool,
}

/// Lengths up to this are one product.
const SHORT: i64 = 64;
/// Matrices of more elements than this are computed when the program runs.
const STORED: i64 = 1 << 18;

impl Kind {
    fn is_real(self) -> bool {
        self.inverse && self.onesided
    }

    /// Returns the number of elements of a row that are used.
    fn taken(self, c: &mut Context<'_>, length: &Dim) -> Dim {
        if self.is_real() { half(c, length) } else { length.clone() }
    }

    /// Returns the number of elements of the transformed row.
    pub(super) fn output_length(self, c: &mut Context<'_>, length: &Dim) -> Dim {
        if self.onesided && !self.inverse { half(c, length) } else { length.clone() }
    }
}

fn half(c: &mut Context<'_>, length: &Dim) -> Dim {
    c.size_over(length, &Dim::fixed(2)).offset(1)
}

/// Transforms rows `[rows, numbers, 1 or 2]` of some length, which they are cut or padded to, into `[rows, numbers, 2]`, or
/// `[rows, numbers, 1]` where the result is real. In the accumulator's type.
pub(super) fn transform(c: &mut Context<'_>, name: &str, rows: &Value, length: &Dim, kind: Kind) -> Outcome<Value> {
    c.require(Rule::AtLeast(length.clone(), Dim::fixed(1)), "the length of the transform is {0}", &[length])?;
    let rows = c.settle(rows);
    let rows = narrowed(c, &rows, rows.elem.accumulator())?;
    let length = c.settle_dim(length);
    let taken = kind.taken(c, &length);
    let used = c.size_min(&rows.shape[1], &taken);
    let [count, _, parts] = [0, 1, 2].map(|i| rows.shape[i].clone());
    let rows = c.slice(&rows, &[0, 0, 0].map(Dim::fixed), &[count.clone(), used.clone(), parts.clone()], &[1; 3]);
    if let (Some(whole), Some(_), Some(_)) = (length.get(), used.get(), parts.get())
        && factor(whole).is_some()
    {
        let full = if kind.is_real() {
            mirrored(c, &rows, whole)?
        } else {
            c.pad(&rows, &[0, 0, 0].map(Dim::fixed), &[Dim::fixed(0), length.minus(&used), Dim::fixed(0)], Num::I(0))
        };
        let spectrum = factored(c, name, &full, whole, kind.inverse)?;
        let last = Dim::fixed(if kind.is_real() { 1 } else { 2 });
        let kept = [count, kind.output_length(c, &length), last];
        return Ok(c.slice(&spectrum, &[0, 0, 0].map(Dim::fixed), &kept, &[1; 3]));
    }
    direct(c, name, &rows, &length, kind)
}

/// A factor that leaves two shorter transforms; `None` if one product is better.
fn factor(length: i64) -> Option<i64> {
    if length <= SHORT {
        return None;
    }
    let divides = |d: &i64| length % d == 0;
    let root = (length as f64).sqrt() as i64;
    (2..=root.min(SHORT)).rev().find(divides).or_else(|| (SHORT + 1..=root).find(divides))
}

/// Computes the transform as one product with a matrix.
fn direct(c: &mut Context<'_>, name: &str, rows: &Value, length: &Dim, kind: Kind) -> Outcome<Value> {
    let [count, used, parts] = [0, 1, 2].map(|i| rows.shape[i].clone());
    let given = kind.output_length(c, length);
    let results = Dim::fixed(if kind.is_real() { 1 } else { 2 });
    let shape = [used.clone(), parts.clone(), given.clone(), results.clone()];
    let matrix = matrix(c, name, rows.elem, &shape, length, kind);
    let (height, width) = (c.size_times(&used, &parts), c.size_times(&given, &results));
    let matrix = c.reshape(&matrix, &[height.clone(), width])?;
    let flat = c.reshape(rows, &[count.clone(), height])?;
    let result = product(c, &flat, &matrix)?;
    c.reshape(&result, &[count, given, results])
}

/// Returns the factor from part `of` of an element to part `to` of a result: cosine and sine of the angle, scale
/// included.
fn matrix(c: &mut Context<'_>, name: &str, elem: Elem, shape: &[Dim; 4], length: &Dim, kind: Kind) -> Value {
    let sizes: Option<Vec<_>> = shape.iter().map(Dim::get).collect();
    if let (Some(sizes), Some(length)) = (sizes, length.get())
        && sizes.iter().try_fold(1i64, |n, &d| n.checked_mul(d)).is_some_and(|n| n <= STORED)
    {
        let shape: Vec<_> = sizes.iter().map(|&d| d as usize).collect();
        let at = crate::onnx::tensor::positions(&shape, |index| {
            // Packed for the loop below, which takes it apart.
            (index[0] << 40) | (index[2] << 2) | (index[1] << 1) | index[3]
        });
        let entry = |flat: usize| {
            let packed = at(flat);
            let (n, k) = ((packed >> 40) as i64, ((packed >> 2) & ((1 << 38) - 1)) as i64);
            Num::F(entry(n, packed & 2 != 0, k, packed & 1 != 0, length, kind))
        };
        let count = shape.iter().product::<usize>();
        let tensor = Tensor::from_numbers(elem, shape, (0..count).map(entry));
        return Value::constant(tensor.named(Some(format!("{name}_roots_{length}"))));
    }
    let length = Scalar::index(c.index(length));
    let out = c.empty(elem, shape);
    c.generic(&[Iter::Parallel; 4], &[], &[(&out, map(&[0, 1, 2, 3]))], |b, _| {
        let [n, of, k, to] = [0, 1, 2, 3].map(|d| b.position(d));
        vec![entry_at(b, elem, [&n, &of, &k, &to], &length, kind)]
    })
    .remove(0)
}

/// Cosine and sine of `steps` parts of a full turn of `length`, from the sines of at most a quarter of it: what is 0 is 0.
fn turned(steps: i64, length: i64) -> (f64, f64) {
    // Twice the distance from where the turn begins, and whether the sine is of the other half.
    let (near, below) = if 2 * steps > length { (2 * (length - steps), true) } else { (2 * steps, false) };
    let (near, left) = if 2 * near > length { (length - near, true) } else { (near, false) };
    let part = |above: i64, below: i64| (std::f64::consts::PI * above as f64 / below as f64).sin();
    let (cosine, sine) = (part(length - 2 * near, 2 * length), part(near, length));
    (if left { -cosine } else { cosine }, if below { -sine } else { sine })
}

/// Does the same as [`turned`] in a body.
fn turned_at(b: &mut Body<'_>, elem: Elem, steps: &Scalar, length: &Scalar) -> (Scalar, Scalar) {
    let (twice, back) = (b.add(steps, steps), b.sub(length, steps));
    let far = b.add(&back, &back);
    let below = b.compare(Order::Gt, &twice, length);
    let near = b.select(&below, &far, &twice);
    let doubled = b.add(&near, &near);
    let left = b.compare(Order::Gt, &doubled, length);
    let rest = b.sub(length, &near);
    let near = b.select(&left, &rest, &near);
    let part = |b: &mut Body<'_>, above: &Scalar, below: &Scalar| {
        let (above, below, pi) = (b.cast(above, elem), b.cast(below, elem), b.float(elem, std::f64::consts::PI));
        let ratio = b.div(&above, &below);
        let angle = b.mul(&ratio, &pi);
        b.math("sin", &angle)
    };
    let doubled = b.add(&near, &near);
    let (above, whole) = (b.sub(length, &doubled), b.add(length, length));
    let (cosine, sine) = (part(b, &above, &whole), part(b, &near, length));
    let (other_cosine, other_sine) = (b.neg(&cosine), b.neg(&sine));
    (b.select(&left, &other_cosine, &cosine), b.select(&below, &other_sine, &sine))
}

/// An entry of [`matrix`]; `of` and `to`: whether the parts are imaginary.
fn entry(n: i64, of: bool, k: i64, to: bool, length: i64, kind: Kind) -> f64 {
    let (cosine, sine) = turned((i128::from(n) * i128::from(k) % i128::from(length)) as i64, length);
    let sine = if kind.inverse { sine } else { -sine };
    let value = match (of, to) {
        (false, false) | (true, true) => cosine,
        (false, true) => sine,
        (true, false) => -sine,
    };
    let middle = n == 0 || 2 * n == length;
    match kind {
        _ if !kind.inverse => value,
        _ if !kind.onesided => value / length as f64,
        // Numbers in the middle have no mirror image, and are real.
        _ if middle => {
            if of {
                0.0
            } else {
                value / length as f64
            }
        }
        _ => 2.0 * value / length as f64,
    }
}

/// Does the same as [`entry`] in a body.
fn entry_at(b: &mut Body<'_>, elem: Elem, [n, of, k, to]: [&Scalar; 4], length: &Scalar, kind: Kind) -> Scalar {
    let (none, one) = (b.index_constant(0), b.index_constant(1));
    let safe = b.max(length, &one);
    let steps = b.mul(n, k);
    let steps = b.rem(&steps, &safe);
    let (cosine, sine) = turned_at(b, elem, &steps, length);
    let sine = if kind.inverse { sine } else { b.neg(&sine) };
    let (imaginary, to_imaginary) = (b.compare(Order::Gt, of, &none), b.compare(Order::Gt, to, &none));
    let minus = b.neg(&sine);
    let crossed = b.select(&imaginary, &minus, &sine);
    let across = b.xor(&imaginary, &to_imaginary);
    let mut value = b.select(&across, &crossed, &cosine);
    if kind.inverse {
        let total = b.cast(length, elem);
        value = b.div(&value, &total);
    }
    if kind.is_real() {
        let two = b.float(elem, 2.0);
        let doubled = b.mul(&value, &two);
        let twice = b.add(n, n);
        let (first, last) = (b.compare(Order::Eq, n, &none), b.compare(Order::Eq, &twice, length));
        let middle = b.or(&first, &last);
        let zero = b.float(elem, 0.0);
        let real = b.select(&imaginary, &zero, &value);
        value = b.select(&middle, &real, &doubled);
    }
    value
}

/// The whole spectrum of a real row from its first half.
fn mirrored(c: &mut Context<'_>, rows: &Value, length: i64) -> Outcome<Value> {
    let shape = [rows.shape[0].clone(), Dim::fixed(length), Dim::fixed(2)];
    let Some(used) = rows.shape[1].get() else { return crate::onnx::problem::invalid("the rows are dynamic") };
    let (ssa, ty, elem) = (c.ssa(rows), rows.ty(), rows.elem);
    c.elementwise_to(&shape, &[], elem, |b, _| {
        let [row, k, part] = [0, 1, 2].map(|d| b.position(d));
        let (whole, end, zero) = (b.index_constant(length), b.index_constant(used - 1), b.index_constant(0));
        let behind = b.sub(&whole, &k);
        let near = b.min(&k, &behind);
        let is_mirror = b.compare(Order::Lt, &behind, &k);
        let here = b.min(&near, &end);
        let value = b.extract(&ssa, &ty, elem, &[row, here, part.clone()]);
        let minus = b.neg(&value);
        let imaginary = b.compare(Order::Gt, &part, &zero);
        let turned = b.and(&is_mirror, &imaginary);
        let value = b.select(&turned, &minus, &value);
        let (first, twice) = (b.compare(Order::Eq, &near, &zero), b.add(&near, &near));
        let last = b.compare(Order::Eq, &twice, &whole);
        let middle = b.or(&first, &last);
        let gone = b.and(&middle, &imaginary);
        let beyond = b.compare(Order::Gt, &near, &end);
        let gone = b.or(&gone, &beyond);
        let nothing = b.float(elem, 0.0);
        b.select(&gone, &nothing, &value)
    })
}

/// Transforms whole rows `[rows, length, 1 or 2]`: with `n = n₁·b + n₂` and `k = k₁ + a·k₂`, over `n₁`, then over `n₂`.
fn factored(c: &mut Context<'_>, name: &str, rows: &Value, length: i64, inverse: bool) -> Outcome<Value> {
    let Some(a) = factor(length) else {
        return direct(c, name, rows, &Dim::fixed(length), Kind { inverse, onesided: false });
    };
    let other = length / a;
    let (count, parts, elem) = (rows.shape[0].clone(), rows.shape[2].clone(), rows.elem);
    let [first, second, two] = [a, other, 2].map(Dim::fixed);
    let split = c.reshape(rows, &[count.clone(), first.clone(), second.clone(), parts.clone()])?;
    let turned = c.transpose(&split, &[0, 2, 1, 3]);
    let inner = c.size_times(&count, &second);
    let flat = c.reshape(&turned, &[inner, first.clone(), parts])?;
    let done = factored(c, name, &flat, a, inverse)?;
    let done = c.reshape(&done, &[count.clone(), second.clone(), first.clone(), two.clone()])?;
    let twisted = twisted(c, name, &done, (a, other), inverse)?;
    let turned = c.transpose(&twisted, &[0, 2, 1, 3]);
    let inner = c.size_times(&count, &first);
    let flat = c.reshape(&turned, &[inner, second.clone(), two.clone()])?;
    let done = factored(c, name, &flat, other, inverse)?;
    let done = c.reshape(&done, &[count.clone(), first, second, two.clone()])?;
    debug_assert_eq!(done.elem, elem);
    let turned = c.transpose(&done, &[0, 2, 1, 3]);
    c.reshape(&turned, &[count, Dim::fixed(length), two])
}

/// `[rows, n₂, k₁, 2]`, each times the root of unity to the power of `n₂·k₁`.
fn twisted(c: &mut Context<'_>, name: &str, value: &Value, (a, other): (i64, i64), inverse: bool) -> Outcome<Value> {
    let (elem, length) = (value.elem, a * other);
    let list = |what: &str, f: &dyn Fn((f64, f64)) -> f64| {
        let numbers = (0..length).map(|i| Num::F(f(turned((i / a) * (i % a), length))));
        let tensor = Tensor::from_numbers(elem, vec![other as usize, a as usize], numbers);
        Value::constant(tensor.named(Some(format!("{name}_{what}_{length}"))))
    };
    let (cosine, sine) =
        (list("cosine", &|(cosine, _)| cosine), list("sine", &|(_, sine)| if inverse { sine } else { -sine }));
    let part = |c: &mut Context<'_>, at: i64| c.take(value, 3, &Dim::fixed(at));
    let (real, imaginary) = (part(c, 0)?, part(c, 1)?);
    let inputs = [real, imaginary, cosine, sine];
    let shape = value.shape[..3].to_vec();
    let real = c.elementwise_to(&shape, &inputs, elem, |b, v| {
        let (x, y) = (b.mul(&v[0], &v[2]), b.mul(&v[1], &v[3]));
        b.sub(&x, &y)
    })?;
    let imaginary = c.elementwise_to(&shape, &inputs, elem, |b, v| {
        let (x, y) = (b.mul(&v[0], &v[3]), b.mul(&v[1], &v[2]));
        b.add(&x, &y)
    })?;
    let column = [shape, vec![Dim::fixed(1)]].concat();
    let (real, imaginary) = (c.reshape(&real, &column)?, c.reshape(&imaginary, &column)?);
    c.concat(&[real, imaginary], 3)
}
