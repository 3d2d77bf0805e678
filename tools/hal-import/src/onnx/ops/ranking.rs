//! The order of two elements when sorting.
use crate::onnx::{Body, Elem, Order, Scalar};

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
