//! `ld.lld`, which makes the shared object.
//!
//! Loading the linker takes longer than linking a small program, so it is started first and told later what to link: by
//! a linker script on its standard input. A pipe that ends early leaves it without input, and it ends by itself.
use crate::{clib, objects::LinkObject};
use halyard_diag::{Error, Result};
use halyard_exec::{Scratch, Tool};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    io::Write as _,
    path::PathBuf,
    process::{Child, Command, Stdio},
};

/// Everything that is known before there is a program. Names that nothing defines are refused before it is linked, but for those
/// of sanitizers, which stay undefined. No build id and a fixed name: the result depends on the objects
/// alone. `/dev/stdin` is the script.
const ARGUMENTS: [&str; 13] = [
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
    "/dev/stdin",
];

/// A linker that waits for its inputs.
#[derive(Debug)]
pub struct Linker {
    path: PathBuf,
    child: Child,
    scratch: Scratch,
}

impl Linker {
    /// Starts `ld.lld`. Errors: it is not installed, there is no place for temporary files.
    pub fn start() -> Result<Self> {
        let path = Tool::llvm("ld.lld", "lld-22")?.path().to_owned();
        let scratch = Scratch::new("link")?;
        let child = Command::new(&path)
            .args(ARGUMENTS)
            .current_dir(scratch.path())
            .env("LC_ALL", "C")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| Error::tool(format!("`{}` cannot be started: {e}", path.display())).code("missing-tool"))?;
        Ok(Self { path, child, scratch })
    }

    /// Links objects into a shared object that exports some symbols, and gives its bytes.
    pub(crate) fn link(
        mut self,
        objects: &[LinkObject],
        image: &[u8],
        machine: u16,
        exports: &BTreeSet<String>,
    ) -> Result<Vec<u8>> {
        let files = self.write(objects, image, machine)?;
        let script = script(&files, exports);
        // A linker that has failed already does not read; what it says is the error then.
        let _ = self.child.stdin.take().map(|mut pipe| pipe.write_all(script.as_bytes()));
        self.wait()?;
        let output = self.scratch.path().join("linked.so");
        fs::read(&output).map_err(|e| Error::io("read", &output, &e))
    }

    /// Writes the inputs into the folder; gives their names in order.
    fn write(&self, objects: &[LinkObject], image: &[u8], machine: u16) -> Result<Vec<String>> {
        let mut files = Vec::new();
        for object in objects {
            self.scratch.write(&object.file, &object.bytes)?;
            files.push(object.file.clone());
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

    fn wait(&mut self) -> Result<()> {
        let failed = |why: String| Error::tool(format!("`{}` {why}", self.path.display())).code("link-failed");
        let mut said = String::new();
        if let Some(pipe) = self.child.stderr.take() {
            said = std::io::read_to_string(pipe).map_err(|e| failed(format!("cannot be listened to: {e}")))?;
        }
        let status = self.child.wait().map_err(|e| failed(format!("cannot be waited for: {e}")))?;
        if status.success() {
            return Ok(());
        }
        let lines = said.lines().take(20).map(|line| line.trim_start_matches("ld.lld: ").to_owned());
        Err(lines.fold(failed(format!("failed ({status})")), Error::note))
    }
}

impl Drop for Linker {
    /// A linker that is not needed after all.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
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
