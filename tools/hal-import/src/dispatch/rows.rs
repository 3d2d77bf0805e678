//! Convolutions along one dimension become those of images of one row: what is fast for images is fast for sound.
use super::dims::dim_of;
use halyard_ir::{Attr, Builder, Op, Type, Value};
use std::cmp::Ordering;

/// A named convolution along one dimension, and the same of images; where input and result, and filters, get their dimension of one row.
struct Form {
    along: &'static str,
    of_images: &'static str,
    image_row: usize,
    filter_row: usize,
}

const FORMS: &[Form] = &[
    form("linalg.conv_1d_ncw_fcw", "linalg.conv_2d_nchw_fchw", 2, 2),
    form("linalg.conv_1d_nwc_wcf", "linalg.conv_2d_nhwc_hwcf", 1, 0),
    form("linalg.depthwise_conv_1d_ncw_cw", "linalg.depthwise_conv_2d_nchw_chw", 2, 1),
    form("linalg.depthwise_conv_1d_nwc_wc", "linalg.depthwise_conv_2d_nhwc_hwc", 1, 0),
];

const fn form(along: &'static str, of_images: &'static str, image_row: usize, filter_row: usize) -> Form {
    Form { along, of_images, image_row, filter_row }
}

/// Rewrites the convolutions in a function.
pub(super) fn see_rows_as_images(function: Op) {
    let mut found = Vec::new();
    function.walk(&mut |op| {
        if let Some(form) = FORMS.iter().find(|form| op.is(form.along)) {
            found.push((op, form));
        }
    });
    for (op, form) in found {
        rewrite(op, form);
    }
}

fn rewrite(op: Op, form: &Form) {
    let builder = Builder::before(op);
    let context = builder.context();
    let rows = [form.image_row, form.filter_row, form.image_row];
    let operands: Vec<Value> = op.operands().into_iter().zip(rows).map(|(v, row)| with_row(&builder, v, row)).collect();
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
    let image = builder.named_linalg(form.of_images, &operands, &[operands[2].ty()], &attrs).result(0);
    let ty = op.result(0).ty();
    op.result(0).replace_all_uses(builder.reshape(image, ty, &groups(ty.rank(), form.image_row)));
    op.erase();
}

/// The row belongs together with the dimension after it.
fn groups(rank: usize, row: usize) -> Vec<Vec<usize>> {
    let group = |d: usize| match d.cmp(&row) {
        Ordering::Less => vec![d],
        Ordering::Equal => vec![d, d + 1],
        Ordering::Greater => vec![d + 1],
    };
    (0..rank).map(group).collect()
}

/// The value with a dimension of one row at this place.
fn with_row(builder: &Builder, value: Value, row: usize) -> Value {
    let ty = value.ty();
    let mut shape = ty.shape();
    shape.insert(row, Some(1));
    let to = Type::tensor(&shape, ty.element());
    let def = value.def();
    // An empty or filled tensor is made in the new shape.
    if let Some(def) = def.filter(|d| d.is("tensor.empty")) {
        return builder.value("tensor.empty", &def.operands(), to, &[]);
    }
    if let Some(def) = def.filter(|d| d.is("linalg.fill")) {
        let into = with_row(builder, def.operand(1), row);
        return builder.fill(def.operand(0), into);
    }
    let open = ty.shape().into_iter().enumerate().filter(|(_, size)| size.is_none());
    let sizes: Vec<Value> = open.map(|(d, _)| dim_of(builder, value, d)).collect();
    builder.expand(value, &sizes, to, &groups(ty.rank(), row))
}
