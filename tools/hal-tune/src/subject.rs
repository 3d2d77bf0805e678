//! What is tuned: executables whose kernels are generated from a source.
use crate::host::HostCalls;
use halyard_diag::Result;
use halyard_ir::{
    Attr, Session, Type,
    form::{Executable, ExecutableSelector, Program, Variant, content_key, device_of_target},
    names,
};
use halyard_verify::ContestPlace;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The most sizes at which an executable is measured: those of most calls.
const PLACES: usize = 4;
/// The reason that a note about `--dim` belongs to.
pub(crate) const OPEN: &str = "its sizes are open, and nothing says at which to measure";
/// For each export its schedule, if it has one.
pub(crate) type Schedules = Vec<Option<String>>;

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
    /// The sizes at which it is timed, with weights that add up to 1.
    pub(crate) places: Vec<ContestPlace>,
}

impl Subject {
    /// Its name in messages.
    pub(crate) fn name(&self) -> String {
        self.executable.name()
    }

    /// The bytes of the smallest element of its tensors, at least 1.
    pub(crate) fn least_element(&self) -> i64 {
        let exports = self.executable.exports();
        let types = exports.iter().flat_map(|e| e.signature().inputs());
        let bits = types.filter(|t: &Type| t.is_tensor()).map(|t| i64::from(t.element().bits())).min();
        (bits.unwrap_or(0) / 8).max(1)
    }

    /// The name of its first export.
    pub(crate) fn export(&self) -> String {
        self.executable.exports().first().map(|e| e.name()).unwrap_or_default()
    }
}

/// The subjects of a program for a kind of device in order, and why others are none: the executable and the reason. Errors: a pattern that matches no executable.
pub(crate) fn subjects(
    program: Program,
    patterns: &[String],
    host: &HostCalls,
    device: &str,
) -> Result<(Vec<Subject>, Vec<(String, String)>)> {
    let executables = program.executables();
    let selector = ExecutableSelector::new(&executables);
    let mut wanted = BTreeSet::new();
    for pattern in patterns {
        wanted.extend(selector.all(pattern)?.iter().map(|e| e.name()));
    }
    let calls = calls(program)?;
    let (mut subjects, mut others) = (Vec::<Subject>::new(), Vec::new());
    let mut weighted: Vec<Vec<(ContestPlace, f64)>> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for executable in executables.iter().copied() {
        let name = executable.name();
        if !patterns.is_empty() && !wanted.contains(&name) {
            continue;
        }
        if let Some(why) = unfit(executable, device) {
            others.push((name, why));
            continue;
        }
        let calls = calls.get(&name).copied().unwrap_or(0);
        let Some(places) = places(executable, host) else {
            others.push((name, OPEN.to_owned()));
            continue;
        };
        let key = content_key(executable);
        match known.get(&key) {
            Some(&at) => {
                subjects[at].members.push(executable);
                let subject = &mut subjects[at];
                let of_first = |(place, count): (ContestPlace, f64)| {
                    let number = executable.exports().iter().position(|e| e.name() == place.export).unwrap_or(0);
                    let export = subject.executable.exports().get(number).map(|e| e.name()).unwrap_or_default();
                    (ContestPlace { export, ..place }, count)
                };
                weighted[at].extend(places.into_iter().map(of_first));
                subject.calls += calls;
            }
            None => {
                known.insert(key.clone(), subjects.len());
                subjects.push(Subject { executable, members: vec![executable], key, calls, places: Vec::new() });
                weighted.push(places);
            }
        }
    }
    for (subject, places) in subjects.iter_mut().zip(weighted) {
        subject.places = most_of(places);
    }
    Ok((subjects, others))
}

/// Why the kernel of an executable for a kind of device is not tuned.
fn unfit(executable: Executable, device: &str) -> Option<String> {
    let exports = executable.exports();
    let has_code = variant_for(executable, device).is_some();
    let variants = executable.variants();
    if exports.is_empty() || exports.iter().any(|e| e.op.body().is_none()) {
        let why = "it has no source";
        return Some(if has_code || variants.is_empty() {
            why.into()
        } else {
            format!("{why}, and no code for `{device}`")
        });
    }
    has_code.then(|| "it has code of its own, which stays as it is".into())
}

/// What is timed of an executable, with the number of calls that are so; `None` if an export of open sizes is called with sizes that nobody knows.
fn places(executable: Executable, host: &HostCalls) -> Option<Vec<(ContestPlace, f64)>> {
    let (mut found, mut idle) = (Vec::new(), Vec::new());
    for export in executable.exports() {
        let ty = export.signature();
        let is_open = ty.inputs().iter().chain(&ty.results()).any(|t| t.is_tensor() && !t.is_static());
        let calls = host.of.get(&(executable.name(), export.name()));
        if !is_open {
            let count = calls.map_or(0, |c| c.values().sum());
            let into = if count == 0 { &mut idle } else { &mut found };
            into.push((ContestPlace::fixed(&export), count.max(1) as f64));
            continue;
        }
        let Some(calls) = calls else { continue };
        let inputs = ty.inputs();
        let known: Vec<_> = calls
            .iter()
            .filter(|(sizes, _)| {
                sizes.iter().zip(&inputs).all(|(s, t)| !t.is_tensor() || s.iter().all(Option::is_some))
            })
            .collect();
        if known.is_empty() {
            return None;
        }
        let place =
            |sizes: &Vec<Vec<Option<i64>>>| ContestPlace { sizes: sizes.clone(), ..ContestPlace::fixed(&export) };
        found.extend(known.into_iter().map(|(sizes, count)| (place(sizes), *count as f64)));
    }
    // What nothing calls counts where nothing is called.
    let all = if found.is_empty() { idle } else { found };
    (!all.is_empty()).then_some(all)
}

/// The places that most calls have, with parts of 1 as weights.
fn most_of(all: Vec<(ContestPlace, f64)>) -> Vec<ContestPlace> {
    let mut places: Vec<(ContestPlace, f64)> = Vec::new();
    for (place, count) in all {
        match places.iter_mut().find(|(known, _)| known.export == place.export && known.sizes == place.sizes) {
            Some((_, sum)) => *sum += count,
            None => places.push((place, count)),
        }
    }
    // Equal ones stay in order.
    places.sort_by(|a, b| b.1.total_cmp(&a.1));
    places.truncate(PLACES);
    let sum: f64 = places.iter().map(|(_, count)| count).sum();
    places.into_iter().map(|(place, count)| ContestPlace { weight: count / sum, ..place }).collect()
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
            let callee = op.callee();
            if let Some(executable) = callee.and_then(|callee| executable_of.get(&callee)) {
                *calls.entry(executable.clone()).or_default() += 1;
            }
        });
    }
    Ok(calls)
}

/// The variant of an executable for a kind of device: of several the last, which was added to others.
pub(crate) fn variant_for(executable: Executable, device: &str) -> Option<Variant> {
    let is_for = |v: &Variant| v.target().and_then(device_of_target) == Some(device);
    executable.variants().into_iter().rfind(is_for)
}

/// A copy of an executable with its source alone and without a schedule, in no program.
pub(crate) fn bare(executable: Executable) -> Executable {
    let copy = Executable { op: executable.op.duplicate() };
    copy.variants().into_iter().for_each(|v| v.op.erase());
    for export in copy.exports() {
        export.op.remove_attr(names::SCHEDULE);
    }
    copy
}

/// A copy of an executable with these values of `hal.schedule`; `None` keeps what the program says. Errors: one is no attribute.
pub(crate) fn with_schedules(
    session: &Session,
    executable: Executable,
    schedules: Option<&Schedules>,
) -> Result<Executable> {
    let Some(schedules) = schedules else { return Ok(Executable { op: executable.op.duplicate() }) };
    let attr = |text: &String| {
        let attr = Attr::parse(session.raw(), text);
        attr.ok_or_else(|| session.error("the schedule is not an MLIR attribute").note(text.to_owned()))
    };
    let attrs = schedules.iter().map(|s| s.as_ref().map(attr).transpose()).collect::<Result<Vec<_>>>()?;
    let copy = bare(executable);
    for (export, attr) in copy.exports().into_iter().zip(attrs) {
        attr.into_iter().for_each(|attr| export.op.set_attr(names::SCHEDULE, attr));
    }
    Ok(copy)
}
