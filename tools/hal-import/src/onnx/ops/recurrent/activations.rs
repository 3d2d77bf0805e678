//! The activation functions of recurrent layers.
use super::super::activation::{elu, hard_sigmoid, leaky, sigmoid, softplus};
use crate::onnx::{
    Body, Order, Outcome, Scalar,
    problem::{invalid, unsupported},
};

/// A function with its parameters.
#[derive(Debug, Clone)]
pub(super) struct Activation {
    function: &'static str,
    alpha: f64,
    beta: f64,
}

/// The functions of the specification, with the defaults of `activation_alpha` and `activation_beta`, where they have them:
/// those of the operators of their names.
const FUNCTIONS: &[(&str, Option<Option<f64>>, Option<Option<f64>>)] = &[
    ("Sigmoid", None, None),
    ("Tanh", None, None),
    ("Relu", None, None),
    ("Softsign", None, None),
    ("Softplus", None, None),
    ("LeakyRelu", Some(Some(0.01)), None),
    ("ThresholdedRelu", Some(Some(1.0)), None),
    ("Elu", Some(Some(1.0)), None),
    ("HardSigmoid", Some(Some(0.2)), Some(Some(0.5))),
    ("Affine", Some(None), Some(None)),
    ("ScaledTanh", Some(None), Some(None)),
];

impl Activation {
    /// The functions of these names; each takes its numbers from the lists, in order, if it has any.
    pub(super) fn list(names: &[String], alphas: Vec<f32>, betas: Vec<f32>) -> Outcome<Vec<Self>> {
        let (mut alphas, mut betas) = (alphas.into_iter().map(f64::from), betas.into_iter().map(f64::from));
        let mut all = Vec::new();
        for name in names {
            let Some((function, alpha, beta)) = FUNCTIONS.iter().find(|(f, ..)| f.eq_ignore_ascii_case(name)) else {
                return unsupported(format!("activation `{name}`"));
            };
            let take = |default: &Option<Option<f64>>, list: &mut dyn Iterator<Item = f64>, what: &str| match default {
                None => Ok(0.0),
                Some(default) => match list.next().or(*default) {
                    Some(number) => Ok(number),
                    None => invalid(format!("activation `{name}` has no `{what}`")),
                },
            };
            let (alpha, beta) =
                (take(alpha, &mut alphas, "activation_alpha")?, take(beta, &mut betas, "activation_beta")?);
            all.push(Self { function, alpha, beta });
        }
        Ok(all)
    }

    pub(super) fn of(&self, b: &mut Body<'_>, x: &Scalar) -> Scalar {
        match self.function {
            "Sigmoid" => sigmoid(b, x),
            "Tanh" => b.math("tanh", x),
            "Softsign" => {
                let (size, one) = (b.abs(x), b.like(x, 1.0));
                let sum = b.add(&size, &one);
                b.div(x, &sum)
            }
            "Softplus" => softplus(b, x),
            "LeakyRelu" => leaky(b, x, self.alpha),
            "ThresholdedRelu" => {
                let (alpha, zero) = (b.like(x, self.alpha), b.like(x, 0.0));
                let above = b.compare(Order::Gt, x, &alpha);
                b.select(&above, x, &zero)
            }
            "Elu" => elu(b, x, self.alpha, 1.0, 1.0),
            "HardSigmoid" => hard_sigmoid(b, x, self.alpha, self.beta),
            "Affine" => {
                let (alpha, beta) = (b.like(x, self.alpha), b.like(x, self.beta));
                let scaled = b.mul(&alpha, x);
                b.add(&scaled, &beta)
            }
            "ScaledTanh" => {
                let (alpha, beta) = (b.like(x, self.alpha), b.like(x, self.beta));
                let scaled = b.mul(&beta, x);
                let bent = b.math("tanh", &scaled);
                b.mul(&alpha, &bent)
            }
            _ => {
                let zero = b.like(x, 0.0);
                b.max(x, &zero)
            }
        }
    }
}
