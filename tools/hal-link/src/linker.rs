//! Runs `ld.lld`, which makes the shared object.
//!
//! Loading the linker takes longer than linking a small program, so it is started first and receives its input later:
//! a linker script on standard input. If this tool fails, the linker gets no input and exits.
use crate::{archive, clib, objects::LinkObject};
use halyard_diag::{Error, Result};
use halyard_exec::{Begun, Scratch, Tool};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    io::{self, Write as _},
    path::PathBuf,
};

/// Everything that is known before there is a program. Names that nothing defines are refused before it is linked, but for those
/// of sanitizers, which stay undefined. No build id and a fixed name: the result depends on the objects
/// alone. `/dev/stdin` is the script.
const ARGUMENTS: [&str; 14] = [
    "-shared",
    "--build-id=none",
    "--hash-style=gnu",
    "--no-gc-sections",
    "-Bsymbolic",
    "-z",
    "now",
    "-z",
    "relro",
    "-soname=halyard-program.so",
    "-o",
    "linked.so",
    "--whole-archive",
    "/dev/stdin",
];

/// A linker that waits for its inputs.
#[derive(Debug)]
pub struct Linker {
    path: PathBuf,
    begun: Begun,
    scratch: Scratch,
}

impl Linker {
    /// Starts `ld.lld`. Errors: it is not installed, there is no place for temporary files.
    pub fn start() -> Result<Self> {
        let tool = Tool::llvm("ld.lld", "lld-22")?;
        let scratch = Scratch::new("link")?;
        // Should it crash, what it writes then stays in the folder, which goes.
        let call = tool.call(ARGUMENTS).folder(scratch.path()).env("LC_ALL", "C").env("TMPDIR", scratch.path());
        let begun = call.env("LLVM_DISABLE_SYMBOLIZATION", "1").env("LLVM_DISABLE_CRASH_REPORT", "1").begin()?;
        Ok(Self { path: tool.path().to_owned(), begun, scratch })
    }

    /// Links objects into a shared object that exports some symbols, and gives its bytes.
    pub(crate) fn link(
        self,
        objects: &[LinkObject],
        image: &[u8],
        machine: u16,
        exports: &BTreeSet<String>,
    ) -> Result<Vec<u8>> {
        let files = self.write(objects, image, machine)?;
        let script = script(&files, exports);
        let finished = self.begun.finish(script.as_bytes())?;
        if !finished.ending.is_success() {
            let failed =
                Error::tool(format!("`{}` {}", self.path.display(), finished.ending.words())).code("link-failed");
            let said = String::from_utf8_lossy(finished.stderr.bytes()).into_owned();
            // LLVM takes a full disk for a bug of its own, and tells where in itself it was.
            let is_frame = |line: &str| line.starts_with(|c: char| c.is_ascii_digit());
            let is_of_bugs =
                |line: &str| line.starts_with("PLEASE submit") || line.starts_with("Stack dump") || is_frame(line);
            let lines = said.lines().filter(|line| !is_of_bugs(line)).take(20);
            let failed = lines.map(|line| line.trim_start_matches("ld.lld: ").to_owned()).fold(failed, Error::note);
            // Its output is mapped: SIGBUS is what a full disk makes of that.
            let is_full = said.contains("No space left on device") || finished.ending.words().contains("SIGBUS");
            let hint = "no space left for scratch files? make room, or set `TMPDIR` to a folder on another disk";
            return Err(if is_full { failed.hint(hint) } else { failed });
        }
        let output = self.scratch.path().join("linked.so");
        fs::read(&output).map_err(|e| Error::io("read", &output, &e))
    }

    /// Writes the inputs into the folder; gives their names in order.
    fn write(&self, objects: &[LinkObject], image: &[u8], machine: u16) -> Result<Vec<String>> {
        let mut files = Vec::new();
        if !objects.is_empty() {
            let path = self.scratch.path().join("objects.a");
            let write = || {
                let mut file = io::BufWriter::new(fs::File::create(&path)?);
                archive::write(&mut file, objects).and_then(|()| file.flush())
            };
            write().map_err(|e| Error::io("write", &path, &e))?;
            files.push("objects.a".into());
        }
        self.scratch.write("program.o", image)?;
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
            self.scratch.write(library, &clib::stub(machine, library, &names))?;
            files.push(library.to_owned());
        }
        Ok(files)
    }
}

/// The script: what to link and what to export.
fn script(files: &[String], exports: &BTreeSet<String>) -> String {
    let mut script = String::from("INPUT(\n");
    for file in files {
        let _ = writeln!(script, "\"{file}\"");
    }
    script += ")\nVERSION { { global:\n";
    for export in exports {
        let _ = writeln!(script, "\"{export}\";");
    }
    script + "local: *; }; }\n"
}
