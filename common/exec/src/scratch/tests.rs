use super::*;

#[test]
fn goes_away_unless_kept() {
    let scratch = Scratch::new("test").unwrap();
    let file = scratch.write("a", b"x").unwrap();
    let folder = scratch.path().to_owned();
    assert!(file.exists());
    drop(scratch);
    assert!(!folder.exists());
    let kept = Scratch::new("test").unwrap().keep();
    assert!(kept.exists());
    std::fs::remove_dir(kept).unwrap();
}

#[test]
fn folders_of_the_dead_are_swept_and_no_others() {
    let top = tempfile::tempdir().unwrap();
    let make = |name: &str| {
        let folder = top.path().join(name);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("data"), "x").unwrap();
        folder
    };
    let (living, dead, kept, foreign) =
        (make("halyard-link-a"), make("halyard-link-b"), make("halyard-preprocess-c"), make("other-d"));
    let held = lock(&living).unwrap();
    drop(lock(&dead).unwrap());
    drop(lock(&foreign).unwrap());
    std::os::unix::fs::symlink(&foreign, top.path().join("halyard-link-e")).unwrap();
    for _ in 0..2 {
        sweep(top.path());
        assert!(living.exists() && !dead.exists() && kept.exists() && foreign.join("data").exists());
    }
    drop(held);
    sweep(top.path());
    assert!(!living.exists() && kept.exists());
}

#[test]
fn empty_folders_of_the_dead_are_swept_when_they_are_old() {
    let top = tempfile::tempdir().unwrap();
    let make = |name: &str, files: &[&str], age: u64| {
        let folder = top.path().join(name);
        fs::create_dir(&folder).unwrap();
        files.iter().for_each(|file| fs::write(folder.join(file), "").unwrap());
        let then = std::time::SystemTime::now() - Duration::from_secs(age);
        File::open(&folder).unwrap().set_modified(then).unwrap();
        folder
    };
    let (fresh, old, begun) =
        (make("halyard-link-a", &[], 1), make("halyard-link-b", &[], 100), make("halyard-link-c", &[LOCKING], 100));
    let kept = make("halyard-link-d", &[LOCKING, "evidence"], 100);
    sweep(top.path());
    assert!(fresh.exists() && !old.exists() && !begun.exists() && kept.join("evidence").exists());
}

#[test]
fn the_lock_goes_last() {
    let scratch = Scratch::new("test").unwrap();
    scratch.write("a", b"x").unwrap();
    fs::create_dir(scratch.path().join("b")).unwrap();
    scratch.write("b/c", b"x").unwrap();
    let folder = scratch.path().to_owned();
    drop(scratch);
    assert!(!folder.exists());
}
