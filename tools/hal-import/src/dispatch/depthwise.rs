//! A depthwise convolution with one filter per channel, written with a dimension of size 1 for the multiplier, becomes
//! one without: what follows it (bias, activation) then has its shape.
use halyard_ir::{Attr, Builder, Op, Type, Value};

/// Named convolutions with a multiplier, and the same without.
const FORMS: &[(&str, &str)] = &[
    ("linalg.depthwise_conv_2d_nhwc_hwcm", "linalg.depthwise_conv_2d_nhwc_hwc"),
    ("linalg.depthwise_conv_2d_nhwc_hwcm_q", "linalg.depthwise_conv_2d_nhwc_hwc_q"),
];

/// Rewrites such convolutions in a function.
pub(super) fn drop_unit_multipliers(function: Op) {
    let mut found = Vec::new();
    function.walk(&mut |op| {
        let form = FORMS.iter().find(|(from, _)| op.is(from));
        if let Some((_, to)) =
            form.filter(|_| op.result(0).ty().is_static() && op.operand(1).ty().shape().last() == Some(&Some(1)))
        {
            found.push((op, *to));
        }
    });
    for (op, name) in found {
        rewrite(op, name);
    }
}

fn rewrite(op: Op, name: &str) {
    let builder = Builder::before(op);
    let mut operands = op.operands();
    let init = operands.len() - 1;
    let ty = op.result(0).ty();
    operands[1] = collapse(&builder, operands[1]);
    operands[init] = collapse(&builder, operands[init]);
    let segments = Attr::i32s(op.context(), &[init as i32, 1]);
    let kept = op.attrs().into_iter().filter(|(name, _)| matches!(&**name, "strides" | "dilations"));
    let kept: Vec<(String, Attr)> = kept.collect();
    let mut attrs: Vec<(&str, Attr)> = kept.iter().map(|(name, value)| (&**name, *value)).collect();
    attrs.push(("operandSegmentSizes", segments));
    let new = builder.named_linalg(name, &operands, &[operands[init].ty()], &attrs).result(0);
    let wide = builder.reshape(new, ty, &groups(ty.rank()));
    op.result(0).replace_all_uses(wide);
    op.erase();
}

/// Each dimension by itself but for the last two, which are one.
fn groups(rank: usize) -> Vec<Vec<usize>> {
    (0..rank - 1).map(|d| if d == rank - 2 { vec![d, d + 1] } else { vec![d] }).collect()
}

/// Drops the last dimension, of size 1.
fn collapse(builder: &Builder, value: Value) -> Value {
    let ty = value.ty();
    let shape = ty.shape();
    let to = Type::tensor(&shape[..shape.len() - 1], ty.element());
    let def = value.def();
    // An empty or filled tensor is made in the new shape.
    if let Some(def) = def.filter(|d| d.is("tensor.empty")) {
        return builder.value("tensor.empty", &def.operands(), to, &[]);
    }
    if let Some(def) = def.filter(|d| d.is("linalg.fill")) {
        let into = collapse(builder, def.operand(1));
        return builder.fill(def.operand(0), into);
    }
    builder.reshape(value, to, &groups(shape.len()))
}
