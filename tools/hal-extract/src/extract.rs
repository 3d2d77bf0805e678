//! From executables to files.
use crate::{
    args::ExtractKind as As,
    benchmark::{self, Inputs},
    c,
    device::{device_code, gpu_variants, is_for_cpu, no_reference, skeletons},
    generated, gpu, objects, schedules,
};
use halyard_diag::{Diagnostic, Error, ErrorKind, Result, Severity};
use halyard_ir::{
    Attr, Op, Session,
    form::{Executable, Phase, Program, Variant, file_name, write, write_standalone},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

/// A file to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// The name, in the folder that people chose; it may name a folder in there.
    pub name: String,
    /// The contents.
    pub bytes: Vec<u8>,
}

/// Code that was generated for a variant of an executable.
#[derive(Debug, Clone)]
pub struct Generated {
    /// The executable.
    pub executable: String,
    /// The variant, as hal-translate calls it.
    pub variant: String,
    /// Suffixes of file names (`ll`, `optimized.ll`, `s`, `o`) and contents.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// The schedule of an export, for a target.
#[derive(Debug, Clone)]
pub struct Scheduled {
    /// The executable.
    pub executable: String,
    /// The export.
    pub export: String,
    /// The target, as schedules name it.
    pub target: String,
    /// The choices for each nest, as `hal.schedule` has them.
    pub nests: Vec<String>,
}

/// The services that extraction needs from other tools.
pub trait ObjectGenerator {
    /// Generates code for all executables of a program in phase `executables`; `targets` is in the words of
    /// hal-translate, empty for its default. In order of executables and targets.
    fn code(&self, program: &[u8], targets: &[String]) -> Result<Vec<Generated>>;
    /// The schedules of all executables of a program in phase `executables`, in order, for targets as above.
    fn schedules(&self, program: &[u8], targets: &[String]) -> Result<Vec<Scheduled>>;
    /// Translates, if it has not been done, and links a program to a shared object in `output`.
    fn link(&self, program: &[u8], weights: &[PathBuf], objects: &[PathBuf], output: &Path) -> Result<()>;
    /// Runs a function of a linked program on its inputs and writes what its dispatches read and wrote to a file.
    fn record(&self, program: &Path, function: &str, inputs: &Inputs, output: &Path) -> Result<()>;
}

/// What to extract.
pub struct Extract<'a> {
    /// The program that the executables are in.
    pub program: Program,
    /// Which executables.
    pub executables: &'a [Executable],
    /// What of them.
    pub kinds: &'a [As],
    /// Other tools.
    pub generator: &'a dyn ObjectGenerator,
    /// What benchmarks run on.
    pub inputs: &'a Inputs,
    /// The program that says what is expected, if not this one with what its sources compute.
    pub reference: Option<&'a [u8]>,
    /// Where weight archives are.
    pub weights_path: &'a [PathBuf],
    /// Where objects are that the program names.
    pub object_path: &'a [PathBuf],
    /// Whether what an executable does not have is a remark, not an error.
    pub lenient: bool,
}

impl Extract<'_> {
    /// What came of it or, where that is allowed, nothing and a remark.
    pub(crate) fn soften<T: Default>(&self, result: Result<T>, remarks: &mut Vec<Diagnostic>) -> Result<T> {
        match result {
            // A broken environment is no property of an executable.
            Err(e) if self.lenient && e.kind != ErrorKind::Environment => {
                remarks.extend(e.diagnostics.into_iter().map(|mut d| {
                    d.severity = Severity::Warning;
                    d
                }));
                Ok(T::default())
            }
            other => other,
        }
    }
}

/// Makes the files, in a stable order, and remarks on what they lack. Errors: something asked for that an executable
/// does not have; what generating code and running the program say.
pub fn extract(session: &Session, what: &Extract<'_>) -> Result<(Vec<File>, Vec<Diagnostic>)> {
    let (mut files, mut remarks) = (Vec::new(), Vec::new());
    let wants = |kind: As| what.kinds.contains(&kind);
    let mut add = |name: String, bytes: Vec<u8>| files.push(File { name, bytes });
    for &executable in what.executables {
        let name = executable.name();
        for (kind, suffix) in [(As::Mlir, "mlir"), (As::Bytecode, "mlirbc")] {
            if wants(kind) {
                let source = source(executable, what.program)?;
                add(file_name(&name, None, suffix), write_standalone(source, kind == As::Bytecode));
                source.op.erase();
            }
        }
        if wants(As::C) {
            let file = c::c_file(executable);
            remarks.extend(no_reference("C", file.empty));
            add(file_name(&name, None, "c"), file.text.into_bytes());
        }
    }
    for &executable in what.executables.iter().filter(|_| wants(As::Glsl)) {
        for (file, text) in skeletons(executable, &mut remarks) {
            add(file, text.into_bytes());
        }
    }
    for &executable in what.executables.iter().filter(|_| wants(As::Cuda)) {
        let file = gpu::cuda_file(executable);
        remarks.extend(no_reference("CUDA", file.empty));
        add(file_name(&executable.name(), None, "cu"), file.text.into_bytes());
    }
    if wants(As::Cuda) {
        for (name, text) in halyard_runtime::DEVICE_FUNCTIONS {
            add(name.into(), text.as_bytes().to_vec());
        }
    }
    if wants(As::C) {
        add("halyard/kernel.h".into(), halyard_runtime::KERNEL_HEADER.as_bytes().to_vec());
    }
    if wants(As::Obj) {
        for &executable in what.executables {
            let objects = what.soften(all_objects(session, what, executable), &mut remarks)?;
            for (variant, suffix, object) in objects {
                add(file_name(&executable.name(), Some(&variant.name()), suffix), object);
            }
        }
    }
    for (kind, suffix) in [(As::Ptx, "ptx"), (As::Spirv, "spv"), (As::Spvasm, "spvasm")] {
        for &executable in what.executables.iter().filter(|_| wants(kind)) {
            for (name, bytes) in what.soften(device_code(session, what, executable, suffix), &mut remarks)? {
                add(name, bytes);
            }
        }
    }
    if wants(As::Asm) {
        for &executable in what.executables {
            for variant in gpu_variants(executable) {
                for (suffix, bytes) in objects::device(variant, what.object_path)? {
                    let (suffix, bytes) = objects::readable(suffix, bytes, &variant.name())?;
                    add(file_name(&executable.name(), Some(&variant.name()), suffix), bytes);
                }
            }
        }
    }
    if wants(As::Llvm) || wants(As::Asm) {
        files.extend(generated::code(session, what, &mut remarks)?);
    }
    if wants(As::Schedule) {
        files.extend(schedules::files(session, what, &mut remarks)?);
    }
    if wants(As::Benchmark) {
        let (made, said) = what.soften(benchmark::files(session, what), &mut remarks)?;
        files.extend(made);
        remarks.extend(said);
    }
    // PTX is the object as well as the text of a variant.
    let mut seen = BTreeSet::new();
    files.retain(|f: &File| seen.insert(f.name.clone()));
    Ok((files, remarks))
}

/// A copy, in no block, of what people edit. Objects that code generation made from the source are left out: they would
/// be linked in place of what becomes of an edited source.
fn source(executable: Executable, program: Program) -> Result<Executable> {
    let copy = Executable { op: executable.op.duplicate() };
    if program.phase()? == Phase::Objects && has_source(executable) {
        with_objects(copy).into_iter().for_each(|v| v.op.erase());
    }
    Ok(copy)
}

/// Whether all exports have bodies.
pub(crate) fn has_source(executable: Executable) -> bool {
    let has_body = |op: &Op| op.regions().first().is_some_and(|r| r.first_block().is_some());
    let exports: Vec<Op> =
        executable.body().ops().into_iter().filter(|op| op.has_attr(halyard_ir::names::EXPORT)).collect();
    !exports.is_empty() && exports.iter().all(has_body)
}

/// The variants that have objects.
pub(crate) fn with_objects(executable: Executable) -> Vec<Variant> {
    executable
        .variants()
        .into_iter()
        .filter(|v| v.op.attr(halyard_ir::names::OBJECTS).and_then(Attr::as_array).is_some_and(|o| !o.is_empty()))
        .collect()
}

/// A program of these executables alone, without host functions: what generating code needs. Their generated variants
/// are left out.
pub(crate) fn bare_program(session: &Session, executables: &[Executable]) -> Vec<u8> {
    let module = session.empty_module();
    let op = Op::from(&module);
    let body = op.body().expect("a module has a body");
    for executable in executables {
        let copy = Executable { op: executable.op.duplicate() };
        with_objects(copy).into_iter().for_each(|v| v.op.erase());
        body.append(copy.op);
    }
    Program::stamp(op, Phase::Executables);
    write(op, true)
}

type Objects = Vec<(Variant, &'static str, Vec<u8>)>;

fn all_objects(session: &Session, what: &Extract<'_>, executable: Executable) -> Result<Objects> {
    let mut found = Vec::new();
    for variant in executable.variants() {
        if !is_for_cpu(variant) {
            let own = objects::device(variant, what.object_path)?;
            found.extend(own.into_iter().map(|(suffix, bytes)| (variant, suffix, bytes)));
        } else if let Some(object) = objects::object(executable, variant, what.object_path)? {
            found.push((variant, "o", object));
        }
    }
    if found.is_empty() {
        let mut error = Error::input(format!("executable `@{}` has no objects", executable.name())).code("no-objects");
        if let Some(span) = session.span(executable.op) {
            error = error.at(span);
        }
        return Err(error.hint("run `hal-translate` before `hal-extract --as=obj`"));
    }
    Ok(found)
}
