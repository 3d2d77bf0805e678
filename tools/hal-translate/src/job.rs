//! A job: one executable (or several equal ones) for one target, and its result.
use crate::{codegen, schedule::SentSchedule, target::Target};
use halyard_diag::{Diagnostic, Error, Result, Severity};
use halyard_ir::{
    Attr, Op, Session,
    form::{Export, Launch, PackedWeight},
};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Executables that differ only in names, translated once.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    /// The names of the executables; at least one.
    pub members: Vec<Member>,
    /// The first executable: the module that holds its exports. It is not changed.
    pub op: Op,
    /// The index of the target.
    pub target: usize,
    /// What [`crate::nameless::nameless`] says of it, if that is known and nothing will change it.
    pub text: Option<String>,
}

impl Job {
    /// Returns the name for messages.
    pub(crate) fn place(&self, targets: &[Target]) -> String {
        let Member { name, variant, .. } = &self.members[0];
        match variant {
            Some(variant) => format!("variant `@{name}::@{variant}`"),
            None => format!("executable `@{name}` for `{}`", targets[self.target].short()),
        }
    }

    /// Adds the executable's name to the text of an error, so that every message format has it.
    pub(crate) fn name_error(&self, mut error: Error, targets: &[Target]) -> Error {
        let place = self.place(targets);
        match error.diagnostics.iter_mut().find(|d| d.severity == Severity::Error) {
            Some(first) => first.message = format!("{place}: {}", first.message),
            None => error.diagnostics.push(Diagnostic::error(place)),
        }
        error
    }
}

/// The names of an executable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Member {
    /// The executable.
    pub name: String,
    /// The variant that came with this code; `None` for the source of the executable.
    pub variant: Option<String>,
    /// Its exports, in order.
    pub exports: Vec<String>,
}

/// The result for one executable.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Done {
    /// The export and variant that was translated.
    pub member: Member,
    /// The object, or text.
    pub code: Vec<u8>,
    /// The format of the object, as `hal.objects` has it.
    pub format: String,
    /// For a GPU: the launch parameters of each export, in order.
    pub launches: Vec<SentLaunch>,
    /// For a GPU: the features that a device must have, as in `hal.features`.
    pub features: Vec<String>,
    /// A module of the functions that count workgroups, in the order of the exports, as bytecode.
    pub workgroups: Vec<u8>,
    /// For each export, a description of its lowering.
    pub explanations: Vec<String>,
    /// For each export, its schedule, if its kernel has one.
    pub schedules: Vec<Option<SentSchedule>>,
    /// For each export, the weights that its kernel uses packed.
    pub packed: Vec<SentPacked>,
    /// The symbols that the object needs from elsewhere; empty for text.
    pub needs: Vec<String>,
    /// Warnings about exports; sent separately, since they contain places.
    #[serde(skip)]
    pub warnings: Vec<Diagnostic>,
    /// Time spent; for all but the first of a job, on its own code alone.
    pub times: Times,
    /// The machine that translated it, if that is not this one.
    #[serde(skip)]
    pub host: Option<String>,
    /// Whether it was translated before, and comes from the cache.
    #[serde(skip)]
    pub cached: bool,
    /// Why it does not, where there is a cache.
    #[serde(skip)]
    pub missed: Option<String>,
}

impl Done {
    /// Returns the launch parameters of each export, in order; empty for a CPU.
    pub(crate) fn launches(&self) -> Vec<Launch> {
        let launch = |&(workgroup_size, shared_memory): &SentLaunch| Launch { workgroup_size, shared_memory };
        self.launches.iter().map(launch).collect()
    }

    /// The weights that the kernel of an export takes packed.
    pub(crate) fn packed(&self, export: usize) -> Vec<PackedWeight> {
        let list = self.packed.get(export).into_iter().flatten();
        list.map(|(i, layout)| PackedWeight::named(*i, layout).expect("a worker is the same program")).collect()
    }
}

/// A [`Launch`] in the form that is sent between processes: threads of a workgroup, bytes of shared memory.
pub(crate) type SentLaunch = ([u32; 3], u64);

/// Packed weights of a kernel in the form that is sent between processes: positions of arguments and names of layouts.
pub(crate) type SentPacked = Vec<(usize, String)>;

/// Converts packed weights to that form.
pub(crate) fn sent_packed(list: &[PackedWeight]) -> SentPacked {
    list.iter().map(|p| (p.argument, p.layout.name().to_owned())).collect()
}

/// Converts launch parameters to that form.
pub(crate) fn sent(launches: &[Launch]) -> Vec<SentLaunch> {
    launches.iter().map(|l| (l.workgroup_size, l.shared_memory)).collect()
}

/// The CPU time of a worker, by phase.
#[derive(Debug, Default, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Times {
    /// The time from tensors to loops or vectors.
    pub generate: Duration,
    /// The time from there to LLVM IR, or to SPIR-V's dialect.
    pub lower: Duration,
    /// The time in LLVM's passes.
    pub optimize: Duration,
    /// The time in LLVM's code generator; for SPIR-V, from its dialect to the binary.
    pub codegen: Duration,
}

impl Times {
    /// Returns the sum.
    pub(crate) fn total(&self) -> Duration {
        self.generate + self.lower + self.optimize + self.codegen
    }
}

/// Copies the functions that count workgroups into another session, in no block, named after the exports, and placed where
/// `exports` are, so that it does not show where they were made.
pub(crate) fn read_workgroups(session: &Session, done: &Done, exports: &[Export]) -> Result<Vec<Op>> {
    let module = session.parse(&done.workgroups, "workgroups")?;
    let ops = Op::from(&module).body_ops();
    let named = ops.into_iter().zip(&done.member.exports).enumerate().map(|(i, (op, export))| {
        let copy = op.duplicate();
        if let Some(place) = exports.get(i) {
            copy.set_locs(place.op.loc());
        }
        copy.set_attr("sym_name", Attr::string(session.raw(), &codegen::workgroups_name(export)));
        copy
    });
    Ok(named.collect())
}
