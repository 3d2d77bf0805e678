//! `-g`: line tables of generated code.
//!
//! Lines are those of a file for each executable, which is written beside the output: its source, as `hal-extract --as=mlir` writes it.
//! Workers write the same text and add the lines to the places of operations ([`lines::point_into`]); passes and the kernel
//! compiler carry them along, and [`lines::attach`] makes debug information of them. Objects name the files by the last
//! component of the folder's path, so that they do not depend on where they were made.
use crate::job::Job;
use halyard_cli::write_atomically;
use halyard_diag::{Error, Result};
use halyard_ir::{
    Op, Session,
    form::{Executable, file_name, write_standalone},
    lines::{self, LineTables},
};
use std::{collections::BTreeMap, path::PathBuf};

/// Settings of line tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DebugInfo {
    /// Where the files that lines refer to are written.
    folder: PathBuf,
}

impl DebugInfo {
    /// Line tables whose files are written into a folder.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The folder in line tables.
    pub(crate) fn recorded(&self) -> String {
        self.folder.file_name().map_or_else(|| ".".into(), |name| name.to_string_lossy().into_owned())
    }

    /// The file of a job in line tables.
    fn file(&self, job: &Job) -> String {
        format!("{}/{}", self.recorded(), name_of(job))
    }

    /// What the line tables of a job depend on, beside its source.
    pub(crate) fn key(&self, job: &Job) -> String {
        format!("{} {}", self.file(job), job.members[0].exports.join(" "))
    }

    /// A copy of the executable of a job, in no block, whose operations have the lines of its file. Errors: MLIR cannot
    /// read what it wrote.
    pub(crate) fn placed(&self, session: &Session, job: &Job) -> Result<Op> {
        let copy = source(job.op);
        let module = session.parse_beside(&write_standalone(Executable { op: copy }, false), &self.file(job))?;
        lines::point_into(copy, Op::from(&module), &self.file(job))?;
        Ok(copy)
    }

    /// Makes debug information for a module of the LLVM dialect.
    pub(crate) fn attach(&self, module: Op, job: &Job, tables: LineTables) {
        lines::attach(module, &self.file(job), tables);
    }

    /// Writes the files of jobs. Errors: one that cannot be written.
    pub(crate) fn write(&self, jobs: &[Job]) -> Result<()> {
        let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        for job in jobs {
            files.entry(name_of(job)).or_insert_with(|| {
                let copy = source(job.op);
                let text = write_standalone(Executable { op: copy }, false);
                copy.erase();
                text
            });
        }
        std::fs::create_dir_all(&self.folder).map_err(|e| Error::io("make the folder", &self.folder, &e))?;
        files.iter().try_for_each(|(name, text)| write_atomically(&self.folder.join(name), text))
    }
}

/// A copy of what the exports of a job are in, in no block, without variants.
fn source(op: Op) -> Op {
    let copy = op.duplicate();
    Executable { op: copy }.variants().into_iter().for_each(|v| v.op.erase());
    copy
}

fn name_of(job: &Job) -> String {
    let member = &job.members[0];
    file_name(&member.name, member.variant.as_deref(), "mlir")
}
