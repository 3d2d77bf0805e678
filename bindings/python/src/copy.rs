//! Copies tensors that are not dense, or not aligned.
use halyard_runtime::{DType, Tensor};

/// Strides in bytes of a dense row-major tensor.
pub(crate) fn dense(shape: &[usize], size: usize) -> Vec<isize> {
    let mut strides = vec![0; shape.len()];
    let mut next = size as isize;
    for (stride, &dim) in strides.iter_mut().zip(shape).rev() {
        *stride = next;
        next *= dim as isize;
    }
    strides
}

/// Whether elements with these strides lie as in a dense tensor; the stride of a single element does not matter.
pub(crate) fn is_dense(shape: &[usize], strides: &[isize], size: usize) -> bool {
    shape.contains(&0) || dense(shape, size).iter().zip(strides).zip(shape).all(|((a, b), &dim)| dim == 1 || a == b)
}

/// Copies a tensor.
///
/// # Safety
/// All elements that shape and strides (in bytes) lead to must be readable.
pub(crate) unsafe fn copied(dtype: DType, shape: &[usize], strides: &[isize], from: *const u8) -> Tensor {
    let mut tensor = Tensor::zeros(dtype, shape);
    if shape.contains(&0) {
        return tensor;
    }
    let size = dtype.size();
    if is_dense(shape, strides, size) {
        let bytes = tensor.bytes_mut();
        // SAFETY: the caller's promise; the memory is new.
        unsafe { from.copy_to_nonoverlapping(bytes.as_mut_ptr(), bytes.len()) };
        return tensor;
    }
    let mut to = tensor.bytes_mut().as_mut_ptr();
    // SAFETY: the caller's promise; as many elements are written as the tensor has.
    unsafe { walk(shape, strides, size, from, &mut to) };
    tensor
}

unsafe fn walk(shape: &[usize], strides: &[isize], size: usize, from: *const u8, to: &mut *mut u8) {
    let Some((&count, inner)) = shape.split_first() else {
        // SAFETY: the caller's promise.
        unsafe {
            from.copy_to_nonoverlapping(*to, size);
            *to = to.add(size);
        }
        return;
    };
    for i in 0..count as isize {
        // SAFETY: the caller's promise.
        unsafe { walk(inner, &strides[1..], size, from.offset(i * strides[0]), to) };
    }
}
