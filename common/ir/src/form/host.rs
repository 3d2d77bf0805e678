//! Verifies the operations that the host program may contain once executables are formed.
use super::Program;
use crate::Op;

/// Reports the first operation of each host function that computes on tensors and belongs in an executable: a program
/// that is marked with executables although none were formed would otherwise fail late, or go unnoticed. Fills belong
/// to the host.
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
