//! Random numbers. Each is a function of the seed, the node and its position, so that a program returns the same
//! numbers in each call and on each device; without a seed, the node's name is used.
mod twister;

use super::{Entry, pool::lowest};
use crate::onnx::{
    Body, Context, Dim, Elem, Iter, Node, Num, Order, Outcome, Scalar, Value,
    generic::map,
    problem::{invalid, unsupported},
};
use twister::Twister;

pub(super) const OPS: &[Entry] = &[
    ("RandomUniform", |c, n| {
        let (shape, elem) = (fixed_shape(n)?, target(n, Some(Elem::F32))?);
        uniform(c, n, &shape, elem)
    }),
    ("RandomUniformLike", |c, n| {
        let x = n.input(0)?.clone();
        let elem = target(n, Some(x.elem))?;
        uniform(c, n, &x.shape, elem)
    }),
    ("RandomNormal", |c, n| {
        let (shape, elem) = (fixed_shape(n)?, target(n, Some(Elem::F32))?);
        normal(c, n, &shape, elem)
    }),
    ("RandomNormalLike", |c, n| {
        let x = n.input(0)?.clone();
        let elem = target(n, Some(x.elem))?;
        normal(c, n, &x.shape, elem)
    }),
    ("Bernoulli", bernoulli),
    ("Multinomial", multinomial),
];

/// The start of a stream of random numbers.
pub(super) struct Stream {
    seed: u64,
    /// Sizes of the space whose positions are numbered.
    sizes: Vec<Scalar>,
}

/// Longer lists of random numbers are computed when the program runs.
const LISTED: i64 = 1 << 16;

/// The steps of the generator: the golden ratio's bits.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// Mixes the bits of a number as Splitmix64 does.
fn mixed(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl Stream {
    /// The stream of a node, for positions in a shape.
    pub(super) fn of(c: &mut Context<'_>, n: &Node, seed: Option<u64>, shape: &[Dim]) -> Self {
        // Nodes of one seed give different numbers, if they are different nodes.
        let name =
            n.name.bytes().fold(0xCBF2_9CE4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01B3));
        let seed = mixed(mixed(seed.unwrap_or(0).wrapping_add(STEP)).wrapping_add(name));
        Self { seed, sizes: shape.iter().map(|d| Scalar::index(c.index(d))).collect() }
    }

    /// 64 random bits for the position in hand; `draw` tells several numbers of one position apart, `draws` how many there are.
    fn bits(&self, b: &mut Body<'_>, draw: u64, draws: u64) -> Scalar {
        let mut flat = b.index_constant(0);
        for (d, size) in self.sizes.iter().enumerate() {
            let here = b.position(d);
            let scaled = b.mul(&flat, size);
            flat = b.add(&scaled, &here);
        }
        let wide = |b: &mut Body<'_>, v: u64| b.number(Elem::U64, Num::I(v.into()));
        let flat = b.cast(&flat, Elem::U64);
        let (step, start) =
            (wide(b, STEP.wrapping_mul(draws)), wide(b, self.seed.wrapping_add(STEP.wrapping_mul(draw))));
        let moved = b.mul(&flat, &step);
        let mut z = b.add(&moved, &start);
        for (by, factor) in [(30, Some(0xBF58_476D_1CE4_E5B9)), (27, Some(0x94D0_49BB_1331_11EB)), (31, None)] {
            let by = wide(b, by);
            let shifted = b.shift(&z, &by, false);
            z = b.xor(&z, &shifted);
            if let Some(factor) = factor {
                let factor = wide(b, factor);
                z = b.mul(&z, &factor);
            }
        }
        z
    }

    /// A number in `[0, 1)` that a type holds exactly.
    pub(super) fn uniform(&self, b: &mut Body<'_>, elem: Elem, draw: u64, draws: u64) -> Scalar {
        let digits: i32 = match elem {
            Elem::F64 => 53,
            Elem::F16 => 11,
            Elem::Bf16 => 8,
            _ => 24,
        };
        let bits = self.bits(b, draw, draws);
        let by = b.number(Elem::U64, Num::I((64 - digits).into()));
        let top = b.shift(&bits, &by, false);
        // They fit into the signed numbers, too, whose conversion is cheaper.
        let top = b.cast(&top, Elem::I64);
        let wide = if elem == Elem::F64 { Elem::F64 } else { Elem::F32 };
        let (top, unit) = (b.cast(&top, wide), b.float(wide, 2f64.powi(-digits)));
        b.mul(&top, &unit)
    }
}

/// Returns a floating-point seed as its bits.
fn seed(n: &Node) -> Option<u64> {
    n.has("seed").then(|| u64::from((n.float("seed", 0.0) as f32).to_bits()))
}

fn fixed_shape(n: &Node) -> Outcome<Vec<Dim>> {
    match n.ints("shape") {
        Some(shape) if shape.iter().all(|&d| d >= 0) => Ok(shape.into_iter().map(Dim::fixed).collect()),
        Some(shape) => invalid(format!("the shape {shape:?} has a negative size")),
        None => invalid("`shape` is missing"),
    }
}

/// The type that `dtype` names, or a default.
fn target(n: &Node, default: Option<Elem>) -> Outcome<Elem> {
    let elem = match (n.has("dtype"), default) {
        (false, Some(elem)) => elem,
        _ => Elem::from_onnx(n.int("dtype", 1) as i32).or_else(|t| unsupported(format!("`dtype` is {t}")))?,
    };
    if elem.is_float() {
        Ok(elem)
    } else {
        invalid(format!("random numbers of type {elem:?}; give a `dtype` of floats"))
    }
}

fn uniform(c: &mut Context<'_>, n: &Node, shape: &[Dim], elem: Elem) -> Outcome {
    let (low, high) = (n.float("low", 0.0), n.float("high", 1.0));
    let stream = Stream::of(c, n, seed(n), shape);
    Ok(vec![c.elementwise_to(shape, &[], elem, |b, _| {
        let number = stream.uniform(b, elem, 0, 1);
        let (low, span) = (b.like(&number, low), b.like(&number, high - low));
        let scaled = b.mul(&number, &span);
        let value = b.add(&low, &scaled);
        b.cast(&value, elem)
    })?])
}

/// Uses the Box–Muller transform.
fn normal(c: &mut Context<'_>, n: &Node, shape: &[Dim], elem: Elem) -> Outcome {
    let (mean, scale) = (n.float("mean", 0.0), n.float("scale", 1.0));
    let stream = Stream::of(c, n, seed(n), shape);
    let wide = elem.accumulator();
    Ok(vec![c.elementwise_to(shape, &[], elem, |b, _| {
        let (first, second) = (stream.uniform(b, wide, 0, 2), stream.uniform(b, wide, 1, 2));
        let (one, minus, turn) = (b.like(&first, 1.0), b.like(&first, -2.0), b.like(&first, std::f64::consts::TAU));
        // In (0, 1], where logarithms are finite.
        let rest = b.sub(&one, &first);
        let log = b.math("log", &rest);
        let square = b.mul(&minus, &log);
        let radius = b.math("sqrt", &square);
        let angle = b.mul(&turn, &second);
        let wave = b.math("cos", &angle);
        let number = b.mul(&radius, &wave);
        let (mean, scale) = (b.like(&number, mean), b.like(&number, scale));
        let scaled = b.mul(&number, &scale);
        let value = b.add(&mean, &scaled);
        b.cast(&value, elem)
    })?])
}

fn bernoulli(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    if !x.elem.is_float() {
        return invalid(format!("the probabilities `{}` are not floats", x.ty()));
    }
    let elem = if n.has("dtype") {
        Elem::from_onnx(n.int("dtype", 1) as i32).or_else(|t| unsupported(format!("`dtype` is {t}")))?
    } else {
        x.elem
    };
    let stream = Stream::of(c, n, seed(n), &x.shape);
    let wide = x.elem.accumulator();
    Ok(vec![c.elementwise_to(&x.shape.clone(), &[x], elem, |b, v| {
        let (chance, number) = (b.cast(&v[0], wide), stream.uniform(b, wide, 0, 1));
        let hit = b.compare(Order::Lt, &number, &chance);
        let (one, zero) = (b.number(elem, Num::I(1)), b.number(elem, Num::I(0)));
        b.select(&hit, &one, &zero)
    })?])
}

/// The largest of the logarithms of probabilities, each with a random number of Gumbel's distribution added, is drawn with
/// its probability.
fn multinomial(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let size = n.int("sample_size", 1);
    if x.rank() != 2 || !x.elem.is_float() || size < 0 {
        return invalid(format!("{size} samples of `{}`, which is no batch of lists of floats", x.ty()));
    }
    let text = "there is no outcome to choose from";
    c.require(crate::onnx::context::require::Rule::NotZero(x.shape[1].clone()), text, &[])?;
    let x = c.settle(&x);
    let elem = match Elem::from_onnx(n.int("dtype", 6) as i32) {
        Ok(elem @ (Elem::I32 | Elem::I64)) => elem,
        _ => return invalid(format!("`dtype` is {}, neither int32 nor int64", n.int("dtype", 6))),
    };
    let shape = [x.shape[0].clone(), Dim::fixed(size)];
    let stream = Stream::of(c, n, seed(n), &[shape[0].clone(), shape[1].clone(), x.shape[1].clone()]);
    let wide = x.elem.accumulator();
    let (best, place) = (c.filled(wide, &shape, lowest(wide)), c.filled(elem, &shape, Num::I(0)));
    let out = map(&[0, 1]);
    let iters = [Iter::Parallel, Iter::Parallel, Iter::Reduction];
    let mut done = c.generic(&iters, &[(&x, map(&[0, 2]))], &[(&best, out.clone()), (&place, out)], |b, v| {
        let (chance, number) = (b.cast(&v[0], wide), stream.uniform(b, wide, 0, 1));
        let least = b.float(wide, if wide == Elem::F64 { 2f64.powi(-54) } else { 2f64.powi(-25) });
        // In (0, 1), where both logarithms are finite.
        let number = b.add(&number, &least);
        let log = b.math("log", &number);
        let minus = b.neg(&log);
        let log = b.math("log", &minus);
        let value = b.sub(&chance, &log);
        let here = b.position(2);
        let here = b.cast(&here, elem);
        let larger = b.compare(Order::Gt, &value, &v[1]);
        vec![b.select(&larger, &value, &v[1]), b.select(&larger, &here, &v[2])]
    });
    Ok(vec![done.remove(1)])
}

/// `Dropout` that trains: `x · mask / (1 - ratio)`, where the mask holds with the probability `1 - ratio`.
pub(super) fn dropout(c: &mut Context<'_>, n: &Node, ratio: Option<&Value>, training: &Value) -> Outcome {
    let x = n.input(0)?.clone();
    // The seed is an integer here.
    let seed = n.has("seed").then(|| n.int("seed", 0) as u64);
    let stream = Stream::of(c, n, seed, &x.shape);
    // Of a seed and a shape that are known come the numbers that numpy, and so the reference of ONNX, has for them.
    let shape = crate::onnx::dims::fixed(&x.shape).filter(|s| s.iter().product::<i64>() <= LISTED);
    let listed = seed.and_then(|s| u32::try_from(s).ok()).zip(shape).map(|(seed, shape)| {
        let shape: Vec<_> = shape.into_iter().map(|d| d as usize).collect();
        let mut twister = Twister::new(seed);
        let numbers: Vec<_> = (0..shape.iter().product::<usize>()).map(|_| Num::F(twister.uniform())).collect();
        Value::constant(
            crate::onnx::Tensor::from_numbers(Elem::F64, shape, numbers).named(Some(format!("{}_numbers", n.name))),
        )
    });
    let ratio = match ratio {
        Some(ratio) => c.reshape(ratio, &[])?,
        None => Value::constant(crate::onnx::Tensor::scalar(Elem::F32, Num::F(0.5))),
    };
    let training = c.reshape(training, &[])?;
    let wide = x.elem.accumulator();
    let shape = x.shape.clone();
    let inputs: Vec<_> = [ratio.clone(), training.clone()].into_iter().chain(listed).collect();
    let mask = c.elementwise_to(&shape, &inputs, Elem::Bool, |b, v| {
        let (ratio, number) = match v.get(2) {
            Some(number) => (b.cast(&v[0], Elem::F64), number.clone()),
            None => (b.cast(&v[0], wide), stream.uniform(b, wide, 0, 1)),
        };
        let kept = b.compare(Order::Ge, &number, &ratio);
        let off = b.not(&v[1]);
        b.or(&kept, &off)
    })?;
    let result = c.elementwise_to(&shape, &[x.clone(), mask.clone(), ratio, training], x.elem, |b, v| {
        let (value, ratio) = (b.cast(&v[0], wide), b.cast(&v[2], wide));
        let one = b.like(&value, 1.0);
        let rest = b.sub(&one, &ratio);
        let scale = b.div(&one, &rest);
        let scale = b.select(&v[3], &scale, &one);
        let scaled = b.mul(&value, &scale);
        let zero = b.like(&value, 0.0);
        let value = b.select(&v[1], &scaled, &zero);
        b.cast(&value, x.elem)
    })?;
    Ok(vec![result, mask])
}
