//! The operands of one direction of a recurrent layer.
use super::{Kind, activations::Activation, weights::Weights};
use crate::onnx::Value;

/// The operands of one direction.
pub(super) struct Direction {
    pub(super) kind: Kind,
    /// `[steps, batch, gates · hidden]`: the part of the gates that the input decides, biases included.
    pub(super) fixed: Value,
    /// What the state is multiplied with.
    pub(super) recurrence: Weights,
    /// The bias of the recurrence of a GRU's last gate, which is applied apart: `[hidden]`.
    pub(super) apart: Option<Value>,
    /// `[hidden]` each: input, output, forget.
    pub(super) peepholes: Option<Vec<Value>>,
    pub(super) activations: Vec<Activation>,
    pub(super) clip: Option<f64>,
    pub(super) hidden: i64,
    pub(super) linear_before_reset: bool,
    pub(super) input_forget: bool,
    pub(super) backward: bool,
    pub(super) lengths: Option<Value>,
}
