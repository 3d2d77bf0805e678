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
    let of_the_future = make("halyard-link-e", &[], 0);
    File::open(&of_the_future).unwrap().set_modified(SystemTime::now() + Duration::from_secs(100)).unwrap();
    sweep(top.path());
    assert!(!of_the_future.exists());
    assert!(fresh.exists() && !old.exists() && !begun.exists() && kept.join("evidence").exists());
}

#[test]
fn what_was_being_made_or_removed_is_swept_at_once() {
    let top = tempfile::tempdir().unwrap();
    let make = |name: &str| {
        let folder = top.path().join(name);
        fs::create_dir(&folder).unwrap();
        folder
    };
    let (empty, begun, locked, living) =
        (make(".halyard-a"), make(".halyard-b"), make(".halyard-c"), make(".halyard-d"));
    fs::write(begun.join(LOCKING), "").unwrap();
    drop(lock(&locked).unwrap());
    let _held = lock(&living).unwrap();
    sweep(top.path());
    assert!(!empty.exists() && !begun.exists() && !locked.exists() && living.exists());
}

#[test]
fn a_sweep_takes_nothing_from_those_who_make_folders() {
    let all: Vec<Scratch> = std::thread::scope(|scope| {
        let makes = scope.spawn(|| (0..100).map(|_| Scratch::new("test").unwrap()).collect());
        while !makes.is_finished() {
            sweep(&std::env::temp_dir());
        }
        makes.join().unwrap()
    });
    assert!(all.iter().all(|scratch| scratch.write("a", b"x").is_ok()));
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
