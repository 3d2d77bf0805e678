//! Children that sleep, fail, reply with garbage, or write too much.
use super::*;
use crate::{Cancel, ExitOutcome, Finished, Slots};
use halyard_diag::ErrorKind;
use std::time::{Duration, Instant};

fn sh(line: &str) -> Tool {
    Tool::shell(line).unwrap()
}

fn call(line: &str) -> Result<Finished> {
    sh(line).call([] as [&str; 0]).run()
}

fn words(error: &Error) -> String {
    let d = &error.diagnostics[0];
    format!("{} | {}", d.message, d.notes.join(" | "))
}

#[test]
fn passes_bytes_through() {
    let bytes: Vec<u8> = (0..=255).cycle().take(1 << 20).collect();
    let finished = sh("cat").call([] as [&str; 0]).stdin(bytes.clone()).run().unwrap();
    assert_eq!(finished.stdout, bytes);
}

#[test]
fn a_child_that_does_not_read_is_no_deadlock() {
    let finished = sh("echo done").call([] as [&str; 0]).stdin(vec![0; 1 << 22]).run().unwrap();
    assert_eq!(finished.stdout, b"done\n");
}

#[test]
fn a_child_that_closes_its_output_still_gets_its_input() {
    let finished =
        sh("exec >&- 2>&-; test $(wc -c) = 4194304").call([] as [&str; 0]).stdin(vec![0; 1 << 22]).run().unwrap();
    assert!(finished.stdout.is_empty());
}

#[test]
fn failure_names_code_words_and_command() {
    let error = call("echo oops >&2; exit 7").unwrap_err();
    assert_eq!(error.kind, ErrorKind::Tool);
    let words = words(&error);
    assert!(words.contains("failed with exit code 7"), "{words}");
    assert!(words.contains("oops"), "{words}");
    assert!(words.contains("sh -c 'echo oops >&2; exit 7'"), "{words}");
}

#[test]
fn a_signal_is_named() {
    let error = call("kill -SEGV $$").unwrap_err();
    assert!(words(&error).contains("was killed by SIGSEGV (11)"), "{error}");
}

#[test]
fn a_sleeper_is_ended_with_its_children() {
    let start = Instant::now();
    let error =
        sh("sleep 60 & sleep 60; wait").call([] as [&str; 0]).limit(Duration::from_millis(200)).run().unwrap_err();
    assert!(words(&error).contains("did not finish within 0.2 s"), "{error}");
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn one_that_ignores_sigterm_is_killed() {
    let start = Instant::now();
    let error = sh("trap '' TERM; sleep 60").call([] as [&str; 0]).limit(Duration::from_millis(100)).run().unwrap_err();
    assert_eq!(error.kind, ErrorKind::Tool);
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn only_the_end_of_a_huge_stderr_is_shown() {
    let error = call("i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done >&2; exit 1").unwrap_err();
    let words = words(&error);
    assert!(words.contains("line 19999") && words.contains("19960 lines before"), "{words}");
    assert!(!words.contains("line 19900"), "{words}");
}

#[test]
fn garbage_on_stderr_is_text_all_the_same() {
    let error = call("printf '\\377\\000garbage' >&2; exit 1").unwrap_err();
    assert!(words(&error).contains("garbage"));
}

#[test]
fn what_is_not_there_is_an_environment_error() {
    let error = Tool::find("no-such-program", "install it").unwrap_err();
    assert_eq!(error.kind, ErrorKind::Environment);
    assert_eq!(error.diagnostics[0].hints, ["install it"]);
    assert_eq!(
        Tool::find("./no/such/file", "").unwrap_err().to_string(),
        "cannot run `./no/such/file`: it does not exist"
    );
}

#[test]
fn environment_and_folder_reach_the_child() {
    let finished = sh("pwd; echo $HAL_TEST").call([] as [&str; 0]).env("HAL_TEST", "x").folder("/").run().unwrap();
    assert_eq!(finished.stdout, b"/\nx\n");
}

#[test]
fn a_huge_stderr_is_counted_not_kept() {
    let finished = sh("head -c 50000000 /dev/zero | tr '\\0' 'x' | fold -w 99 >&2; echo end >&2; echo done")
        .call([] as [&str; 0])
        .run()
        .unwrap();
    assert_eq!(finished.stdout, b"done\n");
    assert!(finished.stderr.bytes().len() <= 1 << 20 && finished.stderr.dropped() > 48_000_000);
    assert!(finished.stderr.lines(1).ends_with("end"));
}

#[test]
fn grandchildren_that_stay_hold_nothing_up() {
    for line in [
        "echo reply; sleep 77.1 &",
        "echo reply; setsid sleep 77.1 & sleep 0.1",
        "echo reply; setsid sh -c 'trap \"\" TERM HUP; sleep 77.1' & sleep 0.1",
    ] {
        let start = Instant::now();
        let finished = call(line).unwrap();
        assert_eq!(finished.stdout, b"reply\n");
        assert!(finished.left_behind && start.elapsed() < Duration::from_secs(8), "{line}");
    }
    assert!(!running("77.1"));
}

/// Whether a process has this word in its command line.
fn running(word: &str) -> bool {
    let lines =
        std::fs::read_dir("/proc").unwrap().flatten().filter_map(|e| std::fs::read(e.path().join("cmdline")).ok());
    lines.filter(|l| l.starts_with(b"sleep")).any(|l| l.windows(word.len()).any(|w| w == word.as_bytes()))
}

#[test]
fn what_a_background_process_writes_soon_is_still_heard() {
    let finished = call("(sleep 0.2; echo late) &").unwrap();
    assert_eq!((&*finished.stdout, finished.left_behind), (&b"late\n"[..], false));
}

#[test]
fn memory_is_capped() {
    let finished = sh("head -c 300000000 /dev/zero | tail -c 300000000 | wc -c")
        .call([] as [&str; 0])
        .memory(100 << 20)
        .run_unchecked()
        .unwrap();
    assert_ne!(finished.stdout, b"300000000\n");
    assert!(String::from_utf8_lossy(finished.stderr.bytes()).contains("memory"), "{finished:?}");
}

#[test]
fn output_is_capped() {
    let finished = sh("yes").call([] as [&str; 0]).output(1 << 20).run_unchecked().unwrap();
    assert_eq!(finished.ending, ExitOutcome::TooMuch(1 << 20));
}

#[test]
fn work_that_is_called_off_ends() {
    let cancel = Cancel::default();
    let start = Instant::now();
    let finished = std::thread::scope(|scope| {
        let child = scope.spawn(|| sh("sleep 60").call([] as [&str; 0]).cancel(&cancel).run_unchecked().unwrap());
        std::thread::sleep(Duration::from_millis(50));
        cancel.set();
        child.join().unwrap()
    });
    assert_eq!(finished.ending, ExitOutcome::Cancelled);
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn exit_codes_of_shells_are_explained() {
    assert!(words(&call("/no/such/tool").unwrap_err()).contains("did not find"));
    assert!(words(&call("/tmp").unwrap_err()).contains("a folder"));
    assert!(
        words(&call("sh -c 'kill -SEGV $$'; exit $?").unwrap_err())
            .contains("exit code 139, which a shell gives for SIGSEGV")
    );
}

#[test]
fn children_share_our_slots() {
    let slots = Slots::new(std::num::NonZeroUsize::new(3));
    let _ours = slots.acquire();
    // The contents of the pipe: two tokens besides the slot that the child itself has.
    let line = "r=${MAKEFLAGS##*--jobserver-auth=}; r=${r%%,*}; timeout 1 head -c 9 <&$r | wc -c";
    let line = format!("bash -c '{}'", line.replace("head -c 9", "dd bs=9 count=1 2>/dev/null"));
    let finished = sh(&line).call([] as [&str; 0]).slots(&slots).run().unwrap();
    assert_eq!(finished.stdout, b"2\n", "{finished:?}");
}
