//! Takes linked programs from the cache if all that reaches them is as it was before. Their weights stay where they are: an entry
//! has a hash of the archive beside the program, and is used only where that archive is there, whole.
use hal_link::{Linked, WeightsHome};
use halyard_cache::{
    CacheChoice, CacheKey, CacheMode, EntryLayers, LINK_SOURCES, content_digest, file_digest, library_builds,
};
use halyard_cli::Printer;
use halyard_diag::{Error, Result};
use halyard_exec::{Tool, parallel_map};
use halyard_ir::{
    Session, dense_data,
    form::{Program, large_resources, without_data, write},
};
use halyard_tensors::NewArchive;
use serde::{Deserialize, Serialize};
use std::{
    borrow::Cow,
    collections::BTreeSet,
    fs::File,
    path::{Path, PathBuf},
};

/// The kind of entries.
const KIND: &str = "link";
/// The largest program that is kept, in bytes.
const LARGEST: usize = 32 << 20;
/// Programs with more weights are linked again, in bytes: hashing would take long.
const MOST_WEIGHTS: usize = 4 << 30;

/// The content of an entry.
#[derive(Serialize, Deserialize)]
struct KeptLink<'a> {
    file: Cow<'a, [u8]>,
    archive: Option<KeptArchive>,
    functions: usize,
    kernels: usize,
    arena: u64,
}

/// The archive beside a program.
#[derive(PartialEq, Eq, Serialize, Deserialize)]
struct KeptArchive {
    bytes: u64,
    digest: String,
}

impl KeptArchive {
    /// Whether a file is this archive.
    fn is_at(&self, path: &Path) -> bool {
        let Ok(map) = File::open(path).and_then(|file| halyard_cli::map_file(&file)) else { return false };
        map.len() as u64 == self.bytes && content_digest(&map) == self.digest
    }
}

/// The cache as it is used for one link.
pub(super) struct LinkCache<'a> {
    choice: &'a CacheChoice,
    layers: EntryLayers,
    key: CacheKey,
    output: &'a Path,
    /// The files that were read before the link.
    read: BTreeSet<PathBuf>,
}

impl<'a> LinkCache<'a> {
    /// Looks at all that reaches a linked program; `None` where it is not known, or not kept.
    pub(super) fn of(
        session: &Session,
        (program, name): (Program, &str),
        choice: Option<&'a CacheChoice>,
        (output, home): (&'a Path, WeightsHome),
    ) -> Option<Self> {
        let choice = choice.filter(|_| home == WeightsHome::Beside)?;
        let layers = EntryLayers::open(&choice.clone().on_this_machine());
        if layers.is_empty() {
            return None;
        }
        let linker = file_digest(Tool::llvm("ld.lld", "lld-22").ok()?.path()).ok()?;
        let globals = large_resources(session, program);
        let module = without_data(&globals, || write(program.op, true));
        let data: Vec<_> = globals
            .iter()
            .map(|(.., value)| dense_data(session, *value).map(|(bytes, _)| bytes))
            .collect::<Option<_>>()?;
        if data.iter().map(|bytes| bytes.len()).sum::<usize>() > MOST_WEIGHTS {
            return None;
        }
        let digests = parallel_map(None, &data, |_, bytes| content_digest(bytes));
        let named = globals
            .iter()
            .zip(digests)
            .map(|((global, name, _), digest)| format!("{} {name} {digest}\n", global.name()));
        let key = CacheKey::of_kind(KIND, name)
            .with("program", content_digest(&module))
            .with("data", named.collect::<String>())
            .with("tools", LINK_SOURCES)
            .with("libraries", library_builds(&["libLLVM", "libMLIR"]) + &linker);
        let read = halyard_cli::files_read().into_iter().collect();
        Some(Self { choice, layers, key, output, read })
    }

    /// The path of the archive of a program.
    fn archive(&self) -> PathBuf {
        self.output.with_extension("safetensors")
    }

    /// The program, if it is there and its archive is where it belongs.
    pub(super) fn find<'s>(&mut self, printer: &Printer) -> Option<Linked<'s>> {
        let kept = self.entry().filter(|_| self.choice.mode != CacheMode::Check)?;
        let path = self.archive();
        let fits = kept.archive.as_ref().is_none_or(|archive| {
            path != self.output && NewArchive::would_destroy(&path).is_ok_and(|would| !would) && archive.is_at(&path)
        });
        if !fits {
            return None;
        }
        printer.verbose("the linked program is from the cache");
        if let Some(archive) = &kept.archive {
            printer.verbose(format!("weights: `{}`, {} bytes", path.display(), archive.bytes));
        }
        Some(Linked {
            file: kept.file.into_owned(),
            archive: None,
            embedded: false,
            links: Vec::new(),
            remarks: Vec::new(),
            functions: kept.functions,
            kernels: kept.kernels,
            arena: kept.arena,
        })
    }

    fn entry(&mut self) -> Option<KeptLink<'static>> {
        let read = |_, bytes: &[u8]| {
            let kept: KeptLink<'_> = postcard::from_bytes(bytes).map_err(|_| Error::input("the entry is damaged"))?;
            Ok(KeptLink { file: Cow::Owned(kept.file.into_owned()), ..kept })
        };
        self.layers.find(&[Some(self.key.clone())], read).pop().flatten()
    }

    /// Keeps a program that was linked and written. Errors: with [`CacheMode::Check`], it is not what the cache has.
    pub(super) fn add(mut self, linked: &Linked<'_>) -> Result<()> {
        let other_name = linked.archive.as_ref().is_some_and(|archive| archive.path != self.archive());
        let reads_more = halyard_cli::files_read().iter().any(|path| !self.read.contains(path));
        let says_more = linked.embedded || !linked.links.is_empty() || !linked.remarks.is_empty();
        if other_name || reads_more || says_more || linked.file.len() > LARGEST {
            return Ok(());
        }
        let archive = match linked.archive.as_ref() {
            None => None,
            Some(archive) => match file_digest(&archive.path) {
                Ok(digest) => Some(KeptArchive { bytes: archive.size(), digest }),
                // Somebody removed it.
                Err(_) => return Ok(()),
            },
        };
        let fresh = KeptLink {
            file: Cow::Borrowed(&linked.file),
            archive,
            functions: linked.functions,
            kernels: linked.kernels,
            arena: linked.arena,
        };
        if self.choice.mode == CacheMode::Check
            && let Some(kept) = self.entry()
            && (kept.file != fresh.file || kept.archive != fresh.archive)
        {
            return Err(Error::tool(format!(
                "`{}`: the linked program in the cache is not what linking gives now",
                self.output.display()
            ))
            .code("cache-differs")
            .note(format!("the key of the entry is {}", self.key.hash()))
            .hint("this is a defect of Halyard, or of the cache: please report it; `--cache=off` uses no cache"));
        }
        if let Ok(bytes) = postcard::to_stdvec(&fresh) {
            self.layers.add(vec![(self.key, bytes)]);
        }
        Ok(())
    }
}
