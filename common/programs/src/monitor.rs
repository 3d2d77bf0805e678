//! Runs programs in a child process, so that the tool can report its end, whatever happens.
//!
//! Kernels are machine code that anyone may have written: one may crash, hang, or exit the process, which looks like
//! success. The child reports when all of its work is done; otherwise the parent reports how it ended, and which
//! kernels ran.
use crate::{
    LoadArgs,
    changed::{self, WatchedFiles},
};
use halyard_cli::{Printer, conclude};
use halyard_diag::{Error, Result};
use halyard_runtime::crash::{self, Crash, ThreadActivity};
use std::{
    io::Write,
    os::{
        fd::{AsRawFd, FromRawFd, OwnedFd},
        unix::process::ExitStatusExt,
    },
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    process::ExitStatus,
    time::{Duration, Instant},
};

/// Works in a child process, on programs. Returns only if that did not do its work, or if somebody wrote to the programs'
/// files meanwhile: errors say why. Where a debugger watches this process, it works here: that one wants to see it, and a crash.
pub fn monitored(
    args: &LoadArgs,
    programs: &[PathBuf],
    printer: &Printer,
    work: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let files = WatchedFiles::new(programs);
    if is_traced() || crash::share().is_err() {
        return work();
    }
    // SAFETY: there is one thread, so that the child has everything that this process has.
    let (parent, child) = unsafe { (libc::getpid(), libc::fork()) };
    match child {
        // Without a child it is as under a debugger.
        -1 => work(),
        0 => as_child(parent, printer, work),
        child => {
            let ended = wait(child, args.timeout);
            let written = files.changed();
            if let (Ended::By(status), Some(code)) = (&ended, crash::ended())
                && status.signal().is_none()
            {
                if let (halyard_cli::exit::OK, Some(path)) = (code, written) {
                    return Err(changed::untrusted(path));
                }
                // SAFETY: the child has said everything, and cleaned up; this process has only waited for it.
                unsafe { libc::_exit(code.into()) };
            }
            let error = explain(ended, args.timeout);
            Err(match written {
                Some(path) => changed::explained(error, path),
                None => error,
            })
        }
    }
}

fn as_child(parent: i32, printer: &Printer, work: impl FnOnce() -> Result<()>) -> ! {
    // SAFETY: calls of the system without memory.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        if libc::getppid() != parent {
            libc::_exit(1);
        }
    }
    crash::install(None);
    // A panic has told what it had to.
    let code = catch_unwind(AssertUnwindSafe(|| conclude(work(), printer))).unwrap_or(halyard_cli::exit::BUG);
    let _ = std::io::stdout().flush();
    crash::finished(code);
    // SAFETY: everything was flushed. What is still loaded must not get to change the outcome.
    unsafe { libc::_exit(code.into()) }
}

/// Whether another process traces this one: a debugger such as gdb.
fn is_traced() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let tracer = status.lines().find_map(|line| line.strip_prefix("TracerPid:"));
    tracer.is_some_and(|pid| pid.trim() != "0")
}

/// The way a child ended.
enum Ended {
    By(ExitStatus),
    /// It did not end in time; the activity of its threads.
    Not(Vec<ThreadActivity>),
}

fn wait(child: i32, timeout: Option<Duration>) -> Ended {
    if let Some(timeout) = timeout
        && !ends_within(child, timeout)
    {
        let running = crash::running();
        // SAFETY: the child is ours, and was not waited for.
        unsafe { libc::kill(child, libc::SIGKILL) };
        wait(child, None);
        return Ended::Not(running);
    }
    let mut status = 0;
    loop {
        // SAFETY: the child is ours; a live number.
        let waited = unsafe { libc::waitpid(child, &raw mut status, 0) };
        if waited == child || std::io::Error::last_os_error().raw_os_error() != Some(libc::EINTR) {
            return Ended::By(ExitStatus::from_raw(status));
        }
    }
}

fn ends_within(child: i32, timeout: Duration) -> bool {
    let until = Instant::now() + timeout;
    // SAFETY: a call of the system without memory.
    let handle = unsafe { libc::syscall(libc::SYS_pidfd_open, child, 0) };
    // SAFETY: a new file descriptor, if there is one.
    let handle = (handle >= 0).then(|| unsafe { OwnedFd::from_raw_fd(handle as i32) });
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let Some(handle) = &handle else {
            // An old system: looks from time to time.
            // SAFETY: zeros are such a structure, and it is live.
            let ended = unsafe {
                let mut info: libc::siginfo_t = std::mem::zeroed();
                let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
                libc::waitid(libc::P_PID, child as u32, &raw mut info, options) == 0 && info.si_pid() == child
            };
            if ended || left.is_zero() {
                return ended;
            }
            std::thread::sleep(left.min(Duration::from_millis(5)));
            continue;
        };
        let mut poll = libc::pollfd { fd: handle.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // Rounded up, so that it does not spin at the end.
        let millis = i32::try_from(left.as_millis() + 1).unwrap_or(i32::MAX);
        // SAFETY: one live structure.
        let ready = unsafe { libc::poll(&raw mut poll, 1, millis) };
        if ready > 0 || left.is_zero() {
            return ready > 0;
        }
    }
}

fn explain(ended: Ended, timeout: Option<Duration>) -> Error {
    let status = match ended {
        Ended::Not(running) => return too_slow(&running, timeout.unwrap_or_default()),
        Ended::By(status) => status,
    };
    if let Some(crash) = crash::crash() {
        return crashed(&crash);
    }
    let running = crash::running();
    let Some(signal) = status.signal() else {
        let code = status.code().unwrap_or_default();
        let (who, notes) = who(&running, "something");
        let error = Error::tool(format!("{who} ended the process, with exit code {code}")).code("ended-early");
        let error =
            notes.into_iter().fold(error, Error::note).note("later steps did not run: results were not compared");
        return if code == 0 { error } else { error.hint("a sanitizer does so after its report, which stands above") };
    };
    if matches!(signal, libc::SIGINT | libc::SIGTERM | libc::SIGHUP | libc::SIGQUIT | libc::SIGPIPE) {
        // Somebody wants it to end; so does this process.
        // SAFETY: calls of the system without memory.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }
    let (who, notes) = who(&running, "the program");
    let error = Error::tool(format!("{who} was ended by {}", status.to_string().replace("signal: ", "signal ")))
        .code("ended-early");
    let error = notes.into_iter().fold(error, Error::note);
    if signal == libc::SIGKILL { error.hint("is memory exhausted? the system ends processes then") } else { error }
}

fn crashed(crash: &Crash) -> Error {
    let code = if crash.is_kernel() { "kernel-crashed" } else { "crashed" };
    let error = Error::tool(format!("{crash:#}")).code(code);
    let error = match crash.cause() {
        Some(cause) => error.note(cause.to_string()),
        None => error,
    };
    match crash.instruction() {
        Some(at) => error.note(format!("it happened at byte {at} of its code")),
        None => error,
    }
    .hint("`hal-run --guard` names the first kernel that accesses memory outside its bindings; a debugger that runs the tool stops at the crash")
}

fn too_slow(running: &[ThreadActivity], timeout: Duration) -> Error {
    let (who, notes) = who(running, "the program");
    let error = Error::tool(format!("{who} is still running after {} s, the time limit", timeout.as_secs_f64()))
        .code("timeout");
    notes.into_iter().fold(error, Error::note).hint("`--timeout=DURATION` gives more")
}

/// Names the kernels that ran, with notes on them.
fn who(running: &[ThreadActivity], nobody: &str) -> (String, Vec<String>) {
    let who = running.first().map_or(nobody, |r| &r.what).to_owned();
    let text = |r: &ThreadActivity| match r.workgroup {
        Some(([x, y, z], [of_x, of_y, of_z])) => {
            format!("{} was in workgroup {x},{y},{z} of {of_x},{of_y},{of_z}", r.what)
        }
        None => format!("{} ran", r.what),
    };
    (who, running.iter().filter(|r| running.len() > 1 || r.workgroup.is_some()).map(text).collect())
}
