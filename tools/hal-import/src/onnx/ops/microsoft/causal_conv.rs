//! `CausalConvWithState`, which has more forms than the standard operator.
use super::{
    super::{Entry, causal_conv::causal_conv, node as standard},
    build::{kept, unset},
};
use crate::onnx::{Context, Node, Outcome, problem::unsupported};

pub(super) const OPS: &[Entry] = &[("CausalConvWithState", with_state)];

fn with_state(c: &mut Context<'_>, n: &Node) -> Outcome {
    unset(n, &["state_window", "state_update_capacity", "input_channels", "input_channel_offset", "state_length"])?;
    let axes = n.int("ndim", 1);
    if axes != 1 {
        return unsupported(format!("`ndim` is {axes}"));
    }
    let last = n.int("channels_last", 0) != 0;
    if n.int("state_channels_last", -1) == i64::from(!last) {
        return unsupported("the state has another layout than the input (`state_channels_last`)");
    }
    if n.wants(2) {
        return unsupported("output 2 (`state_update`) is used");
    }
    let mut inputs = n.operands();
    if last {
        for input in [0, 3] {
            if let Some(value) = n.optional(input) {
                super::build::ranked(value, 3)?;
                inputs[input] = Some(c.transpose(value, &[0, 2, 1]));
            }
        }
    }
    let mut results =
        causal_conv(c, &standard(n, "CausalConvWithState", inputs, kept(n, &["activation", "dilation"])))?;
    if last {
        for result in &mut results {
            *result = c.transpose(result, &[0, 2, 1]);
        }
    }
    Ok(results)
}
