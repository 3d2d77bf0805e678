//! The arguments and results of an export.
use super::Unsupported;
use halyard_ir::{Attr, Op, Type, names};

/// The arguments and results of an export.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    /// The types of the arguments: tensors, and scalars.
    pub(crate) inputs: Vec<Type>,
    /// The types of the results, which are tensors.
    pub(crate) outputs: Vec<Type>,
    /// For each result: the argument whose memory it takes over.
    pub(crate) tied: Vec<Option<usize>>,
    /// The element types of the bindings.
    pub(crate) bindings: Vec<Type>,
    /// How many constants the kernel is given: one for each dynamic size, then the scalars.
    pub(crate) constants: usize,
}

impl Signature {
    /// The signature of a function. Errors: a type that a kernel cannot take.
    pub(crate) fn of(func: Op) -> Result<Signature, Unsupported> {
        let ty = func.attr("function_type").and_then(Attr::as_type).ok_or("a function without a type")?;
        let (inputs, outputs) = (ty.inputs(), ty.results());
        for ty in inputs.iter().chain(&outputs) {
            let supported = if ty.is_ranked_tensor() { storable(ty.element()) } else { storable(*ty) };
            if !supported {
                return Err(format!("a value of type `{ty}`").into());
            }
        }
        if outputs.iter().any(|t| !t.is_ranked_tensor()) {
            return Err("a result that is not a tensor".into());
        }
        let result_attrs = func.attr("res_attrs").and_then(Attr::as_array).unwrap_or_default();
        let tied: Vec<Option<usize>> = (0..outputs.len())
            .map(|r| result_attrs.get(r).and_then(|a| a.get(names::TIED)?.as_int()).map(|n| n as usize))
            .collect();
        let tensors = inputs.iter().copied().filter(|t| t.is_ranked_tensor());
        let untied = outputs.iter().zip(&tied).filter(|(_, tied)| tied.is_none()).map(|(&ty, _)| ty);
        let bindings = tensors.clone().chain(untied).map(Type::element).collect();
        let unknown = |ty: Type| ty.shape().iter().filter(|d| d.is_none()).count();
        let sizes: usize = tensors.chain(outputs.iter().copied()).map(unknown).sum();
        let scalars = inputs.iter().filter(|t| !t.is_ranked_tensor()).count();
        Ok(Signature { inputs, outputs, tied, bindings, constants: sizes + scalars })
    }
}

/// Whether memory and constants hold such elements.
fn storable(ty: Type) -> bool {
    (ty.is_integer() && matches!(ty.bits(), 1 | 8 | 16 | 32 | 64))
        || (ty.is_float() && matches!(ty.bits(), 16 | 32 | 64))
        || ty.is_index()
}
