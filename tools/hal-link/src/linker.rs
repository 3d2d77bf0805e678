//! Runs `ld.lld`.
use crate::{clib, objects::LinkObject};
use halyard_diag::{Error, Result};
use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Where the linker may be: by its packaged name, in LLVM's own folder, by its plain name.
const CANDIDATES: [&str; 3] = ["ld.lld-22", "/usr/lib/llvm-22/bin/ld.lld", "ld.lld"];

fn find() -> Result<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let is_file = |p: &PathBuf| p.is_file();
    CANDIDATES
        .iter()
        .find_map(|name| if name.contains('/') { Some(PathBuf::from(name)).filter(is_file) } else { env::split_paths(&path).map(|d| d.join(name)).find(is_file) })
        .ok_or_else(|| Error::environment("the linker `ld.lld` is not installed").code("missing-tool").hint("install the package `lld-22`"))
}

/// Links objects into a shared object that exports some symbols, and gives its bytes.
pub(crate) fn link(objects: &[LinkObject], image: &[u8], machine: u16, exports: &BTreeSet<String>) -> Result<Vec<u8>> {
    let linker = find()?;
    let scratch = tempfile::Builder::new().prefix("hal-link-").tempdir().map_err(|e| Error::io("make a folder in", env::temp_dir(), &e))?;
    let folder = scratch.path();
    let mut files = Vec::new();
    for object in objects {
        files.push(object.file.clone());
        write(folder, &object.file, &object.bytes)?;
    }
    write(folder, "program.o", image)?;
    files.push("program.o".into());
    let mut needed: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let defined: BTreeSet<&String> = objects.iter().flat_map(|o| o.defined.keys()).collect();
    for name in objects.iter().flat_map(|o| &o.undefined).filter(|n| !defined.contains(n)) {
        if let Some(library) = clib::library_of(name) {
            needed.entry(library).or_default().insert(name);
        }
    }
    for (library, names) in needed {
        let names: Vec<_> = names.into_iter().collect();
        write(folder, library, &clib::stub(machine, library, &names))?;
        files.push(library.to_owned());
    }
    let mut script = String::from("{ global:\n");
    for export in exports {
        script += &format!("\"{export}\";\n");
    }
    script += "local: *; };\n";
    write(folder, "exports.map", script.as_bytes())?;
    let arguments = [
        "-shared",
        "--build-id=none",
        "--hash-style=gnu",
        "--no-undefined",
        "--no-gc-sections",
        "-Bsymbolic",
        "-z",
        "now",
        "-z",
        "relro",
        "-soname",
        "halyard-program.so",
        "--version-script",
        "exports.map",
        "-o",
        "linked.so",
    ];
    run(&linker, folder, &arguments.iter().map(|&a| a.to_owned()).chain(files).collect::<Vec<_>>())?;
    let output = folder.join("linked.so");
    fs::read(&output).map_err(|e| Error::io("read", &output, &e))
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    let path = folder.join(name);
    fs::write(&path, bytes).map_err(|e| Error::io("write", &path, &e))
}

fn run(linker: &Path, folder: &Path, arguments: &[String]) -> Result<()> {
    let shown = linker.display();
    // Many objects: more than a command line may hold.
    let response: String = arguments.iter().map(|a| format!("\"{}\"\n", a.replace('\\', "\\\\").replace('"', "\\\""))).collect();
    write(folder, "arguments.rsp", response.as_bytes())?;
    let output = Command::new(linker)
        .arg("@arguments.rsp")
        .current_dir(folder)
        .env("LC_ALL", "C")
        .output()
        .map_err(|e| Error::tool(format!("`{shown}` cannot be started: {e}")).code("missing-tool"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let mut error = Error::tool(format!("`{shown}` failed ({})", output.status)).code("link-failed");
    for line in said.lines().take(20) {
        error = error.note(line.trim_start_matches("ld.lld: ").to_owned());
    }
    Err(error)
}
