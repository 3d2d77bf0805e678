//! Compiles LLVM IR, bitcode and assembly to objects.
//!
//! LLVM runs in a child process, since it may crash on a user's file. No passes run, as in `llc`: optimised code stays
//! unchanged.
use crate::{child, files::Source, signature::Signature};
use halyard_diag::{Diagnostic, Error, Result, Span};
use halyard_objects::{
    CNumber, CParameter, DeclaredFunction, FileFormat, LOAD_CONSTANTS_SECTION, LoadConstants, architecture_of_triple,
    parse_load_constants,
};
use halyard_targets::{CpuTarget, collect_messages, take_messages};
use inkwell::{
    OptimizationLevel,
    context::{AsContextRef, Context},
    llvm_sys,
    memory_buffer::MemoryBuffer,
    module::Module,
    targets::{CodeModel, FileType, RelocMode, Target, TargetMachine, TargetTriple},
    types::BasicMetadataTypeEnum,
    values::BasicValueEnum,
};
use std::ffi::CStr;

/// The name of the input buffer in LLVM.
const BUFFER: &str = "hal-substitute";

/// The triple that IR is for; `None` if it says none, or is damaged (which [`compile`] tells).
pub(crate) fn triple(file: &Source) -> Option<String> {
    let text =
        child::run(|| parse(file, &Context::create()).map(|m| triple_of(&m).into_bytes()).map_err(Problem::into_text))
            .ok()?;
    String::from_utf8(text.ok()?).ok().filter(|t| !t.is_empty())
}

/// Makes an object of a file. Errors: what LLVM says of it, with the place; another architecture or system.
pub(crate) fn compile(file: &Source, signatures: &[Signature], target: &CpuTarget) -> Result<Vec<u8>> {
    match child::run(|| generate(file, signatures, target).map_err(Problem::into_text)) {
        Ok(Ok(object)) => Ok(object),
        Ok(Err(text)) => Err(Problem::from_text(&text).error(file, target)),
        Err(how) => Err(Error::input(format!("`{}`: LLVM {how} on this {}", file.name, noun(file.kind)))
            .code("llvm-failed")
            .hint("is the file damaged? `opt -passes=verify` checks IR")),
    }
}

fn noun(kind: FileFormat) -> &'static str {
    match kind {
        FileFormat::Assembly => "assembly",
        FileFormat::Bitcode => "bitcode",
        _ => "IR",
    }
}

/// The kind of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    /// The text or bitcode is invalid.
    Invalid,
    /// The code is for another target.
    Target,
    /// LLVM has no code for it.
    Fatal,
    /// A kernel has another signature.
    Signature,
}

/// A problem, with line and column from 1 if LLVM reported them.
struct Problem {
    what: What,
    place: Option<(usize, usize)>,
    message: String,
}

impl Problem {
    /// Parses `NAME:LINE:COLUMN: error: MESSAGE`; the following lines show the place, which Halyard renders itself.
    fn parse_message(text: &str, kind: FileFormat) -> Self {
        let first = text.lines().find(|l| !l.trim().is_empty()).unwrap_or("it does not say why").trim();
        let parts: Vec<&str> = first.splitn(4, ':').collect();
        let place = match parts.as_slice() {
            [name, line, column, rest] => line.parse().ok().zip(column.parse().ok()).map(|at| (*name, at, *rest)),
            _ => None,
        };
        let message = place.map_or(first, |(.., rest)| rest).trim().trim_start_matches("error:").trim().to_owned();
        // Inline assembly in IR has its own line numbers.
        let own = |name: &str| (name == "<inline asm>") == (kind == FileFormat::Assembly);
        Self { what: What::Invalid, place: place.filter(|(name, ..)| own(name)).map(|(_, at, _)| at), message }
    }

    fn into_text(self) -> String {
        let what = match self.what {
            What::Invalid => 'i',
            What::Target => 't',
            What::Fatal => 'f',
            What::Signature => 's',
        };
        let (line, column) = self.place.unwrap_or_default();
        format!("{what}\n{line}\n{column}\n{}", self.message)
    }

    fn from_text(text: &str) -> Self {
        let mut lines = text.splitn(4, '\n');
        let mut next = || lines.next().unwrap_or_default();
        let what = match next() {
            "t" => What::Target,
            "f" => What::Fatal,
            "s" => What::Signature,
            _ => What::Invalid,
        };
        let (line, column) = (next().parse().unwrap_or(0), next().parse().unwrap_or(0));
        Self { what, place: (line > 0).then_some((line, column)), message: next().to_owned() }
    }

    fn error(self, file: &Source, target: &CpuTarget) -> Error {
        let (name, noun) = (&file.name, noun(file.kind));
        let d = match self.what {
            What::Invalid => {
                Diagnostic::error(format!("`{name}` is not valid {noun}: {}", self.message)).code("llvm-failed")
            }
            What::Target => {
                Diagnostic::error(format!("`{name}` is for `{}`, the target is `{}`", self.message, target.triple))
                    .code("wrong-architecture")
                    .hint(format!("compile it for the target: `clang --target={} -emit-llvm`", target.triple))
            }
            What::Signature => {
                let (message, hint) = self.message.split_once('\t').unwrap_or((&self.message, ""));
                Diagnostic::error(message).code("wrong-signature").hint(hint)
            }
            What::Fatal => Diagnostic::error(format!("LLVM has no code for `{name}` on `{target}`: {}", self.message))
                .code("llvm-failed")
                .hint("does it use instructions that the target lacks?"),
        };
        let text = std::str::from_utf8(&file.bytes).ok().zip(self.place);
        let span = text.and_then(|(t, (line, column))| Span::token(&halyard_diag::Source::new(name, t), line, column));
        match span {
            Some(span) => d.at(span).into(),
            None => d.into(),
        }
    }
}

/// LLVM's fatal errors, such as an instruction that the target lacks.
extern "C" fn fatal(reason: *const std::ffi::c_char) {
    // SAFETY: LLVM passes a zero-terminated text.
    let reason = unsafe { CStr::from_ptr(reason) }.to_string_lossy().into_owned();
    let message = reason.lines().next().unwrap_or_default().to_owned();
    child::fail(&Problem { what: What::Fatal, place: None, message }.into_text())
}

fn parse<'c>(file: &Source, context: &'c Context) -> Result<Module<'c>, Problem> {
    // SAFETY: the context is live; the handler has no user data and lives as long as the program.
    unsafe {
        llvm_sys::core::LLVMContextSetDiagnosticHandler(
            context.as_ctx_ref(),
            Some(collect_messages),
            std::ptr::null_mut(),
        )
    };
    let mut bytes = file.bytes.to_vec();
    let failed = |e: inkwell::support::LLVMString| {
        // Bitcode is reported by the handler.
        Problem::parse_message(take_messages().first().map_or(&e.to_string(), |s| s), file.kind)
    };
    if file.kind == FileFormat::Bitcode {
        let buffer = MemoryBuffer::create_from_memory_range_copy(&bytes, BUFFER);
        return Module::parse_bitcode_from_buffer(&buffer, context).map_err(failed);
    }
    bytes.push(0);
    let buffer = MemoryBuffer::create_from_memory_range_copy(&bytes[..bytes.len() - 1], BUFFER);
    context.create_module_from_ir(buffer).map_err(failed)
}

fn triple_of(module: &Module<'_>) -> String {
    module.get_triple().as_str().to_string_lossy().into_owned()
}

/// Compiles the file, in the child.
fn generate(file: &Source, signatures: &[Signature], target: &CpuTarget) -> Result<Vec<u8>, Problem> {
    // SAFETY: the handler is a function of the right type that never returns; this process runs nothing else.
    unsafe {
        llvm_sys::error_handling::LLVMResetFatalErrorHandler();
        llvm_sys::error_handling::LLVMInstallFatalErrorHandler(Some(fatal));
    }
    let context = Context::create();
    let machine = machine(target)
        .ok_or_else(|| Problem::parse_message(&format!("LLVM cannot generate code for `{target}`"), file.kind))?;
    let module = if file.kind == FileFormat::Assembly {
        let module = context.create_module("");
        // SAFETY: as in `parse`.
        unsafe {
            llvm_sys::core::LLVMContextSetDiagnosticHandler(
                (&context).as_ctx_ref(),
                Some(collect_messages),
                std::ptr::null_mut(),
            )
        };
        module.set_inline_assembly(&String::from_utf8_lossy(&file.bytes).replace("\r\n", "\n"));
        module
    } else {
        let module = parse(file, &context)?;
        check_triple(&triple_of(&module), target)?;
        for signature in signatures {
            check_signature(&module, signature, &file.name)?;
        }
        module
    };
    // IR without a source file name has the name of the buffer that it was read from.
    if module.get_source_file_name().to_bytes() == BUFFER.as_bytes() {
        module.set_source_file_name("");
    }
    module.set_triple(&machine.get_triple());
    module.set_data_layout(&machine.get_target_data().get_data_layout());
    module.verify().map_err(|e| Problem::parse_message(&e.to_string(), file.kind))?;
    let object = machine
        .write_to_memory_buffer(&module, FileType::Object)
        .map_err(|e| Problem::parse_message(&e.to_string(), file.kind))?;
    match take_messages().first() {
        Some(said) => Err(Problem::parse_message(said, file.kind)),
        None => Ok(object.as_slice().to_vec()),
    }
}

fn machine(target: &CpuTarget) -> Option<TargetMachine> {
    halyard_targets::initialize();
    let triple = TargetTriple::create(&target.triple);
    Target::from_triple(&triple).ok()?.create_target_machine(
        &triple,
        &target.chip,
        &target.feature_string(),
        OptimizationLevel::Aggressive,
        RelocMode::PIC,
        CodeModel::Default,
    )
}

/// Architecture and system must be those of the target; IR without a triple is for any.
fn check_triple(is: &str, target: &CpuTarget) -> Result<(), Problem> {
    if is.is_empty() {
        return Ok(());
    }
    let system = |triple: &str| {
        triple
            .split('-')
            .nth(2)
            .unwrap_or_default()
            .trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
            .to_owned()
    };
    let normal = halyard_targets::normalize(is);
    if architecture_of_triple(&normal) == architecture_of_triple(&target.triple)
        && system(&normal) == system(&target.triple)
    {
        return Ok(());
    }
    Err(Problem { what: What::Target, place: None, message: is.to_owned() })
}

/// Returns the load-time constants that the IR declares for its kernels.
fn load_constants(module: &Module<'_>) -> Result<LoadConstants, String> {
    let mut found = LoadConstants::new();
    for global in module.get_globals() {
        if global.get_section().is_some_and(|s| s.to_bytes() == LOAD_CONSTANTS_SECTION.as_bytes())
            && let Some(BasicValueEnum::ArrayValue(text)) = global.get_initializer()
            && let Some(bytes) = text.as_const_string()
        {
            parse_load_constants(bytes, &mut found)?;
        }
    }
    Ok(found)
}

/// Compares a function's signature in the IR with that of the kernel. A missing kernel is reported later.
fn check_signature(module: &Module<'_>, signature: &Signature, name: &str) -> Result<(), Problem> {
    let Some(function) = module.get_function(&signature.symbol).filter(|f| f.count_basic_blocks() > 0) else {
        return Ok(());
    };
    let said = load_constants(module).map_err(|message| Problem { what: What::Invalid, place: None, message })?;
    let signature =
        &said.get(&signature.symbol).map_or_else(|| signature.clone(), |l| signature.with_load_constants(l));
    let parameter = |ty: BasicMetadataTypeEnum<'_>| match ty {
        BasicMetadataTypeEnum::PointerType(_) => CParameter::Pointer(None),
        BasicMetadataTypeEnum::IntType(t) => CParameter::Number(CNumber { float: false, bits: t.get_bit_width() }),
        BasicMetadataTypeEnum::FloatType(t) => CParameter::Number(CNumber { float: true, bits: t.get_bit_width() }),
        _ => CParameter::Other,
    };
    let ty = function.get_type();
    let declared = DeclaredFunction {
        parameters: ty.get_param_types().into_iter().map(parameter).collect(),
        returns: ty.get_return_type().is_some(),
    };
    signature.check(&declared, &format!("`{name}`")).map_err(|error| {
        let d = &error.diagnostics[0];
        let message = format!("{}\t{}", d.message, d.hints.join("; "));
        Problem { what: What::Signature, place: None, message }
    })
}
