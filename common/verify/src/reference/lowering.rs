//! Lowers a reference with passes of upstream MLIR.
use super::{Piece, any, sample, wrapping::beside};
use halyard_diag::{Error, Result};
use halyard_ir::{Module, Op, Session};

/// The dialects that are used here; a session must have them loaded.
pub(crate) const DIALECTS: &[&str] = &[
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

/// From tensors to the LLVM dialect. What a function allocates is freed after the call, see [`crate::arena`].
pub(super) fn lower<'p>(session: &Session, module: &Module<'_>, pieces: impl Iterator<Item = &'p Piece>) -> Result<()> {
    let root = Op::from(module);
    let run = |passes: &str| session.run_pipeline_on(root, &format!("builtin.module({passes})"), false);
    run("inline,symbol-dce,canonicalize,cse,func.func(convert-elementwise-to-linalg)")?;
    let composite = ["linalg.softmax", "linalg.pack", "linalg.unpack", "tensor.concat"];
    if any(root, &mut |op| composite.contains(&&*op.name())) {
        run_transform_script(session, root, DECOMPOSE)?;
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

pub(super) fn run_transform_script(session: &Session, root: Op, text: &str) -> Result<()> {
    let parsed = beside(session, text)?;
    let op = Op::from(&parsed);
    let sequence = op.body().and_then(|b| b.ops().first().copied()).expect("the schedule has a sequence");
    session.apply_sequence(root, sequence, op).0
}
