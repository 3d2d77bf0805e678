//! The message that a tool prints when it panics.
use std::{backtrace::Backtrace, io::Write, panic::PanicHookInfo};

/// Replaces the standard panic message by one that says what to report. The process then ends with
/// [`crate::exit::BUG`], which is what an unwound main thread ends with.
pub(crate) fn install(tool: &str, version: &'static str) {
    let tool = tool.to_owned();
    std::panic::set_hook(Box::new(move |info| {
        let text = message(&tool, version, info);
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
    }));
}

fn message(tool: &str, version: &str, info: &PanicHookInfo<'_>) -> String {
    // `panic!` gives a literal or a formatted string.
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let what = text.unwrap_or("no message");
    let place = info.location().map_or_else(String::new, |l| format!(" at {}:{}", l.file(), l.line()));
    let line: Vec<_> = std::env::args().map(|a| halyard_diag::quote(&a)).collect();
    let mut text = format!(
        "error: this is a bug in `{tool}` {version}: {what}{place}\n  \
         = note: the command line was: {}\n  \
         = hint: please report it with this message and the input\n",
        line.join(" ")
    );
    // Only where RUST_BACKTRACE asks for it.
    let trace = Backtrace::capture();
    if trace.status() == std::backtrace::BacktraceStatus::Captured {
        text += &trace.to_string();
    }
    text
}
