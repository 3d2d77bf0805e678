//! Any tensor program as plain loops: upstream's bufferization and linalg-to-loops, left to LLVM to vectorise. This
//! takes everything that upstream can bufferize; it does not tile and does not split the work.
use super::{abi, decompose, functions, lower, tiles};
use halyard_diag::{Error, Result};
use halyard_ir::{Attr, Builder, Module, Op, Session, Type, Value, form::Export};

/// Lowers the export of a module (a function on tensors, and perhaps private functions that it calls) to loops over
/// memory, with the signature of the kernel ABI. Gives the function that counts its workgroups, in no block.
pub(super) fn from_tensors(session: &Session, module: &Module<'_>, export: &str) -> Result<Op> {
    let root = Op::from(module);
    if calls(session, root)? {
        lower::run(session, module, "builtin.module(inline,symbol-dce)")?;
    }
    decompose::run(session, module)?;
    tiles::lower(session, root)?;
    let export = find(root, export)?;
    let workgroups = abi::single_workgroup(export);
    abi::wrap(export)?;
    // Buffers are found for whole tensors first; what a copy is left for moves element by element, so that no runtime
    // function is needed; then every allocation gets its deallocation.
    lower::run(
        session,
        module,
        "builtin.module(\
            func.func(convert-elementwise-to-linalg,linalg-fuse-elementwise-ops),canonicalize,cse,\
            eliminate-empty-tensors,empty-tensor-to-alloc-tensor,\
            one-shot-bufferize{allow-return-allocs-from-loops=true},\
            cse,canonicalize,\
            func.func(buffer-hoisting,buffer-loop-hoisting),\
            buffer-deallocation-pipeline,cse,canonicalize)",
    )?;
    from_buffers(session, module)?;
    Ok(workgroups)
}

/// Lowers a module on memrefs: its linalg operations become loops.
pub(super) fn from_buffers(session: &Session, module: &Module<'_>) -> Result<()> {
    let mut forall = false;
    Op::from(module).walk(&mut |op| forall |= op.is("scf.forall"));
    if forall {
        lower::run(session, module, "builtin.module(scf-forall-to-for)")?;
    }
    copies_to_linalg(Op::from(module));
    lower::run(
        session,
        module,
        "builtin.module(func.func(convert-linalg-to-loops),fold-memref-alias-ops,canonicalize,cse)",
    )
}

/// Whether functions are called. Errors: one that has no body here.
fn calls(session: &Session, root: Op) -> Result<bool> {
    let mut found = Vec::new();
    root.walk(&mut |op| {
        if op.is("func.call") {
            found.push(op);
        }
    });
    let functions = root.body().map(|b| b.ops()).unwrap_or_default();
    for &call in &found {
        let callee =
            call.attr("callee").and_then(Attr::as_symbol).and_then(|mut parts| parts.pop()).unwrap_or_default();
        let defined = functions.iter().any(|f| f.body().is_some() && f.symbol().as_deref() == Some(&*callee));
        if !defined && !functions::is_given(root, &callee) {
            let error = Error::input(format!("function `@{callee}` is called, but has no body in the executable"))
                .code("unsupported-op")
                .hint("put its definition beside the export, or say who has it: `hal.objects` or `hal.import`");
            return Err(match session.span(call) {
                Some(span) => error.at(span),
                None => error,
            });
        }
    }
    Ok(!found.is_empty())
}

fn find(root: Op, name: &str) -> Result<Export> {
    let ops = root.body().map(|b| b.ops()).unwrap_or_default();
    let found = ops.into_iter().find(|op| op.is("func.func") && op.symbol().as_deref() == Some(name));
    found.map(|op| Export { op }).ok_or_else(|| Error::input(format!("export `@{name}` is gone after inlining")))
}

/// `memref.copy` between buffers of different layout would call a runtime function.
fn copies_to_linalg(root: Op) {
    let mut copies = Vec::new();
    root.walk(&mut |op| {
        if op.is("memref.copy") && op.operands().iter().any(|v| !is_contiguous(v.ty())) {
            copies.push(op);
        }
    });
    for copy in copies {
        let at = Builder::before(copy);
        let (source, target) = (copy.operand(0), copy.operand(1));
        generic_copy(&at, source, target);
        copy.erase();
    }
}

fn is_contiguous(ty: Type) -> bool {
    // The identity layout is not printed.
    ty.is_memref() && !ty.to_string().contains("strided<") && !ty.to_string().contains("affine_map<")
}

fn generic_copy(at: &Builder, source: Value, target: Value) {
    use halyard_ir::{Block, Region};
    let context = at.context();
    let element = source.ty().element();
    let body = Block::create(&[element, element], at.loc);
    Builder::at_end(body, at.loc).op("linalg.yield", &[body.args()[0]], &[], &[]);
    let region = Region::create();
    region.append(body);
    let rank = source.ty().rank();
    let dims: Vec<_> = (0..rank).map(|i| format!("d{i}")).collect();
    let map = format!("affine_map<({0}) -> ({0})>", dims.join(", "));
    let parse = |text: &str| Attr::parse(context, text).expect("an attribute");
    let attrs = [
        ("indexing_maps", parse(&format!("[{map}, {map}]"))),
        ("iterator_types", parse(&format!("[{}]", vec!["#linalg.iterator_type<parallel>"; rank].join(", ")))),
        ("operandSegmentSizes", parse("array<i32: 1, 1>")),
    ];
    at.op_with_regions("linalg.generic", &[source, target], &[], &attrs, vec![region]);
}
