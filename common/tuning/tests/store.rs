//! What is written comes back; what a database depends on, and on what not.
mod common;

use common::{database, schedule, subject, trial, variant};
use halyard_tuning::{Database, Interval, Merged, Prune, Pruned, Trial, TrialOutcome, TunedCode, WinnerSnapshot};
use proptest::prelude::*;
use std::collections::BTreeSet;

#[test]
fn winners_come_back() {
    let (_folder, mut database) = database();
    let winners = [schedule("a", "m1", 1.25), variant("a", "m2", 2.0), schedule("b", "m1", 1.5)];
    assert_eq!(database.best(&winners[0].subject).unwrap(), None);
    winners.iter().for_each(|w| database.set_best(w).unwrap());
    for winner in &winners {
        assert_eq!(database.best(&winner.subject).unwrap().as_ref(), Some(winner));
    }
    let all: Vec<_> = database.winners().unwrap().into_iter().map(Result::unwrap).collect();
    assert_eq!(all, winners);
    assert!(database.remove_best(&winners[0].subject).unwrap());
    assert!(!database.remove_best(&winners[0].subject).unwrap());
    assert_eq!(database.best(&winners[0].subject).unwrap(), None);
}

#[test]
fn the_better_of_two_searches_stays() {
    let (_folder, mut database) = database();
    let subject = subject("a", "m");
    assert!(database.offer(&schedule("a", "m", 1.2)).unwrap());
    assert!(!database.offer(&schedule("a", "m", 1.1)).unwrap());
    assert!(database.offer(&schedule("a", "m", 1.3)).unwrap());
    // A new compiler is measured anew.
    let mut newer = schedule("a", "m", 1.05);
    newer.version = "9.9.9".into();
    assert!(database.offer(&newer).unwrap());
    assert_eq!(database.best(&subject).unwrap(), Some(newer));
}

#[test]
fn trials_come_back_and_are_replaced() {
    let (_folder, mut database) = database();
    let first = trial("a", b"x");
    let mut rejected = trial("a", &[0, 159, 146, 150]);
    rejected.outcome = TrialOutcome::Rejected("wrong at [3]: 1 instead of 2".into());
    rejected.details = r#"{"hot": ["vfmadd"]}"#.into();
    [&first, &rejected, &trial("b", b"x")].into_iter().for_each(|t| database.record(t).unwrap());
    assert_eq!(database.trials(&first.subject).unwrap(), [first.clone(), rejected.clone()]);
    assert_eq!(database.trial(&first.subject, "schedule", b"x").unwrap(), Some(first.clone()));
    assert_eq!(database.trial(&first.subject, "c", b"x").unwrap(), None);
    let again = Trial { outcome: TrialOutcome::Rejected("not deterministic".into()), ..first };
    database.record(&again).unwrap();
    assert_eq!(database.trials(&again.subject).unwrap(), [again, rejected]);
}

#[test]
fn the_hash_is_of_what_compilations_take() {
    let winners = [schedule("a", "m", 1.25), variant("b", "m", 2.0), schedule("c", "m", 1.5)];
    let (_one, mut one) = database();
    let (_two, mut two) = database();
    let empty = one.hash().unwrap();
    winners.iter().for_each(|w| one.set_best(w).unwrap());
    // In another order, with changes between, other facts and trials.
    winners.iter().rev().for_each(|w| two.set_best(w).unwrap());
    two.set_best(&variant("b", "m", 3.0)).unwrap();
    two.set_best(&schedule("d", "m", 3.0)).unwrap();
    two.remove_best(&subject("d", "m")).unwrap();
    (0..50).for_each(|i: u8| two.record(&trial("a", &[i])).unwrap());
    two.prune(&Prune { trials_only: true, ..Prune::default() }).unwrap();
    assert_eq!(one.hash().unwrap(), two.hash().unwrap());
    assert_ne!(std::fs::read(one.path()).unwrap(), std::fs::read(two.path()).unwrap());
    let mut other = schedule("c", "m", 1.5);
    other.code = TunedCode::Schedules(vec![Some("{workgroups = 3}".into())]);
    two.set_best(&other).unwrap();
    assert_ne!(one.hash().unwrap(), two.hash().unwrap());
    assert_ne!(one.hash().unwrap(), empty);
}

#[test]
fn a_snapshot_holds_what_is_asked_for() {
    let (_folder, mut database) = database();
    for winner in [schedule("a", "m1", 1.25), schedule("a", "m2", 2.0), schedule("b", "m1", 1.5)] {
        database.set_best(&winner).unwrap();
    }
    let snapshot = WinnerSnapshot::read(database.path(), &BTreeSet::from(["a".to_owned()])).unwrap();
    assert_eq!(snapshot.hash(), database.hash().unwrap());
    assert!(snapshot.get(&subject("a", "m1")).unwrap().is_ok());
    assert!(snapshot.get(&subject("b", "m1")).is_none());
    assert_eq!(snapshot.on_any_machine("a", common::TARGET).count(), 2);
    assert_eq!(snapshot.on_any_machine("a", "cuda").count(), 0);
    assert_eq!(snapshot.machines().iter().collect::<Vec<_>>(), ["m1", "m2"]);
}

#[test]
fn json_lines_carry_everything() {
    let (_one, mut one) = database();
    [schedule("a", "m", 1.25), variant("b", "m", 2.0)].iter().for_each(|w| one.set_best(w).unwrap());
    let mut rejected = trial("a", b"bad");
    rejected.outcome = TrialOutcome::Rejected("too slow".into());
    [trial("a", b"x"), rejected, trial("b", &[255, 0])].iter().for_each(|t| one.record(t).unwrap());
    let export = |database: &Database| {
        let mut text = Vec::new();
        assert_eq!(database.export(&mut text, "out").unwrap(), []);
        String::from_utf8(text).unwrap()
    };
    let text = export(&one);
    insta::assert_snapshot!(text);
    let (_two, mut two) = database();
    let merged = two.import(&mut text.as_bytes(), "in").unwrap();
    assert_eq!(merged, Merged { winners: 2, trials: 3, ..Merged::default() });
    assert_eq!(export(&two), text);
    assert_eq!(two.hash().unwrap(), one.hash().unwrap());
    assert_eq!(two.import(&mut text.as_bytes(), "in").unwrap(), Merged { kept: 5, ..Merged::default() });
}

#[test]
fn malformed_lines_are_named_and_nothing_is_taken() {
    let (_folder, mut database) = database();
    let winner = r#"{"winner":{"key":"a","target":"t","machine":"m","kind":"schedule","text":"[null]","ratio":[2.0,1.5,2.5],"trials":3,"version":"1","origin":""}}"#;
    let header = r#"{"halyard_tuning":1}"#;
    let lines = |second: &str| format!("{header}\n{winner}\n{second}\n");
    let bad = [
        (winner.to_owned(), "line 1: it does not begin with"),
        (r#"{"halyard_tuning":2}"#.to_owned(), "line 1: version 2, these tools read version 1"),
        (lines("nonsense"), "line 3: expected"),
        (lines(&winner.replace("2.5", "1.7")), "line 3: [2, 1.5, 1.7] is no interval"),
        (lines(&winner.replace("[null]", "{}")), "line 3: its schedules are not a list of texts"),
        (lines(&winner.replace(r#""kind":"schedule""#, r#""kind":"guess""#)), "line 3: `guess` is no kind of entry"),
        (lines(&winner.replace(r#""text":"[null]""#, r#""hex":"0g""#)), "line 3: `hex` is not pairs of hex digits"),
    ];
    for (text, words) in bad {
        let error = database.import(&mut text.as_bytes(), "in").unwrap_err();
        let message = &error.diagnostics[0].message;
        assert!(message.starts_with("`in`, ") && message.contains(words), "{message}");
        assert!(database.winners().unwrap().is_empty());
    }
    assert_eq!(database.import(&mut lines("").as_bytes(), "in").unwrap().winners, 1);
}

#[test]
fn pruning_needs_a_condition_and_meets_all() {
    let (_folder, mut database) = database();
    let fill = |database: &mut Database| {
        for winner in [schedule("a", "m1", 1.25), schedule("a", "m2", 2.0), schedule("b", "m1", 1.5)] {
            database.set_best(&winner).unwrap();
        }
        [trial("a", b"x"), trial("b", b"y")].iter().for_each(|t| database.record(t).unwrap());
    };
    fill(&mut database);
    assert!(database.prune(&Prune::default()).is_err());
    let text = |s: &str| Some(s.to_owned());
    let of = |winners, trials| Pruned { winners, trials };
    let cases = [
        (Prune { machine: text("m1"), ..Prune::default() }, of(2, 0)),
        (Prune { machine: text("m1"), keys_not: Some(BTreeSet::from(["a".into()])), ..Prune::default() }, of(1, 0)),
        (Prune { keys_not: Some(BTreeSet::new()), ..Prune::default() }, of(3, 2)),
        (Prune { target: text("cuda"), ..Prune::default() }, of(0, 0)),
        (Prune { version: text("0.1.0"), ..Prune::default() }, of(3, 2)),
        (Prune { version_not: text("0.1.0"), ..Prune::default() }, of(0, 0)),
        (Prune { trials_only: true, ..Prune::default() }, of(0, 2)),
    ];
    for (what, expected) in cases {
        fill(&mut database);
        assert_eq!(database.prune(&what).unwrap(), expected, "{what:?}");
    }
    assert_eq!(database.check().unwrap(), [""; 0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Whatever the order: three databases with entries that contradict each other merge to the same.
    #[test]
    fn merging_is_independent_of_order(entries in prop::collection::vec((0..3usize, 0..3u8, 0..3u8, 0..4u8), 1..12)) {
        let merged = |order: [usize; 3]| {
            let (folder, mut all) = database();
            for (i, source) in order.into_iter().enumerate() {
                let mut part = Database::open(&folder.path().join(format!("part{i}"))).unwrap();
                for (_, key, ratio, content) in entries.iter().filter(|e| e.0 == source) {
                    let mut winner = schedule(&key.to_string(), "m", 1.0 + f64::from(*ratio) / 8.0);
                    winner.code = TunedCode::Schedules(vec![Some(format!("{{workgroups = {content}}}"))]);
                    part.set_best(&winner).unwrap();
                    let mut tried = trial(&key.to_string(), &[*content]);
                    match ratio {
                        0 => tried.outcome = TrialOutcome::Rejected("wrong".into()),
                        n => tried.details = n.to_string(),
                    }
                    part.record(&tried).unwrap();
                }
                all.merge(&part).unwrap();
            }
            let mut text = Vec::new();
            all.export(&mut text, "out").unwrap();
            String::from_utf8(text).unwrap()
        };
        let first = merged([0, 1, 2]);
        for order in [[2, 1, 0], [1, 0, 2], [1, 2, 0]] {
            prop_assert_eq!(&merged(order), &first);
        }
    }
}

#[test]
fn intervals_survive_the_file() {
    let (_folder, mut database) = database();
    let mut winner = schedule("a", "m", 1.0);
    winner.ratio = Interval::new(1.0 / 3.0, 0.1, 2.0 / 3.0).unwrap();
    database.set_best(&winner).unwrap();
    assert_eq!(database.best(&winner.subject).unwrap(), Some(winner));
}
