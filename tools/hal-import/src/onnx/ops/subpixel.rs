//! `ConvTranspose` as a convolution of the input as it is: each step of the result has filters of its own, of the elements of
//! the kernel that meet an element of the input there. Their results are put side by side.
//!
//! With the step `s` and the padding `b` before the result, `y[o] = Σ x[a - j] · w[r + s·j]`, where `o + b = s·a + r`.
use super::{conv::convolve, dequantised::as_floats, integers::Integers, window::Window};
use crate::onnx::{Context, Dim, Elem, Known, Node, Num, Outcome, Quantised, Value, tensor::Tensor};

/// The convolutions, at most, that one for all steps is taken apart into.
const MOST_APART: usize = 8;
/// The filters, at least, that are worth a convolution of their own: fewer fill vectors together with those of other steps.
const LEAST_FILTERS: usize = 16;
/// How many times the work of all steps apart one for all is, at least, where they are taken apart: each reads the input. Of a known number of
/// images, by measurement on AVX-512 and AVX2, 2026-11-28; of an unknown one.
const MORE_WORK: [f64; 2] = [1.05, 1.3];

/// One spatial dimension.
pub(super) struct Spread {
    /// From an element of the input to the next, in elements of the result.
    pub(super) stride: usize,
    /// The size of the kernel.
    pub(super) kernel: usize,
    /// Whole steps that are left out before the result.
    pub(super) skipped: usize,
    /// What is left out after them.
    pub(super) begin: usize,
    /// The size of the result.
    pub(super) output: Dim,
    /// The steps that are computed: `(begin + output) / stride`, rounded up.
    pub(super) steps: Dim,
}

impl Spread {
    /// How many elements of the input each element of the result is made of.
    fn taps(&self) -> usize {
        self.kernel.div_ceil(self.stride)
    }

    /// All steps in one convolution.
    fn whole(&self) -> Part {
        let (taps, skipped) = (self.taps(), self.skipped as i64);
        let before = taps as i64 - 1 - skipped;
        Part { phase: 0, phases: self.stride, taps, before, steps: self.steps.clone(), moved: skipped }
    }

    /// Each `stride`-th element of the result, from the element `q` on; `None` if no element of the kernel meets it, or zeros before the input
    /// would be fewer than none.
    fn one(&self, q: usize, output: i64) -> Option<Part> {
        let begin = self.skipped * self.stride + self.begin;
        let (phase, moved) = ((q + begin) % self.stride, ((q + begin) / self.stride) as i64);
        let taps = self.kernel.saturating_sub(phase).div_ceil(self.stride);
        let steps = Dim::fixed((output as usize).div_ceil(self.stride) as i64);
        let before = taps as i64 - 1 - moved;
        (taps > 0 && before >= 0).then_some(Part { phase, phases: 1, taps, before, steps, moved })
    }
}

/// What one convolution computes of a dimension.
#[derive(Clone)]
struct Part {
    /// The first `r`, and how many.
    phase: usize,
    phases: usize,
    /// The elements of its window.
    taps: usize,
    /// The zeros before the input.
    before: i64,
    /// The size of its result.
    steps: Dim,
    /// The element of the input that the window of the first result ends with.
    moved: i64,
}

/// The sums of a `ConvTranspose` of `x` by `w: [C, M/g, k…]`; `None` if the weights are not known.
pub(super) fn convolve_steps(
    c: &mut Context<'_>,
    n: &Node,
    (x, w): (&Value, &Value),
    spread: &[Spread],
    groups: usize,
) -> Outcome<Option<Value>> {
    let together = spread.iter().map(Spread::whole).collect::<Vec<_>>();
    let apart = apart(x, w, spread, groups);
    let mut sums = Vec::new();
    for parts in apart.as_deref().unwrap_or(std::slice::from_ref(&together)) {
        let weight = match &w.known {
            Some(Known::Tensor(weights)) => filters(w, weights, (spread, parts), groups, |_| Num::I(0)),
            _ => dequantised_filters(c, n, w, (spread, parts), groups)?,
        };
        let Some(weight) = weight else { return Ok(None) };
        let products = weight.shape[1..].iter().try_fold(1i64, |n, d| n.checked_mul(d.get()?));
        sums.push(match Integers::of(c, x, &weight, Some(0), products)? {
            Some(integers) => {
                let sums = sums_of_steps(c, &integers.a, &integers.b, parts, groups)?;
                integers.floats(c, &sums, 1, None)?
            }
            None => sums_of_steps(c, x, &weight, parts, groups)?,
        });
    }
    match apart {
        Some(_) => in_turns(c, &sums, spread),
        None => side_by_side(c, &sums[0], w, spread, groups),
    }
    .map(Some)
}

/// A convolution for each step, where that is much less work than one for all of them: with as many elements as each of them has, and without
/// results that are left out.
fn apart(x: &Value, w: &Value, spread: &[Spread], groups: usize) -> Option<Vec<Vec<Part>>> {
    let each = w.shape[1].get()? as usize;
    let count: usize = spread.iter().map(|s| s.stride).product();
    if count == 1 || count > MOST_APART || each < LEAST_FILTERS || groups != 1 {
        return None;
    }
    let mut more = 1.0;
    let mut all = vec![Vec::new()];
    for s in spread {
        let (steps, output) = (s.steps.get()?, s.output.get().filter(|n| *n > 0)?);
        let least = (output as usize).div_ceil(s.stride);
        more *= (s.taps() * s.stride) as f64 / s.kernel as f64 * steps as f64 / least as f64;
        let phases = (0..s.stride).map(|q| s.one(q, output)).collect::<Option<Vec<_>>>()?;
        all = all
            .iter()
            .flat_map(|p: &Vec<Part>| phases.iter().map(|q| [&p[..], std::slice::from_ref(q)].concat()))
            .collect();
    }
    // Of a number of images that only a run knows, what is put together is copied once more.
    let least = MORE_WORK[usize::from(x.shape[0].get().is_none())];
    (more >= least).then_some(all)
}

/// The convolution with the filters of the steps of parts: `[N, M·phases…, a…]`.
fn sums_of_steps(c: &mut Context<'_>, x: &Value, weight: &Value, parts: &[Part], groups: usize) -> Outcome<Value> {
    let none = vec![Dim::fixed(0); 2];
    let before: Vec<_> = parts.iter().map(|p| Dim::fixed(p.before)).collect();
    let mut behind = Vec::new();
    for (p, size) in parts.iter().zip(&x.shape[2..]) {
        behind.push(c.size_max(&p.steps.offset(p.moved).minus(size), &Dim::fixed(0)));
    }
    let padded = c.pad(x, &[none.clone(), before].concat(), &[none, behind].concat(), Num::I(0));
    let window = Window {
        input: Vec::new(),
        low: Vec::new(),
        high: Vec::new(),
        reach: Vec::new(),
        strides: vec![1; parts.len()],
        output: parts.iter().map(|p| p.steps.clone()).collect(),
        kernel: parts.iter().map(|p| p.taps as i64).collect(),
        dilations: vec![1; parts.len()],
    };
    convolve(c, &padded, weight, &window, groups as i64)
}

/// `[N, M, a…]` of each step → `[N, M, a·s…]`.
fn in_turns(c: &mut Context<'_>, sums: &[Value], spread: &[Spread]) -> Outcome<Value> {
    let (one, count) = (&sums[0].shape, spread.len());
    let shape: Vec<_> = [Dim::fixed(1)].into_iter().chain(one.iter().cloned()).collect();
    let sums = sums.iter().map(|sum| c.reshape(sum, &shape)).collect::<Outcome<Vec<_>>>()?;
    let joined = c.concat(&sums, 0)?;
    let phases = spread.iter().map(|s| Dim::fixed(s.stride as i64));
    let cut = c.reshape(&joined, &phases.chain(one.iter().cloned()).collect::<Vec<_>>())?;
    let order: Vec<_> = [count, count + 1].into_iter().chain((0..count).flat_map(|d| [count + 2 + d, d])).collect();
    let moved = c.transpose(&cut, &order);
    let places = spread.iter().zip(&one[2..]).map(|(s, steps)| steps.times(s.stride as i64));
    let whole: Vec<_> = one[..2].iter().cloned().chain(places).collect();
    let all = c.reshape(&moved, &whole)?;
    let sizes: Vec<_> = one[..2].iter().cloned().chain(spread.iter().map(|s| s.output.clone())).collect();
    if sizes == whole {
        return Ok(all);
    }
    // Of some steps, there is one more than it has.
    Ok(c.slice(&all, &vec![Dim::fixed(0); sizes.len()], &sizes, &vec![1; sizes.len()]))
}

/// `[N, M·s…, a…]` → `[N, M, a·s…]`, of which the result is a part.
fn side_by_side(c: &mut Context<'_>, sums: &Value, w: &Value, spread: &[Spread], groups: usize) -> Outcome<Value> {
    let count = spread.len();
    if spread.iter().all(|s| s.stride == 1 && s.begin == 0) {
        return Ok(sums.clone());
    }
    let output = spread.iter().map(|s| s.steps.clone());
    let depth = Dim::fixed(w.shape[1].get().unwrap_or(0) * groups as i64);
    let phases = spread.iter().map(|s| Dim::fixed(s.stride as i64));
    let cut: Vec<_> = [sums.shape[0].clone(), depth.clone()].into_iter().chain(phases).chain(output).collect();
    let cut = c.reshape(sums, &cut)?;
    let order: Vec<_> = [0, 1].into_iter().chain((0..count).flat_map(|d| [2 + count + d, 2 + d])).collect();
    let moved = c.transpose(&cut, &order);
    let places = spread.iter().map(|s| s.steps.times(s.stride as i64));
    let whole: Vec<_> = [sums.shape[0].clone(), depth.clone()].into_iter().chain(places).collect();
    let whole = c.reshape(&moved, &whole)?;
    let offsets: Vec<_> = [0, 0].into_iter().chain(spread.iter().map(|s| s.begin as i64)).map(Dim::fixed).collect();
    let sizes: Vec<_> =
        [sums.shape[0].clone(), depth].into_iter().chain(spread.iter().map(|s| s.output.clone())).collect();
    let steps = vec![1; offsets.len()];
    Ok(c.slice(&whole, &offsets, &sizes, &steps))
}

/// The filters of weights that were made of known bytes, made of the same bytes: with a scale and a zero point for all, or for each filter.
fn dequantised_filters(
    c: &mut Context<'_>,
    n: &Node,
    w: &Value,
    (spread, parts): (&[Spread], &[Part]),
    groups: usize,
) -> Outcome<Option<Value>> {
    let Some(of) = w.quantised.as_deref().filter(|of| of.block == 0 && w.elem == Elem::F32) else { return Ok(None) };
    let phases: usize = parts.iter().map(|p| p.phases).product();
    let each = w.shape[1].get().unwrap_or(0) as usize;
    // What belongs to each filter, from a number for all, or one for each filter of a group.
    let listed = |list: &Value| {
        let Some(Known::Tensor(numbers)) = &list.known else { return None };
        if list.count() == Some(1) {
            return Some((list.clone(), vec![numbers.get(0); each]));
        }
        if list.rank() != 1 || list.count() != Some(each as i64) {
            return None;
        }
        let filters = groups * each * phases;
        let own = (0..filters).map(|filter| numbers.get(filter / phases % each));
        let own = Tensor::from_numbers(numbers.elem, vec![filters], own);
        Some((Value::constant(own), (0..each).map(|filter| numbers.get(filter)).collect()))
    };
    let mut lists = [Some(&of.scale), of.zero.as_ref()].into_iter().flatten();
    let Some(Known::Tensor(bytes)) = &of.numbers.known else { return Ok(None) };
    if lists.any(|list| list.count() != Some(1)) && of.axis != 1 {
        return Ok(None);
    }
    let Some((scale, _)) = listed(&of.scale) else { return Ok(None) };
    let (zero, zeros) = match &of.zero {
        None => (None, vec![Num::I(0); each]),
        Some(zero) => match listed(zero) {
            Some((zero, zeros)) => (Some(zero), zeros),
            None => return Ok(None),
        },
    };
    let numbers = filters(&of.numbers, bytes, (spread, parts), groups, |filter| zeros[filter / phases % each]);
    let Some(numbers) = numbers else { return Ok(None) };
    as_floats(c, n, Quantised { numbers, scale, zero, axis: 0, block: 0 }, Elem::F32).map(Some)
}

/// `[C, M/g, k…]` → `[M·phases…, C/g, taps…]`; where the kernel ends, what is `nothing` to a filter. `None` if sizes are not known, or the
/// channels do not split.
fn filters(
    w: &Value,
    weights: &Tensor,
    (spread, parts): (&[Spread], &[Part]),
    groups: usize,
    nothing: impl Fn(usize) -> Num,
) -> Option<Value> {
    let sizes: Vec<usize> = w.shape.iter().map(|d| d.get().map(|d| d as usize)).collect::<Option<_>>()?;
    let (channels, each) = (sizes[0] / groups, sizes[1]);
    if !sizes[0].is_multiple_of(groups) || sizes.contains(&0) {
        return None;
    }
    let phases: usize = parts.iter().map(|p| p.phases).product();
    let taps: Vec<usize> = parts.iter().map(|p| p.taps).collect();
    let shape: Vec<usize> = [groups * each * phases, channels].into_iter().chain(taps.iter().copied()).collect();
    let from = crate::onnx::tensor::strides(&sizes);
    let source = |number: usize| {
        let mut rest = number;
        let mut place = 0;
        // The elements of the window, the last dimension first; those of the input come in the other order.
        let mut at = vec![0; spread.len()];
        for (d, count) in taps.iter().enumerate().rev() {
            at[d] = count - 1 - rest % count;
            rest /= count;
        }
        let channel = rest % channels;
        rest /= channels;
        let mut phase = vec![0; spread.len()];
        for (d, p) in parts.iter().enumerate().rev() {
            phase[d] = p.phase + rest % p.phases;
            rest /= p.phases;
        }
        let (group, filter) = (rest / each, rest % each);
        for (d, s) in spread.iter().enumerate() {
            let element = phase[d] + s.stride * at[d];
            if element >= s.kernel {
                return None;
            }
            place += element * from[2 + d];
        }
        Some(place + (group * channels + channel) * from[0] + filter * from[1])
    };
    let count = shape.iter().product::<usize>();
    let is_full = |(s, p): (&Spread, &Part)| p.phases == 1 || s.kernel.is_multiple_of(s.stride);
    let is_full = spread.iter().zip(parts).all(is_full);
    let tensor = if is_full {
        weights.gathered(shape, |number| source(number).expect("no element is missing"))
    } else {
        let of_filter: usize = shape[1..].iter().product();
        let number = |at| source(at).map_or_else(|| nothing(at / of_filter), |from| weights.get(from));
        Tensor::from_numbers(weights.elem, shape, (0..count).map(number))
    };
    Some(Value::constant(tensor))
}
