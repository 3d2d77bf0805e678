//! Links programs, step by step.
use crate::{
    code::{Code, ObjectInput, host_symbols},
    image, imports, kernels,
    linker::Linker,
    lower::{ConstantTable, Unit, lower_function},
    packing,
    weights::{WeightSearch, WeightsHome, place},
};
use halyard_diag::{Diagnostic, Error, Result};
use halyard_ir::{
    Session,
    form::{Phase, Program},
};
use halyard_runtime::{
    commands::{HostProgram, encode},
    container,
};
use halyard_tensors::NewArchive;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

/// A program to link.
#[derive(Debug)]
pub struct ProgramInput {
    /// The program, in phase `objects`.
    pub program: Program,
    /// The name in messages.
    pub name: String,
    /// The folder that paths in it are relative to.
    pub folder: PathBuf,
}

/// The input of the linker.
#[derive(Debug)]
pub struct Link<'a> {
    /// Makes the shared object; started early, so that it loads while programs are read.
    pub linker: Linker,
    /// The programs, at least one.
    pub programs: Vec<ProgramInput>,
    /// Further objects, beyond those in the programs.
    pub objects: Vec<ObjectInput>,
    /// The output path; its folder and name determine the weight archive.
    pub output: &'a Path,
    /// The folders that are searched for weight archives before the program's folder.
    pub weights_path: &'a [PathBuf],
    /// The folders that are searched for objects before the program's folder.
    pub object_path: &'a [PathBuf],
    /// Where weights are to lie.
    pub weights_home: WeightsHome,
}

/// A linked program that is not written yet.
#[derive(Debug)]
pub struct Linked<'s> {
    /// The bytes of the shared object.
    pub file: Vec<u8>,
    /// The weights that no file has yet.
    pub archive: Option<NewArchive<'s>>,
    /// Whether these go to the end of the file; otherwise they are written beside it, first.
    pub embedded: bool,
    /// The symbolic links to files with weights to make beside it: where, and to what.
    pub links: Vec<(PathBuf, PathBuf)>,
    /// Remarks about the result, for the user.
    pub remarks: Vec<Diagnostic>,
    /// The number of functions.
    pub functions: usize,
    /// The number of kernels.
    pub kernels: usize,
    /// The largest arena of a function, in bytes.
    pub arena: u64,
}

/// Links programs and objects. Errors: a program in another phase, functions of one name, operations that the host
/// program cannot execute, objects that do not fit, undefined symbols, missing weights, a linker that fails.
pub fn link<'s>(session: &'s Session, what: Link<'_>) -> Result<Linked<'s>> {
    check_functions(session, &what.programs)?;
    let mut code = Code::default();
    for (i, object) in what.objects.into_iter().enumerate() {
        code.add_file(object, i)?;
    }
    let mut host_program = HostProgram::default();
    let mut constants = ConstantTable::default();
    let remarks = what.programs.iter().filter_map(left_out).collect();
    for (number, input) in what.programs.iter().enumerate() {
        input.program.expect_phase("hal-link", Phase::Objects).map_err(|e| e.in_file(&input.name))?;
        let search =
            WeightSearch { folders: what.weights_path.iter().cloned().chain([input.folder.clone()]).collect() };
        let object_folders: Vec<PathBuf> = what.object_path.iter().cloned().chain([input.folder.clone()]).collect();
        let mut unit = Unit::new(session, input.program, host_program.kernels, constants, host_program.states, search);
        unit.host_functions = std::mem::take(&mut host_program.host_functions);
        kernels::add(&mut unit, &mut code, input.program, number, &object_folders)?;
        for function in input.program.public_functions() {
            host_program.functions.push(lower_function(&mut unit, function)?);
            host_program.trusting.extend(function.symbol().filter(|_| input.program.trusts_data()));
        }
        host_program.host_functions = std::mem::take(&mut unit.host_functions);
        (host_program.kernels, constants, host_program.states) = unit.finish();
    }
    packing::pack(&mut host_program, &mut constants)?;
    let placed = place(&constants, what.output, what.weights_home)?;
    host_program.constants = placed.constants;
    host_program.archives = placed.archives;
    let (architecture, machine) = code.finish(&host_program.kernels)?;
    host_program.imports = imports::needed(&code.imports, &code.objects);
    let flags_of = code.objects.first().map(|o| o.bytes.clone());
    let flags_of = flags_of.as_deref();
    if !host_program.imports.is_empty() {
        let defined = |name: &str| code.objects.iter().any(|o| o.defined.contains_key(name));
        let object = imports::object(architecture, &host_program.imports, flags_of, defined)?;
        code.objects.push(object);
    }
    let image = image::image(architecture, flags_of, &encode(&host_program), &placed.inline, &code.modules.bytes);
    let mut exports: BTreeSet<String> =
        host_symbols(&host_program.kernels).map(|(_, _, symbol)| symbol.clone()).collect();
    exports.insert(container::CHECKSUM_SYMBOL.into());
    exports.extend(host_program.imports.iter().map(|i| container::import_symbol(&i.name)));
    let mut file = what.linker.link(&code.objects, &image, machine, &exports)?;
    container::seal(&mut file)?;
    Ok(Linked {
        file,
        archive: placed.new_archive,
        embedded: what.weights_home == WeightsHome::Embedded,
        links: placed.links,
        remarks,
        functions: host_program.functions.len(),
        kernels: host_program.kernels.len(),
        arena: host_program.functions.iter().map(|f| f.arena).max().unwrap_or(0),
    })
}

/// Warns about architectures that a program has code for but that are not linked.
fn left_out(input: &ProgramInput) -> Option<Diagnostic> {
    let (linked, others) = kernels::common_architectures(input.program).filter(|(_, others)| !others.is_empty())?;
    let others: Vec<String> = others.iter().map(|o| format!("`{o}`")).collect();
    let text = format!("the code for {} is left out: the program is linked for `{linked}`", others.join(", "));
    let hint = "a linked program has one architecture; link one for each from what `hal-translate --target=…` makes for it alone";
    Some(Diagnostic::warning(text).in_file(&input.name).code("left-out").hint(hint))
}

/// Fails if two programs have a public function of one name, or none has any.
fn check_functions(session: &Session, programs: &[ProgramInput]) -> Result<()> {
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    for input in programs {
        for function in input.program.public_functions() {
            let name = function.symbol().unwrap_or_default();
            if let Some(other) = seen.insert(name.clone(), &input.name) {
                let mut d = Diagnostic::error(format!(
                    "function `@{name}` is defined twice: by `{other}` and by `{}`",
                    input.name
                ))
                .code("duplicate-function")
                .hint("rename one of them, or make it private");
                if let Some(span) = session.span(function) {
                    d = d.at(span);
                }
                return Err(d.into());
            }
        }
    }
    if seen.is_empty() {
        return Err(Error::input("there is no public function to link")
            .code("no-function")
            .hint("define a public `func.func` with a body"));
    }
    Ok(())
}
