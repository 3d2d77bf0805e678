//! Injects faults, so that tests exercise real failures.
//!
//! `HALYARD_TEST_CRASH=EXECUTABLE:HOW` makes the worker that translates the executable fail in one of these ways:
//! `segv`, `abort`, `kill`, `stack`, `memory`, `hang`, `panic`, `exit`; or do one of these, which are harmless:
//! `chatter` (writes to standard output and standard error) and `slow` (takes 200 ms and prints its start and end).
//! `*` is every executable; several are separated by commas. Slow executables are then reported after 300 ms, not 30 s.
//!
//! `HALYARD_TEST_MISCOMPILE=EXECUTABLE:HOW` makes it generate wrong code, in debug builds only: `fsub`, `fdiv` and
//! `select` swap the operands of the first such operation, `index` reads or writes the next element, `store` omits a
//! store.

use halyard_ir::{Attr, Builder, Op};
use std::time::Duration;

/// The variables.
const VARIABLE: &str = "HALYARD_TEST_CRASH";
const MISCOMPILE: &str = "HALYARD_TEST_MISCOMPILE";

/// Whether the environment says anything.
pub(crate) fn is_on() -> bool {
    [VARIABLE, MISCOMPILE].iter().any(|name| std::env::var_os(name).is_some())
}

/// The time after which a note says that an executable still runs.
pub(crate) fn patience() -> Duration {
    if std::env::var_os(VARIABLE).is_some() { Duration::from_millis(300) } else { Duration::from_secs(30) }
}

/// Crashes if the environment says so.
pub(crate) fn maybe(executable: &str) {
    let Ok(list) = std::env::var(VARIABLE) else { return };
    let wanted = list.split(',').filter_map(|item| item.split_once(':'));
    for (_, how) in wanted.filter(|(name, _)| *name == "*" || *name == executable) {
        crash(how);
    }
}

/// Makes wrong code of an executable in the LLVM dialect, if the environment says so.
pub(crate) fn miscompile(executable: &str, module: Op) {
    if !cfg!(debug_assertions) {
        return;
    }
    let Ok(list) = std::env::var(MISCOMPILE) else { return };
    let wanted = list.split(',').filter_map(|item| item.split_once(':'));
    for (wanted, how) in wanted.filter(|(name, _)| *name == "*" || *name == executable) {
        let name = if how == "index" { "llvm.getelementptr".into() } else { format!("llvm.{how}") };
        let mut found = None;
        module.walk(&mut |op| {
            if found.is_none() && op.is(&name) && op.operand_count() >= 2 {
                found = Some(op);
            }
        });
        let Some(op) = found else {
            assert!(wanted == "*", "{MISCOMPILE}: `@{executable}` has no `{name}`");
            continue;
        };
        match how {
            "index" => {
                let at = Builder::before(op);
                let (old, ty) = (op.operand(1), op.operand(1).ty());
                let one = at.value("llvm.mlir.constant", &[], ty, &[("value", Attr::integer(ty, 1))]);
                op.set_operand(1, at.value("llvm.add", &[old, one], ty, &[]));
            }
            "store" => op.erase(),
            _ => {
                let last = op.operand_count() - 1;
                let (a, b) = (op.operand(last - 1), op.operand(last));
                op.set_operand(last - 1, b);
                op.set_operand(last, a);
            }
        }
    }
}

fn crash(how: &str) {
    // SAFETY: signals to this process, its end, and text to its own streams: this is what is wanted.
    unsafe {
        match how {
            "segv" => drop(libc::raise(libc::SIGSEGV)),
            "kill" => drop(libc::raise(libc::SIGKILL)),
            "abort" => libc::abort(),
            "exit" => libc::_exit(0),
            "chatter" => {
                libc::write(1, c"to standard output\n".as_ptr().cast(), 19);
                libc::write(2, c"to standard error\n".as_ptr().cast(), 18);
            }
            "slow" => {
                let from = monotonic();
                std::thread::sleep(std::time::Duration::from_millis(200));
                let text = format!("busy from {from} to {}\n", monotonic());
                libc::write(2, text.as_ptr().cast(), text.len());
            }
            "panic" => panic!("asked for by {VARIABLE}"),
            "stack" => drop(std::hint::black_box(deeper(0))),
            "memory" => {
                let mut all = Vec::new();
                loop {
                    all.push(std::hint::black_box(vec![1u8; 1 << 20]));
                }
            }
            "hang" => loop {
                std::thread::sleep(std::time::Duration::from_secs(1));
            },
            other => panic!("{VARIABLE} does not know `{other}`"),
        }
    }
}

/// Microseconds that all processes count alike.
fn monotonic() -> i64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure lives through the call.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    now.tv_sec * 1_000_000 + now.tv_nsec / 1000
}

#[allow(unconditional_recursion, reason = "that is what is wanted")]
fn deeper(n: u64) -> u64 {
    let room = std::hint::black_box([n; 512]);
    deeper(n + 1) + room[n as usize % 512]
}
