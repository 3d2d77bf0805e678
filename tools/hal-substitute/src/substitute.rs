//! Applies all substitutions of a program, or none: checks them first.
use crate::{
    Folder, GpuArgs, Only, Rule, SubstitutionName, Workgroups, code,
    files::Reader,
    others::Others,
    problems::Problems,
    request::{Asked, Found, Request, RequestIndex, requests},
    schedule,
    settings::VariantSettings,
    source, unclaimed,
    variant::{self},
};
use halyard_diag::{Diagnostic, Error, Result};
use halyard_ir::{
    Op, Session,
    form::{Executable, Phase, Program, verify},
};
use halyard_objects::FileFormat;
use halyard_targets::Target;
use std::{
    collections::{HashMap, HashSet},
    path::PathBuf,
};

/// All substitutions to make.
#[derive(Debug, Clone)]
pub struct Substitution {
    /// The rules `NAME=FILE`, in order.
    pub rules: Vec<Rule>,
    /// Folders of files that are named after what they replace.
    pub folders: Vec<Folder>,
    /// The folders that are searched for files of rules.
    pub search_path: Vec<PathBuf>,
    /// The targets of objects for executables without variants; empty if not given.
    pub targets: Vec<Target>,
    /// Workgroup counts of kernels.
    pub workgroups: Vec<Workgroups>,
    /// The settings of GPU kernels.
    pub gpu: GpuArgs,
    /// Whether files of folders may match nothing in the program.
    pub allow_unmatched: bool,
    /// Whether rules may read standard input.
    pub stdin: bool,
    /// The kinds of files that rules may name.
    pub only: Only,
}

impl Default for Substitution {
    fn default() -> Self {
        Self {
            rules: Vec::new(),
            folders: Vec::new(),
            search_path: Vec::new(),
            targets: Vec::new(),
            workgroups: Vec::new(),
            gpu: GpuArgs::default(),
            allow_unmatched: false,
            stdin: false,
            only: Only::Any,
        }
    }
}

impl Substitution {
    /// Whether there are no substitutions.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.folders.is_empty()
    }
}

/// One substitution that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// The executable, variant or export that was replaced.
    pub name: String,
    /// The names of the files.
    pub files: String,
    /// The format of these files.
    pub kind: String,
    /// Remarks for the user.
    pub remarks: Vec<String>,
    /// Unchanged parts, for `-v`.
    pub details: Vec<String>,
}

/// The substitutions that were made, with warnings and notes.
#[derive(Debug, Default)]
pub struct SubstitutionReport {
    /// The substitutions, in the order of the executables on the command line.
    pub made: Vec<Made>,
    /// The number of substitutions that were requested.
    pub asked: usize,
    /// Files of folders that are named like nothing in the program.
    pub unmatched: Vec<PathBuf>,
    /// Warnings about files and the objects in them.
    pub warnings: Vec<Diagnostic>,
    /// Notes on the choice of files in folders.
    pub notes: Vec<String>,
}

impl SubstitutionReport {
    /// Returns a summary: `3 of 3 substitutions applied`.
    pub fn summary(&self) -> String {
        let asked = self.asked + self.unmatched.len();
        let plural = if asked == 1 { "substitution" } else { "substitutions" };
        let mut text = format!("{} of {asked} {plural} applied", self.asked);
        if !self.unmatched.is_empty() {
            let files: Vec<_> = self.unmatched.iter().map(|f| format!("`{}`", f.display())).collect();
            text += &format!("; unmatched: {}", files.join(", "));
        }
        text
    }
}

/// Replaces sources and objects of a program in phase `executables` or `objects`, in place. Fails with all errors; the
/// program is then unchanged.
pub fn substitute(session: &Session, program: Program, what: &Substitution) -> Result<SubstitutionReport> {
    let phase = program.phase()?;
    if phase == Phase::Input {
        program.expect_phase("hal-substitute", Phase::Executables)?;
    }
    let mut reader = Reader::new(&what.search_path, what.stdin);
    let to_come = if phase == Phase::Executables { code::targets(&what.targets) } else { Vec::new() };
    let to_come: Vec<String> = to_come.iter().map(Target::variant_name).collect();
    let asked = Asked {
        rules: &what.rules,
        folders: &what.folders,
        only: what.only,
        allow_unmatched: what.allow_unmatched,
        to_come: &to_come,
    };
    let found = requests(session, program, &asked, &mut reader)?;
    let (mut workgroups, mut gpu) = (what.workgroups.clone(), what.gpu.clone());
    for name in workgroups.iter_mut().map(|w| &mut w.name).chain(gpu.names_mut()) {
        found.resolve(program, name)?;
    }
    let Found { requests, offers, notes, .. } = found;
    let mut problems = Problems::default();
    let (mut sources, mut objects) = (Vec::new(), Vec::new());
    let others = others(program, &requests);
    let settings =
        VariantSettings { phase, targets: &what.targets, workgroups: &workgroups, gpu: &gpu, others: &others };
    let index = RequestIndex::new(&requests);
    for request in requests.iter().filter(|r| r.is_whole_source()) {
        sources.extend(problems.take(source::prepare(session, phase, request, &index)).map(|s| (request, s)));
    }
    let replies: HashMap<Op, Executable> = sources.iter().map(|(r, s)| (r.executable.op, s.reply)).collect();
    let mut codes = Vec::new();
    for request in requests.iter().filter(|r| r.is_source() && !r.is_whole_source()) {
        if problems.take(schedule::check_name(request)).is_none() {
            continue;
        }
        let Some(code) = problems.take(code::prepare(session, request, &index, &settings)) else { continue };
        let new = replies.get(&request.executable.op).copied();
        problems.take(code.check_rest(new.unwrap_or(request.executable), request));
        codes.push((request, code));
    }
    let mut done: HashSet<&str> = HashSet::new();
    for request in requests.iter().filter(|r| !r.is_source()) {
        let name = request.name.executable.as_str();
        if !done.insert(name) {
            continue;
        }
        let same: Vec<&Request> = index.of_executable(name).collect();
        let placed = problems.take(variant::prepare(&same, &settings, &mut reader)).unwrap_or_default();
        let files = same.iter().map(|r| r.shown()).collect::<Vec<_>>().join(" + ");
        objects.extend(placed.into_iter().map(|p| (files.clone(), p)));
    }
    for (i, count) in workgroups.iter().enumerate() {
        if let Some(other) = workgroups[..i].iter().find(|o| o.name.overlaps(&count.name)) {
            let text = format!("two workgroup counts are given for one kernel: `{other}` and `{count}`");
            problems.add(Error::usage(text).code("given-twice"));
        }
        problems.take(check_workgroups(count, &requests));
    }
    gpu.check(&requests, &mut problems);
    problems.finish()?;

    let mut report = SubstitutionReport { asked: requests.len(), warnings: notes, ..SubstitutionReport::default() };
    for (folder, offer) in offers {
        unclaimed::tell(session, program, &folder, &offer, &mut report);
        report.unmatched.extend(offer.unmatched);
        report.notes.extend(offer.remarks);
    }
    for (request, source) in &sources {
        source.apply();
        report.made.push(Made {
            name: request.name.executable.clone(),
            files: request.shown(),
            kind: mlir_kind(request),
            remarks: source.remarks.clone(),
            details: Vec::new(),
        });
    }
    for (request, code) in &codes {
        code.apply(program);
        report.made.push(Made {
            name: code.name(),
            files: request.shown(),
            kind: mlir_kind(request),
            remarks: code.remarks.clone(),
            details: Vec::new(),
        });
    }
    for (files, mut placed) in objects {
        report.warnings.extend(placed.warning.take());
        let (name, remarks) = (placed.name(), std::mem::take(&mut placed.remarks));
        let details = std::mem::take(&mut placed.details);
        let kind = std::mem::take(&mut placed.kinds).join(" + ");
        placed.apply(session);
        report.made.push(Made { name, files, kind, remarks, details });
    }
    verify(session, program)?;
    Ok(report)
}

fn mlir_kind(request: &Request) -> String {
    match request.files[0].kind {
        FileFormat::MlirText => "MLIR text",
        FileFormat::Schedule => "a schedule",
        _ => "MLIR bytecode",
    }
    .into()
}

/// Returns the kernels of the program that each file is not given for.
fn others(program: Program, requests: &[Request]) -> Others {
    let names = |r: &Request| -> Vec<String> {
        let all = r.executable.interface_exports().into_iter().map(|e| e.name());
        all.filter(|e| r.name.export.as_ref().is_none_or(|only| only == e)).collect()
    };
    let mut given: HashMap<String, HashSet<String>> = HashMap::new();
    for request in requests {
        for file in &request.files {
            given.entry(file.name.clone()).or_default().extend(names(request));
        }
    }
    let all = program.executables().into_iter().flat_map(|e| e.interface_exports()).map(|e| e.name());
    Others::new(all, given)
}

/// Fails if a workgroup count is given without a hand-written kernel, where it would have no effect.
fn check_workgroups(workgroups: &Workgroups, requests: &[Request]) -> Result<()> {
    let Some(request) = requests.iter().find(|r| !r.is_source() && r.name.overlaps(&workgroups.name)) else {
        return Err(Error::usage(format!("`--workgroups={}=…` matches no given object", workgroups.name))
            .code("unknown-name")
            .hint("use it together with an object of the same name: `NAME=FILE`"));
    };
    let exports: Vec<String> = request.executable.interface_exports().iter().map(|e| e.name()).collect();
    match &workgroups.name.export {
        Some(export) if !exports.contains(export) => {
            let name = SubstitutionName::executable(&request.name.executable);
            Err(Error::usage(format!("executable `{name}` has no export `{export}`")).code("unknown-name"))
        }
        _ => Ok(()),
    }
}
