//! The order of two elements when sorting.
use crate::onnx::{Body, Context, Elem, Order, Scalar, Value};

/// Whether an element precedes another one by value: NaN is larger than all numbers.
pub(super) fn is_ahead(b: &mut Body<'_>, a: &Scalar, other: &Scalar, largest: bool) -> Scalar {
    let (a, other) = if largest { (a, other) } else { (other, a) };
    let above = b.greater_or_nan(a, other);
    if !a.elem.is_some_and(Elem::is_float) {
        return above;
    }
    let nan = b.is_nan(other);
    let number = b.not(&nan);
    b.and(&above, &number)
}

/// Does the same as [`is_ahead`], with the input order for equal elements.
pub(super) fn goes_first(
    b: &mut Body<'_>,
    (a, at): (&Scalar, &Scalar),
    (other, there): (&Scalar, &Scalar),
    largest: bool,
) -> Scalar {
    let (ahead, behind) = (is_ahead(b, a, other, largest), is_ahead(b, other, a, largest));
    let earlier = b.compare(Order::Lt, at, there);
    let differ = b.or(&ahead, &behind);
    b.select(&differ, &ahead, &earlier)
}

/// Integers of 32 bits in the order of the elements, the first one the largest: to compare these takes a third of the operations. Zeros of both
/// signs are equal, and so are NaNs. `None` if elements are wider, or of no plain type.
pub(super) fn keys(c: &mut Context<'_>, x: &Value, largest: bool) -> Option<Value> {
    let short = matches!(x.elem, Elem::I8 | Elem::U8 | Elem::I16 | Elem::U16 | Elem::I32);
    if !short && !matches!(x.elem, Elem::F32 | Elem::F16 | Elem::Bf16) {
        return None;
    }
    let keys = c.elementwise_to(&x.shape, std::slice::from_ref(x), Elem::I32, |b, v| {
        let key = if short { b.cast(&v[0], Elem::I32) } else { key_of_float(b, &v[0]) };
        if largest {
            return key;
        }
        let ones = b.int(Elem::I32, -1);
        b.xor(&key, &ones)
    });
    keys.ok()
}

fn key_of_float(b: &mut Body<'_>, x: &Scalar) -> Scalar {
    let x = b.cast(x, Elem::F32);
    let bits = b.op(format!("arith.bitcast {} : f32 to i32", x.name), Some(Elem::I32));
    let (magnitude, none) = (b.int(Elem::I32, i64::from(i32::MAX)), b.int(Elem::I32, 0));
    // The larger the magnitude of a negative number, the smaller it is.
    let is_negative = b.compare(Order::Lt, &bits, &none);
    let turned = b.xor(&bits, &magnitude);
    let key = b.select(&is_negative, &turned, &bits);
    let (zero, nan) = (b.like(&x, 0.0), b.is_nan(&x));
    let is_zero = b.compare(Order::Eq, &x, &zero);
    let key = b.select(&is_zero, &none, &key);
    b.select(&nan, &magnitude, &key)
}

/// Whether an element precedes another one by [`keys`], and by the input order if these are equal.
pub(super) fn key_goes_first(
    b: &mut Body<'_>,
    (key, at): (&Scalar, &Scalar),
    (other, there): (&Scalar, &Scalar),
) -> Scalar {
    let (ahead, equal) = (b.compare(Order::Gt, key, other), b.compare(Order::Eq, key, other));
    let earlier = b.compare(Order::Lt, at, there);
    let first = b.and(&equal, &earlier);
    b.or(&ahead, &first)
}
