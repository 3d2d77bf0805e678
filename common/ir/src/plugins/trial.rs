//! Runs code that may crash in a child process first.
use halyard_diag::{Error, Result};

/// The exit code of a child that came to the end.
const DONE: i32 = 42;

/// Runs something in a child process and throws the result away. What it writes to standard error is shown. Errors:
/// `message` with how the child ended, if it did not come to the end. Errors of the run itself come up again when it is
/// run for good.
pub(super) fn run(message: &str, run: impl FnOnce() -> Result<()>) -> Result<()> {
    let still = halyard_diag::still();
    // SAFETY: the child runs what would run here next, and ends without running destructors of the parent's.
    let child = unsafe { libc::fork() };
    drop(still);
    if child < 0 {
        // No more processes: without the trial, then.
        return Ok(());
    }
    if child == 0 {
        // It is not to go on should we be killed.
        // SAFETY: a system call on numbers.
        unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
        let _ = run();
        // SAFETY: ends the child; nothing of the parent is flushed.
        unsafe { libc::_exit(DONE) };
    }
    let mut status = 0;
    // SAFETY: the child is ours; a signal may interrupt the call.
    while unsafe { libc::waitpid(child, &raw mut status, 0) } < 0 {
        if std::io::Error::last_os_error().kind() != std::io::ErrorKind::Interrupted {
            return Ok(());
        }
    }
    if libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == DONE {
        return Ok(());
    }
    let how = if libc::WIFSIGNALED(status) {
        format!("it ended with signal {}", libc::WTERMSIG(status))
    } else {
        format!("it ended the process with exit code {}", libc::WEXITSTATUS(status))
    };
    Err(Error::environment(message).code("bad-plugin").note(how))
}
