//! Types.
use super::{handle, string_ref};
use mlir_sys::*;

/// A type.
#[derive(Clone, Copy)]
pub struct Type(pub MlirType);

handle!(Type, mlirTypePrint);

// SAFETY of all blocks in this file: the handle is a live type of its context, and each query is asked only of types
// for which the C API defines it.
#[allow(clippy::undocumented_unsafe_blocks, reason = "stated once for the file")]
mod imp {
    use super::*;

    impl Type {
        /// Parses a type; `None` if it is not one (the diagnostic goes to the session).
        pub fn parse(context: MlirContext, text: &str) -> Option<Type> {
            let raw = unsafe { mlirTypeParseGet(context, string_ref(text)) };
            (!raw.ptr.is_null()).then_some(Type(raw))
        }
        /// Returns the context.
        pub fn context(self) -> MlirContext {
            unsafe { mlirTypeGetContext(self.0) }
        }
        /// Makes the `index` type.
        pub fn index(context: MlirContext) -> Type {
            unsafe { Type(mlirIndexTypeGet(context)) }
        }
        /// Makes a signless integer type.
        pub fn integer(context: MlirContext, width: u32) -> Type {
            unsafe { Type(mlirIntegerTypeGet(context, width)) }
        }
        /// Makes `f32`.
        pub fn f32(context: MlirContext) -> Type {
            unsafe { Type(mlirF32TypeGet(context)) }
        }
        /// Makes `f64`.
        pub fn f64(context: MlirContext) -> Type {
            unsafe { Type(mlirF64TypeGet(context)) }
        }
        /// Makes a function type.
        pub fn function(context: MlirContext, inputs: &[Type], results: &[Type]) -> Type {
            let i: Vec<_> = inputs.iter().map(|t| t.0).collect();
            let r: Vec<_> = results.iter().map(|t| t.0).collect();
            unsafe { Type(mlirFunctionTypeGet(context, i.len() as isize, i.as_ptr(), r.len() as isize, r.as_ptr())) }
        }
        /// A ranked tensor type; `None` in the shape is a dynamic dimension.
        pub fn tensor(shape: &[Option<i64>], element: Type) -> Type {
            let dims: Vec<i64> =
                shape.iter().map(|d| d.unwrap_or_else(|| unsafe { mlirShapedTypeGetDynamicSize() })).collect();
            unsafe {
                Type(mlirRankedTensorTypeGet(
                    dims.len() as isize,
                    dims.as_ptr(),
                    element.0,
                    MlirAttribute { ptr: std::ptr::null_mut() },
                ))
            }
        }
        /// A contiguous memref type; `None` in the shape is a dynamic dimension.
        pub fn memref(shape: &[Option<i64>], element: Type) -> Type {
            let dims: Vec<i64> =
                shape.iter().map(|d| d.unwrap_or_else(|| unsafe { mlirShapedTypeGetDynamicSize() })).collect();
            let null = MlirAttribute { ptr: std::ptr::null_mut() };
            unsafe { Type(mlirMemRefTypeContiguousGet(element.0, dims.len() as isize, dims.as_ptr(), null)) }
        }
        /// A one-dimensional vector type of fixed length.
        pub fn vector(length: i64, element: Type) -> Type {
            unsafe { Type(mlirVectorTypeGet(1, &raw const length, element.0)) }
        }
        /// Whether it is a ranked tensor.
        pub fn is_ranked_tensor(self) -> bool {
            unsafe { mlirTypeIsARankedTensor(self.0) }
        }
        /// Whether it is a tensor, ranked or not.
        pub fn is_tensor(self) -> bool {
            unsafe { mlirTypeIsATensor(self.0) }
        }
        /// Whether it is a ranked tensor with an encoding.
        pub fn has_encoding(self) -> bool {
            unsafe { self.is_ranked_tensor() && !mlirRankedTensorTypeGetEncoding(self.0).ptr.is_null() }
        }
        /// Whether it is a memref.
        pub fn is_memref(self) -> bool {
            unsafe { mlirTypeIsAMemRef(self.0) }
        }
        /// Whether it is a vector.
        pub fn is_vector(self) -> bool {
            unsafe { mlirTypeIsAVector(self.0) }
        }
        /// Whether it is `index`.
        pub fn is_index(self) -> bool {
            unsafe { mlirTypeIsAIndex(self.0) }
        }
        /// Whether it is an integer (any width and signedness; not `index`).
        pub fn is_integer(self) -> bool {
            unsafe { mlirTypeIsAInteger(self.0) }
        }
        /// Whether it is an integer that says whether it has a sign: `si8`, `ui8`.
        pub fn has_sign(self) -> bool {
            unsafe { self.is_integer() && !mlirIntegerTypeIsSignless(self.0) }
        }
        /// Whether it is `f16`, `bf16`, `f32` or `f64`.
        pub fn is_common_float(self) -> bool {
            unsafe {
                mlirTypeIsAF32(self.0) || mlirTypeIsAF16(self.0) || mlirTypeIsABF16(self.0) || mlirTypeIsAF64(self.0)
            }
        }
        /// Whether it is `f16`.
        pub fn is_f16(self) -> bool {
            unsafe { mlirTypeIsAF16(self.0) }
        }
        /// Whether it is a floating-point type.
        pub fn is_float(self) -> bool {
            unsafe { mlirTypeIsAFloat(self.0) }
        }
        /// The width in bits of an integer or float; 64 for `index`. 0 for other types.
        pub fn bits(self) -> u32 {
            unsafe {
                if self.is_integer() {
                    mlirIntegerTypeGetWidth(self.0)
                } else if self.is_float() {
                    mlirFloatTypeGetWidth(self.0)
                } else if self.is_index() {
                    64
                } else {
                    0
                }
            }
        }
        /// The bytes that one element takes in memory: bits rounded up to bytes (an `i1` takes one byte).
        pub fn byte_width(self) -> u64 {
            u64::from(self.bits()).div_ceil(8)
        }
        /// The element type of a tensor, memref or vector; the type itself otherwise.
        pub fn element(self) -> Type {
            unsafe { if mlirTypeIsAShaped(self.0) { Type(mlirShapedTypeGetElementType(self.0)) } else { self } }
        }
        /// The shape of a ranked shaped type, `None` for a dynamic dimension. Panics on unranked or unshaped types.
        pub fn shape(self) -> Vec<Option<i64>> {
            unsafe {
                assert!(mlirTypeIsAShaped(self.0) && mlirShapedTypeHasRank(self.0), "`{self}` has no shape");
                (0..mlirShapedTypeGetRank(self.0) as isize)
                    .map(|i| (!mlirShapedTypeIsDynamicDim(self.0, i)).then(|| mlirShapedTypeGetDimSize(self.0, i)))
                    .collect()
            }
        }
        /// Returns the rank of a ranked shaped type.
        pub fn rank(self) -> usize {
            unsafe {
                assert!(mlirTypeIsAShaped(self.0) && mlirShapedTypeHasRank(self.0), "`{self}` has no rank");
                mlirShapedTypeGetRank(self.0) as usize
            }
        }
        /// Whether every dimension is static.
        pub fn is_static(self) -> bool {
            self.shape().iter().all(Option::is_some)
        }
        /// Returns the number of elements, if static and less than 2^63.
        pub fn element_count(self) -> Option<i64> {
            let shape: Vec<i64> = self.shape().into_iter().collect::<Option<_>>()?;
            // A size of 0 may stand after others whose product is too large.
            if shape.contains(&0) { Some(0) } else { shape.into_iter().try_fold(1i64, i64::checked_mul) }
        }
        /// Whether it is a function type of the builtin dialect.
        pub fn is_function(self) -> bool {
            unsafe { mlirTypeIsAFunction(self.0) }
        }
        /// Whether it is a function type of the LLVM dialect.
        pub fn is_llvm_function(self) -> bool {
            // The C API can take one apart, but not tell that it is one.
            self.to_string().starts_with("!llvm.func<")
        }
        /// The inputs of a function type (of the LLVM dialect, too); none for other types.
        pub fn inputs(self) -> Vec<Type> {
            unsafe {
                if self.is_function() {
                    (0..mlirFunctionTypeGetNumInputs(self.0))
                        .map(|i| Type(mlirFunctionTypeGetInput(self.0, i)))
                        .collect()
                } else if self.is_llvm_function() {
                    (0..mlirLLVMFunctionTypeGetNumInputs(self.0))
                        .map(|i| Type(mlirLLVMFunctionTypeGetInput(self.0, i)))
                        .collect()
                } else {
                    Vec::new()
                }
            }
        }
        /// The results of a function type; that of the LLVM dialect has one, which may be `!llvm.void`.
        pub fn results(self) -> Vec<Type> {
            unsafe {
                if self.is_function() {
                    (0..mlirFunctionTypeGetNumResults(self.0))
                        .map(|i| Type(mlirFunctionTypeGetResult(self.0, i)))
                        .collect()
                } else if self.is_llvm_function() {
                    vec![Type(mlirLLVMFunctionTypeGetReturnType(self.0))]
                } else {
                    Vec::new()
                }
            }
        }
        /// Whether it is a pointer of the LLVM dialect.
        pub fn is_pointer(self) -> bool {
            unsafe { mlirTypeIsALLVMPointerType(self.0) }
        }
        /// Whether contiguous memory that starts at its first element is a case of this memref's layout: strides and
        /// offset are what they are there, or dynamic.
        pub fn takes_contiguous(self) -> bool {
            let shape = self.shape();
            let (mut strides, mut offset) = (vec![0i64; shape.len()], 0i64);
            unsafe {
                if mlirMemRefTypeGetStridesAndOffset(self.0, strides.as_mut_ptr(), &raw mut offset).value == 0 {
                    return false;
                }
                let dynamic = mlirShapedTypeGetDynamicStrideOrOffset();
                let mut contiguous = Some(1i64);
                for (stride, size) in strides.into_iter().zip(&shape).rev() {
                    if stride != dynamic && Some(stride) != contiguous && *size != Some(1) {
                        return false;
                    }
                    contiguous = contiguous.zip(*size).map(|(a, b)| a * b);
                }
                offset == dynamic || offset == 0
            }
        }
        /// Whether it is a memref outside the default memory space.
        pub fn has_memory_space(self) -> bool {
            unsafe { self.is_memref() && !mlirMemRefTypeGetMemorySpace(self.0).ptr.is_null() }
        }
    }
}
