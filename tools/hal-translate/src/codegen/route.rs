//! Runs the pipeline `cpu` on an export, and checks its input and its result.
use super::{
    Options, abi, export_state::ExportState, level::signature, lowering::Lowering, result,
    workgroup_count::no_workgroups,
};
use crate::{
    clock::Clock,
    code_target::CodeTarget,
    job::SentLaunch,
    llvm::Shape,
    lowered::Lowered,
    target::{Target, gpus_of_dialect},
};
use halyard_diag::{Error, Result, either};
use halyard_ir::{
    Attr, Module, Op, Session,
    form::{Level, Variant},
    names,
};
use halyard_stages::CompiledPipeline;

/// An export in the LLVM dialect.
pub(crate) struct LlvmExport {
    /// The shape of its code, which determines LLVM's passes.
    pub shape: Shape,
    /// Whether it computes with floats of 16 bits or less.
    pub narrow: bool,
    /// For a GPU, the launch parameters.
    pub launch: Option<SentLaunch>,
}

/// Lowers a copy of one export of an executable. Fails for unsupported operations, at their place or the export's.
pub(crate) fn lower_export<'s>(
    session: &'s Session,
    executable: Op,
    export: Op,
    target: (&Target, &dyn CodeTarget),
    options: Options,
    pipeline: &CompiledPipeline<'_>,
) -> Result<Lowered<'s, LlvmExport>> {
    lower(session, executable, export, target, options, pipeline).map_err(|error| placed(session, export, error))
}

/// Places an error where it says, or else at the export.
pub(crate) fn placed(session: &Session, export: Op, error: Error) -> Error {
    let has_place = error.diagnostics.iter().any(|d| d.primary.is_some());
    match session.span(export) {
        Some(span) if !has_place => error.at(span),
        _ => error,
    }
}

fn lower<'s>(
    session: &'s Session,
    executable: Op,
    export: Op,
    target: (&Target, &dyn CodeTarget),
    options: Options,
    pipeline: &CompiledPipeline<'_>,
) -> Result<Lowered<'s, LlvmExport>> {
    let start = Clock::start();
    let name = export.symbol().unwrap_or_default();
    refuse_gpu_code(session, executable)?;
    let level = signature(export)?.level;
    if level == Level::Tensors {
        refuse_workgroups(session, executable, &name)?;
    }
    let module = extract(session, executable, export)?;
    let state = ExportState::new(session, &module, (&name, export), target, options, start);
    let mut lowering = Lowering::new(state, level);
    if level == Level::Kernel && lowering.state.count.is_none() {
        return Err(no_workgroups(&name, "has the kernel signature, but there"));
    }
    pipeline.run(Op::from(&module), &mut lowering)?;
    lowering.finish();
    result::check(session, &module, &lowering, pipeline.replacement())?;
    let details = LlvmExport { shape: lowering.shape(), narrow: lowering.narrow(), launch: None };
    let explanation = lowering.explanation();
    let done = lowering.state.finish(explanation, details)?;
    Ok(done.of(module))
}

/// A module that holds copies of one export and of what it refers to in the executable, directly or not, with its
/// workgroup count.
pub(crate) fn extract<'s>(session: &'s Session, executable: Op, export: Op) -> Result<Module<'s>> {
    let module = session.empty_module();
    let body = Op::from(&module).body().expect("a module has a body");
    let count = abi::workgroups_name(&export.symbol().unwrap_or_default());
    let mut helpers = false;
    for op in executable.body_ops() {
        // Another export may have the name of a helper; below functions it cannot, and is removed.
        let other = op != export && op.has_attr(names::EXPORT);
        if Variant::view(op).is_some() || (other && !op.is("func.func")) {
            continue;
        }
        let copy = body.append(op.duplicate());
        if other {
            copy.remove_attr(names::EXPORT);
        }
        // Functions of other exports would have to be translated, too; private symbols are removed if unused.
        if op != export && op.symbol().as_deref() != Some(&*count) {
            helpers = true;
            if op.is("func.func") || op.is("memref.global") {
                copy.set_attr("sym_visibility", Attr::string(session.raw(), "private"));
            }
        } else {
            copy.remove_attr("sym_visibility");
        }
    }
    if helpers {
        session.run_pipeline_on(Op::from(&module), "builtin.module(symbol-dce)", false)?;
    }
    Ok(module)
}

/// Code of a GPU in an executable would be left out of the object.
fn refuse_gpu_code(session: &Session, executable: Op) -> Result<()> {
    let ops = executable.body_ops();
    let targets = |op: Op| gpus_of_dialect(op.name().split('.').next().unwrap_or_default());
    let Some(op) = ops.into_iter().find(|op| !targets(*op).is_empty()) else { return Ok(()) };
    let target = either(&targets(op));
    let name = op.symbol().map_or_else(String::new, |s| format!(" @{s}"));
    let error = Error::input(format!("`{}{name}` is code for a GPU, this target is a CPU", op.name()))
        .code("unsupported-op")
        .hint(format!("put it into a variant of a GPU target ({target})"));
    Err(at(session, op, error))
}

/// The count of a body on tensors is made together with its code.
pub(crate) fn refuse_workgroups(session: &Session, executable: Op, export: &str) -> Result<()> {
    let wanted = abi::workgroups_name(export);
    let ops = executable.body_ops();
    let Some(op) = ops.into_iter().find(|op| op.symbol().as_deref() == Some(&*wanted)) else { return Ok(()) };
    let error = Error::input(format!(
        "`@{wanted}` would be ignored: export `@{export}` is on tensors, and its workgroups are made with its code"
    ))
    .code("unused-workgroups")
    .hint("leave it out, or give the export with the kernel signature");
    Err(at(session, op, error))
}

fn at(session: &Session, op: Op, error: Error) -> Error {
    error.at(session.span(op))
}
