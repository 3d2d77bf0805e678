//! The assembly of kernels, by `llvm-objdump`.
use halyard_diag::{Diagnostic, Result};
use std::{collections::BTreeMap, env, path::Path, process::Command};

/// A function's instructions and labels in order: the offset of an instruction in the function, and the text.
pub(crate) type Listing = Vec<(Option<u64>, String)>;

/// The assembly of each symbol of a shared object, or a warning that there is none.
pub(crate) fn assembly(program: &Path, symbols: &[&str]) -> Result<(BTreeMap<String, Listing>, Option<Diagnostic>)> {
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
    let flags = ["--no-show-raw-insn", "--symbolize-operands", "--no-print-imm-hex", "-M", "intel"];
    let run = |flags: &[&str]| Command::new(&tool).arg(&list).args(flags).arg(program).output();
    // Other processors than x86 have one syntax only.
    let output = match run(&flags) {
        Ok(output) if !output.status.success() => run(&flags[..3]),
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

/// Divides the output at the headings `ADDRESS <symbol>:`.
fn split(text: &str) -> BTreeMap<String, Listing> {
    let mut all: BTreeMap<String, Listing> = BTreeMap::new();
    let mut current: Option<(String, u64)> = None;
    for line in text.lines() {
        // Labels within a function have no address: `<L0>:`.
        let heading = line.strip_suffix(">:").and_then(|l| l.split_once(" <"));
        let heading = heading.and_then(|(address, name)| Some((u64::from_str_radix(address, 16).ok()?, name)));
        if let Some((address, name)) = heading {
            current = Some((name.to_owned(), address));
            continue;
        }
        let Some((name, start)) = current.as_ref().filter(|_| !line.trim().is_empty()) else { continue };
        let instruction = line.split_once(':').filter(|_| !line.starts_with('<'));
        let instruction =
            instruction.and_then(|(address, text)| Some((u64::from_str_radix(address.trim(), 16).ok()?, text.trim())));
        let to = all.entry(name.clone()).or_default();
        to.push(match instruction {
            Some((address, text)) => (address.checked_sub(*start), format!("    {text}")),
            None => (None, line.trim().to_owned()),
        });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn functions_end_at_headings() {
        let text = "\nm.so:\tfile format elf64-x86-64\n\nDisassembly of section .text:\n\n0000000000001100 <a>:\n    1100:      \tpush\trbp\n<L0>:\n    1101:      \tret\n\n0000000000001110 <b>:\n    1110:  \tnop\n";
        let found = split(text);
        assert_eq!(found.keys().collect::<Vec<_>>(), ["a", "b"]);
        let lines = [(Some(0), "    push\trbp".to_owned()), (None, "<L0>:".into()), (Some(1), "    ret".into())];
        assert_eq!(found["a"], lines);
    }
}
