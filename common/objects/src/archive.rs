//! Static archives.
use crate::{FileFormat, ObjectFile, inspect};
use halyard_diag::{Error, Result};
use object::read::archive::ArchiveFile;
use std::collections::BTreeSet;

/// Whether a file is a static archive.
pub fn is_archive(bytes: &[u8]) -> bool {
    FileFormat::of(bytes) == FileFormat::Archive
}

/// Objects of static archives, which are linked if needed.
#[derive(Debug, Default)]
pub struct Library {
    /// The members that have not been used yet, in order.
    pub members: Vec<ObjectFile>,
}

impl Library {
    /// Adds the members of a static archive; `file` is the stem of their file names. Errors: a damaged archive, a member
    /// that is no object.
    pub fn add(&mut self, bytes: &[u8], file: &str, owner: &str) -> Result<()> {
        let bad = |e: object::Error| {
            Error::input(format!("{owner}: the archive is damaged: {}", e.to_string().to_lowercase()))
                .code("bad-object")
        };
        let archive = ArchiveFile::parse(bytes).map_err(bad)?;
        for (i, member) in archive.members().enumerate() {
            let member = member.map_err(bad)?;
            let data = member.data(bytes).map_err(bad)?;
            let name = String::from_utf8_lossy(member.name()).into_owned();
            self.members.push(inspect(data.to_vec(), format!("{file}.{i}.o"), format!("{owner}, member `{name}`"))?);
        }
        Ok(())
    }

    /// Moves the members that define symbols which `objects` need, directly or indirectly, into `objects`.
    pub fn resolve(&mut self, objects: &mut Vec<ObjectFile>) {
        loop {
            let defined: BTreeSet<&String> = objects.iter().flat_map(|o| o.defined.keys()).collect();
            let needed: BTreeSet<&String> =
                objects.iter().flat_map(|o| &o.undefined).filter(|n| !defined.contains(n)).collect();
            let Some(found) = self.members.iter().position(|m| m.defined.keys().any(|d| needed.contains(d))) else {
                return;
            };
            let member = self.members.remove(found);
            objects.push(member);
        }
    }

    /// Removes and returns the first member that defines a symbol.
    pub fn take_defining(&mut self, symbol: &str) -> Option<ObjectFile> {
        let found = self.members.iter().position(|m| m.defined.contains_key(symbol))?;
        Some(self.members.remove(found))
    }
}
