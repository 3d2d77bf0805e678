//! In a process of its own: it ends whatever calls of this process left behind.
use halyard_exec::{Tool, end_left_behind};
use std::time::Duration;

#[test]
fn a_daemon_that_holds_no_pipe_is_found_at_the_end_of_the_run() {
    let line = "setsid sleep 77.2 >/dev/null 2>&1 & echo reply; sleep 0.1";
    assert!(!Tool::shell(line).unwrap().call([] as [&str; 0]).run().unwrap().left_behind);
    assert!(running());
    end_left_behind();
    std::thread::sleep(Duration::from_millis(50));
    assert!(!running());
}

fn running() -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes.filter_map(|e| std::fs::read(e.path().join("cmdline")).ok()).any(|l| l.starts_with(b"sleep\x0077.2"))
}
