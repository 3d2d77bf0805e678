//! Assembles SPIR-V text to a module.
use halyard_diag::{Error, Result, Source, Span};
use halyard_exec::Tool;

/// Assembles a module with `spirv-as`; `name` is the file's name, `owner` its name in messages. Fails if `spirv-as` is
/// missing, or with its message about the text, at its place.
pub(crate) fn assemble(name: &str, owner: &str, text: &[u8]) -> Result<Vec<u8>> {
    let tool = Tool::find("spirv-as", "install SPIRV-Tools, or assemble the text elsewhere and give the module")
        .map_err(|e| e.note(format!("{owner} is SPIR-V as text")))?;
    // The version that a disassembler wrote down, else the newest one that Vulkan 1.1 takes; numbers that people see in
    // the text stay those of the module.
    let shown = String::from_utf8_lossy(text);
    let version = shown.lines().take_while(|l| l.starts_with(';')).find_map(|l| l.strip_prefix("; Version: "));
    let environment = version.map_or("vulkan1.1".to_owned(), |v| format!("spv{}", v.trim()));
    let words = ["--target-env", &environment, "--preserve-numeric-ids", "-", "-o", "-"];
    let finished = tool.call(words).stdin(text).run_unchecked()?;
    if finished.ending.is_success() {
        return Ok(finished.stdout);
    }
    let said = finished.stderr.lines(5);
    let first = said.lines().next().unwrap_or("it failed").trim().trim_start_matches("error: ");
    let (place, message) = place(first);
    let error = Error::input(format!("{owner}: `spirv-as` says: {}", message.trim_end_matches('.'))).code("bad-object");
    Err(match place {
        Some((line, column)) => {
            let source = Source::new(name, &*shown);
            let at = source.offset(line, column).unwrap_or(source.text.len());
            error.at(Span::new(&source, at..at + 1))
        }
        None => error,
    })
}

/// The line and column in `12: 6: message`, from 1, and the message.
fn place(said: &str) -> (Option<(usize, usize)>, &str) {
    let mut parts = said.splitn(3, ": ");
    let mut number = || parts.next()?.parse::<usize>().ok().filter(|n| *n > 0);
    match (number(), number()) {
        (Some(line), Some(column)) => (Some((line, column)), parts.next().unwrap_or_default()),
        _ => (None, said),
    }
}
