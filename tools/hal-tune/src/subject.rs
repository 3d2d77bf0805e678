//! What is tuned: executables whose kernels are generated from a source of fixed sizes.
use halyard_diag::Result;
use halyard_ir::{
    Attr, Op, Session,
    form::{Executable, ExecutableSelector, Program, content_key},
    names,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// An executable, and all others that are the same but for names.
#[derive(Debug, Clone)]
pub(crate) struct Subject {
    /// The first one.
    pub(crate) executable: Executable,
    /// All of them.
    pub(crate) members: Vec<Executable>,
    /// Its content key.
    pub(crate) key: String,
    /// How often the host program calls them, calls in loops counted once.
    pub(crate) calls: usize,
}

impl Subject {
    /// Its name in messages.
    pub(crate) fn name(&self) -> String {
        self.executable.name()
    }

    /// The name of its export.
    pub(crate) fn export(&self) -> String {
        self.executable.exports().first().map(|e| e.name()).unwrap_or_default()
    }
}

/// The subjects of a program in order, and why others are none: the executable and the reason. Errors: a pattern that matches no executable.
pub(crate) fn subjects(program: Program, patterns: &[String]) -> Result<(Vec<Subject>, Vec<(String, String)>)> {
    let executables = program.executables();
    let selector = ExecutableSelector::new(&executables);
    let mut wanted = BTreeSet::new();
    for pattern in patterns {
        wanted.extend(selector.all(pattern)?.iter().map(|e| e.name()));
    }
    let calls = calls(program)?;
    let (mut subjects, mut others) = (Vec::<Subject>::new(), Vec::new());
    let mut known: HashMap<String, usize> = HashMap::new();
    for executable in executables.iter().copied() {
        let name = executable.name();
        if !patterns.is_empty() && !wanted.contains(&name) {
            continue;
        }
        if let Some(why) = unfit(executable) {
            others.push((name, why));
            continue;
        }
        let calls = calls.get(&name).copied().unwrap_or(0);
        let key = content_key(executable);
        match known.get(&key) {
            Some(&at) => {
                subjects[at].members.push(executable);
                subjects[at].calls += calls;
            }
            None => {
                known.insert(key.clone(), subjects.len());
                subjects.push(Subject { executable, members: vec![executable], key, calls });
            }
        }
    }
    Ok((subjects, others))
}

/// Why the kernel of an executable is not tuned.
fn unfit(executable: Executable) -> Option<String> {
    let exports = executable.exports();
    let [export] = exports.as_slice() else {
        return Some(format!("it has {} exports, and executables with one are tuned", exports.len()));
    };
    if export.op.body().is_none() {
        return Some("it has no source".into());
    }
    if !executable.variants().is_empty() {
        return Some("it has code of its own, which stays as it is".into());
    }
    let ty = export.signature();
    let dynamic = ty.inputs().iter().chain(&ty.results()).any(|t| t.is_tensor() && !t.is_static());
    dynamic.then(|| "it has unknown sizes, and nothing says at which to measure".into())
}

/// How often the functions of the host program call each executable.
fn calls(program: Program) -> Result<BTreeMap<String, usize>> {
    let mut executable_of: HashMap<String, String> = HashMap::new();
    for entry in program.entries() {
        executable_of.insert(entry.name(), entry.target()?.0);
    }
    let mut calls = BTreeMap::new();
    for function in program.functions() {
        function.walk(&mut |op| {
            let callee = op.attr("callee").and_then(Attr::as_symbol).and_then(|mut parts| parts.pop());
            if let Some(executable) = callee.and_then(|callee| executable_of.get(&callee)) {
                *calls.entry(executable.clone()).or_default() += 1;
            }
        });
    }
    Ok(calls)
}

/// A copy of an executable with its source alone and without a schedule, in no program.
fn bare(executable: Executable) -> Executable {
    let copy = Executable { op: executable.op.duplicate() };
    copy.variants().into_iter().for_each(|v| v.op.erase());
    for export in copy.exports() {
        export.op.remove_attr(names::SCHEDULE);
    }
    copy
}

/// A copy of an executable with this value of `hal.schedule`; `None` keeps what the program says. Errors: it is no attribute.
pub(crate) fn with_schedule(session: &Session, executable: Executable, schedule: Option<&str>) -> Result<Executable> {
    let Some(schedule) = schedule else { return Ok(Executable { op: executable.op.duplicate() }) };
    let attr = Attr::parse(session.raw(), schedule)
        .ok_or_else(|| session.error("the schedule is no attribute of MLIR's").note(schedule.to_owned()))?;
    let copy = bare(executable);
    let set = |op: Op| op.set_attr(names::SCHEDULE, attr);
    copy.exports().into_iter().for_each(|e| set(e.op));
    Ok(copy)
}
