//! Native constraints and rewrites for PDL patterns, under the names that IREE uses. Constraints on sizes match static
//! sizes only.
use crate::{Attr, Op, Type, Value, handles::string_ref, is_contraction};
use mlir_sys::*;
use std::{ffi::c_void, slice::from_raw_parts};

/// A native function for PDL patterns.
#[derive(Debug, Clone, Copy)]
pub struct PdlNative {
    /// Its name.
    pub name: &'static str,
    /// The types that it takes, as PDL writes them.
    pub takes: &'static [&'static str],
    /// Whether it is a rewrite; otherwise it is a constraint.
    pub rewrites: bool,
    /// A description, for people.
    pub what: &'static str,
    run: fn(&[MlirPDLValue]) -> Option<bool>,
}

const OP: &str = "!pdl.operation";
const VALUE: &str = "!pdl.value";
const ATTR: &str = "!pdl.attribute";
const TYPE: &str = "!pdl.type";

/// All native functions.
pub const PDL_NATIVES: &[PdlNative] = &[
    PdlNative {
        name: "hasAttr",
        takes: &[OP, ATTR],
        rewrites: false,
        what: "the operation has an attribute of that name",
        run: has_attr,
    },
    PdlNative {
        name: "dimIsBound",
        takes: &[VALUE, ATTR, ATTR, ATTR],
        rewrites: false,
        what: "the size of a dimension lies between two numbers",
        run: dim_is_bound,
    },
    PdlNative {
        name: "dimIsMultipleOf",
        takes: &[VALUE, ATTR, ATTR],
        rewrites: false,
        what: "the size of a dimension is a multiple",
        run: dim_is_multiple_of,
    },
    PdlNative {
        name: "dimsMultipliedIsBound",
        takes: &[VALUE, ATTR, ATTR, ATTR, ATTR],
        rewrites: false,
        what: "the product of two sizes lies between two numbers",
        run: dims_multiplied_is_bound,
    },
    PdlNative {
        name: "matchCastCompatibleType",
        takes: &[VALUE, TYPE],
        rewrites: false,
        what: "the value is of the type, or one that says more",
        run: cast_compatible,
    },
    PdlNative {
        name: "matchContraction",
        takes: &[OP, ATTR, ATTR],
        rewrites: false,
        what: "a product of these element types and indexing maps",
        run: contraction,
    },
    PdlNative {
        name: "checkTensorElementType",
        takes: &[TYPE, TYPE],
        rewrites: false,
        what: "a tensor of that element type",
        run: element_type,
    },
    PdlNative {
        name: "annotateOperation",
        takes: &[OP, ATTR, ATTR],
        rewrites: true,
        what: "sets an attribute",
        run: annotate,
    },
];

fn op(value: MlirPDLValue) -> Op {
    // SAFETY: the check of the patterns made sure of the kind; MLIR passes what the types say.
    Op(unsafe { mlirPDLValueAsOperation(value) })
}

fn attr(value: MlirPDLValue) -> Attr {
    // SAFETY: as above.
    Attr(unsafe { mlirPDLValueAsAttribute(value) })
}

fn value(value: MlirPDLValue) -> Value {
    // SAFETY: as above.
    Value(unsafe { mlirPDLValueAsValue(value) })
}

fn ty(value: MlirPDLValue) -> Type {
    // SAFETY: as above.
    Type(unsafe { mlirPDLValueAsType(value) })
}

fn has_attr(of: &[MlirPDLValue]) -> Option<bool> {
    Some(op(of[0]).has_attr(&attr(of[1]).as_string()?))
}

fn annotate(of: &[MlirPDLValue]) -> Option<bool> {
    op(of[0]).set_attr(&attr(of[1]).as_string()?, attr(of[2]));
    Some(true)
}

/// Returns the static size of a dimension.
fn size(of: Value, dimension: Attr) -> Option<i64> {
    let ty = of.ty();
    let dimension = usize::try_from(dimension.as_int()?).ok()?;
    if ty.is_ranked_tensor() { ty.shape().get(dimension).copied().flatten() } else { None }
}

/// Whether an integer lies between two bounds; an attribute that is not an integer, such as `unit`, is no bound.
fn bound(number: i64, lower: Attr, upper: Attr) -> bool {
    lower.as_int().is_none_or(|least| least <= number) && upper.as_int().is_none_or(|most| number <= most)
}

fn dim_is_bound(of: &[MlirPDLValue]) -> Option<bool> {
    Some(bound(size(value(of[0]), attr(of[1]))?, attr(of[2]), attr(of[3])))
}

fn dims_multiplied_is_bound(of: &[MlirPDLValue]) -> Option<bool> {
    let product = size(value(of[0]), attr(of[1]))?.checked_mul(size(value(of[0]), attr(of[2]))?)?;
    Some(bound(product, attr(of[3]), attr(of[4])))
}

fn dim_is_multiple_of(of: &[MlirPDLValue]) -> Option<bool> {
    let by = attr(of[2]).as_int().filter(|&by| by > 0)?;
    Some(size(value(of[0]), attr(of[1]))? % by == 0)
}

fn cast_compatible(of: &[MlirPDLValue]) -> Option<bool> {
    let (is, want) = (value(of[0]).ty(), ty(of[1]));
    if !(is.is_ranked_tensor() && want.is_ranked_tensor()) {
        return Some(is == want);
    }
    let says_more = |(is, want): (Option<i64>, Option<i64>)| want.is_none() || is == want;
    let sizes = is.rank() == want.rank() && is.shape().into_iter().zip(want.shape()).all(says_more);
    Some(sizes && is.element() == want.element())
}

fn contraction(of: &[MlirPDLValue]) -> Option<bool> {
    let op = op(of[0]);
    let types: Vec<Attr> = op.operands().into_iter().map(|v| Attr::ty(element(v.ty()))).collect();
    let same_maps = op.attr("indexing_maps") == Some(attr(of[2]));
    Some(op.is_of("linalg") && is_contraction(op) && same_maps && attr(of[1]).as_array()? == types)
}

fn element(ty: Type) -> Type {
    if ty.is_ranked_tensor() { ty.element() } else { ty }
}

fn element_type(of: &[MlirPDLValue]) -> Option<bool> {
    let is = ty(of[0]);
    Some(is.is_ranked_tensor() && is.element() == ty(of[1]))
}

unsafe extern "C" fn call(
    _rewriter: MlirPatternRewriter,
    _results: MlirPDLResultList,
    count: usize,
    values: *mut MlirPDLValue,
    native: *mut c_void,
) -> MlirLogicalResult {
    // SAFETY: MLIR passes as many values as it says; the pointer is to an entry of the table.
    let (values, native) = unsafe { (from_raw_parts(values, count), &*native.cast::<PdlNative>()) };
    let holds = values.len() == native.takes.len() && (native.run)(values).unwrap_or(false);
    MlirLogicalResult { value: i8::from(holds) }
}

/// Registers them for a module of patterns.
pub(crate) fn register(module: MlirPDLPatternModule) {
    for native in PDL_NATIVES {
        let (name, data) = (string_ref(native.name), std::ptr::from_ref(native).cast_mut().cast());
        // SAFETY: the module is live; the table outlives it.
        unsafe {
            if native.rewrites {
                mlirPDLPatternModuleRegisterRewriteFunction(module, name, Some(call), data);
            } else {
                mlirPDLPatternModuleRegisterConstraintFunction(module, name, Some(call), data);
            }
        }
    }
}
