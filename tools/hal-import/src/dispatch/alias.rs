//! Slices that are a piece of the memory of their source: the host makes them without moving anything.
use halyard_ir::{Attr, Op, Value};

/// What a static entry of offsets, sizes and strides is when an operand holds the value.
const DYNAMIC: i64 = i64::MIN;

/// The alignment of buffers that executables rely on, in bytes.
const ALIGNMENT: i64 = 64;

/// Whether a `tensor.extract_slice` is contiguous in its source and starts at an aligned address: unit strides; at most
/// one dimension is cut, those before it have size 1 and those after it are whole.
pub(super) fn is_alias(op: Op) -> bool {
    let source = op.operand(0);
    let shape = source.ty().shape();
    let list = |name: &str| op.attr(name).and_then(Attr::as_i64s).unwrap_or_default();
    let (offsets, sizes, strides) = (list("static_offsets"), list("static_sizes"), list("static_strides"));
    if strides.iter().any(|s| *s != 1) {
        return false;
    }
    // The dynamic sizes are the operands after the source and the dynamic offsets.
    let first_size = 1 + offsets.iter().filter(|o| **o == DYNAMIC).count();
    let size_operand = |d: usize| op.operand(first_size + sizes[..d].iter().filter(|s| **s == DYNAMIC).count());
    let whole = |d: usize| {
        offsets[d] == 0
            && match (shape[d], sizes[d]) {
                (Some(n), size) if size != DYNAMIC => n == size,
                (None, DYNAMIC) => is_dim_of(size_operand(d), source, d),
                _ => false,
            }
    };
    let rank = shape.len();
    let Some(cut) = (0..rank).rev().find(|&d| !whole(d)) else { return true };
    if sizes[..cut].iter().any(|s| *s != 1) {
        return false;
    }
    // The address: the offset of each dimension times what one step of it skips. All modulo the alignment: offsets may be as large as
    // 64 bits are.
    let mut step = Some(source.ty().element().byte_width() as i64);
    for d in (0..rank).rev() {
        if offsets[d] != 0 {
            let stride = step.unwrap_or(1);
            let bytes = if offsets[d] == DYNAMIC { stride } else { offsets[d] % ALIGNMENT * stride };
            if bytes % ALIGNMENT != 0 {
                return false;
            }
        }
        // An unknown dimension leaves at least the alignment of what is inside it.
        step = step.and_then(|s| shape[d].map(|n| s * (n % ALIGNMENT) % ALIGNMENT).or(Some(s)));
    }
    true
}

/// Whether a value is `tensor.dim source, d`.
fn is_dim_of(value: Value, source: Value, d: usize) -> bool {
    value.def().is_some_and(|def| {
        def.is("tensor.dim")
            && def.operand(0) == source
            && def.operand(1).def().and_then(|c| c.attr("value")).and_then(Attr::as_int) == Some(d as i64)
    })
}

#[cfg(test)]
mod tests {
    use super::is_alias;
    use halyard_ir::{Op, Session};

    /// Whether a slice of a `tensor<8x?x16xf32>` or of another type is one.
    fn alias(source: &str, slice: &str, result: &str) -> bool {
        let session = Session::new();
        let text = format!(
            "func.func @f(%x: {source}, %i: index, %n: index) -> {result} {{
               %c1 = arith.constant 1 : index
               %d = tensor.dim %x, %c1 : {source}
               %s = tensor.extract_slice %x{slice} : {source} to {result}
               return %s : {result}
             }}"
        );
        let module = session.parse(text.as_bytes(), "test").unwrap();
        let mut found = None;
        Op::from(&module).walk(&mut |op| {
            if op.is("tensor.extract_slice") {
                found = Some(is_alias(op));
            }
        });
        found.unwrap()
    }

    #[test]
    fn whole_rows_are_views() {
        assert!(alias("tensor<8x16xf32>", "[0, 0] [8, 16] [1, 1]", "tensor<8x16xf32>"));
        assert!(alias("tensor<8x16xf32>", "[2, 0] [3, 16] [1, 1]", "tensor<3x16xf32>"));
        assert!(alias("tensor<8x16xf32>", "[%i, 0] [1, 16] [1, 1]", "tensor<16xf32>"));
        assert!(alias("tensor<8x?x16xf32>", "[%i, 0, 0] [1, %d, 16] [1, 1, 1]", "tensor<1x?x16xf32>"));
        assert!(alias("tensor<1x8x16xf32>", "[0, 4, 0] [1, 2, 16] [1, 1, 1]", "tensor<1x2x16xf32>"));
    }

    #[test]
    fn gaps_steps_and_crooked_addresses_are_no_views() {
        // Columns; every second row; rows of two planes; a row that starts at byte 80; any row of 20 elements.
        assert!(!alias("tensor<8x16xf32>", "[0, 0] [8, 4] [1, 1]", "tensor<8x4xf32>"));
        assert!(!alias("tensor<8x16xf32>", "[0, 0] [4, 16] [2, 1]", "tensor<4x16xf32>"));
        assert!(!alias("tensor<2x8x16xf32>", "[0, 4, 0] [2, 2, 16] [1, 1, 1]", "tensor<2x2x16xf32>"));
        assert!(!alias("tensor<8x20xf32>", "[1, 0] [1, 20] [1, 1]", "tensor<1x20xf32>"));
        assert!(!alias("tensor<8x20xf32>", "[%i, 0] [1, 20] [1, 1]", "tensor<1x20xf32>"));
        assert!(!alias("tensor<?xf32>", "[6917529027641081857] [1] [1]", "tensor<1xf32>"));
        // A size that may be anything.
        assert!(!alias("tensor<8x?x16xf32>", "[%i, 0, 0] [2, %n, 16] [1, 1, 1]", "tensor<2x?x16xf32>"));
    }
}
