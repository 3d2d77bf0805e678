//! The tensors of signatures: which ones the host program supports, and their descriptions in the linked program.
use super::values::dtype_of;
use halyard_ir::{Attr, Type, names};
use halyard_runtime::{DType, TensorSpec};
use halyard_scalars::scalar_of;

/// Returns the description of a tensor from its type and the attributes of an argument, a result or a global.
pub(crate) fn spec(ty: Type, attr: impl Fn(&str) -> Option<Attr>) -> TensorSpec {
    TensorSpec {
        name: attr(names::NAME).and_then(Attr::as_string),
        dtype: element(ty, attr(names::UNSIGNED).is_some()),
        shape: if ty.is_tensor() {
            ty.shape().into_iter().map(|d| d.map(|d| d as usize)).collect()
        } else {
            Vec::new()
        },
        dim_names: attr(names::DIM_NAMES)
            .and_then(Attr::as_array)
            .unwrap_or_default()
            .into_iter()
            .filter_map(Attr::as_string)
            .collect(),
        element: attr(names::ELEMENT).and_then(Attr::as_string),
    }
}

/// The element type of a type of a signature.
pub(crate) fn element(ty: Type, unsigned: bool) -> DType {
    let dtype = dtype_of(ty.element()).expect("types were checked");
    DType::ALL.into_iter().find(|d| unsigned && d.is_unsigned() && d.signless() == dtype).unwrap_or(dtype)
}

/// Whether the static part of a tensor's size fits the address space.
pub(crate) fn fits_memory(ty: Type) -> bool {
    if !ty.is_ranked_tensor() || ty.shape().contains(&Some(0)) {
        return true;
    }
    let width = dtype_of(ty.element()).map_or(1, |d| d.size() as i64);
    ty.shape().into_iter().flatten().try_fold(width, |n, d| n.checked_mul(d)).is_some()
}

/// Whether values of a type are supported.
pub(crate) fn is_supported(ty: Type) -> bool {
    if ty.is_tensor() { ty.is_ranked_tensor() && dtype_of(ty.element()).is_some() } else { scalar_of(ty).is_some() }
}
