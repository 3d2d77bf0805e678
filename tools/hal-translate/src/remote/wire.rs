//! What jobs and their results are made of.
use crate::{
    DebugInfo, Options, Translation,
    job::{Done, Job, Member},
    llvm::Code,
    target::Target,
};
use halyard_ir::{
    Attr, Session,
    form::{Executable, write_standalone},
};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What the executables of a job share.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Common {
    /// The target attributes, as MLIR prints them.
    pub(super) targets: Vec<String>,
    opt_level: u8,
    /// `fast_math`, `winograd`, `tf32`, `activations`.
    fast: [bool; 4],
    pub(super) code: Code,
    /// Plugins of MLIR: the flag that loads each, its path, and the hash of its contents.
    pub(super) plugins: Vec<(String, String, String)>,
    /// Limits of an executable's translation: milliseconds and bytes.
    pub(super) limits: (Option<u64>, Option<u64>),
    /// The folder that line tables name, if there are any.
    debug: Option<String>,
}

/// An executable in a job.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Item {
    /// The executable as a module of its own, in bytecode.
    pub(super) module: Vec<u8>,
    pub(super) members: Vec<Member>,
    pub(super) target: usize,
}

impl Common {
    pub(super) fn new(session: &Session, targets: &[Target], translation: &Translation, code: Code) -> Self {
        let options = translation.options;
        let plugin = |word: String| {
            let (flag, path) = word.split_once('=').unwrap_or((&word, ""));
            (flag.to_owned(), path.to_owned(), hash_of_file(path.as_ref()))
        };
        let containment = &translation.containment;
        let milliseconds = |t: std::time::Duration| u64::try_from(t.as_millis()).unwrap_or(u64::MAX);
        Self {
            targets: targets.iter().map(|t| t.attr(session).to_string()).collect(),
            opt_level: options.opt_level,
            fast: [options.fast_math, options.winograd, options.tf32, options.activations],
            code,
            plugins: halyard_ir::plugin_words().into_iter().map(plugin).collect(),
            limits: (containment.executable_timeout.map(milliseconds), containment.executable_memory),
            debug: translation.debug.as_ref().map(DebugInfo::recorded),
        }
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("settings are plain data")
    }

    pub(super) fn options(&self) -> Options {
        let [fast_math, winograd, tf32, activations] = self.fast;
        Options { opt_level: self.opt_level, fast_math, winograd, tf32, activations }
    }

    pub(super) fn debug(&self) -> Option<DebugInfo> {
        self.debug.as_ref().map(|folder| DebugInfo::new(folder.into()))
    }

    /// The targets. Errors: one that is none here, or that another one would be.
    pub(super) fn targets(&self, session: &Session) -> Result<Vec<Target>, String> {
        let of = |text: &String| {
            let target = Attr::parse(session.raw(), text).and_then(Target::of_attr);
            target.filter(|t| t.attr(session).to_string() == *text).ok_or_else(|| format!("target `{text}` is unknown"))
        };
        self.targets.iter().map(of).collect()
    }
}

/// The hash of a file's contents; empty if it cannot be read.
pub(super) fn hash_of_file(path: &Path) -> String {
    std::fs::read(path).map(|bytes| blake3::hash(&bytes).to_hex().to_string()).unwrap_or_default()
}

/// A job in the form that is sent.
pub(super) fn item(job: &Job) -> Vec<u8> {
    let module = write_standalone(Executable { op: job.op }, true);
    let item = Item { module, members: job.members.clone(), target: job.target };
    postcard::to_stdvec(&item).expect("jobs are plain data")
}

/// The result of a job; `None` if the worker has none without messages, or it does not belong to the job.
pub(super) fn result(reply: &[u8], job: &Job) -> Option<Vec<Done>> {
    let done: Vec<Done> = postcard::from_bytes::<Option<Vec<Done>>>(reply).ok()??;
    let alike = done.len() == job.members.len() && done.iter().zip(&job.members).all(|(d, m)| d.member == *m);
    alike.then_some(done)
}

/// Names the code generator: the same build gives the same bytes.
pub(super) fn build() -> String {
    let libraries = halyard_cache::library_builds(&["libLLVM", "libMLIR"]);
    let hash = blake3::hash(format!("{}\n{libraries}", halyard_cache::SOURCES).as_bytes()).to_hex();
    hash[..16].to_owned()
}

/// The name and version of the tool.
pub(super) fn version() -> &'static str {
    concat!("hal-translate ", env!("CARGO_PKG_VERSION"))
}
