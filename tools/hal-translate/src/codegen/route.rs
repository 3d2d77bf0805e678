//! Which way an export takes to the LLVM dialect.
use super::{abi, fastmath, loops, lower as lowering};
use crate::{
    kernel::{self, Outcome},
    llvm::Shape,
    target::CpuTarget,
};
use halyard_diag::{Error, Result};
use halyard_ir::{
    Module, Op, Session, Type,
    form::{Export, Variant},
    names,
};
use std::time::{Duration, Instant};

/// How to generate code.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// How hard to optimise, 0 to 3.
    pub opt_level: u8,
    /// Let sums be reordered and divisions be approximated.
    pub fast_math: bool,
}

/// An export in the LLVM dialect.
pub(crate) struct Lowered<'s> {
    /// A module of its own.
    pub module: Module<'s>,
    /// The function `@EXPORT_workgroups`, in no block.
    pub workgroups: Op,
    /// What its code looks like.
    pub shape: Shape,
    /// Whether it computes with floats of 16 bits or less.
    pub narrow: bool,
    /// Which way it took, and why, for people.
    pub explanation: String,
    /// Time from tensors to loops or vectors.
    pub generate: Duration,
    /// Time from there to the LLVM dialect.
    pub lower: Duration,
}

/// What is said of kernels from the emitter.
const EMITTED: &str = "tiled and vectorised";

/// Module, workgroup count, shape and explanation.
type Generated<'s> = (Module<'s>, Op, Shape, String);

/// At which level an export arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    /// A `func.func` on tensors and scalars.
    Tensors,
    /// A `func.func` on memrefs and scalars, without results.
    Buffers,
    /// A `func.func` or `llvm.func` with the kernel ABI.
    Kernel,
}

/// Lowers one export of an executable, which is left as it is. Errors: what is not supported, at its place or the export's.
pub(crate) fn lower_export<'s>(
    session: &'s Session,
    executable: Op,
    export: Op,
    target: &CpuTarget,
    options: Options,
) -> Result<Lowered<'s>> {
    lower(session, executable, export, target, options).map_err(|error| {
        let placed = error.diagnostics.iter().any(|d| d.primary.is_some());
        match session.span(export) {
            Some(span) if !placed => error.at(span),
            _ => error,
        }
    })
}

fn lower<'s>(
    session: &'s Session,
    executable: Op,
    export: Op,
    target: &CpuTarget,
    options: Options,
) -> Result<Lowered<'s>> {
    let start = Instant::now();
    let name = export.symbol().unwrap_or_default();
    let (module, workgroups, shape, explanation) = match level(export)? {
        Level::Tensors => tensors(session, executable, export, &name, target, options)?,
        Level::Buffers => {
            let module = extract(session, executable, export);
            let export = own(&module, &name);
            let workgroups =
                given_workgroups(&module, &name).unwrap_or_else(|| abi::single_workgroup(Export { op: export }));
            abi::wrap(Export { op: export })?;
            loops::from_buffers(session, &module)?;
            fastmath::set(Op::from(&module), options.fast_math);
            (module, workgroups, Shape::Loops, "given on buffers".to_owned())
        }
        Level::Kernel => {
            let module = extract(session, executable, export);
            let workgroups = given_workgroups(&module, &name).ok_or_else(|| {
                Error::input(format!(
                    "export `@{name}` has the kernel signature, but there is no `@{}`",
                    abi::workgroups_name(&name)
                ))
                .code("no-workgroups")
                .hint("add a function of that name from the constants of the export, as `index`, to three `index`")
            })?;
            (module, workgroups, Shape::Vectors, "given with the kernel signature".to_owned())
        }
    };
    // A kernel that comes as given may hold anything.
    let buffers = !explanation.starts_with(EMITTED);
    let generate = start.elapsed();
    let start = Instant::now();
    let narrow = lowering::to_llvm_dialect(session, &module, target, buffers)?;
    Ok(Lowered { module, workgroups, shape, narrow, explanation, generate, lower: start.elapsed() })
}

/// Good code where the emitter can make it, plain loops otherwise.
fn tensors<'s>(
    session: &'s Session,
    executable: Op,
    export: Op,
    name: &str,
    target: &CpuTarget,
    options: Options,
) -> Result<Generated<'s>> {
    let why = if options.opt_level == 0 {
        "not optimised".to_owned()
    } else {
        let module = extract(session, executable, export);
        match kernel::emit(session, Op::from(&module), name, &kernel_target(target))? {
            Outcome::Emitted(kernel) => {
                debug_assert_eq!(kernel.workgroups, abi::workgroups_name(name));
                let workgroups = given_workgroups(&module, name).expect("the emitter makes it");
                if options.fast_math {
                    fastmath::set(Op::from(&module), true);
                }
                return Ok((module, workgroups, Shape::Vectors, EMITTED.to_owned()));
            }
            Outcome::Unsupported(why) => why,
        }
    };
    // Anew: the emitter may have left traces.
    let module = extract(session, executable, export);
    let workgroups = loops::from_tensors(session, &module, name)?;
    fastmath::set(Op::from(&module), options.fast_math);
    Ok((module, workgroups, Shape::Loops, format!("plain loops in one workgroup: {why}")))
}

fn kernel_target(target: &CpuTarget) -> kernel::Target {
    let (l1, l2) = target.caches();
    kernel::Target {
        vector_bits: target.vector_bits(),
        registers: target.vector_registers(),
        l1,
        l2,
        fma: target.has_fma(),
    }
}

/// A module that holds copies of one export and of everything in the executable that is neither an export nor a variant.
fn extract<'s>(session: &'s Session, executable: Op, export: Op) -> Module<'s> {
    let module = session.empty_module();
    let body = Op::from(&module).body().expect("a module has a body");
    for op in executable.body().map(|b| b.ops()).unwrap_or_default() {
        if op == export || !(Variant::view(op).is_some() || op.has_attr(names::EXPORT)) {
            body.append(op.duplicate());
        }
    }
    module
}

fn level(export: Op) -> Result<Level> {
    if export.is("llvm.func") {
        return Ok(Level::Kernel);
    }
    let ty = Export { op: export }.ty();
    let (inputs, results) = (ty.inputs(), ty.results());
    let pointer = |t: &Type| t.to_string() == "!llvm.ptr";
    if inputs.iter().chain(&results).any(|t| t.is_tensor()) {
        Ok(Level::Tensors)
    } else if inputs.iter().any(|t| t.is_memref()) && results.is_empty() {
        Ok(Level::Buffers)
    } else if inputs.iter().any(pointer) && results.is_empty() {
        Ok(Level::Kernel)
    } else {
        Err(Error::input(format!("export `@{}` of type `{ty}` is no kernel", export.symbol().unwrap_or_default()))
            .code("unsupported-type")
            .note("a kernel is a function on tensors, on memrefs without results, or with the kernel signature"))
    }
}

fn own(module: &Module<'_>, name: &str) -> Op {
    let ops = Op::from(module).body().map(|b| b.ops()).unwrap_or_default();
    ops.into_iter().find(|op| op.symbol().as_deref() == Some(name)).expect("the export was copied")
}

/// Takes `@EXPORT_workgroups` out of a module, if it is there.
fn given_workgroups(module: &Module<'_>, name: &str) -> Option<Op> {
    let wanted = abi::workgroups_name(name);
    let ops = Op::from(module).body()?.ops();
    let found = ops.into_iter().find(|op| op.is("func.func") && op.symbol().as_deref() == Some(&*wanted))?;
    found.detach();
    found.remove_attr("sym_visibility");
    Some(found)
}
