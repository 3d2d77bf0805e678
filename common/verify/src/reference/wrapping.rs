//! Makes functions that can be called of the parts of a source.
use super::Piece;
use halyard_diag::Result;
use halyard_ir::{
    Module, Op, Session, Type,
    form::{Export, Variant},
    names,
};
use halyard_targets::gpus_of_dialect;

/// The source without variants, all of it private.
pub(super) fn copy(session: &Session, source: Op) -> Module<'_> {
    let module = session.empty_module();
    let body = Op::from(&module).body().expect("a module has a body");
    for op in source.body_ops() {
        // Counts of lowered exports are not called here.
        let dialect = op.name();
        let of_gpus = !gpus_of_dialect(dialect.split('.').next().unwrap_or_default()).is_empty();
        if Variant::view(op).is_some() || of_gpus {
            continue;
        }
        let copy = body.append(op.duplicate());
        if copy.is("func.func") {
            copy.set_attr("sym_visibility", halyard_ir::Attr::string(session.raw(), "private"));
            for name in [names::EXPORT, names::LOAD_CONSTANTS] {
                copy.remove_attr(name);
            }
        }
    }
    module
}

/// Adds the function that reads arguments from memory, calls an export, and writes a result to memory. After the arguments
/// and results come the places where tiles start.
pub(super) fn wrap(session: &Session, root: Op, export: Export, piece: &Piece) -> Result<()> {
    let name = export.name();
    let ty = export.signature();
    let (inputs, results) = (ty.inputs(), ty.results());
    let memory =
        |ty: Type| if ty.is_ranked_tensor() { Type::memref(&ty.shape(), ty.element()) } else { Type::memref(&[], ty) };
    let list = |types: &[Type]| types.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let mut arguments: Vec<String> = inputs.iter().enumerate().map(|(i, &t)| format!("%a{i}: {}", memory(t))).collect();
    arguments.extend(piece.results.iter().map(|&r| format!("%r{r}: {}", memory(results[r]))));
    arguments.push("%at: memref<8xindex>".into());
    let mut text = format!("func.func private @{name}({}) -> ({})\n", list(&inputs), list(&results));
    text += &format!("func.func @{}({}) {{\n", piece.name, arguments.join(", "));
    for (i, &ty) in inputs.iter().enumerate() {
        let line = if ty.is_ranked_tensor() {
            format!("  %v{i} = bufferization.to_tensor %a{i} restrict : {} to {ty}\n", memory(ty))
        } else {
            format!("  %v{i} = memref.load %a{i}[] : {}\n", memory(ty))
        };
        text += &line;
    }
    let operands: Vec<String> = (0..inputs.len()).map(|i| format!("%v{i}")).collect();
    text += &format!(
        "  %w:{} = func.call @{name}({}) : ({}) -> ({})\n",
        results.len(),
        operands.join(", "),
        list(&inputs),
        list(&results)
    );
    for &r in &piece.results {
        let ty = results[r];
        text += &format!(
            "  bufferization.materialize_in_destination %w#{r} in restrict writable %r{r} : ({ty}, {}) -> ()\n",
            memory(ty)
        );
    }
    text += "  return\n}\n";
    add(session, root, &text, &piece.name)
}

/// Adds a function that writes the numbers of workgroups to memory.
pub(super) fn add_count(session: &Session, root: Op, count: Op, e: usize) -> Result<String> {
    let copy = count.duplicate();
    let (inner, outer) = (format!("halyard_count_{e}"), format!("halyard_counts_{e}"));
    copy.set_attr("sym_name", halyard_ir::Attr::string(session.raw(), &inner));
    copy.set_attr("sym_visibility", halyard_ir::Attr::string(session.raw(), "private"));
    root.body().expect("a module has a body").append(copy);
    let inputs =
        copy.attr("function_type").and_then(halyard_ir::Attr::as_type).map(|t| t.inputs().len()).unwrap_or_default();
    let types = vec!["index"; inputs].join(", ");
    let mut text = format!(
        "func.func private @{inner}({types}) -> (index, index, index)\nfunc.func @{outer}(%c: memref<?xindex>, %n: memref<3xindex>) {{\n"
    );
    for i in 0..inputs.max(3) {
        text += &format!("  %i{i} = arith.constant {i} : index\n");
    }
    for i in 0..inputs {
        text += &format!("  %c{i} = memref.load %c[%i{i}] : memref<?xindex>\n");
    }
    let operands: Vec<String> = (0..inputs).map(|i| format!("%c{i}")).collect();
    text += &format!("  %w:3 = func.call @{inner}({}) : ({types}) -> (index, index, index)\n", operands.join(", "));
    for i in 0..3 {
        text += &format!("  memref.store %w#{i}, %n[%i{i}] : memref<3xindex>\n");
    }
    text += "  return\n}\n";
    add(session, root, &text, &outer)?;
    Ok(outer)
}

/// Parses functions and moves one of them into the module.
pub(super) fn add(session: &Session, root: Op, text: &str, name: &str) -> Result<()> {
    let parsed = beside(session, text)?;
    let ops = Op::from(&parsed).body_ops();
    let function = ops.into_iter().find(|op| op.symbol().as_deref() == Some(name)).expect("the text defines it");
    function.detach();
    root.body().expect("a module has a body").append(function);
    Ok(())
}

/// Parses a text of ours; places in the program are not looked up in it.
pub(super) fn beside<'s>(session: &'s Session, text: &str) -> Result<Module<'s>> {
    let sources = session.sources();
    let parsed = session.parse(text.as_bytes(), "reference");
    session.adopt_sources(&sources);
    parsed
}
