//! The reference: a source on tensors by upstream's passes alone, as plain loops.
//!
//! A wrapper reads the arguments from memory and lets bufferization write a result to memory; nothing of the code generator
//! of this project is in between. What takes long is not computed as a whole: upstream's tiling makes a function of it that
//! computes the elements from a given place on.
use crate::{
    jit::Loaded,
    machine::Machine,
    samples::{self, Samples},
};
use halyard_diag::{Error, Result};
use halyard_ir::{
    Builder, Module, Op, Session, Type,
    form::{Export, Variant},
    names,
};
use std::sync::atomic::{AtomicI32, Ordering};

/// Set by a reference that was given what its source has no meaning for: sizes that do not fit, indices out of range.
pub(crate) static ILLEGAL: AtomicI32 = AtomicI32::new(0);

/// The dialects that are used here; a session must have them loaded.
pub const DIALECTS: &[&str] = &[
    "arith",
    "bufferization",
    "cf",
    "func",
    "index",
    "linalg",
    "llvm",
    "math",
    "memref",
    "scf",
    "tensor",
    "transform",
];

/// Upstream has these decompositions only as transforms.
const DECOMPOSE: &str = r#"
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %functions = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %functions { transform.apply_patterns.tensor.decompose_concat } : !transform.any_op
    %softmax = transform.structured.match ops{["linalg.softmax"]} in %root : (!transform.any_op) -> !transform.any_op
    %0 = transform.structured.decompose_interface %softmax : (!transform.any_op) -> !transform.any_op
    %pack = transform.structured.match ops{["linalg.pack"]} in %root : (!transform.any_op) -> !transform.op<"linalg.pack">
    %pad, %expand, %transpose = transform.structured.lower_pack %pack : (!transform.op<"linalg.pack">) -> (!transform.op<"tensor.pad">, !transform.op<"tensor.expand_shape">, !transform.op<"linalg.transpose">)
    %unpack = transform.structured.match ops{["linalg.unpack"]} in %root : (!transform.any_op) -> !transform.op<"linalg.unpack">
    %empty, %unpacked, %collapse, %slice = transform.structured.lower_unpack %unpack : (!transform.op<"linalg.unpack">) -> (!transform.op<"tensor.empty">, !transform.op<"linalg.transpose">, !transform.op<"tensor.collapse_shape">, !transform.op<"tensor.extract_slice">)
    transform.yield
  }
}
"#;

/// What is computed at once.
#[derive(Debug)]
pub(crate) struct Piece {
    /// The function.
    pub(crate) name: String,
    /// The results that it writes.
    pub(crate) results: Vec<usize>,
    /// The places that it can start from; `None` if it computes everything.
    pub(crate) samples: Option<Samples>,
}

/// The reference of an executable, loaded; the objects that its source calls are, too.
pub(crate) struct Reference<'s> {
    _module: Module<'s>,
    /// For each export, what computes its results.
    pub(crate) pieces: Vec<Vec<Piece>>,
    /// For each export, the name of the function that counts its workgroups.
    pub(crate) counts: Vec<String>,
}

/// Builds it and loads it. `counts` are functions of the variant from constants to workgroups. Errors: what upstream's passes cannot lower.
pub(crate) fn build<'s>(
    session: &'s Session,
    machine: &Machine,
    loaded: &Loaded,
    source: Op,
    exports: &[Export],
    counts: &[Op],
) -> Result<Reference<'s>> {
    let module = copy(session, source);
    let root = Op::from(&module);
    let mut pieces = Vec::new();
    for (e, export) in exports.iter().enumerate() {
        let sampled = samples::plan(export.op)?;
        let list: Vec<Piece> = match sampled {
            None => vec![Piece {
                name: format!("halyard_reference_{e}"),
                results: (0..export.ty().results().len()).collect(),
                samples: None,
            }],
            Some(list) => list
                .into_iter()
                .enumerate()
                .map(|(r, samples)| Piece { name: format!("halyard_reference_{e}_{r}"), results: vec![r], samples })
                .collect(),
        };
        for piece in &list {
            wrap(session, root, *export, piece)?;
        }
        pieces.push(list);
    }
    let names =
        counts.iter().enumerate().map(|(e, count)| add_count(session, root, *count, e)).collect::<Result<Vec<_>>>()?;
    let mut public: Vec<String> = pieces.iter().flatten().map(|p| p.name.clone()).collect();
    public.extend(names.iter().cloned());
    lower(session, &module, pieces.iter().flatten())?;
    let object = machine.compile(root, &public)?;
    loaded.add(&object)?;
    Ok(Reference { _module: module, pieces, counts: names })
}

/// The source without variants, all of it private.
fn copy(session: &Session, source: Op) -> Module<'_> {
    let module = session.empty_module();
    let body = Op::from(&module).body().expect("a module has a body");
    for op in source.body().map(|b| b.ops()).unwrap_or_default() {
        // Counts of lowered exports are not called here.
        if Variant::view(op).is_some() || op.name().starts_with("gpu.") || op.name().starts_with("spirv.") {
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
fn wrap(session: &Session, root: Op, export: Export, piece: &Piece) -> Result<()> {
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
fn add_count(session: &Session, root: Op, count: Op, e: usize) -> Result<String> {
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
fn add(session: &Session, root: Op, text: &str, name: &str) -> Result<()> {
    let parsed = beside(session, text)?;
    let ops = Op::from(&parsed).body().map(|b| b.ops()).unwrap_or_default();
    let function = ops.into_iter().find(|op| op.symbol().as_deref() == Some(name)).expect("the text defines it");
    function.detach();
    root.body().expect("a module has a body").append(function);
    Ok(())
}

/// Parses a text of ours; places in the program are not looked up in it.
fn beside<'s>(session: &'s Session, text: &str) -> Result<Module<'s>> {
    let sources = session.sources();
    let parsed = session.parse(text.as_bytes(), "reference");
    session.adopt_sources(&sources);
    parsed
}

/// From tensors to the LLVM dialect. What a function allocates is freed after the call, see [`crate::arena`].
fn lower<'p>(session: &Session, module: &Module<'_>, pieces: impl Iterator<Item = &'p Piece>) -> Result<()> {
    let root = Op::from(module);
    let run = |passes: &str| session.run_pipeline_on(root, &format!("builtin.module({passes})"), false);
    run("inline,symbol-dce,canonicalize,cse,func.func(convert-elementwise-to-linalg)")?;
    let composite = ["linalg.softmax", "linalg.pack", "linalg.unpack", "tensor.concat"];
    if any(root, &mut |op| composite.contains(&&*op.name())) {
        schedule(session, root, DECOMPOSE)?;
    }
    let mut sampled = false;
    for piece in pieces {
        if let Some(samples) = &piece.samples {
            sample(session, root, &piece.name, samples)?;
            sampled = true;
        }
    }
    if sampled {
        run("canonicalize,cse")?;
    }
    // What depends on data, or on sizes, is watched while it runs.
    let unsure = any(root, &mut |op| {
        matches!(&*op.name(), "tensor.extract" | "tensor.gather" | "tensor.scatter" | "cf.assert" | "memref.load")
            || op.results().iter().any(|v| v.ty().is_ranked_tensor() && !v.ty().is_static())
    });
    run(
        "eliminate-empty-tensors,empty-tensor-to-alloc-tensor,one-shot-bufferize{allow-return-allocs-from-loops=true}",
    )?;
    if unsure {
        run("generate-runtime-verification")?;
        // Their texts would be printed.
        root.walk(&mut |op| {
            if op.is("cf.assert") {
                op.set_attr("msg", halyard_ir::Attr::string(session.raw(), ""));
            }
        });
    }
    run(
        "scf-forall-to-for,func.func(buffer-hoisting,buffer-loop-hoisting,convert-linalg-to-loops),fold-memref-alias-ops,canonicalize,cse",
    )?;
    let narrow = narrow_floats(root);
    if !narrow.is_empty() {
        run("math-extend-to-supported-types{target-type=f32}")?;
        let list = narrow.join(",");
        run(&format!(
            "func.func(arith-emulate-unsupported-floats{{source-types={list} target-type=f32}}),canonicalize"
        ))?;
    }
    let has = |ty: &str| narrow.iter().any(|n| n == ty);
    let (bf16, f8, f4) = (has("bf16"), has("f8E8M0FNU"), has("f4E2M1FN"));
    run(&format!("arith-expand{{include-bf16={bf16} include-f8e8m0={f8} include-f4e2m1={f4}}}"))?;
    run("func.func(convert-vector-to-scf),expand-strided-metadata,lower-affine,cse,convert-scf-to-cf")?;
    run(
        "convert-math-to-funcs,convert-math-to-llvm,convert-math-to-libm,convert-vector-to-llvm,finalize-memref-to-llvm{use-generic-functions=true},convert-complex-to-llvm",
    )?;
    run(
        "convert-arith-to-llvm,convert-index-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,convert-ub-to-llvm,reconcile-unrealized-casts",
    )?;
    let mut left: Option<String> = None;
    root.walk(&mut |op| {
        let name = op.name();
        if left.is_none()
            && !name.starts_with("llvm.")
            && name != "builtin.module"
            && name != "builtin.unrealized_conversion_cast"
        {
            left = Some(name);
        }
    });
    match left {
        Some(name) => Err(Error::input(format!("upstream's passes do not lower `{name}`"))),
        None if root.verify() => Ok(()),
        None => Err(session.error("upstream's passes give no valid code")),
    }
}

pub(crate) fn any(root: Op, holds: &mut dyn FnMut(Op) -> bool) -> bool {
    let mut found = false;
    root.walk(&mut |op| found |= holds(op));
    found
}

/// The float types of 16 bits and less.
fn narrow_floats(root: Op) -> Vec<String> {
    let mut found = std::collections::BTreeSet::new();
    root.walk(&mut |op| {
        for value in op.operands().into_iter().chain(op.results()) {
            let ty = value.ty().element();
            if ty.is_float() && ty.bits() < 32 {
                found.insert(ty.to_string());
            }
        }
    });
    found.into_iter().collect()
}

fn schedule(session: &Session, root: Op, text: &str) -> Result<()> {
    let parsed = beside(session, text)?;
    let op = Op::from(&parsed);
    let sequence = op.body().and_then(|b| b.ops().first().copied()).expect("the schedule has a sequence");
    session.apply_sequence(root, sequence, op).0
}

/// Lets a piece compute one tile of its result, from the place that it is given on.
fn sample(session: &Session, root: Op, name: &str, samples: &Samples) -> Result<()> {
    let functions = root.body().map(|b| b.ops()).unwrap_or_default();
    let function = functions.into_iter().find(|op| op.symbol().as_deref() == Some(name)).expect("it was added");
    let body = function.body().expect("it has a body");
    let store =
        body.ops().into_iter().find(|op| op.is("bufferization.materialize_in_destination")).expect("it was added");
    samples::peel(store);
    let target = store.operand(1);
    let Some(tiled) = store.operand(0).def().filter(|op| halyard_ir::Structured::of(*op).is_some()) else {
        return Err(Error::input("the result is not computed by an operation that upstream tiles"));
    };
    tiled.set_attr("halyard_root", halyard_ir::Attr::unit(session.raw()));
    let sizes: Vec<String> = samples.tile.iter().map(ToString::to_string).collect();
    let loops = samples.tile.iter().filter(|&&t| t > 0).count();
    let handles = vec!["!transform.any_op"; loops + 1].join(", ");
    let text = format!(
        "module attributes {{transform.with_named_sequence}} {{
  transform.named_sequence @__transform_main(%root: !transform.any_op {{transform.readonly}}) {{
    %op = transform.structured.match attributes{{halyard_root}} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l:{loops} = transform.structured.fuse %op tile_sizes [{}] : (!transform.any_op) -> ({handles})
    transform.yield
  }}
}}",
        sizes.join(", ")
    );
    schedule(session, function, &text)?;
    let outermost = store.operand(0).def().filter(|op| op.is("scf.for"));
    let outermost = outermost.ok_or_else(|| Error::input("upstream's tiling made no loop"))?;
    let position = store.operand(0).index();
    let index = Type::index(session.raw());
    // One turn of each loop, from the place that is given.
    let places = *body.args().last().expect("the places come last");
    let at = Builder::before(outermost);
    let mut next = Some(outermost);
    for i in 0..loops {
        let Some(this) = next else { return Err(Error::input("upstream's tiling made fewer loops than asked for")) };
        let start = at.value("memref.load", &[places, at.index(i as i64)], index, &[]);
        let end = at.value("arith.addi", &[start, at.index(1)], index, &[]);
        this.set_operand(0, start);
        this.set_operand(1, end);
        next = this.body().and_then(|b| b.ops().into_iter().find(|op| op.is("scf.for") && !op.results().is_empty()));
    }
    // All other elements stay what they are.
    let tensor = outermost.result(position).ty();
    let unit = halyard_ir::Attr::unit(session.raw());
    let whole = at.value("bufferization.to_tensor", &[target], tensor, &[("restrict", unit), ("writable", unit)]);
    outermost.set_operand(3 + position, whole);
    Ok(())
}

/// Whether the last call of a reference was given what its source has no meaning for; forgets it.
pub(crate) fn was_illegal() -> bool {
    ILLEGAL.swap(0, Ordering::SeqCst) != 0
}
