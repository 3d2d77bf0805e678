//! Kernel libraries: shared libraries with functions that kernels call.
//!
//! For each function that it imports, a linked program holds a pointer through which its kernels jump. Loading fills
//! these in: no symbol becomes globally visible, and a symbol counts only if the library exports it itself, not if one
//! of its dependencies does.
use crate::{
    commands::{HostProgram, KernelImport},
    container::import_symbol,
    shared_library::{Role, SharedLibrary},
};
use halyard_diag::{Error, Result};
use std::{
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

/// The symbol by which a plugin says what version of [`VERSION`] it was made for; it need not.
const VERSION_SYMBOL: &str = "hal_plugin_version";
/// The version of the calling convention of plugins, see `include/halyard/plugin.h`.
const VERSION: u32 = 1;

const ROLE: Role = Role { word: "plugin", code: "bad-plugin" };

/// A loaded kernel library.
#[derive(Debug)]
pub(crate) struct Plugin {
    path: PathBuf,
    library: SharedLibrary,
}

impl Plugin {
    /// Loads a shared library. Errors: what [`SharedLibrary::load`] says, another version.
    pub(crate) fn load(path: &Path) -> Result<Self> {
        let library = SharedLibrary::load(path, ROLE)?;
        if let Some(at) = library.address(VERSION_SYMBOL) {
            // SAFETY: the header declares the symbol as a `uint32_t`.
            let version = unsafe { (at as *const u32).read() };
            if version != VERSION {
                let shown = path.display();
                return Err(Error::input(format!(
                    "plugin `{shown}` was made for version {version} of plugins, this runtime has version {VERSION}"
                ))
                .code(ROLE.code)
                .hint("compile it again with the headers of this release"));
            }
        }
        Ok(Self { path: path.to_owned(), library })
    }
}

/// Fills in the functions that a program imports; `slot` returns the address of a symbol of the program. Returns the
/// libraries that provide none of them. Fails if functions are in no library (lists all, with the kernels that need
/// them), or in two.
pub(crate) fn resolve(
    host_program: &HostProgram,
    plugins: &[Plugin],
    slot: impl Fn(&str) -> Option<usize>,
) -> Result<Vec<PathBuf>> {
    let mut found: Vec<(&KernelImport, usize)> = Vec::new();
    let mut missing = Vec::new();
    let mut used = vec![false; plugins.len()];
    for import in &host_program.imports {
        let mut having = plugins.iter().enumerate().filter_map(|(i, p)| Some((i, p, p.library.address(&import.name)?)));
        let Some((i, first, address)) = having.next() else {
            missing.push(import);
            continue;
        };
        if let Some((_, second, _)) = having.next() {
            return Err(Error::input(format!(
                "function `{}` is in two kernel libraries: `{}` and `{}`",
                import.name,
                first.path.display(),
                second.path.display()
            ))
            .code("duplicate-import")
            .hint("load one of them"));
        }
        used[i] = true;
        found.push((import, address));
    }
    if !missing.is_empty() {
        return Err(lacking(&missing, plugins));
    }
    // Two programs from one file share its image, and with it the pointers.
    static FILLING: Mutex<()> = Mutex::new(());
    let _guard = FILLING.lock().unwrap_or_else(PoisonError::into_inner);
    for (import, address) in found {
        let symbol = import_symbol(&import.name);
        let at = slot(&symbol).filter(|at| at.is_multiple_of(align_of::<usize>()));
        let at = at.ok_or_else(|| Error::input(format!("the program has no `{symbol}`")).code("damaged-program"))?;
        // SAFETY: the symbol names a writable pointer that the linker placed (see `container`), aligned as checked.
        let pointer = unsafe { AtomicUsize::from_ptr(at as *mut usize) };
        let was = pointer.load(Ordering::Acquire);
        if was != 0 && was != address {
            return Err(Error::input(format!("this file is loaded in this process with another `{}`", import.name))
                .code("duplicate-import")
                .hint("load it under another name, or drop the other program first"));
        }
        pointer.store(address, Ordering::Release);
    }
    Ok(plugins.iter().zip(used).filter(|(_, used)| !used).map(|(p, _)| p.path.clone()).collect())
}

fn lacking(missing: &[&KernelImport], plugins: &[Plugin]) -> Error {
    let list: Vec<_> = missing.iter().map(|i| format!("`{}`", i.name)).collect();
    let what = if list.len() == 1 { "function" } else { "functions" };
    let whence = match plugins.len() {
        0 => "and no plugin is given".into(),
        1 => format!("which `{}` does not export", plugins[0].path.display()),
        n => format!("which none of {n} plugins exports"),
    };
    let mut error = Error::environment(format!("the program needs {what} {} from plugins, {whence}", list.join(", ")))
        .code("missing-import");
    for import in missing {
        let users: Vec<_> = import.needed_by.iter().map(|e| format!("`{e}`")).collect();
        error = error.note(format!("`{}` is called by executable {}", import.name, users.join(", ")));
    }
    for plugin in plugins {
        let near = missing
            .iter()
            .flat_map(|i| halyard_diag::nearest(&i.name, plugin.library.symbols.iter().map(String::as_str)));
        let near: Vec<_> = near.map(|n| format!("`{n}`")).collect();
        if !near.is_empty() {
            error = error.note(format!("`{}` has {}", plugin.path.display(), near.join(", ")));
        }
    }
    error.hint("name the library that has them: `--executable-plugin=FILE.so`; in C++ they need `extern \"C\"`")
}
