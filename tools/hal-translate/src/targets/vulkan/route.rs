//! Runs the pipeline `vulkan` on an export, and checks its input and its result.
use super::{
    lowering::{Lowering, llvm_code},
    push::Push,
};
use crate::{
    clock::Clock,
    code_target::Task,
    codegen::{
        export_state::ExportState,
        level::signature,
        result::blame,
        route::{extract, placed, refuse_workgroups},
        workgroup_count::no_workgroups,
    },
    lowered::Lowered,
    target::VulkanTarget,
};
use halyard_diag::{Error, Result};
use halyard_ir::{
    Module, Op, Session,
    form::{Level, kernel_abi},
};
use halyard_objects::KernelAbi;

/// An export as a `spirv.module`.
pub(super) struct ShaderExport {
    /// The kernel ABI of the export.
    pub abi: KernelAbi,
    /// The positions of its constants.
    pub push: Push,
    /// Whether a thread's loops exceed the limit of some drivers.
    pub runs_long: bool,
}

/// Lowers a copy of one export of an executable. Fails for unsupported operations, at their place or the export's.
pub(super) fn lower_export<'s>(
    task: &Task<'_, 's>,
    export: Op,
    target: &VulkanTarget,
) -> Result<Lowered<'s, ShaderExport>> {
    lower(task, export, target).map_err(|error| placed(task.session, export, error))
}

fn lower<'s>(task: &Task<'_, 's>, export: Op, target: &VulkanTarget) -> Result<Lowered<'s, ShaderExport>> {
    let (session, executable, pipeline) = (task.session, task.job.op, task.pipeline);
    let start = Clock::start();
    let name = export.symbol().unwrap_or_default();
    let level = if export.body().is_some() { Some(signature(export)?.level) } else { None };
    match level {
        Some(Level::Tensors) => refuse_workgroups(session, executable, &name)?,
        Some(Level::Buffers) | None => {}
        Some(_) => return Err(llvm_code(session, export)),
    }
    let module = extract(session, executable, export)?;
    if level.is_none() {
        keep_kernel(&module, &name)?;
    }
    let state = ExportState::new(session, &module, (&name, export), (task.target, target), task.options, start);
    let mut lowering = Lowering::new(state, target, level);
    if level.is_none() && lowering.state.count.is_none() {
        return Err(no_workgroups(&name, "is a kernel of a GPU, but there"));
    }
    pipeline.run(Op::from(&module), &mut lowering)?;
    lowering.state.take_count();
    check(session, &module, &name).map_err(|e| blame(e, "vulkan", pipeline.replacement()))?;
    let details = ShaderExport { abi: kernel_abi(export), push: Push::of(export)?, runs_long: lowering.runs_long() };
    let explanation = lowering.explanation();
    let done = lowering.state.finish(explanation, details)?;
    Ok(done.of(module))
}

/// Whether a module of the gpu or spirv dialect in an executable or variant defines an export.
pub(crate) fn holds_kernel(module: Op, name: &str) -> bool {
    let kernels = module.body_ops();
    let defines = |op: &Op| (op.is("gpu.func") || op.is("spirv.func")) && op.symbol().as_deref() == Some(name);
    (module.is("gpu.module") || module.is("spirv.module")) && kernels.iter().any(defines)
}

/// Leaves one kernel in a module, and takes its declaration out. Errors: it is not there.
fn keep_kernel(module: &Module<'_>, name: &str) -> Result<()> {
    let ops = Op::from(module).body_ops();
    if !ops.iter().any(|op| holds_kernel(*op, name)) {
        return Err(Error::input(format!(
            "export `@{name}` has no body, and no `gpu.module` or `spirv.module` beside it defines it"
        ))
        .code("no-source"));
    }
    for op in ops {
        let is_module = op.is("gpu.module") || op.is("spirv.module");
        if (is_module && !holds_kernel(op, name)) || (!is_module && op.symbol().as_deref() == Some(name)) {
            op.erase();
            continue;
        }
        for kernel in super::environment::kernels(op).into_iter().filter(|k| k.symbol().as_deref() != Some(name)) {
            kernel.erase();
        }
    }
    Ok(())
}

/// Checks that the result is one `spirv.module` with an entry point of the export's name. Fails with the operations
/// that remain.
fn check(session: &Session, module: &Module<'_>, name: &str) -> Result<()> {
    if !Op::from(module).verify() {
        return Err(session.error("the generated code is not valid"));
    }
    let mut left: Option<Op> = None;
    let mut entries = 0;
    Op::from(module).walk(&mut |op| {
        let names = |attr: &str| op.attr(attr).and_then(halyard_ir::Attr::leaf_symbol);
        entries += usize::from(op.is("spirv.EntryPoint") && names("fn").as_deref() == Some(name));
        let stays = op.is("func.func") || op.is("llvm.func");
        left = left.or(stays.then_some(op));
    });
    if let Some(op) = left {
        let error = Error::input(format!("`{}` remains after the pipeline", op.name())).code("unsupported-op");
        return Err(error.at(session.span(op)));
    }
    match entries {
        1 => Ok(()),
        0 => Err(Error::input(format!("there is no entry point `{name}`")).code("no-export")),
        _ => Err(Error::input(format!("there are several entry points `{name}`")).code("no-export")),
    }
}
