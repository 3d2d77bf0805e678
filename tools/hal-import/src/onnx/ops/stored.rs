//! Products with weights as the model stores them: of f16 or bf16, or as integers with scales. Kernels make them wide in registers, where
//! floats in memory of their own would be twice to eight times as much to read.
use super::microsoft::{BlockWeights, block_product};
use crate::onnx::{Context, Dim, Elem, Iter, Num, Outcome, Quantised, Tensor, Value, packed::pack};
use std::{borrow::Cow, rc::Rc};

/// The least elements of weights that stay as they are stored: fewer are in a cache in any form.
const LEAST: i64 = 1 << 12;
/// The rows of a product of f32 up to which reading the weights is what takes time.
const FEW: i64 = 8;
/// A block is a multiple of so many steps, or half of it.
const STEP: usize = 32;

/// `a · b`, or `a · bᵀ` if `flip`, in the accumulator's type, where `b` is a constant matrix that is better read as it is stored; else `None`.
pub(super) fn product(c: &mut Context<'_>, a: &Value, b: &Value, flip: bool) -> Outcome<Option<Value>> {
    if a.rank() < 2 || b.rank() != 2 || b.count().is_none_or(|n| n < LEAST) {
        return Ok(None);
    }
    let (n, k) = if flip { (0, 1) } else { (1, 0) };
    if a.shape[a.rank() - 1] != b.shape[k] || !a.elem.is_float() || a.elem == Elem::F64 {
        return Ok(None);
    }
    let lead = a.shape[..a.rank() - 1].to_vec();
    let rows = c.product(&lead);
    let flat = |c: &mut Context<'_>| c.reshape(a, &[rows.clone(), b.shape[k].clone()]);
    let whole = [lead, vec![b.shape[n].clone()]].concat();
    if let Some(weights) = b.quantised.as_deref().and_then(|of| in_blocks(of, n)) {
        let x = flat(c)?;
        let sums = block_product(c, &x, &weights.values(), "");
        return c.reshape(&sums, &whole).map(Some);
    }
    let halves = |v: &Value| matches!(v.elem, Elem::F16 | Elem::Bf16) && v.tensor().is_some();
    let few = rows.get().is_some_and(|rows| rows <= FEW) && a.rank() > 2;
    let matrix = match &b.narrow {
        Some(narrow) => (**narrow).clone(),
        // Those of one type are a product that needs no more than its rows in one dimension.
        None if a.rank() > 2 && halves(b) || few && b.tensor().is_some() => b.clone(),
        None => return Ok(None),
    };
    let x = flat(c)?;
    let init = c.filled(Elem::F32, &[rows, b.shape[n].clone()], Num::I(0));
    let read = if flip { "d1, d2" } else { "d2, d1" };
    let iters = [Iter::Parallel, Iter::Parallel, Iter::Reduction];
    let ins = [(&x, "d0, d2".to_owned()), (&matrix, read.to_owned())];
    let sums = c
        .generic(&iters, &ins, &[(&init, "d0, d1".to_owned())], |body, v| {
            let (x, y) = (body.cast(&v[0], Elem::F32), body.cast(&v[1], Elem::F32));
            let product = body.mul(&x, &y);
            vec![body.add(&v[2], &product)]
        })
        .remove(0);
    c.reshape(&sums, &whole).map(Some)
}

/// What is known of how a constant matrix is stored, for its transpose.
pub(super) fn transpose(c: &mut Context<'_>, of: &Value, result: &mut Value) {
    let mut turned = |v: &Value| c.transpose(v, &[1, 0]);
    result.narrow = of.narrow.as_deref().map(|narrow| Rc::new(turned(narrow)));
    let constant = of.quantised.as_deref().filter(|q| q.numbers.tensor().is_some_and(|t| t.shape.len() == 2));
    result.quantised = constant.map(|q| {
        let mut list = |v: &Value| if v.rank() == 2 { turned(v) } else { v.clone() };
        let (scale, zero) = (list(&q.scale), q.zero.as_ref().map(&mut list));
        Rc::new(Quantised { numbers: turned(&q.numbers), scale, zero, axis: 1 - q.axis.min(1), block: q.block })
    });
}

/// Integers with scales in the form of `MatMulNBits`: rows are columns of the result.
struct Blocks {
    rows: usize,
    steps: usize,
    bits: usize,
    block: usize,
    numbers: Vec<u8>,
    scales: Tensor,
    /// The zero points of each block, or of all.
    zeros: Result<u8, Vec<u8>>,
}

/// Integers of 4 or 8 bits whose scales are along the columns of the result, or in blocks along the steps of its sums. `n` is the dimension of the columns.
fn in_blocks(of: &Quantised, n: usize) -> Option<Blocks> {
    let (numbers, scale) = (of.numbers.tensor()?, of.scale.tensor()?);
    let zero = match &of.zero {
        Some(zero) => Some(zero.tensor()?),
        None => None,
    };
    let (bits, centre) = match numbers.elem {
        Elem::I8 => (8, 0x80),
        Elem::U8 => (8, 0),
        Elem::I4 => (4, 8),
        Elem::U4 => (4, 0),
        _ => return None,
    };
    if numbers.shape.len() != 2 || !matches!(scale.elem, Elem::F32 | Elem::F16 | Elem::Bf16) {
        return None;
    }
    let (rows, steps) = (numbers.shape[n], numbers.shape[1 - n]);
    let blocked = of.block > 0 && scale.shape.len() == 2;
    let block = match (blocked, usize::try_from(of.block).ok()?) {
        (true, size) if of.axis == 1 - n && (size == STEP / 2 || size % STEP == 0) && size < 1 << 20 => size,
        (true, _) => return None,
        (false, _) if scale.len() == 1 || of.axis == n => steps.next_multiple_of(STEP),
        (false, _) => return None,
    };
    let blocks = steps.div_ceil(block);
    // Where the scale of a block is.
    let place = |list: &Tensor, row: usize, at: usize| match (blocked, list.len()) {
        (_, 1) => 0,
        (false, _) => row,
        (true, _) if n == 0 => row * blocks + at,
        (true, _) => at * rows + row,
    };
    let each =
        |list: &Tensor| -> Vec<usize> { (0..rows * blocks).map(|i| place(list, i / blocks, i % blocks)).collect() };
    let fits = |list: &Tensor| list.len() == 1 || list.len() == if blocked { rows * blocks } else { rows };
    if !fits(scale) || zero.is_some_and(|z| !fits(z) || z.elem != numbers.elem) {
        return None;
    }
    let mask = if bits == 4 { 15 } else { 255 };
    let positive = |byte: u8| byte.wrapping_add(centre) & mask;
    let zeros = match zero {
        None => Ok(positive(0)),
        Some(zero) => {
            let bytes = zero.bytes();
            let all: Vec<u8> = each(zero).into_iter().map(|at| positive(bytes[at])).collect();
            if all.iter().all(|z| *z == all[0]) { Ok(all[0]) } else { Err(zero_bytes(&all, blocks, bits)) }
        }
    };
    let scales = scale.gathered(vec![rows, blocks], |i| place(scale, i / blocks, i % blocks));
    Some(Blocks { rows, steps, bits, block, numbers: turned(numbers, n, block, (bits, &positive)), scales, zeros })
}

/// The zero points of each row, packed.
fn zero_bytes(all: &[u8], blocks: usize, bits: usize) -> Vec<u8> {
    all.chunks(blocks).flat_map(|row| pack(row, bits)).collect()
}

/// The numbers row by row, each filled up to whole blocks with numbers that stand for zero, packed.
fn turned(numbers: &Tensor, n: usize, block: usize, (bits, positive): (usize, &dyn Fn(u8) -> u8)) -> Vec<u8> {
    let (rows, steps) = (numbers.shape[n], numbers.shape[1 - n]);
    let numbers = if n == 0 { Cow::Borrowed(numbers) } else { Cow::Owned(numbers.transposed(&[1, 0])) };
    let (bytes, width) = (numbers.bytes(), steps.next_multiple_of(block));
    let mut out = Vec::with_capacity(rows * width * bits / 8);
    let mut row = vec![positive(0); width];
    for line in bytes.chunks_exact(steps) {
        row.iter_mut().zip(line).for_each(|(to, from)| *to = positive(*from));
        if bits == 8 { out.extend_from_slice(&row) } else { out.extend(pack(&row, bits)) }
    }
    out
}

impl Blocks {
    /// As values of the model.
    fn values(self) -> BlockWeights {
        let Self { rows, steps, bits, block, numbers, scales, zeros } = self;
        let blocks = steps.div_ceil(block);
        let constant = |shape: Vec<usize>, bytes: Vec<u8>| {
            Value::constant(
                Tensor::from_bytes(Elem::U8, shape, bytes.into()).expect("as many bytes as the shape holds"),
            )
        };
        let numbers = constant(vec![rows, blocks, block * bits / 8], numbers);
        let (zeros, centre) = match zeros {
            Ok(centre) => (None, centre),
            Err(bytes) => (Some(constant(vec![rows, (blocks * bits).div_ceil(8)], bytes)), 0),
        };
        BlockWeights {
            packed: numbers,
            scales: Value::constant(scales),
            zeros,
            centre: f64::from(centre),
            bits: bits as i64,
            block: block as i64,
            columns: Dim::fixed(rows as i64),
            steps: Dim::fixed(steps as i64),
        }
    }
}
