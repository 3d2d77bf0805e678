//! `ImageDecoder`: decodes an image file with a host function.
use super::Entry;
use crate::onnx::{Elem, Num, Tensor, Value, problem::invalid};

pub(super) const OPS: &[Entry] = &[("ImageDecoder", |c, n| {
    let x = n.input(0)?.clone();
    if x.rank() != 1 || x.elem != Elem::U8 {
        return invalid(format!("`{}` is no list of bytes (uint8), as a file is", x.ty()));
    }
    let (kind, channels) = match &*n.string("pixel_format", "RGB") {
        "RGB" => (0, 3),
        "BGR" => (1, 3),
        "Grayscale" => (2, 1),
        other => {
            return invalid(format!("`pixel_format` is `{other}`, where `RGB`, `BGR` and `Grayscale` are possible"));
        }
    };
    let kind = Value::constant(Tensor::scalar(Elem::I64, Num::I(kind)));
    Ok(c.call_host("decode_image", &[x, kind], &[(Elem::U8, vec![None, None, Some(channels)])]))
})];
