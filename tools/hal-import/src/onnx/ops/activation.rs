//! Activations.
use super::{Entry, arithmetic::unary};
use crate::onnx::{Body, Context, Dim, Elem, Node, Num, Order, Outcome, Scalar, Value};

pub(super) const OPS: &[Entry] = &[
    ("Relu", |c, n| {
        unary(c, n, None, |b, x| {
            let zero = b.like(x, 0.0);
            at_least(b, x, &zero)
        })
    }),
    ("LeakyRelu", |c, n| {
        let alpha = n.float("alpha", 0.01);
        unary(c, n, None, |b, x| leaky(b, x, alpha))
    }),
    ("ThresholdedRelu", |c, n| {
        let alpha = n.float("alpha", 1.0);
        unary(c, n, None, |b, x| {
            let (alpha, zero) = (b.like(x, alpha), b.like(x, 0.0));
            let above = b.compare(Order::Gt, x, &alpha);
            b.select(&above, x, &zero)
        })
    }),
    ("PRelu", prelu),
    ("Elu", |c, n| {
        let alpha = n.float("alpha", 1.0);
        unary(c, n, None, |b, x| elu(b, x, alpha, 1.0, 1.0))
    }),
    ("Celu", |c, n| {
        let alpha = n.float("alpha", 1.0);
        unary(c, n, None, |b, x| elu(b, x, alpha, alpha, 1.0))
    }),
    // The defaults are those of the specification, as f32.
    ("Selu", |c, n| {
        let (alpha, gamma) = if n.opset < 6 {
            (n.float("alpha", 1.6732), n.float("gamma", 1.0507))
        } else {
            (n.float("alpha", 1.673_263_2), n.float("gamma", 1.050_701))
        };
        unary(c, n, None, |b, x| elu(b, x, alpha, 1.0, gamma))
    }),
    ("Sigmoid", |c, n| unary(c, n, None, sigmoid)),
    ("HardSigmoid", |c, n| {
        let (alpha, beta) = (n.float("alpha", 0.2), n.float("beta", 0.5));
        unary(c, n, None, |b, x| hard_sigmoid(b, x, alpha, beta))
    }),
    ("HardSwish", |c, n| {
        unary(c, n, None, |b, x| {
            let gate = hard_sigmoid(b, x, 1.0 / 6.0, 0.5);
            b.mul(x, &gate)
        })
    }),
    ("Tanh", |c, n| unary(c, n, None, |b, x| b.math("tanh", x))),
    ("Softplus", |c, n| unary(c, n, None, softplus)),
    ("Softsign", |c, n| {
        unary(c, n, None, |b, x| {
            let (size, one) = (b.abs(x), b.like(x, 1.0));
            let sum = b.add(&size, &one);
            b.div(x, &sum)
        })
    }),
    ("Swish", |c, n| {
        let alpha = n.float("alpha", 1.0);
        unary(c, n, None, |b, x| {
            let alpha = b.like(x, alpha);
            let scaled = b.mul(&alpha, x);
            let gate = sigmoid(b, &scaled);
            b.mul(x, &gate)
        })
    }),
    ("SwiGLU", |c, n| {
        let (gate, x, alpha) = (n.input(0)?.clone(), n.input(1)?.clone(), n.float("alpha", 1.0));
        super::arithmetic::same_type(n, &gate, &x)?;
        if gate.rank() != x.rank() {
            return crate::onnx::problem::invalid(format!("`{}` and `{}` are not of one shape", gate.ty(), x.ty()));
        }
        for i in 0..x.rank() {
            c.require_same((&gate, i), (&x, i))?;
        }
        let (gate, x) = (c.settle(&gate), c.settle(&x));
        let (shape, elem) = (x.shape.clone(), x.elem);
        Ok(vec![c.elementwise_to(&shape, &[gate, x], elem, |b, v| {
            let alpha = b.like(&v[0], alpha);
            let scaled = b.mul(&alpha, &v[0]);
            let part = sigmoid(b, &scaled);
            let active = b.mul(&v[0], &part);
            b.mul(&active, &v[1])
        })?])
    }),
    ("Mish", |c, n| {
        unary(c, n, None, |b, x| {
            let s = softplus(b, x);
            let t = b.math("tanh", &s);
            b.mul(x, &t)
        })
    }),
    ("Gelu", gelu),
    ("Shrink", |c, n| {
        let (lambd, bias) = (n.float("lambd", 0.5), n.float("bias", 0.0));
        unary(c, n, None, |b, x| shrink(b, x, lambd, bias))
    }),
    ("Clip", clip),
];

/// Computes `max(x, low)`; NaN stays.
fn at_least(b: &mut Body<'_>, x: &Scalar, low: &Scalar) -> Scalar {
    let keep = b.greater_or_nan(x, low);
    b.select(&keep, x, low)
}

pub(super) fn leaky(b: &mut Body<'_>, x: &Scalar, alpha: f64) -> Scalar {
    let (zero, alpha) = (b.like(x, 0.0), b.like(x, alpha));
    let scaled = b.mul(&alpha, x);
    let positive = b.compare(Order::Ge, x, &zero);
    b.select(&positive, x, &scaled)
}

/// `gamma · (x if x > 0 else alpha · (exp(x / scale) - 1))`.
pub(super) fn elu(b: &mut Body<'_>, x: &Scalar, alpha: f64, scale: f64, gamma: f64) -> Scalar {
    let (zero, factor) = (b.like(x, 0.0), b.like(x, alpha));
    let mut power = x.clone();
    if scale != 1.0 {
        let scale = b.like(x, scale);
        power = b.div(x, &scale);
    }
    let grown = b.math("expm1", &power);
    let low = b.mul(&factor, &grown);
    let positive = b.compare(Order::Gt, x, &zero);
    let result = b.select(&positive, x, &low);
    if gamma == 1.0 {
        return result;
    }
    let gamma = b.like(x, gamma);
    b.mul(&gamma, &result)
}

/// Computes `1 / (1 + exp(-x))`.
pub(super) fn sigmoid(b: &mut Body<'_>, x: &Scalar) -> Scalar {
    let one = b.like(x, 1.0);
    let minus = b.neg(x);
    let power = b.math("exp", &minus);
    let sum = b.add(&one, &power);
    b.div(&one, &sum)
}

pub(super) fn hard_sigmoid(b: &mut Body<'_>, x: &Scalar, alpha: f64, beta: f64) -> Scalar {
    let (alpha, beta, zero, one) = (b.like(x, alpha), b.like(x, beta), b.like(x, 0.0), b.like(x, 1.0));
    let scaled = b.mul(&alpha, x);
    let line = b.add(&scaled, &beta);
    let low = b.max(&line, &zero);
    b.min(&low, &one)
}

/// `log(1 + exp(x))`, in the form that does not overflow.
pub(super) fn softplus(b: &mut Body<'_>, x: &Scalar) -> Scalar {
    let zero = b.like(x, 0.0);
    let size = b.abs(x);
    let minus = b.neg(&size);
    let power = b.math("exp", &minus);
    let rest = b.math("log1p", &power);
    let positive = b.max(x, &zero);
    b.add(&positive, &rest)
}

fn gelu(c: &mut Context<'_>, n: &Node) -> Outcome {
    let tanh = n.string("approximate", "none") == "tanh";
    unary(c, n, None, |b, x| {
        let (half, one) = (b.like(x, 0.5), b.like(x, 1.0));
        let inner = if tanh {
            let (cubic, scale) = (b.like(x, 0.044_715), b.like(x, (2.0 / std::f64::consts::PI).sqrt()));
            let square = b.mul(x, x);
            let cube = b.mul(&square, x);
            let part = b.mul(&cubic, &cube);
            let sum = b.add(x, &part);
            let scaled = b.mul(&scale, &sum);
            b.math("tanh", &scaled)
        } else {
            let root = b.like(x, std::f64::consts::FRAC_1_SQRT_2);
            let scaled = b.mul(x, &root);
            b.math("erf", &scaled)
        };
        let sum = b.add(&one, &inner);
        let halved = b.mul(&half, x);
        b.mul(&halved, &sum)
    })
}

fn shrink(b: &mut Body<'_>, x: &Scalar, lambd: f64, bias: f64) -> Scalar {
    let (high, low, bias, zero) = (b.like(x, lambd), b.like(x, -lambd), b.like(x, bias), b.like(x, 0.0));
    let (above, below) = (b.compare(Order::Gt, x, &high), b.compare(Order::Lt, x, &low));
    let (down, up) = (b.sub(x, &bias), b.add(x, &bias));
    let rest = b.select(&below, &up, &zero);
    b.select(&above, &down, &rest)
}

fn prelu(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (x, mut slope) = (n.input(0)?.clone(), n.input(1)?.clone());
    if n.opset < 7 && slope.rank() == 1 && x.rank() > 2 && !slope.shape[0].is(1) {
        // A slope for each channel, which is dimension 1.
        let mut shape = slope.shape.clone();
        shape.resize(x.rank() - 1, Dim::fixed(1));
        slope = c.reshape(&slope, &shape)?;
    }
    let (shape, elem) = (x.shape.clone(), x.elem);
    Ok(vec![c.elementwise_to(&shape, &[x, slope], elem, |b, v| {
        let zero = b.like(&v[0], 0.0);
        let scaled = b.mul(&v[1], &v[0]);
        let negative = b.compare(Order::Lt, &v[0], &zero);
        b.select(&negative, &scaled, &v[0])
    })?])
}

/// Bounds are attributes before opset 11, optional inputs from there.
fn clip(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let bound = |name: &str, input: usize| -> Option<Value> {
        if n.opset < 11 {
            return n
                .has(name)
                .then(|| Value::constant(crate::onnx::Tensor::scalar(x.elem, Num::F(n.float(name, 0.0)))));
        }
        n.optional(input).cloned()
    };
    let (low, high) = (bound("min", 1), bound("max", 2));
    let (has_low, has_high) = (low.is_some(), high.is_some());
    if !has_low && !has_high {
        return Ok(vec![x]);
    }
    let mut inputs = vec![x.clone()];
    for value in [low, high].into_iter().flatten() {
        // Some models give a scalar as a list of one.
        inputs.push(if value.rank() > 0 { c.reshape(&value, &[])? } else { value });
    }
    let elem: Elem = x.elem;
    Ok(vec![c.elementwise_to(&x.shape.clone(), &inputs, elem, |b, v| {
        let mut result = v[0].clone();
        if has_low {
            result = at_least(b, &result, &v[1]);
        }
        if has_high {
            let high = &v[v.len() - 1];
            let above = b.compare(Order::Gt, &result, high);
            result = b.select(&above, high, &result);
        }
        result
    })?])
}
