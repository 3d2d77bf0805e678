//! No process outlives the command that started it, however it detaches, nor the process that runs the command.
use halyard_exec::{Finished, Tool};
use std::time::{Duration, Instant};

fn call(line: &str) -> Finished {
    Tool::shell(line).unwrap().call([] as [&str; 0]).run_unchecked().unwrap()
}

/// Counts the processes that sleep for this many seconds.
fn sleeping(seconds: &str) -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let line = format!("sleep\0{seconds}\0");
    processes.filter_map(|e| std::fs::read(e.path().join("cmdline")).ok()).filter(|l| l == line.as_bytes()).count()
}

fn until(what: impl Fn() -> bool) -> bool {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !what() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    what()
}

#[test]
fn daemons_that_hold_nothing_of_ours_end_with_the_command() {
    for line in [
        "setsid sleep 76.1 >/dev/null 2>&1 & sleep 0.1",
        "env -i setsid -f sleep 76.1 </dev/null >/dev/null 2>&1; sleep 0.1",
        "(env -i setsid sh -c '(setsid sleep 76.1 &) ; exit' </dev/null >/dev/null 2>&1 &); sleep 0.2",
        "env -i setsid sh -c 'trap \"\" TERM HUP INT; while :; do sleep 76.1; done' </dev/null >/dev/null 2>&1 & sleep 0.1",
    ] {
        let finished = call(&format!("{line}; echo reply"));
        assert_eq!(finished.stdout, b"reply\n");
        assert!(!finished.left_behind && finished.ended > 0 && finished.staying == 0, "{line}: {finished:?}");
        assert_eq!(sleeping("76.1"), 0, "{line}");
    }
}

#[test]
fn one_that_forks_without_end_is_caught() {
    let finished = call(
        // Waits until all have been started, however long that takes; not for a shell that has ended.
        "r=$(mktemp -u); export r; setsid sh -c 'f() { (sleep 76.2; f) & f=1; }; i=0; while [ $i -lt 50 ]; do f; i=$((i+1)); done; : > $r; sleep 76.2' >/dev/null 2>&1 & while ! [ -e $r ] && kill -0 $!; do sleep 0.01; done; rm $r; sleep 0.3",
    );
    assert!(finished.ended > 50 && finished.staying == 0, "{finished:?}");
    assert_eq!(sleeping("76.2"), 0);
}

#[test]
fn commands_that_leave_nothing_are_told_so() {
    let finished = call("sleep 0.01 | cat; (true &); echo reply");
    assert_eq!((finished.ended, finished.staying, finished.left_behind), (0, 0, false));
}

#[test]
fn a_command_that_kills_its_guardian_is_killed_and_what_it_left_too() {
    let finished = call("setsid sleep 76.3 >/dev/null 2>&1 & sleep 0.1; kill -9 $PPID; sleep 76.3");
    assert_eq!(finished.ending, halyard_exec::ExitOutcome::Signal(9), "{finished:?}");
    assert!(until(|| sleeping("76.3") == 0), "{finished:?}");
}

#[test]
fn a_process_that_is_killed_outright_leaves_nothing_of_its_commands() {
    const VICTIM: &str = "HALYARD_TEST_VICTIM";
    // This test starts itself once more; that process is the one that is killed.
    if std::env::var_os(VICTIM).is_some() {
        call("env -i setsid sleep 76.4 </dev/null >/dev/null 2>&1 & sleep 76.4");
        panic!("nobody killed this process");
    }
    let mut child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_process_that_is_killed_outright_leaves_nothing_of_its_commands"])
        .env(VICTIM, "1")
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    assert!(until(|| sleeping("76.4") == 2));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(until(|| sleeping("76.4") == 0));
}
