//! Children that sleep, fail, reply garbage, talk too much.
use super::*;
use halyard_diag::Kind;

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
fn failure_names_code_words_and_command() {
    let error = call("echo oops >&2; exit 7").unwrap_err();
    assert_eq!(error.kind, Kind::Tool);
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
    assert_eq!(error.kind, Kind::Tool);
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
    assert_eq!(error.kind, Kind::Environment);
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
