//! Converts calls of functions on tensors that others implement to memrefs, before bufferization.
//!
//! Arguments without a tied result are read-only. A tied result is a copy of its argument that the function modifies;
//! any other result is separate memory, passed after the arguments. Then [`super::functions`] gives them a C
//! signature.
use halyard_diag::{Error, Result};
use halyard_ir::{
    Attr, Builder, Op, Session, Type, Value,
    form::{ExternalKernel, Interface},
    names,
};

/// Rewrites the declarations on tensors of a module, and their calls. Fails for results of unknown size.
pub(super) fn lower(session: &Session, root: Op) -> Result<()> {
    for given in root.body_ops().into_iter().filter_map(ExternalKernel::view) {
        let interface = Interface::of(given.op);
        let tensors = interface.inputs.iter().chain(&interface.results).any(|t| t.is_tensor());
        if !given.op.is("func.func") || !tensors {
            continue;
        }
        check(session, given, &interface)?;
        let fresh = interface.untied_results().into_iter().map(|r| interface.results[r]);
        let inputs: Vec<Type> = interface.inputs.iter().copied().chain(fresh).map(buffer_type).collect();
        given.op.set_attr("function_type", Attr::ty(Type::function(session.raw(), &inputs, &[])));
        given.op.remove_attr("res_attrs");
        given.op.remove_attr("arg_attrs");
        for call in super::functions::calls_of(root, &given.name()) {
            rewrite(call, &interface);
        }
    }
    Ok(())
}

fn check(session: &Session, given: ExternalKernel, interface: &Interface) -> Result<()> {
    let name = given.name();
    let tied = |r: usize| interface.tied[r].is_none_or(|a| interface.inputs.get(a) == Some(&interface.results[r]));
    let sized = |r: usize| interface.tied[r].is_some() || interface.results[r].is_static();
    let bad = (0..interface.results.len()).find_map(|r| {
        let ty = interface.results[r];
        if !ty.is_ranked_tensor() {
            Some(format!("result {r} of `@{name}` has type `{ty}`; a function on tensors returns tensors"))
        } else if !tied(r) {
            Some(format!("result {r} of `@{name}` is tied to an argument that is not a tensor of its type"))
        } else if !sized(r) {
            Some(format!("the size of result {r} of `@{name}` is not known; tie it to an argument (`{}`)", names::TIED))
        } else {
            None
        }
    });
    let unranked = interface.inputs.iter().position(|t| t.is_tensor() && !t.is_ranked_tensor());
    let bad = unranked
        .map(|i| format!("argument {i} of `@{name}` has type `{}`; its rank must be known", interface.inputs[i]))
        .or(bad);
    let Some(why) = bad else { return Ok(()) };
    let error = Error::input(why).code("unsupported-type");
    Err(error.at(session.span(given.op)))
}

/// The memref that is passed for a tensor: anywhere, with any strides.
fn buffer_type(ty: Type) -> Type {
    if !ty.is_tensor() {
        return ty;
    }
    let shape: String = ty.shape().iter().map(|d| d.map_or("?x".into(), |d| format!("{d}x"))).collect();
    let strides = vec!["?"; ty.rank()].join(", ");
    let text = format!("memref<{shape}{}, strided<[{strides}], offset: ?>>", ty.element());
    Type::parse(ty.context(), &text).expect("a memref type")
}

fn rewrite(call: Op, interface: &Interface) {
    let at = Builder::before(call);
    let unit = Attr::unit(at.context());
    let buffer = |tensor: Value, attrs: &[(&str, Attr)]| {
        at.value("bufferization.to_buffer", &[tensor], buffer_type(tensor.ty()), attrs)
    };
    let own = |operands: &[Value], copies: i32, ty: Type| {
        // No dynamic sizes, perhaps something to copy, no hint of a size.
        let segments = Attr::i32s(at.context(), &[0, copies, 0]);
        let tensor = at.value("bufferization.alloc_tensor", operands, ty, &[("operandSegmentSizes", segments)]);
        buffer(tensor, &[])
    };
    let mut outputs: Vec<Option<Value>> = vec![None; interface.results.len()];
    let mut operands = Vec::new();
    for (i, value) in call.operands().into_iter().enumerate() {
        if !value.ty().is_tensor() {
            operands.push(value);
            continue;
        }
        let ties: Vec<usize> = (0..outputs.len()).filter(|&r| interface.tied[r] == Some(i)).collect();
        let memory = if ties.is_empty() { buffer(value, &[("read_only", unit)]) } else { own(&[value], 1, value.ty()) };
        ties.into_iter().for_each(|r| outputs[r] = Some(memory));
        operands.push(memory);
    }
    for r in interface.untied_results() {
        let memory = own(&[], 0, interface.results[r]);
        outputs[r] = Some(memory);
        operands.push(memory);
    }
    let callee = call.attr("callee").expect("calls name what they call");
    at.op("func.call", &operands, &[], &[("callee", callee)]);
    for (result, memory) in call.results().into_iter().zip(outputs.into_iter().flatten()) {
        let attrs = [("restrict", unit), ("writable", unit)];
        result.replace_all_uses(at.value("bufferization.to_tensor", &[memory], result.ty(), &attrs));
    }
    call.erase();
}
