//! Several processes write to one database, and are killed while they do.
mod common;

use common::{schedule, subject, trial};
use halyard_tuning::Database;
use std::{
    collections::BTreeSet,
    env,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

/// Set in processes that write: the database, and the name of the writer.
const JOB: &str = "HALYARD_TUNING_TEST_WRITER";

/// A process that writes trials one by one and prints the number of each as soon as it is recorded.
fn writer(path: &Path, name: &str, count: usize) -> Child {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "write_when_asked", "--nocapture"]);
    command.env(JOB, format!("{}\n{name}\n{count}", path.display()));
    command.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap()
}

/// Not a test, but what the other processes do.
#[test]
fn write_when_asked() {
    let Ok(job) = env::var(JOB) else { return };
    let [path, name, count] = job.lines().collect::<Vec<_>>().try_into().unwrap();
    let mut database = Database::open(Path::new(path)).unwrap();
    for i in 0..count.parse::<usize>().unwrap() {
        database.record(&trial(name, &candidate(i))).unwrap();
        database.offer(&schedule("shared", "m", 1.0 + i as f64 / 1000.0)).unwrap();
        writeln!(std::io::stdout(), "\nwrote {i}").unwrap();
    }
}

/// Larger than a page, so that a record is several writes.
fn candidate(i: usize) -> Vec<u8> {
    format!("{i} ").repeat(2000).into_bytes()
}

/// The numbers that a process printed until it ended.
fn wrote(child: &mut Child) -> BTreeSet<usize> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    lines.filter_map(|l| l.strip_prefix("wrote ")?.parse().ok()).collect()
}

#[test]
fn several_processes_write_at_once() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("tuning.db");
    let mut writers: Vec<Child> = (0..4).map(|i| writer(&path, &format!("w{i}"), 25)).collect();
    for child in &mut writers {
        assert_eq!(wrote(child).len(), 25);
        assert!(child.wait().unwrap().success());
    }
    let database = Database::read_only(&path).unwrap();
    for i in 0..4 {
        assert_eq!(database.trials(&subject(&format!("w{i}"), "m")).unwrap().len(), 25);
    }
    let best = database.best(&subject("shared", "m")).unwrap().unwrap();
    assert_eq!(best, schedule("shared", "m", 1.024));
    assert_eq!(database.check().unwrap(), [""; 0]);
}

#[test]
fn a_killed_writer_loses_nothing_that_it_recorded() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("tuning.db");
    let mut recorded = 0;
    for round in 0..30 {
        let name = format!("w{round}");
        let mut child = writer(&path, &name, 1_000_000);
        let mut first = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while !line.starts_with("wrote") {
            line.clear();
            assert_ne!(first.read_line(&mut line).unwrap(), 0, "the writer ended by itself");
        }
        thread::sleep(Duration::from_micros(700 * round));
        child.kill().unwrap();
        child.wait().unwrap();
        let seen: BTreeSet<usize> = first
            .lines()
            .map_while(Result::ok)
            .filter_map(|l| l.strip_prefix("wrote ")?.parse().ok())
            .chain([0])
            .collect();
        // By turns: one that only reads finds it first, or one that writes.
        let database = if round % 2 == 0 { Database::read_only(&path) } else { Database::open(&path) }.unwrap();
        assert_eq!(database.check().unwrap(), [""; 0], "round {round}");
        let trials = database.trials(&subject(&name, "m")).unwrap();
        for i in &seen {
            assert!(trials.contains(&trial(&name, &candidate(*i))), "round {round} lost {i}");
        }
        // At most the one on its way is there beyond.
        assert!(trials.len() <= seen.len() + 1, "round {round}");
        recorded += trials.len();
    }
    assert!(recorded >= 30);
    assert_eq!(Database::open(&path).unwrap().all_trials().unwrap().len(), recorded);
}

#[test]
fn threads_with_their_own_connections() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("tuning.db");
    thread::scope(|scope| {
        for i in 0..4 {
            let path = &path;
            scope.spawn(move || {
                let mut database = Database::open(path).unwrap();
                (0..10u8).for_each(|n| database.record(&trial(&format!("t{i}"), &[n])).unwrap());
            });
        }
    });
    assert_eq!(Database::read_only(&path).unwrap().all_trials().unwrap().len(), 40);
}
