//! Tensors in memory of the caller.
use crate::{ALIGNMENT, DType, Tensor, shape_text};
use halyard_diag::{Error, Result};

/// A dense row-major tensor in memory that belongs to the caller, aligned to 64 bytes as kernels expect.
#[derive(Debug, Clone, Copy)]
pub struct TensorView<'a> {
    dtype: DType,
    shape: &'a [usize],
    bytes: &'a [u8],
}

impl<'a> TensorView<'a> {
    /// A tensor of these bytes. Errors: the wrong number of bytes for the shape; bytes that do not start at a multiple of
    /// [`ALIGNMENT`].
    pub fn new(dtype: DType, shape: &'a [usize], bytes: &'a [u8]) -> Result<Self> {
        let expected = Tensor::byte_count(dtype, shape);
        if expected != Some(bytes.len()) {
            return Err(Error::input(format!(
                "a tensor `{}` takes {} bytes, there are {}",
                shape_text(shape, dtype),
                expected.map_or("too many".into(), |n| n.to_string()),
                bytes.len()
            )));
        }
        if !Self::is_aligned(bytes.as_ptr()) && !bytes.is_empty() {
            return Err(Error::input(format!("the bytes of a tensor do not start at a multiple of {ALIGNMENT}"))
                .hint("copy them into a `Tensor`"));
        }
        Ok(Self { dtype, shape, bytes })
    }

    /// Whether kernels can read a tensor that starts there.
    pub fn is_aligned(start: *const u8) -> bool {
        start.addr().is_multiple_of(ALIGNMENT)
    }

    /// Returns the element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The sizes of the dimensions.
    pub fn shape(&self) -> &'a [usize] {
        self.shape
    }

    /// Returns the elements in memory order.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }
}

/// What an instance reads inputs from.
pub(crate) trait Viewed {
    fn view(&self) -> TensorView<'_>;
}

impl Viewed for Tensor {
    fn view(&self) -> TensorView<'_> {
        TensorView { dtype: self.dtype(), shape: self.shape(), bytes: self.bytes() }
    }
}

impl Viewed for TensorView<'_> {
    fn view(&self) -> TensorView<'_> {
        *self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_are_aligned_and_complete() {
        let memory = crate::AlignedBytes::zeroed(64);
        assert!(TensorView::new(DType::F32, &[2, 3], &memory[..24]).is_ok());
        let why = |result: Result<TensorView<'_>>| result.unwrap_err().to_string();
        assert_eq!(
            why(TensorView::new(DType::F32, &[2, 3], &memory[..20])),
            "a tensor `2x3xf32` takes 24 bytes, there are 20"
        );
        assert!(why(TensorView::new(DType::F32, &[2, 3], &memory[4..28])).contains("multiple of 64"));
        assert!(TensorView::new(DType::F32, &[0], &memory[4..4]).is_ok());
    }
}
