//! `post_transform`: the final transformation of scores.
use super::super::{
    pool::lowest,
    softmax::{kept, softmax},
};
use crate::onnx::{Body, Context, Elem, Order, Outcome, Scalar, Value, problem::invalid};

/// The transforms of the specification, in the order of the numbers that `TreeEnsemble` has for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Post {
    None,
    Softmax,
    Logistic,
    SoftmaxZero,
    Probit,
}

impl Post {
    pub(super) fn from_name(name: &str) -> Outcome<Self> {
        Ok(match name {
            "NONE" => Self::None,
            "SOFTMAX" => Self::Softmax,
            "LOGISTIC" => Self::Logistic,
            "SOFTMAX_ZERO" => Self::SoftmaxZero,
            "PROBIT" => Self::Probit,
            _ => return invalid(format!("`post_transform` is `{name}`")),
        })
    }

    pub(super) fn from_number(number: i64) -> Outcome<Self> {
        let all = [Self::None, Self::Softmax, Self::Logistic, Self::SoftmaxZero, Self::Probit];
        match usize::try_from(number).ok().and_then(|at| all.get(at)) {
            Some(post) => Ok(*post),
            None => invalid(format!("`post_transform` is {number}")),
        }
    }

    /// Transforms scores of shape `[rows, classes]`. One column alone has nothing to be compared with: the two kinds of
    /// softmax leave it, as onnxruntime does.
    pub(super) fn apply(self, c: &mut Context<'_>, scores: &Value) -> Outcome<Value> {
        let one = std::slice::from_ref(scores);
        match self {
            Self::None => Ok(scores.clone()),
            Self::Softmax | Self::SoftmaxZero if scores.shape[1].is(1) => Ok(scores.clone()),
            Self::Softmax => softmax(c, scores, &[1], false),
            Self::SoftmaxZero => softmax_zero(c, scores),
            Self::Logistic => c.elementwise(one, scores.elem, |b, v| logistic(b, &v[0])),
            Self::Probit => c.elementwise(one, scores.elem, |b, v| probit(b, &v[0])),
        }
    }
}

/// Computes `1 / (1 + exp(-x))` with exponentials of nonpositive numbers only, so that nothing overflows.
pub(super) fn logistic(b: &mut Body<'_>, x: &Scalar) -> Scalar {
    let (size, one, zero) = (b.abs(x), b.like(x, 1.0), b.like(x, 0.0));
    let minus = b.neg(&size);
    let power = b.math("exp", &minus);
    let sum = b.add(&one, &power);
    let high = b.div(&one, &sum);
    let low = b.sub(&one, &high);
    let negative = b.compare(Order::Lt, x, &zero);
    b.select(&negative, &low, &high)
}

/// `√2 · erf⁻¹(2x - 1)` by Winitzki's approximation, whose constants are those of onnxruntime.
#[allow(clippy::approx_constant, reason = "onnxruntime's constant, digit for digit")]
fn probit(b: &mut Body<'_>, x: &Scalar) -> Scalar {
    let (one, two, zero) = (b.like(x, 1.0), b.like(x, 2.0), b.like(x, 0.0));
    let double = b.mul(&two, x);
    let y = b.sub(&double, &one);
    let (less, more) = (b.sub(&one, &y), b.add(&one, &y));
    let product = b.mul(&less, &more);
    let log = b.math("log", &product);
    let (half, constant, inverse) = (b.like(x, 0.5), b.like(x, 2.0 / (3.14159 * 0.147)), b.like(x, 1.0 / 0.147));
    let halved = b.mul(&half, &log);
    let v = b.add(&constant, &halved);
    let v2 = b.mul(&inverse, &log);
    let square = b.mul(&v, &v);
    let inner = b.sub(&square, &v2);
    let root = b.math("sqrt", &inner);
    let v3 = b.sub(&root, &v);
    let size = b.math("sqrt", &v3);
    let minus = b.neg(&size);
    let negative = b.compare(Order::Lt, &y, &zero);
    let erf = b.select(&negative, &minus, &size);
    let factor = b.like(x, f64::from(std::f32::consts::SQRT_2));
    b.mul(&factor, &erf)
}

/// A softmax in which zeros stay zeros.
fn softmax_zero(c: &mut Context<'_>, x: &Value) -> Outcome<Value> {
    let (shape, elem) = (x.shape.clone(), x.elem);
    let most = c.reduce(x, &[1], elem, lowest(elem), |b, v, a| b.max(a, v));
    let most = kept(c, &most, &shape, &[1])?;
    let counts = |b: &mut Body<'_>, x: &Scalar| {
        let (size, least) = (b.abs(x), b.like(x, 1e-7));
        b.compare(Order::Gt, &size, &least)
    };
    let powers = c.elementwise_to(&shape, &[x.clone(), most], elem, |b, v| {
        let counts = counts(b, &v[0]);
        let less = b.sub(&v[0], &v[1]);
        let power = b.math("exp", &less);
        let minus = b.neg(&v[1]);
        let scale = b.math("exp", &minus);
        let small = b.mul(&v[0], &scale);
        b.select(&counts, &power, &small)
    })?;
    let counted = c.elementwise_to(&shape, &[x.clone(), powers.clone()], elem, |b, v| {
        let (counts, zero) = (counts(b, &v[0]), b.like(&v[1], 0.0));
        b.select(&counts, &v[1], &zero)
    })?;
    let total = super::super::reduce::sum(c, &counted, &[1], |_, v| v.clone())?;
    let total = kept(c, &total, &shape, &[1])?;
    c.elementwise_to(&shape, &[powers, total], elem, |b, v| b.div(&v[0], &v[1]))
}

/// Rows of type `elem`: a list is one row.
pub(super) fn rows(c: &mut Context<'_>, x: &Value, elem: Elem) -> Outcome<Value> {
    let x = match &x.shape[..] {
        [width] => {
            let shape = [1.into(), width.clone()];
            c.reshape(x, &shape)?
        }
        [_, _] => x.clone(),
        _ => return invalid(format!("`{}` is of neither rank 1 nor rank 2", x.ty())),
    };
    if !matches!(x.elem, Elem::F32 | Elem::F64 | Elem::F16 | Elem::I32 | Elem::I64) {
        return invalid(format!("the elements are of type {:?}", x.elem));
    }
    let wide = super::super::matmul::narrowed(c, &x, elem)?;
    Ok(Value { label: x.label.clone(), ..wide })
}
