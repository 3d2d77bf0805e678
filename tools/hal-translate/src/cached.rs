//! Takes executables from the cache if they were translated before. Workers translate the others, which are then added to it.
use crate::{
    Translation,
    code_target::RenameExports,
    fault_injection,
    job::{Done, Job, Member, Times},
    llvm::Code,
    nameless::nameless,
    target::Target,
    targets::of,
    workers::{self, WorkerOutput},
};
use halyard_cache::{CacheKey, CacheMode, EntryLayers, library_builds};
use halyard_diag::{Error, Result};
use halyard_ir::{
    Op, Session,
    form::{Executable, print},
};
use halyard_objects::packed_weights_section;

/// Like [`workers::run`], but takes results from the cache where it has them; they are the same, byte for byte.
pub(crate) fn run(
    session: &Session,
    jobs: &[Job],
    targets: &[Target],
    translation: &Translation,
    code: Code,
) -> (Vec<Result<Vec<Done>>>, WorkerOutput) {
    let all = || workers::run(session, jobs, targets, translation, code);
    let wanted = translation.cache.as_ref().filter(|_| code == Code::Obj && !fault_injection::is_on());
    // Workers report the errors of a pipeline.
    let Some(choice) = wanted.filter(|_| translation.pipelines.read(session, targets).is_ok()) else { return all() };
    let mut cache = EntryLayers::open(choice);
    if cache.is_empty() {
        let (results, mut output) = all();
        output.warnings.extend(cache.warnings());
        return (results, output);
    }
    let common = Common::of(translation);
    let keys: Vec<Option<CacheKey>> =
        jobs.iter().map(|job| common.key(session, job, &targets[job.target], translation)).collect();
    let found = cache.find(&keys, |i, bytes| taken(bytes, &jobs[i], &targets[jobs[i].target]));
    let checks = choice.mode == CacheMode::Check;
    let open: Vec<usize> = (0..jobs.len()).filter(|&i| checks || found[i].is_none()).collect();
    let list: Vec<Job> = open.iter().map(|&i| jobs[i].clone()).collect();
    let (new, mut output) = workers::run(session, &list, targets, translation, code);
    if new.len() != list.len() {
        return (new, output);
    }
    let mut results: Vec<Result<Vec<Done>>> = found.iter().map(|done| Ok(done.clone().unwrap_or_default())).collect();
    let mut fresh = Vec::new();
    for (i, mut result) in open.into_iter().zip(new) {
        if let (Ok(done), Some(key), None) = (&mut result, &keys[i], &found[i]) {
            let why = cache.missed(key);
            done.iter_mut().for_each(|done| done.missed = Some(why.clone()));
        }
        if let (Ok(done), Some(key)) = (&result, &keys[i]) {
            match &found[i] {
                Some(kept) => {
                    if let Some(part) = difference(session, kept, done) {
                        results[i] = Err(differs(&jobs[i], targets, key, part));
                        continue;
                    }
                }
                // Translations with messages are not kept: messages name places in the source.
                None if output.is_silent() => fresh.extend(written(session, done).map(|bytes| (key.clone(), bytes))),
                None => {}
            }
        }
        results[i] = result;
    }
    cache.add(fresh);
    output.warnings.extend(cache.warnings());
    output.details.extend_from_slice(cache.troubles());
    (results, output)
}

/// The parts of a key that all executables of a translation share.
struct Common {
    libraries: String,
    plugins: String,
    options: String,
}

impl Common {
    fn of(translation: &Translation) -> Self {
        let options = translation.options;
        let fast = options.fast_words().unwrap_or_default();
        Self {
            libraries: library_builds(&["libLLVM", "libMLIR"]),
            plugins: halyard_ir::plugin_words().iter().map(|word| plugin(word)).collect(),
            options: format!("-O{} {fast}", options.opt_level),
        }
    }

    /// The key of a job; `None` if its code may depend on what is not known here: a pipeline of somebody's own, or code of a
    /// variant; or if it cannot have other names.
    fn key(&self, session: &Session, job: &Job, target: &Target, translation: &Translation) -> Option<CacheKey> {
        let own = translation.pipelines.of(target).replacement().is_some() || job.members[0].variant.is_some();
        if own || of(target).rename().is_none() {
            return None;
        }
        let text = job.text.clone().unwrap_or_else(|| nameless(Executable { op: job.op }));
        let key = CacheKey::of(&text)
            .with("target", format!("{target} {}", target.attr(session)))
            .with("options", &*self.options)
            .with("tools", halyard_cache::SOURCES)
            .with("libraries", &*self.libraries)
            .with("plugins", &*self.plugins);
        Some(match &translation.debug {
            Some(debug) => key.with("line tables", debug.key(job)),
            None => key,
        })
    }
}

/// A plugin of MLIR, identified by a hash of its contents.
fn plugin(word: &str) -> String {
    let (flag, path) = word.split_once('=').unwrap_or((word, ""));
    let hash =
        std::fs::read(path).map_or_else(|_| "unreadable".into(), |bytes| blake3::hash(&bytes).to_hex().to_string());
    format!("{flag} {hash}\n")
}

/// The content of an entry: the first executable of the job stands for all. Functions that count workgroups are kept as text,
/// which has no places in files.
fn written(session: &Session, done: &[Done]) -> Option<Vec<u8>> {
    let first = done.first()?;
    let workgroups = counts(session, first)?.into_bytes();
    postcard::to_stdvec(&Done { times: Times::default(), workgroups, ..first.clone() }).ok()
}

/// The functions that count workgroups, as text.
fn counts(session: &Session, done: &Done) -> Option<String> {
    Some(print(Op::from(&session.parse(&done.workgroups, "workgroups").ok()?)))
}

/// The executables of a job from the content of an entry. Errors: it is damaged.
fn taken(bytes: &[u8], job: &Job, target: &Target) -> Result<Vec<Done>> {
    let rename = of(target).rename().ok_or_else(|| Error::input("the target has no names to change"))?;
    let kept: Done = postcard::from_bytes(bytes).map_err(|e| Error::input(format!("the cache is damaged: {e}")))?;
    job.members.iter().map(|member| renamed(&kept, member, rename)).collect()
}

/// Renames the exports of a cached result.
fn renamed(kept: &Done, member: &Member, rename: RenameExports) -> Result<Done> {
    let names: Vec<(String, String)> =
        kept.member.exports.iter().cloned().zip(member.exports.iter().cloned()).collect();
    if names.len() != member.exports.len() || names.len() != kept.packed.len() {
        return Err(Error::input("the cache has another number of exports"));
    }
    let lists = member.exports.iter().map(String::as_str).zip(kept.packed.iter().map(Vec::as_slice));
    let code = rename(&kept.code, &names, packed_weights_section(lists))?;
    Ok(Done { member: member.clone(), code, cached: true, ..kept.clone() })
}

/// Names the first part in which two translations of a job differ; `None` if they are equal.
fn difference(session: &Session, a: &[Done], b: &[Done]) -> Option<&'static str> {
    let of = |a: &Done, b: &Done| {
        let parts = [
            ("the object", a.code == b.code && a.format == b.format),
            ("its workgroups", counts(session, a) == counts(session, b) && a.launches == b.launches),
            ("what it needs of the device", a.features == b.features),
            ("the weights that it takes packed", a.packed == b.packed),
            ("the symbols that it needs", a.needs == b.needs),
            ("what `--explain` says", a.explanations == b.explanations && a.schedules == b.schedules),
        ];
        parts.into_iter().find(|(_, same)| !same).map(|(part, _)| part)
    };
    if a.len() != b.len() { Some("the number of executables") } else { a.iter().zip(b).find_map(|(a, b)| of(a, b)) }
}

fn differs(job: &Job, targets: &[Target], key: &CacheKey, part: &str) -> Error {
    let place = job.place(targets);
    Error::tool(format!("{place}: {part} in the cache differs from a new translation"))
        .code("cache-differs")
        .note(format!("the key of the entry is {}", key.hash()))
        .hint("this is a defect of Halyard, or of the cache: please report it; `--cache=off` uses no cache")
}
