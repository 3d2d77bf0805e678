//! MLIR plugins: shared libraries with passes or dialects, built against the MLIR that Halyard uses.
//!
//! A library has one or both of the entry points of `mlir/Tools/Plugins/{Pass,Dialect}Plugin.h`. Passes are added to
//! MLIR's registry, which all sessions share; dialects are added to every [`crate::Session`] that is made afterwards,
//! also in worker processes. Libraries stay loaded until the process ends.
//!
//! A library for another MLIR would load a second LLVM into the process, which crashes sooner or later: [`inspect`]
//! refuses it before it is loaded. Loading is first tried in a child process, in case a library crashes while it
//! registers itself.

mod inspect;
mod trial;

use halyard_diag::{Error, Result};
use inspect::VERSION;
use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
use std::{
    ffi::{CStr, c_char, c_void},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The version of upstream's interface: `MLIR_PLUGIN_API_VERSION`.
const API_VERSION: u32 = 1;

/// The kind of a library's contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PluginKind {
    /// Passes and pass pipelines.
    Passes,
    /// Dialects.
    Dialects,
}

impl PluginKind {
    /// The flag that loads it, the same in all tools and in mlir-opt.
    pub fn flag(self) -> &'static str {
        match self {
            Self::Passes => "--load-pass-plugin",
            Self::Dialects => "--load-dialect-plugin",
        }
    }

    fn entry(self) -> &'static str {
        match self {
            Self::Passes => "mlirGetPassPluginInfo",
            Self::Dialects => "mlirGetDialectPluginInfo",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Passes => "passes",
            Self::Dialects => "dialects",
        }
    }

    fn other(self) -> Self {
        match self {
            Self::Passes => Self::Dialects,
            Self::Dialects => Self::Passes,
        }
    }
}

/// `mlir::PassPluginLibraryInfo` and `mlir::DialectPluginLibraryInfo`, which differ in the type of the function only.
#[repr(C)]
struct Info {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: Option<unsafe extern "C" fn(*mut c_void)>,
}

type Entry = unsafe extern "C" fn() -> Info;
type Register = unsafe extern "C" fn(*mut c_void);

/// The libraries that are loaded.
#[derive(Default)]
struct Loaded {
    /// The libraries in order.
    plugins: Vec<(PluginKind, PathBuf)>,
    /// The functions that add dialects to a registry.
    dialects: Vec<Register>,
}

static LOADED: Mutex<Loaded> = Mutex::new(Loaded { plugins: Vec::new(), dialects: Vec::new() });

fn loaded() -> MutexGuard<'static, Loaded> {
    LOADED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Loads libraries with passes and with dialects: dialects first, which passes may use. Errors: see [`load_plugin`].
pub fn load_plugins(passes: &[PathBuf], dialects: &[PathBuf]) -> Result<()> {
    dialects.iter().try_for_each(|path| load_plugin(PluginKind::Dialects, path))?;
    passes.iter().try_for_each(|path| load_plugin(PluginKind::Passes, path))
}

/// Loads a library and registers what it brings; once, however often it is asked for. Sessions that exist already do not
/// get its dialects. Errors: no such file, no shared library, one for another machine or MLIR, one without the entry
/// point, one that crashes.
pub fn load_plugin(kind: PluginKind, path: &Path) -> Result<()> {
    // A path without a slash would be searched for like a system library.
    let full = std::fs::canonicalize(path).map_err(|e| Error::io("read", path, &e).code("bad-plugin"))?;
    if loaded().plugins.contains(&(kind, full.clone())) {
        return Ok(());
    }
    inspect::library(kind, path)?;
    trial::run(&format!("plugin `{}` crashes MLIR {VERSION} while it is loaded", path.display()), || {
        let register = open(kind, path, &full)?;
        apply(kind, register);
        Ok(())
    })?;
    let register = open(kind, path, &full)?;
    let mut loaded = loaded();
    match kind {
        PluginKind::Passes => apply(kind, register),
        PluginKind::Dialects => loaded.dialects.push(register),
    }
    loaded.plugins.push((kind, full));
    Ok(())
}

/// The words of a command line that loads what is loaded.
pub fn plugin_words() -> Vec<String> {
    loaded().plugins.iter().map(|(kind, path)| format!("{}={}", kind.flag(), path.display())).collect()
}

/// Adds the dialects of all plugins to a registry.
pub(crate) fn register_dialects(registry: &melior::dialect::DialectRegistry) {
    for register in &loaded().dialects {
        // SAFETY: the handle of the C API is a pointer to the registry, which is live; the library stays loaded.
        unsafe { register(registry.to_raw().ptr) };
    }
}

/// Registers what a library brings: passes for good, dialects in a registry that is forgotten.
fn apply(kind: PluginKind, register: Register) {
    match kind {
        PluginKind::Passes => {
            crate::pass_manager::register_passes();
            // SAFETY: the function has no parameters and ignores the argument; the library stays loaded.
            unsafe { register(std::ptr::null_mut()) };
        }
        PluginKind::Dialects => {
            let registry = melior::dialect::DialectRegistry::new();
            melior::utility::register_all_dialects(&registry);
            // SAFETY: as in `register_dialects`.
            unsafe { register(registry.to_raw().ptr) };
        }
    }
}

/// Opens a library and asks it what it brings. Errors: it cannot be loaded, was made for another version.
fn open(kind: PluginKind, path: &Path, full: &Path) -> Result<Register> {
    let shown = path.display();
    let bad = |why: String| Error::environment(format!("plugin `{shown}` {why}")).code("bad-plugin");
    // Global, as in mlir-opt: a library of passes may use the dialects of one that was loaded before.
    // SAFETY: the user named the library to be run in this process.
    let library = unsafe { Library::open(Some(full), RTLD_NOW | RTLD_GLOBAL) }.map_err(|e| {
        let why = std::error::Error::source(&e).map_or_else(|| e.to_string(), ToString::to_string);
        match why.split_once("undefined symbol: ") {
            Some((_, symbol)) => bad(format!("needs `{}`, which is not there", inspect::demangled(symbol.trim())))
                .note(format!("this is MLIR {VERSION}"))
                .hint("build it with the headers of that version; load plugins that it needs before it"),
            None => bad(format!("cannot be loaded: {why}")),
        }
    })?;
    // SAFETY: upstream's headers declare the entry point so.
    let info = unsafe {
        let entry = library.get::<Entry>(kind.entry()).map_err(|e| bad(format!("cannot be loaded: {e}")))?;
        entry()
    };
    // Its registrations last until the process ends.
    std::mem::forget(library);
    if info.api_version != API_VERSION {
        let built = match text(info.version) {
            Some(version) => format!("it calls itself `{}` {version}", text(info.name).unwrap_or_default()),
            None => "it does not say which release it was built for".into(),
        };
        return Err(bad(format!("has version {} of MLIR's plugin interface, not {API_VERSION}", info.api_version))
            .note(built)
            .note(format!("this is MLIR {VERSION}"))
            .hint("build it with the headers of that version"));
    }
    info.register
        .ok_or_else(|| bad(format!("says that it has {}, and has no function that registers them", kind.words())))
}

fn text(text: *const c_char) -> Option<String> {
    // SAFETY: upstream's headers say that it is a text that ends with a zero, and static.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}
