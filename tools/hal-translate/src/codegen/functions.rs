//! Gives functions that kernels call and others implement a C signature.
//!
//! `f32`, `f64`, `i32`, `i64` and `index` are passed unchanged. A memref of rank r becomes 1 + 2 r arguments: a
//! pointer to its first element, its sizes, its strides (in elements).
use halyard_diag::{Error, Result};
use halyard_ir::{Attr, Builder, Module, Op, Session, Type, Value, form::ExternalKernel};

/// Whether a module declares a function that others implement.
pub(super) fn is_given(root: Op, name: &str) -> bool {
    let ops = root.body_ops();
    ops.into_iter().filter_map(ExternalKernel::view).any(|g| g.name() == name)
}

/// Converts the declarations of a module, and their calls, to C signatures. Fails for types that cannot be passed to
/// C.
pub(super) fn lower(session: &Session, module: &Module<'_>) -> Result<()> {
    let root = Op::from(module);
    for given in root.body_ops().into_iter().filter_map(ExternalKernel::view) {
        let attrs: Vec<String> = given.op.discardable_attrs().into_iter().map(|(name, _)| name).collect();
        if given.op.is("func.func") {
            let name = given.name();
            let ty = given.op.attr("function_type").and_then(Attr::as_type).expect("functions have a type");
            check(session, given, &ty.inputs(), &ty.results())?;
            let inputs: Vec<Type> = ty.inputs().into_iter().flat_map(types).collect();
            given.op.set_attr("function_type", Attr::ty(Type::function(session.raw(), &inputs, &ty.results())));
            given.op.remove_attr("arg_attrs");
            calls_of(root, &name).into_iter().for_each(flatten);
        }
        for name in attrs.iter().filter(|name| name.starts_with("hal.")) {
            given.op.remove_attr(name);
        }
    }
    Ok(())
}

fn check(session: &Session, given: ExternalKernel, inputs: &[Type], results: &[Type]) -> Result<()> {
    let scalar = |t: &Type| matches!(&*t.to_string(), "f32" | "f64" | "i32" | "i64" | "index");
    let numbers =
        |t: &Type| t.is_memref() && (t.element().is_integer() || t.element().is_float() || t.element().is_index());
    let passed = |t: &Type| scalar(t) || t.is_pointer() || numbers(t);
    let bad = inputs
        .iter()
        .enumerate()
        .find(|(_, t)| !passed(t))
        .map(|(i, t)| format!("argument {i} of `@{}` has type `{t}`", given.name()));
    let bad = bad.or_else(|| {
        let many = (results.len() > 1).then(|| format!("`@{}` returns {} values", given.name(), results.len()));
        many.or_else(|| results.iter().find(|t| !scalar(t)).map(|t| format!("`@{}` returns `{t}`", given.name())))
    });
    let Some(what) = bad else { return Ok(()) };
    let error = Error::input(format!("{what}, which a hand-written function cannot have"))
        .code("unsupported-type")
        .note("it takes memrefs of numbers, f32, f64, i32, i64 and index, and returns at most one number");
    Err(error.at(session.span(given.op)))
}

/// Returns the types of an argument in C.
fn types(ty: Type) -> Vec<Type> {
    if !ty.is_memref() {
        return vec![ty];
    }
    let context = ty.context();
    let mut list = vec![Type::parse(context, "!llvm.ptr").expect("a type of the LLVM dialect")];
    list.extend(vec![Type::integer(context, 64); 2 * ty.rank()]);
    list
}

/// Returns the calls of a function.
pub(super) fn calls_of(root: Op, name: &str) -> Vec<Op> {
    let mut calls = Vec::new();
    root.walk(&mut |op| {
        if op.is("func.call") && op.callee().as_deref() == Some(name) {
            calls.push(op);
        }
    });
    calls
}

/// Passes pointers, sizes and strides instead of memrefs.
fn flatten(call: Op) {
    let at = Builder::before(call);
    let operands: Vec<Value> =
        call.operands().into_iter().flat_map(|v| if v.ty().is_memref() { parts(&at, v) } else { vec![v] }).collect();
    call.set_operands(&operands);
}

fn parts(at: &Builder, memref: Value) -> Vec<Value> {
    let context = at.context();
    let (rank, element) = (memref.ty().rank(), memref.ty().element());
    let (index, word) = (Type::index(context), Type::integer(context, 64));
    let base = Type::parse(context, &format!("memref<{element}>")).expect("a type prints as it parses");
    let mut results = vec![base];
    results.extend(vec![index; 1 + 2 * rank]);
    let metadata = at.op("memref.extract_strided_metadata", &[memref], &results, &[]).results();
    let start = at.value("memref.extract_aligned_pointer_as_index", &[metadata[0]], index, &[]);
    let bytes = at.value("arith.muli", &[metadata[1], at.index(element.byte_width() as i64)], index, &[]);
    let address = at.value("arith.addi", &[start, bytes], index, &[]);
    let address = at.value("arith.index_cast", &[address], word, &[]);
    let pointer = Type::parse(context, "!llvm.ptr").expect("a type of the LLVM dialect");
    let mut list = vec![at.value("llvm.inttoptr", &[address], pointer, &[])];
    list.extend(metadata[2..].iter().map(|&v| at.value("arith.index_cast", &[v], word, &[])));
    list
}
