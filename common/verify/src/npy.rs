//! Tensors for numpy: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.
use crate::Array;

/// The bytes of a file. Types that numpy lacks are written as their bits.
pub(crate) fn write(array: &Array) -> Vec<u8> {
    let dtype = match &*array.dtype {
        "f64" => "<f8",
        "f32" => "<f4",
        "f16" => "<f2",
        "bf16" => "<u2",
        "i64" | "index" => "<i8",
        "i32" => "<i4",
        "i16" => "<i2",
        "i8" => "|i1",
        "i1" => "|b1",
        _ => "|u1",
    };
    let dims: String = array.shape.iter().map(|d| format!("{d}, ")).collect();
    let dims = if array.shape.len() == 1 { dims.trim_end().to_owned() } else { dims.trim_end_matches(", ").to_owned() };
    let mut header = format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': ({dims}), }}");
    // The data start at a multiple of 64 bytes.
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.bytes());
    bytes.extend(&array.bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_what_numpy_writes() {
        let array =
            |shape: &[i64]| Array { name: "x".into(), dtype: "f32".into(), shape: shape.to_vec(), bytes: vec![0; 8] };
        for (shape, text) in [(&[][..], "()"), (&[2], "(2,)"), (&[1, 2], "(1, 2)")] {
            let bytes = write(&array(shape));
            assert_eq!((bytes.len() - 8) % 64, 0);
            assert!(String::from_utf8_lossy(&bytes).contains(&format!("'shape': {text}, }}")), "{text}");
        }
    }
}
