//! The elements of dense attributes and resources, as bytes.
use crate::{
    Session,
    handles::{Attr, Type, string_ref},
};
use bytes::Bytes;
use mlir_sys::*;
use std::borrow::Cow;

/// The elements of a dense or resource attribute as the bytes of a row-major little-endian buffer, one byte for an
/// `i1`; a splat comes as one element (`bool` is true then). `None` for other attributes or an absent resource. What
/// MLIR holds in this form is borrowed: attributes live as long as their session.
pub fn dense_data(_session: &Session, attr: Attr) -> Option<(Cow<'_, [u8]>, bool)> {
    data(attr)
}

/// Returns the elements like [`dense_data`], copied.
pub fn dense_bytes(attr: Attr) -> Option<(Vec<u8>, bool)> {
    data(attr).map(|(bytes, splat)| (bytes.into_owned(), splat))
}

/// Returns the elements; the caller bounds the lifetime.
fn data<'a>(attr: Attr) -> Option<(Cow<'a, [u8]>, bool)> {
    // SAFETY: a live attribute of its context; each query is asked only after the kind was checked.
    unsafe {
        let ty = Type(mlirAttributeGetType(attr.0));
        let element = ty.element();
        let count = ty.element_count()? as usize;
        let width = element.byte_width() as usize;
        if mlirAttributeIsADenseElements(attr.0) {
            let splat = mlirDenseElementsAttrIsSplat(attr.0) && count != 1;
            let n = if splat { 1 } else { count };
            if element.bits() == 1 {
                // Packed bits inside MLIR; read one by one.
                let bytes = (0..n).map(|i| {
                    u8::from(if splat {
                        mlirDenseElementsAttrGetBoolSplatValue(attr.0) != 0
                    } else {
                        mlirDenseElementsAttrGetBoolValue(attr.0, i as isize)
                    })
                });
                return Some((bytes.collect(), splat));
            }
            if n == 0 {
                return Some((Cow::default(), false));
            }
            // `is_splat` is also true of an array of one element, whose raw data are that element.
            let data = mlirDenseElementsAttrGetRawData(attr.0).cast::<u8>();
            if mlirDenseElementsAttrIsSplat(attr.0) {
                return Some((std::slice::from_raw_parts(data, width).into(), splat));
            }
            return Some((std::slice::from_raw_parts(data, n * width).into(), false));
        }
        if mlirAttributeIsADenseResourceElements(attr.0) {
            let blob = resource_data(&raw const attr.0);
            if blob.data.is_null() || blob.length != count * width {
                return (count == 0 && blob.length == 0).then(|| (Cow::default(), false));
            }
            return Some((std::slice::from_raw_parts(blob.data, blob.length).into(), false));
        }
        None
    }
}

/// `llvm::ArrayRef<char>`: two words, which are returned as those of a C structure are.
#[repr(C)]
struct ArrayRef {
    data: *const u8,
    length: usize,
}

unsafe extern "C" {
    /// `mlir::DenseResourceElementsAttr::getData()`: the blob of a resource, null if it is absent. The C API reads it
    /// element by element, and only common types. An attribute is a pointer in C++ as in C.
    #[link_name = "_ZN4mlir25DenseResourceElementsAttr7getDataEv"]
    fn resource_data(attr: *const MlirAttribute) -> ArrayRef;
}

/// Bytes as a `dense_resource<name>` of a shaped type, without a copy: they are kept until MLIR drops the resource. `name`
/// is made unique if it is taken.
pub fn resource(ty: Type, name: &str, bytes: Bytes) -> Attr {
    unsafe extern "C" fn free(
        user: *mut std::ffi::c_void,
        _data: *const std::ffi::c_void,
        _size: usize,
        _align: usize,
    ) {
        // SAFETY: made by `Box::into_raw` below, freed once by MLIR.
        drop(unsafe { Box::from_raw(user.cast::<Bytes>()) });
    }
    let owner = Box::into_raw(Box::new(bytes));
    // The alignment is what is written with the data, for readers that map a file. Here they may lie anywhere, as in the
    // file of a model; what reads elements in this process loads them wherever they are.
    const ALIGNMENT: usize = 8;
    // SAFETY: the bytes live until MLIR calls `free`, and are not written: the resource is not mutable.
    unsafe {
        Attr(mlirUnmanagedDenseResourceElementsAttrGet(
            ty.0,
            string_ref(name),
            (*owner).as_ptr().cast_mut().cast(),
            (*owner).len(),
            ALIGNMENT,
            false,
            Some(free),
            owner.cast(),
        ))
    }
}
