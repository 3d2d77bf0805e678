//! Convolutions along one dimension become those of images of one row: what is fast for images is fast for sound.
use halyard_ir::{Attr, Builder, Op, Type, Value};

/// Named convolutions along one dimension, and the same of images.
const FORMS: &[(&str, &str)] = &[
    ("linalg.conv_1d_ncw_fcw", "linalg.conv_2d_nchw_fchw"),
    ("linalg.depthwise_conv_1d_ncw_cw", "linalg.depthwise_conv_2d_nchw_chw"),
];

/// Rewrites the convolutions of known sizes in a function.
pub(super) fn see_rows_as_images(function: Op) {
    let mut found = Vec::new();
    function.walk(&mut |op| {
        let form = FORMS.iter().find(|(from, _)| op.is(from));
        if let Some((_, to)) = form.filter(|_| op.operands().iter().all(|v| v.ty().is_static())) {
            found.push((op, *to));
        }
    });
    for (op, name) in found {
        rewrite(op, name);
    }
}

fn rewrite(op: Op, name: &str) {
    let builder = Builder::before(op);
    let context = builder.context();
    let operands: Vec<Value> = op.operands().into_iter().map(|value| with_row(&builder, value)).collect();
    let i64 = Type::integer(context, 64);
    let pair = |name: &str| {
        let along = op.attr(name).and_then(Attr::as_i64s).and_then(|list| list.first().copied()).unwrap_or(1);
        Attr::parse(context, &format!("dense<[1, {along}]> : tensor<2x{i64}>")).expect("a pair of numbers")
    };
    let attrs = [
        ("strides", pair("strides")),
        ("dilations", pair("dilations")),
        ("operandSegmentSizes", Attr::i32s(context, &[2, 1])),
    ];
    let image = builder.named_linalg(name, &operands, &[operands[2].ty()], &attrs).result(0);
    let ty = op.result(0).ty();
    op.result(0).replace_all_uses(builder.reshape(image, ty, &groups(ty.rank())));
    op.erase();
}

/// The last two of the longer shape belong together.
fn groups(rank: usize) -> Vec<Vec<usize>> {
    (0..rank).map(|d| if d + 1 == rank { vec![d, d + 1] } else { vec![d] }).collect()
}

/// The value with a dimension of size 1 before its last one.
fn with_row(builder: &Builder, value: Value) -> Value {
    let ty = value.ty();
    let mut shape = ty.shape();
    shape.insert(shape.len() - 1, Some(1));
    let to = Type::tensor(&shape, ty.element());
    let def = value.def();
    // An empty or filled tensor is made in the new shape.
    if def.is_some_and(|d| d.is("tensor.empty")) {
        return builder.value("tensor.empty", &[], to, &[]);
    }
    if let Some(def) = def.filter(|d| d.is("linalg.fill")) {
        let into = with_row(builder, def.operand(1));
        return builder.fill(def.operand(0), into);
    }
    builder.reshape(value, to, &groups(ty.rank()))
}
