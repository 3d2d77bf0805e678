//! Launchers that do all that launchers do.
use super::*;
use std::io::Write;

/// The test of this program that serves one request.
const WORKER: &str = "launch::tests::worker";

/// Not a test: the worker that launchers start. It answers with what it was sent, twice.
#[test]
fn worker() {
    if std::env::var_os("HALYARD_TEST_WORKER").is_none() {
        return;
    }
    let double = |work: LaunchedWork| {
        assert_eq!(work.common, b"common");
        Ok(work.items.iter().map(|item| [item.as_slice(), item].concat()).collect())
    };
    let (mut stdin, stdout) = (std::io::stdin().lock(), std::io::stdout());
    let reply = serve_launched("build-1", "worker 1", ("on standard input", &mut stdin), double).unwrap();
    stdout.lock().write_all(&reply).unwrap();
}

/// A launcher that runs a shell script, which runs `"$@"`.
fn launcher(script: &str, jobs: usize) -> Launcher {
    let me = std::env::current_exe().unwrap().display().to_string();
    let command = vec![me, "--exact".into(), WORKER.into(), "--nocapture".into()];
    let line = format!("HALYARD_TEST_WORKER=1 sh -c {} sh", halyard_diag::quote(script));
    let mut launcher = Launcher::new(&line, command, NonZeroUsize::new(jobs).unwrap(), Duration::from_secs(60));
    launcher.pause = Duration::from_millis(1);
    launcher
}

fn items(count: usize) -> Vec<Vec<u8>> {
    (0..count).map(|i| format!("item {i}").into_bytes()).collect()
}

fn all_right(launched: &Launched, count: usize) {
    assert_eq!(launched.items.len(), count);
    for (i, item) in launched.items.iter().enumerate() {
        let item = item.as_ref().unwrap_or_else(|| panic!("item {i} was lost: {launched:?}"));
        assert_eq!(String::from_utf8_lossy(&item.reply), format!("item {i}item {i}"));
    }
}

#[test]
fn what_launchers_do_to_good_work_does_not_matter() {
    for script in [
        "exec \"$@\"",
        "echo Welcome; \"$@\"; echo; echo Goodbye; exit 3",
        "\"$@\" | cat",
        "cat > /dev/null < /dev/null; \"$@\"",
    ] {
        for jobs in [1, 3] {
            let launched = launch(&launcher(script, jobs), "build-1", b"common", &items(11)).unwrap();
            all_right(&launched, 11);
            assert!(launched.attempts.iter().all(|a| a.lost.is_none()), "{script}: {launched:?}");
        }
    }
}

/// A script that spoils the jobs whose number is odd.
fn sometimes(folder: &tempfile::TempDir, spoil: &str) -> String {
    let count = folder.path().join("count").display().to_string();
    format!("echo >> {count}; if test $(($(wc -l < {count}) % 2)) = 1; then {spoil}; else exec \"$@\"; fi")
}

#[test]
fn lost_jobs_are_sent_again() {
    for spoil in ["true", "exit 1", "kill -9 $$", "\"$@\" | head -c 40", "\"$@\" | tr a-f b-g", "\"$@\" < /dev/null"] {
        let folder = tempfile::tempdir().unwrap();
        let launched = launch(&launcher(&sometimes(&folder, spoil), 1), "build-1", b"common", &items(9)).unwrap();
        all_right(&launched, 9);
        assert!(launched.attempts.iter().any(|a| a.lost.is_some()), "{spoil}: {launched:?}");
    }
}

#[test]
fn jobs_that_hang_end_in_time_and_are_sent_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut launcher = launcher(&sometimes(&folder, "sleep 1000"), 1);
    launcher.time = Duration::from_secs(5);
    let launched = launch(&launcher, "build-1", b"common", &items(3)).unwrap();
    all_right(&launched, 3);
    assert!(launched.attempts[0].lost.as_ref().unwrap().contains("did not finish within"), "{launched:?}");
}

#[test]
fn stragglers_are_overtaken() {
    let folder = tempfile::tempdir().unwrap();
    // Only the first job hangs.
    let first = format!("mkdir {}/first 2>/dev/null && exec sleep 1000; exec \"$@\"", folder.path().display());
    let mut launcher = launcher(&first, 2);
    launcher.straggler = Duration::from_millis(300);
    let start = Instant::now();
    let launched = launch(&launcher, "build-1", b"common", &items(8)).unwrap();
    all_right(&launched, 8);
    assert!(start.elapsed() < Duration::from_secs(50), "the limit is 60 s");
    assert!(launched.attempts.iter().any(|a| a.lost.as_deref() == Some("another copy was faster")), "{launched:?}");
}

#[test]
fn replies_that_change_places_are_none() {
    // Each job gets the reply of the one before.
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old"), folder.path().join("new"));
    let (old, new) = (old.display(), new.display());
    let script = format!("\"$@\" > {new}; test ! -f {old} || cat {old}; mv {new} {old}");
    let launched = launch(&launcher(&script, 1), "build-1", b"common", &items(9)).unwrap();
    let lost = launched.attempts.iter().filter_map(|a| a.lost.as_deref());
    assert!(lost.clone().any(|l| l.starts_with("the reply belongs to another job")), "{launched:?}");
    for (i, item) in launched.items.iter().enumerate().filter_map(|(i, item)| Some((i, item.as_ref()?))) {
        assert_eq!(String::from_utf8_lossy(&item.reply), format!("item {i}item {i}"));
    }
}

#[test]
fn launchers_that_never_work_are_given_up() {
    for script in ["exit 0", "exec no-such-command", "echo nothing; exit 7"] {
        let launched = launch(&launcher(script, 2), "build-1", b"common", &items(1000)).unwrap();
        assert!(launched.gave_up && launched.attempts.len() < 20, "{script}: {launched:?}");
    }
}

#[test]
fn other_builds_are_refused_at_once() {
    let launched = launch(&launcher("exec \"$@\"", 1), "build-2", b"common", &items(20)).unwrap();
    let Some(Refusal::Worker(why)) = launched.refused else { panic!("{launched:?}") };
    assert!(why.starts_with("it is another build: worker 1, build build-1 on `"), "{why}");
    assert_eq!(launched.attempts.len(), 1);
}
