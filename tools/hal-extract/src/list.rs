//! `--list`: prints the executables.
use halyard_ir::form::{Executable, ExecutableOrigin, content_key};
use std::fmt::Write;

/// Name and key of each executable, and below it its origin and the interfaces of its exports.
pub(crate) fn text(executables: &[Executable]) -> String {
    let mut text = String::new();
    for executable in executables {
        let _ = writeln!(text, "{}  key:{}", executable.name(), content_key(*executable));
        let origin = ExecutableOrigin::of(executable.op).texts();
        if !origin.is_empty() {
            let _ = writeln!(text, "  from {}", origin.join(", "));
        }
        for export in executable.interface_exports() {
            let _ = writeln!(text, "  {}: {}", export.name(), export.ty());
        }
    }
    text
}
