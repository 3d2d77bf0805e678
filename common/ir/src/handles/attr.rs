//! Attributes.
use super::{Affine, Type, handle, owned, string_ref};
use mlir_sys::*;

/// An attribute.
#[derive(Clone, Copy)]
pub struct Attr(pub MlirAttribute);

handle!(Attr, mlirAttributePrint);

// SAFETY of all blocks in this file: the handle is a live attribute of its context, and each query is asked only after
// the kind of the attribute was checked.
#[allow(clippy::undocumented_unsafe_blocks, reason = "stated once for the file")]
mod imp {
    use super::*;

    impl Attr {
        /// Parses an attribute; `None` if it is not one (the diagnostic goes to the session).
        pub fn parse(context: MlirContext, text: &str) -> Option<Attr> {
            let raw = unsafe { mlirAttributeParseGet(context, string_ref(text)) };
            (!raw.ptr.is_null()).then_some(Attr(raw))
        }
        /// Makes the unit attribute.
        pub fn unit(context: MlirContext) -> Attr {
            unsafe { Attr(mlirUnitAttrGet(context)) }
        }
        /// Makes a string attribute.
        pub fn string(context: MlirContext, text: &str) -> Attr {
            unsafe { Attr(mlirStringAttrGet(context, string_ref(text))) }
        }
        /// Makes an integer attribute of a given type.
        pub fn integer(ty: Type, value: i64) -> Attr {
            unsafe { Attr(mlirIntegerAttrGet(ty.0, value)) }
        }
        /// Makes a float attribute of a given type.
        pub fn float(ty: Type, value: f64) -> Attr {
            unsafe { Attr(mlirFloatAttrDoubleGet(mlirTypeGetContext(ty.0), ty.0, value)) }
        }
        /// Makes a type attribute.
        pub fn ty(ty: Type) -> Attr {
            unsafe { Attr(mlirTypeAttrGet(ty.0)) }
        }
        /// Makes a symbol reference `@name`.
        pub fn symbol(context: MlirContext, name: &str) -> Attr {
            unsafe { Attr(mlirFlatSymbolRefAttrGet(context, string_ref(name))) }
        }
        /// Makes a nested symbol reference `@root::@leaf`.
        pub fn nested_symbol(context: MlirContext, root: &str, leaf: &str) -> Attr {
            let leaf = Attr::symbol(context, leaf);
            unsafe { Attr(mlirSymbolRefAttrGet(context, string_ref(root), 1, &raw const leaf.0)) }
        }
        /// Makes an array attribute.
        pub fn array(context: MlirContext, items: &[Attr]) -> Attr {
            let raw: Vec<_> = items.iter().map(|a| a.0).collect();
            unsafe { Attr(mlirArrayAttrGet(context, raw.len() as isize, raw.as_ptr())) }
        }
        /// Makes a dictionary attribute.
        pub fn dict(context: MlirContext, items: &[(&str, Attr)]) -> Attr {
            let raw: Vec<_> = items
                .iter()
                .map(|(name, attr)| unsafe {
                    mlirNamedAttributeGet(mlirIdentifierGet(context, string_ref(name)), attr.0)
                })
                .collect();
            unsafe { Attr(mlirDictionaryAttrGet(context, raw.len() as isize, raw.as_ptr())) }
        }
        /// Makes a dense array `array<i64: …>`.
        pub fn i64s(context: MlirContext, values: &[i64]) -> Attr {
            unsafe { Attr(mlirDenseI64ArrayGet(context, values.len() as isize, values.as_ptr())) }
        }
        /// Makes a dense array `array<i32: …>`.
        pub fn i32s(context: MlirContext, values: &[i32]) -> Attr {
            unsafe { Attr(mlirDenseI32ArrayGet(context, values.len() as isize, values.as_ptr())) }
        }
        /// Makes an affine map attribute.
        pub fn affine_map(map: Affine) -> Attr {
            unsafe { Attr(mlirAffineMapAttrGet(map.0)) }
        }
        /// Returns the text of a string attribute.
        pub fn as_string(self) -> Option<String> {
            unsafe { mlirAttributeIsAString(self.0).then(|| owned(mlirStringAttrGetValue(self.0))) }
        }
        /// The value of an integer attribute (sign-extended; `i1` true is 1).
        pub fn as_int(self) -> Option<i64> {
            unsafe {
                mlirAttributeIsAInteger(self.0).then(|| {
                    let ty = mlirAttributeGetType(self.0);
                    if mlirTypeIsAInteger(ty) && mlirIntegerTypeIsUnsigned(ty) {
                        mlirIntegerAttrGetValueUInt(self.0) as i64
                    } else if mlirTypeIsAInteger(ty) && mlirIntegerTypeIsSigned(ty) {
                        mlirIntegerAttrGetValueSInt(self.0)
                    } else if mlirTypeIsAInteger(ty) && mlirIntegerTypeGetWidth(ty) == 1 {
                        mlirIntegerAttrGetValueInt(self.0) & 1
                    } else {
                        mlirIntegerAttrGetValueInt(self.0)
                    }
                })
            }
        }
        /// Returns the value of a float attribute.
        pub fn as_float(self) -> Option<f64> {
            unsafe { mlirAttributeIsAFloat(self.0).then(|| mlirFloatAttrGetValueDouble(self.0)) }
        }
        /// Returns the type of a type attribute.
        pub fn as_type(self) -> Option<Type> {
            unsafe { mlirAttributeIsAType(self.0).then(|| Type(mlirTypeAttrGetValue(self.0))) }
        }
        /// Returns the items of an array attribute.
        pub fn as_array(self) -> Option<Vec<Attr>> {
            unsafe {
                mlirAttributeIsAArray(self.0).then(|| {
                    (0..mlirArrayAttrGetNumElements(self.0)).map(|i| Attr(mlirArrayAttrGetElement(self.0, i))).collect()
                })
            }
        }
        /// The integers of an `array<i64: …>`, `array<i32: …>` or an array of integers.
        pub fn as_i64s(self) -> Option<Vec<i64>> {
            unsafe {
                if mlirAttributeIsADenseI64Array(self.0) {
                    return Some(
                        (0..mlirDenseArrayGetNumElements(self.0))
                            .map(|i| mlirDenseI64ArrayGetElement(self.0, i))
                            .collect(),
                    );
                }
                if mlirAttributeIsADenseI32Array(self.0) {
                    return Some(
                        (0..mlirDenseArrayGetNumElements(self.0))
                            .map(|i| i64::from(mlirDenseI32ArrayGetElement(self.0, i)))
                            .collect(),
                    );
                }
                if mlirAttributeIsADenseIntElements(self.0) && Type(mlirAttributeGetType(self.0)).element().bits() == 64
                {
                    return Some(
                        (0..mlirElementsAttrGetNumElements(self.0) as isize)
                            .map(|i| mlirDenseElementsAttrGetInt64Value(self.0, i))
                            .collect(),
                    );
                }
            }
            self.as_array()?.into_iter().map(Attr::as_int).collect()
        }
        /// Returns one item of a dictionary.
        pub fn get(self, name: &str) -> Option<Attr> {
            unsafe {
                if !mlirAttributeIsADictionary(self.0) {
                    return None;
                }
                let raw = mlirDictionaryAttrGetElementByName(self.0, string_ref(name));
                (!raw.ptr.is_null()).then_some(Attr(raw))
            }
        }
        /// Returns the items of a dictionary.
        pub fn as_dict(self) -> Option<Vec<(String, Attr)>> {
            unsafe {
                mlirAttributeIsADictionary(self.0).then(|| {
                    (0..mlirDictionaryAttrGetNumElements(self.0))
                        .map(|i| {
                            let named = mlirDictionaryAttrGetElement(self.0, i);
                            (owned(mlirIdentifierStr(named.name)), Attr(named.attribute))
                        })
                        .collect()
                })
            }
        }
        /// The parts of a symbol reference: root first.
        pub fn as_symbol(self) -> Option<Vec<String>> {
            unsafe {
                mlirAttributeIsASymbolRef(self.0).then(|| {
                    let mut parts = vec![owned(mlirSymbolRefAttrGetRootReference(self.0))];
                    for i in 0..mlirSymbolRefAttrGetNumNestedReferences(self.0) {
                        let nested = mlirSymbolRefAttrGetNestedReference(self.0, i);
                        parts.push(owned(mlirSymbolRefAttrGetRootReference(nested)));
                    }
                    parts
                })
            }
        }
        /// The last part of a symbol reference: the name in the innermost table.
        pub fn leaf_symbol(self) -> Option<String> {
            self.as_symbol()?.pop()
        }
        /// The map of an affine map attribute.
        pub fn as_affine_map(self) -> Option<Affine> {
            unsafe { mlirAttributeIsAAffineMap(self.0).then(|| Affine(mlirAffineMapAttrGetValue(self.0))) }
        }
        /// The type of a typed attribute (integer, float, elements).
        pub fn value_type(self) -> Type {
            unsafe { Type(mlirAttributeGetType(self.0)) }
        }
        /// Whether it holds the elements of a tensor or vector (dense or resource).
        pub fn is_elements(self) -> bool {
            unsafe { mlirAttributeIsAElements(self.0) }
        }
        /// Whether all elements are the same dense value.
        pub fn is_splat(self) -> bool {
            unsafe { mlirAttributeIsADenseElements(self.0) && mlirDenseElementsAttrIsSplat(self.0) }
        }
        /// The value of a splat, as an attribute of the element type.
        pub fn splat_value(self) -> Option<Attr> {
            unsafe { self.is_splat().then(|| Attr(mlirDenseElementsAttrGetSplatValue(self.0))) }
        }
        /// Whether its elements are a resource (a blob outside the IR).
        pub fn is_resource(self) -> bool {
            unsafe { mlirAttributeIsADenseResourceElements(self.0) }
        }
    }
}
