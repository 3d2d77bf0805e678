//! The assembly of kernels, by `llvm-objdump`.
use halyard_diag::{Diagnostic, Result};
use std::{collections::BTreeMap, env, path::Path, process::Command};

/// The most lines of a kernel: enough to see its loops; the command for all of it is shown.
const LINES: usize = 600;

/// The assembly of each symbol of a shared object, or a warning that there is none.
pub(crate) fn assembly(program: &Path, symbols: &[&str]) -> Result<(BTreeMap<String, String>, Option<Diagnostic>)> {
    let missing = |why: String| {
        let warning = Diagnostic::warning(format!("the report has no assembly: {why}")).code("no-assembly");
        Ok((BTreeMap::new(), Some(warning)))
    };
    if symbols.is_empty() {
        return Ok((BTreeMap::new(), None));
    }
    let Some(tool) = tool() else {
        return missing("`llvm-objdump` is not installed; it is in Debian's package `llvm-22`".into());
    };
    let list = format!("--disassemble-symbols={}", symbols.join(","));
    let flags =
        ["--no-show-raw-insn", "--no-leading-addr", "--symbolize-operands", "--no-print-imm-hex", "-M", "intel"];
    let run = |flags: &[&str]| Command::new(&tool).arg(&list).args(flags).arg(program).output();
    // Other processors than x86 have one syntax only.
    let output = match run(&flags) {
        Ok(output) if !output.status.success() => run(&flags[..4]),
        output => output,
    };
    match output {
        Err(e) => missing(format!("`{tool}` cannot be started: {e}")),
        Ok(output) if !output.status.success() => missing(format!("`{tool}` fails: {}", output.status)),
        Ok(output) => Ok((split(&String::from_utf8_lossy(&output.stdout)), None)),
    }
}

/// The tool by its name with and without a version, or where Debian puts it.
fn tool() -> Option<String> {
    let folders: Vec<_> = env::var_os("PATH").map(|p| env::split_paths(&p).collect()).unwrap_or_default();
    let names = ["llvm-objdump-22", "llvm-objdump"];
    let found = names.iter().find(|name| folders.iter().any(|f| f.join(name).is_file()));
    let debian = "/usr/lib/llvm-22/bin/llvm-objdump";
    found.map(|name| (*name).to_owned()).or_else(|| Path::new(debian).is_file().then(|| debian.to_owned()))
}

/// Divides the output at the headings `<symbol>:`, shortens what is long.
fn split(text: &str) -> BTreeMap<String, String> {
    let mut all: BTreeMap<String, String> = BTreeMap::new();
    let mut current: Option<(String, usize)> = None;
    for line in text.lines() {
        let heading = line.strip_suffix(">:").and_then(|l| l.rsplit_once('<')).map(|(_, name)| name);
        // Labels within a function are called L0, L1, ….
        if let Some(name) = heading.filter(|n| !(n.starts_with('L') && n[1..].parse::<u32>().is_ok())) {
            current = Some((name.to_owned(), 0));
            continue;
        }
        let Some((name, lines)) = &mut current else { continue };
        if line.trim().is_empty() {
            continue;
        }
        *lines += 1;
        let to = all.entry(name.clone()).or_default();
        if *lines <= LINES {
            // Labels are at the margin; the tool indents by the width of addresses.
            let line = line.trim();
            to.push_str(if line.starts_with('<') { "" } else { "    " });
            to.push_str(line);
            to.push('\n');
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn functions_end_at_headings() {
        let text = "\nm.so:\tfile format elf64-x86-64\n\nDisassembly of section .text:\n\n<a>:\n  push rbp\n<L0>:\n  ret\n\n<b>:\n  nop\n";
        let found = split(text);
        assert_eq!(found.keys().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(found["a"], "    push rbp\n<L0>:\n    ret\n");
    }
}
