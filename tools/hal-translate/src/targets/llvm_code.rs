//! Translates executables with LLVM: from exports in MLIR's LLVM dialect to LLVM IR, assembly or an object.
use super::translate::{Assembled, STAGES, names, timed, translate};
use crate::{
    code_target::{CodeTarget, Task},
    codegen::{self, LlvmExport},
    fault_injection,
    job::{Done, Member, Times, sent_packed},
    llvm::{self, Code, LlvmTarget, Shape},
    lowered::Lowered,
};
use halyard_diag::{Error, Result};
use halyard_ir::Op;
use halyard_objects::packed_weights_section;
use inkwell::context::Context;

/// Translates the executables of a job for a target of LLVM.
pub(super) fn run<T: CodeTarget + LlvmTarget>(device: &T, task: &Task<'_, '_>) -> Result<Vec<Done>> {
    let lower = |export: Op| {
        let mut lowered = codegen::lower_export(
            task.session,
            task.job.op,
            export,
            (task.target, device),
            task.options,
            task.pipeline,
        )?;
        if let Some(launch) = device.finish(&lowered.module, &export.symbol().unwrap_or_default())? {
            lowered.details.launch = Some((launch.block.map(|n| n as u32), launch.shared_memory));
            if launch.fallback {
                lowered.explanation += "; blocks of one thread";
            }
        }
        fault_injection::miscompile(&task.job.members[0].name, Op::from(&lowered.module));
        if let (Some(debug), Some(tables)) = (task.debug, device.line_tables()) {
            debug.attach(Op::from(&lowered.module), task.job, tables);
        }
        Ok(lowered)
    };
    translate(task, lower, |exports, times| assemble(device, task, exports, times))
}

/// The suffix of a file with code of a device whose objects are ELF.
pub(super) fn elf_suffix(code: Code) -> &'static str {
    match code {
        Code::Stages => STAGES,
        Code::Raw => "ll",
        Code::Llvm => "optimized.ll",
        Code::Asm => "s",
        Code::Obj => "o",
    }
}

fn assemble(
    device: &dyn LlvmTarget,
    task: &Task<'_, '_>,
    exports: &[Lowered<'_, LlvmExport>],
    times: &mut Times,
) -> Result<Assembled> {
    let (job, code) = (task.job, task.code);
    let backend = task.backend.expect("the worker has LLVM for a target of LLVM");
    let loops = exports.iter().any(|e| e.details.shape == Shape::Loops);
    let shape = if loops { Shape::Loops } else { Shape::Vectors };
    let narrow = exports.iter().any(|e| e.details.narrow);
    let context = Context::create();
    let ops: Vec<Op> = exports.iter().map(|e| Op::from(&e.module)).collect();
    let (module, time) = timed(|| backend.translate(task.session, &context, &ops, &job.members[0].exports))?;
    times.lower += time;
    let optimize = || if code == Code::Raw { Ok(()) } else { backend.optimize(&context, &module, shape, narrow) };
    times.optimize = timed(optimize)?.1;
    // Machine code is generated once; texts are written with the names of each.
    let once = code == Code::Obj && device.has_symbols();
    let (object, time) = timed(|| once.then(|| backend.emit(&module, &[], &[], code)).transpose())?;
    times.codegen = time;
    let codes = job.members.iter().zip(names(job)).map(|(member, names)| {
        let packed = packed_weights(member, exports);
        let ((bytes, needs), time) = timed(|| match &object {
            Some(object) => {
                let bytes = llvm::rename(object, &names, packed)?;
                let needs = check_symbols(member, &bytes)?;
                Ok((bytes, needs))
            }
            None => Ok((backend.emit(&module, &names, &packed, code)?, Vec::new())),
        })?;
        Ok((bytes, needs, time))
    });
    Ok(Assembled {
        codes: codes.collect::<Result<_>>()?,
        format: device.format(),
        launches: exports.iter().filter_map(|e| e.details.launch).collect(),
        features: device.features(),
    })
}

/// Returns the list of packed weights for the code of an executable.
fn packed_weights(member: &Member, exports: &[Lowered<'_, LlvmExport>]) -> Vec<u8> {
    let lists: Vec<_> = exports.iter().map(|e| sent_packed(&e.packed)).collect();
    packed_weights_section(member.exports.iter().map(String::as_str).zip(lists.iter().map(Vec::as_slice)))
}

/// Checks that an object defines the exports; returns its undefined symbols.
fn check_symbols(member: &Member, object: &[u8]) -> Result<Vec<String>> {
    let defined = llvm::defined(object)?;
    match member.exports.iter().find(|e| !defined.contains(e)) {
        Some(missing) => Err(Error::input(format!("the object lacks the symbol of export `@{missing}`"))),
        None => llvm::undefined(object),
    }
}
