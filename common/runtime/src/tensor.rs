//! Tensors in host memory.
use crate::{AlignedBytes, DType, shape_text};
use half::{bf16, f16};
use halyard_diag::{Error, Result};

/// A dense row-major tensor that owns its elements, aligned to 64 bytes as kernels expect.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    dtype: DType,
    shape: Vec<usize>,
    data: AlignedBytes,
}

/// Rust types that are elements of tensors.
///
/// # Safety
/// The type must have no padding, and every bit pattern of its size must be a value of it.
pub unsafe trait TensorElement: Copy + 'static {
    /// The element type.
    const DTYPE: DType;
}

macro_rules! element {
    ($($ty:ty => $dtype:ident),*) => { $(
        // SAFETY: a plain number.
        unsafe impl TensorElement for $ty { const DTYPE: DType = DType::$dtype; }
    )* };
}
element!(f32 => F32, f64 => F64, f16 => F16, bf16 => Bf16, i8 => I8, u8 => U8, i16 => I16, u16 => U16, i32 => I32, u32 => U32, i64 => I64, u64 => U64);

impl Tensor {
    /// A tensor of zeros. Panics if its size exceeds the address space; [`Tensor::byte_count`] tells before.
    pub fn zeros(dtype: DType, shape: &[usize]) -> Self {
        let bytes = Self::byte_count(dtype, shape).expect("the tensor fits the address space");
        Self { dtype, shape: shape.to_vec(), data: AlignedBytes::zeroed(bytes) }
    }

    /// A tensor made of bytes in memory order. Errors: the wrong number of bytes for the shape.
    pub fn from_bytes(dtype: DType, shape: &[usize], bytes: &[u8]) -> Result<Self> {
        match Self::byte_count(dtype, shape) {
            Some(n) if n == bytes.len() => {
                let mut tensor = Self::zeros(dtype, shape);
                tensor.data.copy_from_slice(bytes);
                Ok(tensor)
            }
            expected => Err(Error::input(format!(
                "a tensor `{}` takes {} bytes, there are {}",
                shape_text(shape, dtype),
                expected.map_or("too many".into(), |n| n.to_string()),
                bytes.len()
            ))),
        }
    }

    /// A tensor made of values. Panics unless there are as many as the shape says.
    pub fn from_slice<T: TensorElement>(shape: &[usize], values: &[T]) -> Self {
        let mut tensor = Self::zeros(T::DTYPE, shape);
        tensor.as_mut_slice::<T>().expect("the type was just chosen").copy_from_slice(values);
        tensor
    }

    /// Bytes that a tensor takes; `None` if more than the address space.
    pub fn byte_count(dtype: DType, shape: &[usize]) -> Option<usize> {
        // A dimension of 0 makes the tensor empty however large the others are.
        if shape.contains(&0) {
            return Some(0);
        }
        shape.iter().try_fold(dtype.size(), |n, &d| n.checked_mul(d)).filter(|&n| isize::try_from(n).is_ok())
    }

    /// Returns the element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The sizes of the dimensions; empty for a scalar.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the number of elements.
    pub fn element_count(&self) -> usize {
        self.data.len() / self.dtype.size()
    }

    /// Returns the elements in memory order.
    pub fn bytes(&self) -> &[u8] {
        &self.data
    }

    /// The elements in memory order, to be changed.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.data
    }

    /// Returns the elements; `None` for another type (signedness does not matter, and `i1` reads as bytes).
    pub fn as_slice<T: TensorElement>(&self) -> Option<&[T]> {
        // SAFETY: the bytes are initialised, aligned to 64, and any bit pattern is a `T`.
        self.holds::<T>()
            .then(|| unsafe { std::slice::from_raw_parts(self.data.as_ptr().cast(), self.element_count()) })
    }

    /// Returns the elements for changes; `None` for another type.
    pub fn as_mut_slice<T: TensorElement>(&mut self) -> Option<&mut [T]> {
        let count = self.element_count();
        // SAFETY: as in `as_slice`; the borrow is exclusive.
        self.holds::<T>().then(|| unsafe { std::slice::from_raw_parts_mut(self.data.as_mut_ptr().cast(), count) })
    }

    fn holds<T: TensorElement>(&self) -> bool {
        self.dtype.is_compatible(T::DTYPE) || (self.dtype == DType::I1 && T::DTYPE.size() == 1)
    }

    /// Reinterprets the elements as another type of the same size, e.g. `u8` for `i8`. Panics if sizes differ.
    #[must_use]
    pub fn with_dtype(mut self, dtype: DType) -> Self {
        assert_eq!(self.dtype.size(), dtype.size(), "element sizes differ");
        self.dtype = dtype;
        self
    }

    /// Element type and shape as people write them: `1x3x224x224xf32`.
    pub fn type_text(&self) -> String {
        shape_text(&self.shape, self.dtype)
    }
}
