//! The parsed interface of an export, and its fingerprint.
use crate::{Attr, Op, Type, names};

/// Bindings and constants of an export, in the order of the kernel ABI.
#[derive(Debug, Clone)]
pub struct Interface {
    /// The argument types of the function.
    pub inputs: Vec<Type>,
    /// The result types of the function.
    pub results: Vec<Type>,
    /// For each result, the argument whose buffer it shares; `None` if it has its own.
    pub tied: Vec<Option<usize>>,
    /// For each result, the positions of the `index` arguments that hold its dynamic dimensions, in order.
    pub dims: Vec<Vec<usize>>,
}

impl Interface {
    /// Returns the interface of an export, an entry or a declaration in a variant. The interface of a lowered export
    /// is in [`names::INTERFACE`]; if that is missing (which [`super::verify`] refuses), the interface is empty.
    pub fn of(function: Op) -> Self {
        let ty = interface_type(function);
        let results = ty.results();
        let attrs = result_attrs(function).and_then(Attr::as_array).unwrap_or_default();
        let of_result = |i: usize, name: &str| attrs.get(i).and_then(|d| d.get(name));
        let tied = (0..results.len())
            .map(|i| of_result(i, names::TIED).and_then(Attr::as_int).and_then(|v| usize::try_from(v).ok()))
            .collect();
        let dims = (0..results.len())
            .map(|i| {
                let list = of_result(i, names::DIMS).and_then(Attr::as_i64s).unwrap_or_default();
                list.into_iter().filter_map(|v| usize::try_from(v).ok()).collect()
            })
            .collect();
        Self { inputs: ty.inputs(), results, tied, dims }
    }

    /// The positions of the tensor arguments: the read bindings.
    pub fn tensor_inputs(&self) -> Vec<usize> {
        (0..self.inputs.len()).filter(|&i| self.inputs[i].is_tensor()).collect()
    }

    /// The positions of the scalar arguments: the constants after the dynamic dimensions.
    pub fn scalar_inputs(&self) -> Vec<usize> {
        (0..self.inputs.len()).filter(|&i| !self.inputs[i].is_tensor()).collect()
    }

    /// The untied results, which have bindings of their own.
    pub fn untied_results(&self) -> Vec<usize> {
        (0..self.results.len()).filter(|&i| self.tied[i].is_none()).collect()
    }

    /// The number of constants: dynamic dimensions of arguments, then of results (tied ones too), then scalars.
    pub fn constant_count(&self) -> usize {
        let dynamic = |t: &Type| if t.is_tensor() { t.shape().iter().filter(|d| d.is_none()).count() } else { 0 };
        self.inputs.iter().map(dynamic).sum::<usize>()
            + self.results.iter().map(dynamic).sum::<usize>()
            + self.scalar_inputs().len()
    }
}

/// The type of an interface: what [`names::INTERFACE`] says, or the type of the function.
pub(super) fn interface_type(function: Op) -> Type {
    let given = function.attr(names::INTERFACE).and_then(Attr::as_type).filter(|t| t.is_function());
    let own = || function.attr("function_type").and_then(Attr::as_type).filter(|t| t.is_function());
    let own = || own().map(|ty| super::load_constants::without_load_constants(function, ty));
    given.or_else(own).unwrap_or_else(|| Type::function(function.context(), &[], &[]))
}

/// Returns the attributes of the results of an interface, an array of dictionaries.
pub(super) fn result_attrs(function: Op) -> Option<Attr> {
    function.attr(if function.has_attr(names::INTERFACE) { names::RESULTS } else { "res_attrs" })
}

/// The fingerprint of an interface: the first 16 hex digits of the BLAKE3 hash of its text, which is the function type
/// followed by what ties and sizes its results.
pub fn fingerprint(function: Op) -> String {
    let interface = Interface::of(function);
    let mut text = interface_type(function).to_string();
    for (i, (tied, dims)) in interface.tied.iter().zip(&interface.dims).enumerate() {
        text += &format!(";{i}:{tied:?}:{dims:?}");
    }
    blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
}

/// The type of an interface in backticks, then what ties and sizes its results: what a [`fingerprint`] distinguishes.
pub(super) fn interface_text(function: Op) -> String {
    let interface = Interface::of(function);
    let mut text = format!("`{}`", interface_type(function));
    for (i, (tied, dims)) in interface.tied.iter().zip(&interface.dims).enumerate() {
        if let Some(tied) = tied {
            text += &format!(", result {i} tied to argument {tied}");
        }
        if !dims.is_empty() {
            let dims: Vec<_> = dims.iter().map(usize::to_string).collect();
            text += &format!(", result {i} sized by argument {}", dims.join(", "));
        }
    }
    text
}
