//! The kernel ABI of an export, in the types that `common/objects` checks code against.
use super::{
    Interface,
    arguments::{argument_list, code_arguments},
    load_constants,
};
use crate::{Attr, Op, Type, names};
use halyard_objects::{AbiBinding, AbiConstant, CodeArgument, KernelAbi};

/// Returns the parameters of an export's code: the kernel ABI, or what `hal.arguments` declares.
pub fn kernel_abi(export: Op) -> KernelAbi {
    let mut abi = plain_abi(export);
    if let Some(symbol) = export.attr(names::SYMBOL).and_then(Attr::as_string) {
        abi.name = symbol;
    }
    if let Some(attr) = export.attr(names::ARGUMENTS) {
        // In a variant, all is written out: the device does not matter.
        let found = argument_list(attr).and_then(|items| code_arguments(export, &items, "cpu"));
        abi.take(found.expect("the form was verified"));
    }
    abi
}

/// Returns the same for a declaration whose code has a different symbol and arguments.
pub fn declared_abi(declaration: Op, symbol: String, arguments: Option<Vec<CodeArgument>>) -> KernelAbi {
    let mut abi = KernelAbi { name: symbol, ..plain_abi(declaration) };
    if let Some(arguments) = arguments {
        abi.take(arguments);
    }
    abi
}

/// The kernel ABI of an export: buffers, sizes, scalars, load-time constants.
fn plain_abi(export: Op) -> KernelAbi {
    let interface = Interface::of(export);
    let element = |ty: Type| ty.element().to_string();
    let mut bindings = Vec::new();
    for i in interface.tensor_inputs() {
        let written = interface.tied.contains(&Some(i));
        bindings.push(AbiBinding { element: element(interface.inputs[i]), written, what: format!("argument {i}") });
    }
    for i in interface.untied_results() {
        let ty = interface.results[i];
        bindings.push(AbiBinding {
            element: element(ty),
            // There is nothing to write where there are no elements.
            written: !ty.shape().contains(&Some(0)),
            what: format!("result {i}"),
        });
    }
    let mut constants = Vec::new();
    let mut sizes = |ty: Type, whose: String| {
        for (d, _) in ty.shape().iter().enumerate().filter(|(_, size)| size.is_none()) {
            constants.push(AbiConstant { element: "index".into(), what: format!("size {d} of {whose}") });
        }
    };
    for i in interface.tensor_inputs() {
        sizes(interface.inputs[i], format!("argument {i}"));
    }
    for (i, &ty) in interface.results.iter().enumerate() {
        sizes(ty, format!("result {i}"));
    }
    for i in interface.scalar_inputs() {
        constants.push(AbiConstant { element: interface.inputs[i].to_string(), what: format!("argument {i}") });
    }
    let name = export.symbol().unwrap_or_default();
    KernelAbi { name, bindings, constants, load_constants: load_constants(export), arguments: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Session;

    #[test]
    fn buffers_then_sizes_then_scalars() {
        let session = Session::new();
        let text = "func.func private @k(f32, tensor<?x4xf16>, index, tensor<2xi8>)
            -> (tensor<2xi8> {hal.tied = 3 : i32}, tensor<?xf64> {hal.dims = array<i64: 2>})
            attributes {hal.export}";
        let module = session.parse(text.as_bytes(), "k.mlir").unwrap();
        let abi = kernel_abi(Op::from(&module).body().unwrap().ops()[0]);
        let bindings: Vec<_> = abi.bindings.iter().map(|b| (&*b.what, &*b.element, b.written)).collect();
        assert_eq!(bindings, [("argument 1", "f16", false), ("argument 3", "i8", true), ("result 1", "f64", true)]);
        let constants: Vec<_> = abi.constants.iter().map(|c| (&*c.what, &*c.element)).collect();
        assert_eq!(
            constants,
            [
                ("size 0 of argument 1", "index"),
                ("size 0 of result 1", "index"),
                ("argument 0", "f32"),
                ("argument 2", "index")
            ]
        );
    }
}
