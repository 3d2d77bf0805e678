//! Translation with a tuning database: what is used, what is refused, and that only winners are used.
mod place;
mod variants;

use halyard_tuning::{Prune, Trial, TunedCode};
use place::{Place, SCHEDULE, schedule, trial, winner};
use std::{
    fs,
    sync::atomic::{AtomicBool, Ordering},
};

#[test]
fn nothing_but_the_winners_counts() {
    let place = Place::new();
    let plain = place.translate(&[]);
    let winners = [winner("first", schedule(SCHEDULE)), winner("third", schedule("{workgroups = 2}"))];
    let one = place.database("one.db", &winners);
    let tuned = place.translate(&["--tuning=one.db", "-j1"]);
    assert!(tuned.ok, "{}", tuned.said);
    let note = "note[tuned]: 3 of 3 executables use winners of tuning database `one.db`";
    assert!(tuned.said.contains(note), "{}", tuned.said);
    assert!(tuned.said.contains(&format!("its hash is {}", one.hash().unwrap())), "{}", tuned.said);
    assert_ne!(tuned.output, plain.output);
    // In another order, over others, with trials, compacted; as JSON lines.
    let mut two = place.database("two.db", &[winner("third", schedule(SCHEDULE))]);
    (0..100).for_each(|i| two.record(&trial(i)).unwrap());
    winners.iter().rev().for_each(|w| two.set_best(w).unwrap());
    two.prune(&Prune { trials_only: true, ..Prune::default() }).unwrap();
    two.export(&mut fs::File::create(place.path("three.jsonl")).unwrap(), "three.jsonl").unwrap();
    for flags in [["--tuning=two.db", "-j4"], ["--tuning=three.jsonl", "-j2"]] {
        let again = place.translate(&flags);
        assert_eq!(again.output, tuned.output);
        assert!(again.said.contains(&one.hash().unwrap()), "{}", again.said);
    }
    // An entry of no executable changes the hash, and nothing else.
    let mut other = winners[0].clone();
    other.subject.key = "0123456789abcdef".into();
    two.set_best(&other).unwrap();
    let again = place.translate(&["--tuning=two.db"]);
    assert_eq!(again.output, tuned.output);
    assert!(!again.said.contains(&one.hash().unwrap()), "{}", again.said);
}

#[test]
fn illegal_schedules_are_reported_and_not_used() {
    let place = Place::new();
    let plain = place.translate(&[]);
    let (deep, long) = (format!("{}{}", "[".repeat(900), "]".repeat(900)), "[".repeat(100_000));
    for (text, why) in [
        ("{workgroups = 0}", "`workgroups` is `0"),
        ("{tile = [7, 7, 7]}", "nest 0 cannot have `tile = [7, 7, 7]`"),
        ("{family = \"winograd\"}", "cannot have `family = \"winograd\"`"),
        ("{wrkgroups = 1}", "`wrkgroups` is not a key of a schedule; did you mean `workgroups`?"),
        ("{cpu = {workgroups = 1}}", "is for several targets"),
        ("{workgroups = 1", "`{workgroups = 1` is not a schedule"),
        ("dense<0> : tensor<1xi8>", "not a dictionary of choices"),
        (&long, "its schedule is too long to be one"),
        (&deep, "its schedule is nested too deeply to be one"),
    ] {
        let ran = place.with(schedule(text), &[]);
        assert!(ran.ok, "{}", ran.said);
        let place = "executable `@first` for `cpu:x86-64-v3` in tuning database `t.db`";
        let warning = format!("warning[tuning-entry]: the winner of {place} cannot be used: ");
        assert!(ran.said.contains(&warning) && ran.said.contains(why), "{text}: {}", ran.said);
        assert!(ran.said.contains("executable `@second`") && !ran.said.contains("note[tuned]"), "{}", ran.said);
        assert_eq!(ran.output, plain.output, "{text}");
    }
    let ran = place.with(TunedCode::Schedules(vec![None, None]), &[]);
    assert!(ran.said.contains("it is for 2 exports, and the executable has 1"), "{}", ran.said);
    assert_eq!(ran.output, plain.output);
}

#[test]
fn a_damaged_database_gives_the_tuned_program_a_warning_or_an_error() {
    let place = Place::new();
    let plain = place.translate(&[]).output;
    place.database("t.db", &[winner("first", schedule(SCHEDULE)), winner("third", schedule("{workgroups = 2}"))]);
    let whole = fs::read(place.path("t.db")).unwrap();
    let tuned = place.translate(&["--tuning=t.db"]).output;
    let (mut errors, mut warned) = (0, 0);
    let content = whole.windows(SCHEDULE.len()).position(|w| w == SCHEDULE.as_bytes()).unwrap();
    for at in [20, 60, 100, 105, content + 2, content + 14, whole.len() / 2, whole.len() - 5] {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        fs::write(place.path("t.db"), &damaged).unwrap();
        let ran = place.translate(&["--tuning=t.db"]);
        if !ran.ok {
            assert!(ran.said.contains("`t.db`"), "byte {at}: {}", ran.said);
            errors += 1;
        } else if ran.output != tuned {
            // The other winner stays.
            assert!(ran.said.contains("warning[tuning-entry]") && ran.output != plain, "byte {at}: {}", ran.said);
            warned += 1;
        }
    }
    assert!(errors > 0 && warned > 0, "{errors} {warned}");
    fs::write(place.path("t.db"), &whole[..whole.len() / 2]).unwrap();
    let ran = place.translate(&["--tuning=t.db"]);
    assert!(!ran.ok && ran.said.contains("tuning database `t.db`"), "{}", ran.said);
}

#[test]
fn a_compilation_reads_while_others_write() {
    let place = Place::new();
    let mut database = place.database("t.db", &[winner("first", schedule(SCHEDULE))]);
    let tuned = place.translate(&["--tuning=t.db"]).output;
    let trials: Vec<Trial> = (0..=255).map(trial).collect();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let more = trials.iter().cycle().take_while(|_| !done.load(Ordering::Relaxed));
            // As fast as a search is at most.
            more.for_each(|trial| {
                database.record(trial).unwrap();
                std::thread::sleep(std::time::Duration::from_millis(10));
            });
        });
        for _ in 0..3 {
            let ran = place.translate(&["--tuning=t.db"]);
            done.store(!ran.ok, Ordering::Relaxed);
            assert!(ran.ok && ran.output == tuned, "{}", ran.said);
        }
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn twins_have_one_key() {
    let key = |name| winner(name, schedule(SCHEDULE)).subject.key;
    assert_eq!(key("first"), key("second"));
    assert_ne!(key("first"), key("third"));
}
