//! Plain loops: the parts of the lowering from tensors to loops for which upstream has no passes.
use super::{functions, lower};
use halyard_diag::{Error, Result};
use halyard_ir::{Attr, Builder, Module, Op, Session, Type, Value};

/// Inlines the functions that an export calls. Errors: one that has no body here.
pub(crate) fn inline_calls(session: &Session, module: &Module<'_>) -> Result<()> {
    if calls(session, Op::from(module))? {
        lower::run(session, module, "builtin.module(inline,symbol-dce)")?;
    }
    Ok(())
}

/// Whether functions are called. Fails if one has no body here.
fn calls(session: &Session, root: Op) -> Result<bool> {
    let mut found = Vec::new();
    root.walk(&mut |op| {
        if op.is("func.call") {
            found.push(op);
        }
    });
    let functions = root.body_ops();
    for &call in &found {
        let callee = call.callee().unwrap_or_default();
        let defined = functions.iter().any(|f| f.body().is_some() && f.symbol().as_deref() == Some(&*callee));
        if !defined && !functions::is_given(root, &callee) {
            let error = Error::input(format!("function `@{callee}` is called, but has no body in the executable"))
                .code("unsupported-op")
                .hint("put its definition beside the export, or say who has it: `hal.objects` or `hal.import`");
            return Err(error.at(session.span(call)));
        }
    }
    Ok(!found.is_empty())
}

/// Makes copies loops: those between buffers of different layout would call a runtime function, and on a GPU, where
/// there is no function to copy memory with, all of them.
pub(crate) fn copies_to_linalg(root: Op, all: bool) {
    let mut copies = Vec::new();
    root.walk(&mut |op| {
        if op.is("memref.copy") && (all || op.operands().iter().any(|v| !is_contiguous(v.ty()))) {
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
