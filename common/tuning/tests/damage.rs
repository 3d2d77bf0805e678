//! Files that are no databases, or not as they were written: never a panic, never a wrong entry.
mod common;

use common::{database, schedule, subject, trial, variant};
use halyard_diag::Error;
use halyard_tuning::{Database, WinnerSnapshot};
use rusqlite::Connection;
use std::{collections::BTreeSet, fs, os::unix::fs::PermissionsExt, path::Path};

/// The messages about a file by all functions that open it.
fn refused(path: &Path) -> String {
    let text = |e: Error| {
        let hints = e.diagnostics[0].hints.join("; ");
        format!("{} [{}]", e.diagnostics[0].message.replace(&path.display().to_string(), "DB"), hints)
    };
    let keys = BTreeSet::from(["a".to_owned()]);
    let read = text(Database::read_only(path).map(drop).unwrap_err());
    assert_eq!(text(WinnerSnapshot::read(path, &keys).map(drop).unwrap_err()), read);
    read
}

#[test]
fn other_files_are_refused_and_stay() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("file");
    let said = refused(&path);
    assert!(said.starts_with("cannot read the tuning database `DB`: no such file or directory"), "{said}");
    fs::write(&path, "a text that is longer than the header of a database ".repeat(40)).unwrap();
    let before = fs::read(&path).unwrap();
    assert!(refused(&path).starts_with("`DB` is not a tuning database"));
    assert!(Database::open(&path).is_err());
    assert_eq!(fs::read(&path).unwrap(), before);
    fs::write(&path, "").unwrap();
    assert!(refused(&path).starts_with("`DB` is empty, not a tuning database"));
    let other = Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE winner (a); INSERT INTO winner VALUES (1)").unwrap();
    assert!(refused(&path).starts_with("`DB` is a SQLite database, but not a tuning database"));
    assert!(Database::open(&path).is_err());
}

#[test]
fn newer_and_changed_tables_are_refused() {
    let (_folder, made) = database();
    let path = made.path().to_owned();
    let change = |sql: &str| Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    change("PRAGMA user_version = 2");
    let said = refused(&path);
    assert!(said.starts_with("tuning database `DB` has version 2, these tools read version 1 [use tools"), "{said}");
    change("PRAGMA user_version = 1; CREATE TRIGGER t AFTER INSERT ON trial BEGIN DELETE FROM winner; END");
    assert!(refused(&path).starts_with("tuning database `DB` does not have the tables of version 1"));
    assert!(Database::open(&path).is_err());
    change("DROP TRIGGER t; ANALYZE");
    Database::open(&path).unwrap();
}

/// A file with so many entries that most bytes count.
fn filled() -> (tempfile::TempDir, Vec<u8>) {
    let (folder, mut database) = database();
    for i in 0..20u8 {
        database.set_best(&schedule(&format!("{i}"), "m", 1.5)).unwrap();
        database.set_best(&variant(&format!("{i}"), "n", 1.5)).unwrap();
        database.record(&trial("a", &[i; 400])).unwrap();
    }
    let bytes = fs::read(database.path()).unwrap();
    (folder, bytes)
}

/// Reads all of a file that may be damaged: what comes back is what was written, or nothing.
fn survives(path: &Path) {
    let Ok(database) = Database::read_only(path) else { return };
    let _ = (database.hash(), database.check());
    for winner in database.winners().unwrap_or_default().into_iter().flatten() {
        let key = winner.subject.key.clone();
        let (s, v) = (schedule(&key, "m", 1.5), variant(&key, "n", 1.5));
        assert!(winner == s || winner == v, "{winner:?}");
    }
    for tried in database.all_trials().unwrap_or_default().into_iter().flatten() {
        assert_eq!(tried, trial("a", &tried.candidate));
        assert!(tried.candidate.len() == 400 && tried.candidate.iter().all(|b| *b == tried.candidate[0]));
    }
    let keys: BTreeSet<String> = (0..20).map(|i| i.to_string()).collect();
    if let Ok(snapshot) = WinnerSnapshot::read(path, &keys) {
        for key in &keys {
            if let Some(Ok(winner)) = snapshot.get(&subject(key, "m")) {
                assert_eq!(*winner, schedule(key, "m", 1.5));
            }
        }
    }
}

#[test]
fn changed_bytes_change_no_entry() {
    let (folder, bytes) = filled();
    let path = folder.path().join("damaged.db");
    let mut state = 1u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for round in 0..300 {
        let mut damaged = bytes.clone();
        for _ in 0..1 + round % 8 {
            let at = random(damaged.len());
            damaged[at] = random(256) as u8;
        }
        fs::write(&path, &damaged).unwrap();
        survives(&path);
    }
}

#[test]
fn shortened_files_and_noise_are_survived() {
    let (folder, bytes) = filled();
    let path = folder.path().join("damaged.db");
    for part in 0..40 {
        fs::write(&path, &bytes[..bytes.len() * part / 40]).unwrap();
        survives(&path);
        if part > 0 {
            assert!(
                Database::read_only(&path).map(|d| d.check().map_or(true, |found| !found.is_empty())).unwrap_or(true)
            );
        }
    }
    let mut noise = bytes[..100].to_vec();
    noise.extend((0..bytes.len() as u64).map(|i| (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8));
    fs::write(&path, &noise).unwrap();
    survives(&path);
}

#[test]
fn a_damaged_row_is_named_and_the_others_stay() {
    let (_folder, mut database) = database();
    ["a", "b"].iter().for_each(|key| database.set_best(&schedule(key, "m", 1.5)).unwrap());
    database.record(&trial("a", b"x")).unwrap();
    let change = |sql: &str| assert_eq!(Connection::open(database.path()).unwrap().execute(sql, []).unwrap(), 1);
    change(r#"UPDATE winner SET content = '["{workgroups = 1}"]' WHERE key = 'a'"#);
    change("UPDATE trial SET ratio = 9.0, ratio_high = 10.0");
    let error = database.best(&subject("a", "m")).unwrap_err();
    let said = &error.diagnostics[0].message;
    assert!(
        said.contains("the entry of `a` for `cpu:x86-64-v3") && said.contains("its checksum does not fit"),
        "{said}"
    );
    assert!(database.best(&subject("b", "m")).unwrap().is_some());
    assert_eq!(database.trials(&subject("a", "m")).unwrap(), []);
    assert_eq!(database.trial(&subject("a", "m"), "schedule", b"x").unwrap(), None);
    assert_eq!(database.check().unwrap().len(), 2);
    let mut text = Vec::new();
    assert_eq!(database.export(&mut text, "out").unwrap().len(), 2);
    // A search mends both.
    database.offer(&schedule("a", "m", 1.1)).unwrap();
    database.record(&trial("a", b"x")).unwrap();
    assert_eq!(database.check().unwrap(), [""; 0]);
}

#[test]
fn a_folder_that_cannot_be_written_to() {
    let (folder, mut database) = database();
    database.set_best(&schedule("a", "m", 1.5)).unwrap();
    let path = database.path().to_owned();
    drop(database);
    let set = |file: u32, dir: u32| {
        fs::set_permissions(&path, fs::Permissions::from_mode(file)).unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(dir)).unwrap();
    };
    set(0o444, 0o555);
    let read = Database::read_only(&path).unwrap().best(&subject("a", "m")).unwrap();
    // Root writes everywhere.
    let is_root = fs::File::create(folder.path().join("probe")).is_ok();
    let written = Database::open(&path).and_then(|mut d| d.set_best(&schedule("b", "m", 1.5)));
    set(0o644, 0o755);
    assert!(read.is_some());
    if !is_root {
        let error = written.unwrap_err();
        assert!(error.diagnostics[0].message.contains("the tuning database"), "{error}");
    }
}
