//! What reaches an imported program.
use crate::{ImportPhase, ImportRequest, WeightsPlace, onnx::locations, weights};
use bytes::Bytes;
use halyard_cache::{CacheKey, IMPORT_SOURCES, content_digest, library_builds};
use halyard_ir::names;
use halyard_preprocess::Hook;
use std::{
    collections::BTreeSet,
    fmt::Write as _,
    path::{Path, PathBuf},
};

/// The kind of entries.
const KIND: &str = "import";
/// Models with their data are not hashed if they are larger, in bytes: import reads only the beginning of such files.
const LARGEST: u64 = 4 << 30;

/// Everything that an import depends on.
pub(super) struct Known {
    /// The key of its entry.
    pub(super) key: CacheKey,
    /// The files with weights, as they are in memory now.
    pub(super) files: Vec<(PathBuf, Bytes)>,
    /// The archive that the import writes, if it writes one.
    pub(super) archive: Option<String>,
}

impl Known {
    /// Looks at all that an import depends on. Errors, as the end of a sentence: why it is not known in advance.
    pub(super) fn of(what: &ImportRequest<'_>) -> Result<Self, String> {
        if what.hooks.is_some_and(|hooks| Hook::ALL.into_iter().any(|hook| hooks.has(hook) && of_import(hook))) {
            return Err("plugins change it, and may do so by anything".into());
        }
        if !what.pipelines.are_built_in() {
            return Err("`--pipeline` may read any file".into());
        }
        if what.inputs.input_value.iter().any(|value| value.text.contains('@')) {
            return Err("`--input-value` names a file".into());
        }
        let objects = names::OBJECTS.as_bytes();
        if what.is_mlir() && halyard_cli::contains(&what.bytes, objects) {
            return Err("it names objects of kernels, which are looked for in several folders".into());
        }
        let mut files: Vec<(PathBuf, Bytes)> =
            what.files.iter().flat_map(|f| f.all()).map(|(path, bytes)| (path.to_owned(), bytes.clone())).collect();
        let mut missing = Vec::new();
        if !what.is_mlir() {
            let all = locations(&what.bytes).ok_or("it is unclear which files hold its data")?;
            for path in all.into_iter().map(|location| what.folder.join(location)) {
                match halyard_cli::map_weights(&path) {
                    Ok(bytes) => files.push((path, bytes)),
                    Err(_) => missing.push(path),
                }
            }
        }
        let size = files.iter().map(|(_, bytes)| bytes.len() as u64).sum::<u64>() + what.bytes.len() as u64;
        if size > LARGEST {
            return Err(format!("it has {size} bytes with its data, which would take long to hash"));
        }
        let mut data = String::new();
        for (path, bytes) in &files {
            let _ = writeln!(data, "{} {}", path.display(), content_digest(bytes));
        }
        for path in missing {
            let _ = writeln!(data, "{} is not there", path.display());
        }
        for path in operator_files(what) {
            let bytes = std::fs::read(path).map_err(|e| format!("`{path}` cannot be read: {e}"))?;
            if halyard_cli::contains(&bytes, objects) {
                return Err(format!("`{path}` names objects of kernels, which are looked for in several folders"));
            }
            let _ = writeln!(data, "{path} {}", content_digest(&bytes));
        }
        let archive = match &what.weights {
            WeightsPlace::Embed | WeightsPlace::External => None,
            WeightsPlace::File(path) | WeightsPlace::ExternalBeside(path) => {
                Some(weights::free_name(&BTreeSet::new(), path, is_beside(what)).map_err(|e| e.to_string())?)
            }
        };
        let key = CacheKey::of_kind(KIND, what.name)
            .with("model", content_digest(&what.bytes))
            .with("data", data)
            .with("options", format!("{:?}", words(what, archive.as_deref())))
            .with("tools", IMPORT_SOURCES)
            .with("libraries", library_builds(&["libLLVM", "libMLIR"]))
            .with("plugins", halyard_ir::plugin_words().iter().map(|word| plugin(word)).collect::<String>());
        Ok(Self { key, files, archive })
    }
}

/// Whether the archive of an import does not replace files of others.
pub(super) fn is_beside(what: &ImportRequest<'_>) -> bool {
    what.beside || matches!(what.weights, WeightsPlace::ExternalBeside(_))
}

/// Whether plugins at a hook change what is imported.
fn of_import(hook: Hook) -> bool {
    matches!(hook, Hook::Input | Hook::Global | Hook::Dispatch)
}

/// The files of `--onnx-op`.
fn operator_files<'a>(what: &'a ImportRequest<'_>) -> BTreeSet<&'a str> {
    what.onnx.onnx_op.iter().filter_map(|word| Some(word.split_once('@')?.1)).collect()
}

/// All options of an import, as words.
fn words(what: &ImportRequest<'_>, archive: Option<&str>) -> Vec<String> {
    let mut words = vec![match what.to {
        ImportPhase::Input => "--to=input".to_owned(),
        ImportPhase::Executables => "--to=executables".to_owned(),
    }];
    words.push(format!("{:?}", what.kind));
    words.push(match &what.weights {
        WeightsPlace::Embed => "--weights-to=embed".into(),
        WeightsPlace::External => "--weights-to=external".into(),
        WeightsPlace::File(_) => format!("--weights-to={}", archive.unwrap_or_default()),
        WeightsPlace::ExternalBeside(_) => format!("--weights-to=external, {}", archive.unwrap_or_default()),
    });
    words.extend(what.again.then(|| "again".to_owned()));
    words.extend(what.bounds.map(|bounds| format!("--bounds={}", bounds.word())));
    words.extend(what.functions.iter().map(|f| format!("--function={f}")));
    words.extend(what.sizes.words());
    words.extend(what.inputs.words());
    words.extend(what.states.iter().map(|state| format!("--state={}", state.text)));
    words.extend(what.onnx.words());
    words.extend(what.files.iter().flat_map(|f| f.maps()).map(|map| format!("--weights-map={}", map.text)));
    words
}

/// A plugin of MLIR, identified by a hash of its contents.
fn plugin(word: &str) -> String {
    let (flag, path) = word.split_once('=').unwrap_or((word, ""));
    let hash = halyard_cache::file_digest(Path::new(path)).unwrap_or_else(|_| "unreadable".into());
    format!("{flag} {hash}\n")
}
