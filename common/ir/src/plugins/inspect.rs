//! Inspects a library before it is loaded.
use super::PluginKind;
use halyard_diag::{Error, ErrorKind, Result};
use halyard_objects::{FileFormat, inspect_shared};
use std::{
    ffi::{CStr, CString, c_char, c_int},
    path::Path,
};

/// The version of MLIR that we link, as in the names of its libraries.
pub(super) const VERSION: &str = env!("HALYARD_MLIR_VERSION");

/// A function that only LLVM's support library, or only MLIR's core, defines: a library that exports it contains a
/// second copy.
const OWN: &[(&str, &str)] = &[
    ("_ZN4llvm2cl6Option11addArgumentEv", "LLVM"),
    ("_ZN4mlir11MLIRContextC1ENS0_9ThreadingE", "MLIR"),
    ("_ZN4mlir11MLIRContextC2ENS0_9ThreadingE", "MLIR"),
];

/// Errors: no shared library, one for another machine or another LLVM, one without the entry point.
pub(super) fn library(kind: PluginKind, path: &Path) -> Result<()> {
    let shown = path.display();
    let file = std::fs::read(path).map_err(|e| Error::io("read", path, &e).code("bad-plugin"))?;
    let bad = |why: &str| Error::environment(format!("plugin `{shown}` {why}")).code("bad-plugin");
    if FileFormat::of(&file) != FileFormat::Shared {
        return Err(bad(&format!("is {}, not a shared library", FileFormat::describe(&file)))
            .hint("make one: `clang++ -shared -fPIC -I$(llvm-config --includedir) plugin.cpp -o plugin.so`"));
    }
    let shared = inspect_shared(&file, &format!("plugin `{shown}`"))
        .map_err(|e| Error { kind: ErrorKind::Environment, ..e.code("bad-plugin") })?;
    if shared.architecture != std::env::consts::ARCH {
        return Err(bad(&format!("is for `{}`, this machine is `{}`", shared.architecture, std::env::consts::ARCH)));
    }
    if let Some((library, version)) = shared.needed.iter().find_map(|n| Some((n, compiler_version(n)?)))
        && version != major(VERSION)
    {
        return Err(bad(&format!("was built for LLVM {version}: it needs `{library}`"))
            .note(format!("this is MLIR {VERSION}; two LLVMs in one process crash"))
            .hint(format!("build it with the headers and libraries of LLVM {}", major(VERSION))));
    }
    let defined = |name: &str| shared.defined.contains_key(name);
    if let Some((_, whose)) = OWN.iter().find(|(symbol, _)| defined(symbol)) {
        return Err(bad(&format!("brings {whose} along"))
            .note("two of them in one process crash")
            .hint(format!("link it without the static libraries of {whose}: the tool has what it needs")));
    }
    if !defined(kind.entry()) {
        let error = format!("plugin `{shown}` has no {}: it does not export `{}`", kind.words(), kind.entry());
        let error = Error::usage(error).code("bad-plugin");
        let other = kind.other();
        return Err(if defined(other.entry()) {
            error.hint(format!("it has {}: `{}={shown}`", other.words(), other.flag()))
        } else {
            error.hint("declare the entry point as `extern \"C\" LLVM_ATTRIBUTE_WEAK`, with default visibility")
        });
    }
    Ok(())
}

/// The version in the name of a library of LLVM: 17 of `libLLVM-17.so.1`, 22 of `libMLIR.so.22.1`.
fn compiler_version(library: &str) -> Option<&str> {
    let rest = ["libLLVM", "libMLIR"].iter().find_map(|own| library.strip_prefix(own))?;
    let digit = rest.find(|c: char| c.is_ascii_digit())?;
    Some(major(&rest[digit..]))
}

fn major(version: &str) -> &str {
    version.split(|c: char| !c.is_ascii_digit()).next().unwrap_or(version)
}

/// A symbol of C++ as people write it.
pub(super) fn demangled(symbol: &str) -> String {
    type Demangle = unsafe extern "C" fn(*const c_char, *mut c_char, *mut usize, *mut c_int) -> *mut c_char;
    let Ok(mangled) = CString::new(symbol) else { return symbol.to_owned() };
    // SAFETY: libstdc++, which LLVM uses, declares the function so; it gives memory of `malloc`, or null.
    unsafe {
        let found = libc::dlsym(libc::RTLD_DEFAULT, c"__cxa_demangle".as_ptr());
        if found.is_null() {
            return symbol.to_owned();
        }
        let demangle = std::mem::transmute::<*mut libc::c_void, Demangle>(found);
        let text = demangle(mangled.as_ptr(), std::ptr::null_mut(), std::ptr::null_mut(), std::ptr::null_mut());
        if text.is_null() {
            return symbol.to_owned();
        }
        let name = CStr::from_ptr(text).to_string_lossy().into_owned();
        libc::free(text.cast());
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_stand_in_the_names_of_libraries() {
        for (library, version) in [
            ("libLLVM-17.so.1", Some("17")),
            ("libLLVM.so.22.1", Some("22")),
            ("libMLIR.so.19.1", Some("19")),
            ("libLLVM-14.0.6.so.1", Some("14")),
            ("libMLIR.so", None),
            ("libc.so.6", None),
        ] {
            assert_eq!(compiler_version(library), version, "{library}");
        }
        assert_eq!(major(VERSION), "22");
    }

    #[test]
    fn symbols_are_shown_as_people_write_them() {
        // LLVM's libraries, and with them libstdc++, are there once anything of them is used.
        let _session = crate::Session::new();
        assert_eq!(demangled("_ZN4mlir4Pass3runEv"), "mlir::Pass::run()");
        assert_eq!(demangled("plain"), "plain");
    }
}
