//! What other machines need to run `hal-translate`, where they have nothing of it: the program, its libraries, and the loader.
use halyard_diag::{Error, Result, quote};
use halyard_exec::{ExecutorFile, ExecutorSetup, Tool};
use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

/// Folders of the program and of its libraries there.
const PROGRAM: &str = "bin";
const LIBRARIES: &str = "lib";
/// Programs and libraries begin with it.
const ELF: &[u8] = b"\x7fELF";

/// A program with all that it needs from the system.
#[derive(Debug, PartialEq)]
pub(super) struct Program {
    /// The words that start it in a folder with the files.
    pub(super) command: Vec<String>,
    pub(super) files: Vec<ExecutorFile>,
}

impl Program {
    /// Asks the system's loader what a program needs. Errors: it is no program file; a library of it is missing.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let mut begin = [0; 4];
        let is_elf = File::open(path).and_then(|mut f| f.read_exact(&mut begin)).is_ok() && begin == ELF;
        let shown = quote(&path.display().to_string());
        if !is_elf {
            return Err(Error::environment(format!("`{shown}` cannot be sent to other machines: it is no ELF file"))
                .hint("`--launcher-tool=PATH` is the path of `hal-translate` on the other machines"));
        }
        let tool = Tool::find(&path.display().to_string(), "")?;
        // As `ldd` does it: the loader lists what it would load, and runs nothing.
        let listed = tool.call::<&str>([]).env("LD_TRACE_LOADED_OBJECTS", "1").run()?;
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        Self::of(path, &listed).map_err(|why| {
            Error::environment(format!("`{shown}` cannot be sent to other machines: {why}"))
                .hint("`--launcher-tool=PATH` is the path of `hal-translate` on the other machines")
        })
    }

    /// Reads lines such as `libc.so.6 => /lib/libc.so.6 (0x7f…)`, and `/lib64/ld-linux-x86-64.so.2 (0x7f…)` for the loader.
    fn of(path: &Path, listed: &str) -> Result<Self, String> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let program = format!("{PROGRAM}/{name}");
        let mut files = vec![ExecutorFile { name: program.clone(), path: path.to_owned() }];
        let mut loader = None;
        for line in listed.lines().map(str::trim) {
            let line = line.rsplit_once(" (0x").map_or(line, |(line, _)| line);
            let (name, place) = match line.split_once(" => ") {
                Some((name, "not found")) => return Err(format!("its library `{name}` is not there")),
                Some(named) => named,
                // The kernel's own library has no file.
                None if !line.starts_with('/') => continue,
                None => (line, line),
            };
            let name = name.rsplit('/').next().unwrap_or_default();
            if name.starts_with("ld-") {
                loader = Some(format!("{LIBRARIES}/{name}"));
            }
            files.push(ExecutorFile { name: format!("{LIBRARIES}/{name}"), path: PathBuf::from(place) });
        }
        let loader = loader.ok_or("it has no loader")?;
        files.sort_by(|a, b| a.name.cmp(&b.name));
        files.dedup_by(|a, b| a.name == b.name);
        Ok(Self { command: vec![loader, "--library-path".into(), LIBRARIES.into(), program], files })
    }
}

/// The command of a worker, from the words that start the program; a server's workers read and write files.
pub(super) fn words_there(mut command: Vec<String>, files: bool) -> Vec<String> {
    command.push("--remote-worker".into());
    if files {
        command.extend([ExecutorSetup::JOB, "-o", ExecutorSetup::REPLY].map(str::to_owned));
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_and_loader_come_along() {
        let listed = "\tlinux-vdso.so.1 (0x00007ffd2)\n\tlibMLIR.so.22.1 => /opt/llvm (22)/lib/libMLIR.so.22.1 (0x00007f1)\n\
            \tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f2)\n\t/lib64/ld-linux-x86-64.so.2 (0x00007f3)\n";
        let program = Program::of(Path::new("/opt/tool"), listed).unwrap();
        let files: Vec<String> = program.files.iter().map(|f| format!("{}={}", f.name, f.path.display())).collect();
        let wanted = [
            "bin/tool=/opt/tool",
            "lib/ld-linux-x86-64.so.2=/lib64/ld-linux-x86-64.so.2",
            "lib/libMLIR.so.22.1=/opt/llvm (22)/lib/libMLIR.so.22.1",
            "lib/libc.so.6=/lib/x86_64-linux-gnu/libc.so.6",
        ];
        assert_eq!(files, wanted);
        assert_eq!(program.command, ["lib/ld-linux-x86-64.so.2", "--library-path", "lib", "bin/tool"]);
        let missing = listed.replace("/lib/x86_64-linux-gnu/libc.so.6 (0x00007f2)", "not found");
        assert_eq!(Program::of(Path::new("/t"), &missing), Err("its library `libc.so.6` is not there".into()));
        assert_eq!(Program::of(Path::new("/t"), "\tstatically linked\n"), Err("it has no loader".into()));
    }

    #[test]
    fn this_program_can_be_sent() {
        let me = std::env::current_exe().unwrap();
        let program = Program::read(&me).unwrap();
        assert!(program.files.iter().all(|f| f.path.is_file()), "{program:?}");
        assert!(Program::read(Path::new("/etc/passwd")).is_err());
    }
}
