//! An imported program as the cache keeps it: the module without its weights, and where each of them lies.
//!
//! The content of an entry is the length of a head (8 bytes, little-endian), the head ([`Head`]), and bytes that it refers to: the
//! module as bytecode, and weights that the import computed.
use super::{
    key::{Known, is_beside},
    place::{Held, LARGEST, Place},
};
use crate::{ImportRequest, ImportedProgram, WeightsPlace, weights};
use bytes::Bytes;
use halyard_diag::{Error, ErrorKind, Result, Source, WireError};
use halyard_ir::{
    Op, Session, dense_data,
    form::{Program, ProgramGlobal, large_resources, without_data, write},
    resource,
};
use halyard_tensors::{ArchiveTensor, Data, NewArchive};
use safetensors::Dtype;
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

/// What an entry holds beside bytes.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Head {
    /// The number of bytes of the module, which come first.
    module: usize,
    globals: Vec<KeptGlobal>,
    archive: Option<KeptArchive>,
    /// The texts that the import parsed, for messages.
    sources: Vec<KeptText>,
    /// The warnings of the import, and what MLIR said.
    warnings: Vec<u8>,
    said: Vec<u8>,
}

/// A global whose data is a resource.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct KeptGlobal {
    symbol: String,
    resource: String,
    data: Place,
}

/// The archive that the import writes.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct KeptArchive {
    tensors: Vec<(String, Dtype, Vec<u64>, [u8; 32], Place)>,
}

impl KeptArchive {
    /// The archive; `None` if it cannot be written here.
    fn restore(&self, what: &ImportRequest<'_>, known: &Known, held: &Bytes) -> Option<NewArchive<'static>> {
        let path = match &what.weights {
            WeightsPlace::File(path) | WeightsPlace::ExternalBeside(path) => path,
            WeightsPlace::Embed | WeightsPlace::External => return None,
        };
        let name = known.archive.as_ref()?;
        // The import says what is wrong with an output that is an input, and finds another name where it may.
        let taken = weights::free_name(&BTreeSet::new(), path, is_beside(what)).ok()? != *name;
        if taken || !is_beside(what) && halyard_cli::files_read().iter().any(|f| f == path) {
            return None;
        }
        let tensor = |(key, dtype, shape, hash, place): &(String, Dtype, Vec<u64>, [u8; 32], Place)| {
            let data = Data::Shared(place.bytes(what, known, held)?);
            Some(ArchiveTensor { key: key.clone(), dtype: *dtype, shape: shape.clone(), data, hash: *hash })
        };
        let tensors = self.tensors.iter().map(tensor).collect::<Option<Vec<_>>>()?;
        Some(NewArchive::new(path.with_file_name(name), tensors))
    }
}

/// A text; `None` for that of the model.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct KeptText {
    name: String,
    first_line: usize,
    text: Option<String>,
}

/// An imported program in the form of an entry.
pub(super) struct KeptImport {
    head: Head,
    /// The content of the entry.
    all: Bytes,
    /// What follows the head.
    rest: Bytes,
}

impl KeptImport {
    /// Reads the content of an entry. Errors: it is not whole.
    pub(super) fn read(content: &[u8]) -> Result<Self> {
        let all = Bytes::copy_from_slice(content);
        let damaged = || Error::input("the entry is damaged");
        let length = all.first_chunk().map(|b| u64::from_le_bytes(*b)).and_then(|n| usize::try_from(n).ok());
        let end = length.and_then(|n| n.checked_add(8)).filter(|end| *end <= all.len()).ok_or_else(damaged)?;
        let head: Head = postcard::from_bytes(&all[8..end]).map_err(|_| damaged())?;
        let rest = all.slice(end..);
        let whole = head.module <= rest.len();
        whole.then_some(Self { head, all, rest }).ok_or_else(damaged)
    }

    /// The content of the entry.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.all
    }

    /// The entry of a program that was just imported; `before` are the texts that the session had. Errors, as the end of a
    /// sentence: why it is not kept.
    pub(super) fn of(
        session: &Session,
        program: &ImportedProgram<'_>,
        (what, known): (&ImportRequest<'_>, &Known),
        before: &[Arc<Source>],
    ) -> std::result::Result<Self, String> {
        let mut held = Held { what, known, bytes: Vec::new() };
        let archive = program.archive.as_ref().map(|archive| {
            let name = archive.path.file_name().map(|name| name.to_string_lossy().into_owned());
            if name != known.archive {
                return Err(format!("its archive is called `{}`", archive.path.display()));
            }
            let tensor = |t: &ArchiveTensor<'_>| {
                held.place(t.data.bytes()).map(|place| (t.key.clone(), t.dtype, t.shape.clone(), t.hash, place))
            };
            let tensors: std::result::Result<_, String> = archive.tensors().iter().map(tensor).collect();
            Ok(KeptArchive { tensors: tensors? })
        });
        let archive = archive.transpose()?;
        let op = Op::from(&program.module);
        let globals = large_resources(session, Program { op });
        let placed = globals.iter().map(|(global, resource, value)| {
            let (bytes, _) = dense_data(session, *value).ok_or("a resource has no data")?;
            Ok(KeptGlobal { symbol: global.name(), resource: resource.clone(), data: held.place(&bytes)? })
        });
        let placed: std::result::Result<Vec<_>, String> = placed.collect();
        let placed = placed?;
        let sources: Vec<Arc<Source>> = session.sources();
        let sources = sources.iter().filter(|source| !before.iter().any(|b| Arc::ptr_eq(b, source)));
        let of_model = |source: &Source| source.text.as_bytes() == &what.bytes[..];
        let texts = sources.clone().map(|source| KeptText {
            name: source.name.clone(),
            first_line: source.first_line,
            text: (!of_model(source)).then(|| source.text.clone()),
        });
        let texts: Vec<KeptText> = texts.collect();
        let sources: Vec<Arc<Source>> = sources.cloned().collect();
        let said = session.take_diagnostics();
        said.iter().for_each(|d| session.say(d.clone()));
        let sent = |diagnostics| {
            let error = Error { kind: ErrorKind::Input, diagnostics };
            postcard::to_stdvec(&WireError::new(error, &sources)).map_err(|e| format!("its messages: {e}"))
        };
        let (warnings, said) = (sent(program.warnings.clone())?, sent(said)?);
        let module = without_data(&globals, || write(op, true));
        let head = Head { module: module.len(), globals: placed, archive, sources: texts, warnings, said };
        let encoded = postcard::to_stdvec(&head).map_err(|e| e.to_string())?;
        let rest = [module, held.bytes].concat();
        let all: Bytes = [&(encoded.len() as u64).to_le_bytes(), &*encoded, &*rest].concat().into();
        if all.len() > LARGEST {
            return Err(format!("the entry would have {} bytes, at most {LARGEST} are kept", all.len()));
        }
        let rest = all.slice(all.len() - rest.len()..);
        Ok(Self { head, all, rest })
    }

    /// The program; `None` if the entry cannot be used here.
    pub(super) fn restore<'s>(
        &self,
        session: &'s Session,
        what: &ImportRequest<'_>,
        known: &Known,
    ) -> Option<ImportedProgram<'s>> {
        let head = &self.head;
        let held = self.rest.slice(head.module..);
        let archive = head.archive.as_ref().map(|archive| archive.restore(what, known, &held));
        let archive = match archive {
            Some(archive) => Some(archive?),
            None => None,
        };
        let data: Option<Vec<Bytes>> = head.globals.iter().map(|g| g.data.bytes(what, known, &held)).collect();
        let data = data?;
        let module = session.parse(&self.rest[..head.module], what.name).ok();
        session.take_diagnostics();
        let module = module?;
        let globals: HashMap<String, ProgramGlobal> =
            Program { op: Op::from(&module) }.globals().into_iter().map(|g| (g.name(), g)).collect();
        for (kept, bytes) in head.globals.iter().zip(data) {
            let global = globals.get(&kept.symbol)?;
            global.op.set_attr("value", resource(global.ty(), &kept.resource, bytes));
        }
        let text = |kept: &KeptText| {
            let text = match &kept.text {
                Some(text) => text.clone(),
                None => String::from_utf8(what.bytes.to_vec()).ok()?,
            };
            Some(Arc::new(Source { name: kept.name.clone(), text, first_line: kept.first_line }))
        };
        let sources: Vec<Arc<Source>> = head.sources.iter().map(text).collect::<Option<_>>()?;
        let heard = |bytes: &[u8]| {
            let error: WireError = postcard::from_bytes(bytes).ok()?;
            Some(error.into_error(&sources).diagnostics)
        };
        let (warnings, said) = (heard(&head.warnings)?, heard(&head.said)?);
        said.into_iter().for_each(|diagnostic| session.say(diagnostic));
        let mut all = session.sources();
        all.extend(sources);
        session.adopt_sources(&all);
        Some(ImportedProgram { module, archive, warnings })
    }

    /// Names a part in which two entries of one key differ; `None`: they are equal.
    pub(super) fn difference(&self, other: &Self) -> Option<&'static str> {
        let (a, b) = (&self.head, &other.head);
        let module = |kept: &'_ Self| kept.rest[..kept.head.module].to_vec();
        let parts = [
            ("the program", module(self) == module(other)),
            ("where its weights lie", a.globals == b.globals && a.archive == b.archive),
            ("what the import says", a.warnings == b.warnings && a.said == b.said && a.sources == b.sources),
            ("its weights", self.rest == other.rest),
        ];
        parts.into_iter().find(|(_, same)| !same).map(|(part, _)| part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head() -> Head {
        Head {
            module: 3,
            globals: Vec::new(),
            archive: None,
            sources: Vec::new(),
            warnings: Vec::new(),
            said: Vec::new(),
        }
    }

    fn content(head: &Head, rest: &[u8]) -> Vec<u8> {
        let head = postcard::to_stdvec(head).unwrap();
        [&(head.len() as u64).to_le_bytes()[..], &head, rest].concat()
    }

    #[test]
    fn differences_have_names() {
        let read = |head: &Head, rest: &[u8]| KeptImport::read(&content(head, rest)).unwrap();
        let first = read(&head(), b"abcd");
        let global = |data| KeptGlobal { symbol: "w".into(), resource: "w".into(), data };
        let moved = Head { globals: vec![global(Place::Held { offset: 0, length: 1 })], ..head() };
        for (other, part) in [
            (read(&head(), b"abcd"), None),
            (read(&head(), b"abdd"), Some("the program")),
            (read(&head(), b"abce"), Some("its weights")),
            (read(&moved, b"abcd"), Some("where its weights lie")),
            (read(&Head { warnings: vec![1], ..head() }, b"abcd"), Some("what the import says")),
        ] {
            assert_eq!(first.difference(&other), part);
        }
    }

    #[test]
    fn damage_is_found() {
        assert!(KeptImport::read(b"").is_err() && KeptImport::read(&[255; 40]).is_err());
        let whole = content(&head(), b"abc");
        assert!(KeptImport::read(&whole).is_ok() && KeptImport::read(&whole[..whole.len() - 1]).is_err());
    }
}
