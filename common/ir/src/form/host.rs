//! Verifies the operations that the host program may contain once executables are formed.
use super::Program;
use crate::Op;

/// Says the first operation of each host function that computes on tensors and belongs into an executable: a stamp that
/// promises executables where none were formed would fail late, or go unnoticed. Fills are the host's.
pub(super) fn verify_host(program: Program, say: &mut dyn FnMut(Op, String)) {
    for function in program.functions() {
        let mut first = None;
        function.walk(&mut |op| {
            let name = op.name();
            let computes = name.starts_with("linalg.") && name != "linalg.fill" || name.starts_with("tosa.");
            // Operations inside of structured ones are theirs.
            if first.is_none() && (computes && name != "linalg.yield" && name != "linalg.index") {
                first = Some((op, name));
            }
        });
        if let Some((op, name)) = first {
            say(
                op,
                format!(
                    "`{name}` is outside an executable; only a program of phase `input` has that, and `hal-import` forms executables"
                ),
            );
        }
    }
}
