//! Shared libraries that users name: kernel libraries and host libraries.
use halyard_diag::{Error, Result};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use object::{Object, ObjectKind, ObjectSymbol};
use std::{collections::BTreeSet, path::Path};

/// The role of a library, for messages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Role {
    /// `plugin` or `module`.
    pub(crate) word: &'static str,
    /// The code of its errors.
    pub(crate) code: &'static str,
}

/// A library that is loaded.
#[derive(Debug)]
pub(crate) struct SharedLibrary {
    /// The names of the dynamic symbols that it defines.
    pub(crate) symbols: BTreeSet<String>,
    library: Library,
}

impl SharedLibrary {
    /// Loads a shared library. Errors: no such file, no shared library, one for another machine, one that needs what is
    /// not there.
    pub(crate) fn load(path: &Path, role: Role) -> Result<Self> {
        let Role { word, code } = role;
        let shown = path.display();
        let file = std::fs::read(path).map_err(|e| Error::io("read", path, &e).code(code))?;
        let bad = |why: &str| Error::input(format!("{word} `{shown}` {why}")).code(code);
        if !file.starts_with(b"\x7fELF") {
            return Err(
                bad("is no shared library").hint(format!("make one: `clang -O3 -shared -fPIC {word}.c -o {word}.so`"))
            );
        }
        let damaged = |e: object::Error| bad(&format!("is damaged: {}", e.to_string().to_lowercase()));
        let elf = object::File::parse(&*file).map_err(damaged)?;
        if elf.kind() != ObjectKind::Dynamic {
            return Err(bad("is an ELF file, but no shared library").hint("link it with `-shared`"));
        }
        if crate::container::architecture_name(elf.architecture()) != std::env::consts::ARCH {
            let is = crate::container::architecture_name(elf.architecture());
            return Err(bad(&format!("is for `{is}`, this machine is `{}`", std::env::consts::ARCH)));
        }
        let exported = elf.dynamic_symbols().filter(|s| s.is_definition() && s.is_global());
        let symbols: BTreeSet<String> = exported.filter_map(|s| s.name().ok().map(str::to_owned)).collect();
        // Its code may use whatever the CPU has; programs say what they use.
        halyard_cpu::permit_registers();
        // A path without a slash would be searched for like a system library.
        let full = std::path::absolute(path).map_err(|e| Error::io("load", path, &e))?;
        // SAFETY: the user named the library to be run in this process.
        let library = unsafe { Library::open(Some(&full), RTLD_NOW | RTLD_LOCAL) }.map_err(|e| {
            let why = std::error::Error::source(&e).map_or_else(|| e.to_string(), ToString::to_string);
            Error::environment(format!("{word} `{shown}` cannot be loaded: {why}")).code(code)
        })?;
        Ok(Self { symbols, library })
    }

    /// The address of a symbol that the library itself exports.
    pub(crate) fn address(&self, symbol: &str) -> Option<usize> {
        if !self.symbols.contains(symbol) {
            return None;
        }
        // SAFETY: only the address is taken here.
        unsafe { self.library.get::<*const ()>(symbol) }.ok().map(|s| s.as_raw_ptr() as usize).filter(|&a| a != 0)
    }
}
