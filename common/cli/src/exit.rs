//! Exit codes, the same in every tool; listed in each `--help`.
use halyard_diag::ErrorKind;

/// Success.
pub const OK: u8 = 0;
/// The input was rejected, or a comparison failed.
pub const INPUT: u8 = 1;
/// The command line is invalid.
pub const USAGE: u8 = 2;
/// Cannot read, write or find something.
pub const ENVIRONMENT: u8 = 3;
/// A child program failed, timed out or replied nonsense.
pub const TOOL: u8 = 4;
/// A bug in Halyard.
pub const BUG: u8 = 101;

/// The exit codes in each `--help`.
pub(crate) const CODES: &str = "\
  0  success
  1  the input was rejected, or a comparison failed
  2  bad command line
  3  a file cannot be read or written, or a required program is missing
  4  a child process failed, or a kernel crashed or timed out
  101  a bug in this tool";

/// Returns the exit code of a kind of error.
pub fn code(kind: ErrorKind) -> u8 {
    match kind {
        ErrorKind::Input => INPUT,
        ErrorKind::Usage => USAGE,
        ErrorKind::Environment => ENVIRONMENT,
        ErrorKind::Tool => TOOL,
        ErrorKind::ClosedPipe => OK,
    }
}
