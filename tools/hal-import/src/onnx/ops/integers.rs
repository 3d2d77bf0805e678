//! Products of floats that were dequantised from integers (`DequantizeLinear`): the integers are multiplied and added
//! exactly, and each sum is scaled once: `Σ (a - p)·s · (b - q)·t = s·t · Σ (a - p)·(b - q)`.
use super::{
    apply,
    zero_points::{along, centred},
};
use crate::onnx::{Context, Dim, Elem, Node, Outcome, Quantised, Value, problem::invalid};

/// The number of products of bytes whose sum stays below 2³¹.
const STEPS: i64 = 1 << 15;

/// A product of dequantised factors.
pub(super) struct Integers {
    /// The factors less their zero points, as i32.
    pub(super) a: Value,
    pub(super) b: Value,
    scales: [Value; 2],
    /// Whether the second scale is a list, along the corresponding dimension of the result.
    list: bool,
}

impl Integers {
    /// Recognises factors of which the second holds weights of type i8 or u8, with a zero point and a scale for all or
    /// for each index of dimension `axis`, and the first holds such integers with a single zero point and scale.
    /// `steps` is the number of products in each sum.
    pub(super) fn of(
        c: &mut Context<'_>,
        a: &Value,
        b: &Value,
        axis: Option<usize>,
        steps: Option<i64>,
    ) -> Outcome<Option<Self>> {
        let (Some(x), Some(w)) = (bytes(a), bytes(b)) else { return Ok(None) };
        let listed = !single(&w.scale) || w.zero.as_ref().is_some_and(|z| !single(z));
        let fits = single(&x.scale)
            && x.zero.as_ref().is_none_or(single)
            && (!listed || Some(w.axis) == axis)
            && steps.is_some_and(|n| n <= STEPS);
        if !fits {
            return Ok(None);
        }
        let mut centre = |of: &Quantised| {
            let zero = of.zero.as_ref().map(|z| along(c, z, of.axis, of.numbers.rank())).transpose()?;
            centred(c, &of.numbers, zero.as_ref())
        };
        let (a, b) = (centre(x)?, centre(w)?);
        let list = !single(&w.scale);
        Ok(Some(Self { a, b, scales: [x.scale.clone(), w.scale.clone()], list }))
    }

    /// Converts sums of products to floats, and adds a `bias` that broadcasts to them: in one operation, so that it may be a fused
    /// multiply-add. `axis` is the dimension of the result that a list of scales belongs to.
    pub(super) fn floats(&self, c: &mut Context<'_>, sums: &Value, axis: usize, bias: Option<Value>) -> Outcome<Value> {
        let rank = sums.rank();
        let [a, b] = &self.scales;
        let mut inputs =
            vec![sums.clone(), along(c, a, 0, rank)?, along(c, b, if self.list { axis } else { 0 }, rank)?];
        inputs.extend(bias);
        c.elementwise_to(&sums.shape.clone(), &inputs, Elem::F32, |body, v| {
            let float = body.cast(&v[0], Elem::F32);
            let factor = body.mul(&v[1], &v[2]);
            let product = body.mul(&float, &factor);
            match v.get(3) {
                Some(bias) => body.add(&product, bias),
                None => product,
            }
        })
    }
}

/// `(a - a_zero) · (b - b_zero) · a_scale · b_scale + bias`: inputs a, b, their scales, their zero points, the bias.
pub(super) fn integers_to_floats(c: &mut Context<'_>, n: &Node, inputs: [Option<Value>; 7]) -> Outcome<Value> {
    let [Some(a), Some(b), Some(a_scale), Some(b_scale), a_zero, b_zero, bias] = inputs else {
        return invalid("a factor or its scale is missing");
    };
    // One number in a list is a scalar here.
    let flat = |c: &mut Context<'_>, v: Option<Value>| {
        v.map(|v| if v.shape[..] == [Dim::fixed(1)] { c.reshape(&v, &[]) } else { Ok(v) }).transpose()
    };
    let (a_zero, b_zero) = (flat(c, a_zero)?, flat(c, b_zero)?);
    let sums = apply(c, n, "MatMulInteger", vec![Some(a), Some(b), a_zero, b_zero], Vec::new())?.swap_remove(0);
    let elem = a_scale.elem;
    let mut operands = vec![sums, a_scale, b_scale];
    operands.extend(bias);
    c.elementwise(&operands, elem, |b, v| {
        let sum = b.cast(&v[0], Elem::F32);
        let (x, y) = (b.cast(&v[1], Elem::F32), b.cast(&v[2], Elem::F32));
        let scale = b.mul(&x, &y);
        let mut result = b.mul(&sum, &scale);
        if let Some(bias) = v.get(3) {
            let bias = b.cast(bias, Elem::F32);
            result = b.add(&result, &bias);
        }
        b.cast(&result, elem)
    })
}

/// The bytes that floats were made of.
fn bytes(value: &Value) -> Option<&Quantised> {
    let of = value.quantised.as_deref()?;
    let short = matches!(of.numbers.elem, Elem::I8 | Elem::U8);
    (short && of.block == 0 && value.elem == Elem::F32 && of.scale.elem == Elem::F32).then_some(of)
}

/// Whether a tensor has one element.
fn single(value: &Value) -> bool {
    value.shape.iter().all(|d| d.is(1))
}
