//! The queue in simulated time.
use super::*;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap},
    num::NonZeroUsize,
};

fn launcher(jobs: usize, cores: usize) -> Launcher {
    let number = |n| NonZeroUsize::new(n).unwrap();
    let mut launcher = Launcher::new("", Vec::new(), number(jobs), Duration::from_secs(600));
    launcher.cores = number(cores);
    launcher
}

/// `tests/farm/simulate.py --check-sizes` compares its own sizes with the same table.
#[test]
fn sizes_are_those_of_the_simulation() {
    let table = include_str!("../../../../../tests/farm/Inputs/job-sizes.txt");
    let rows = table.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let mut count = 0;
    for row in rows {
        let n: Vec<usize> = row.split_whitespace().map(|word| word.parse().unwrap()).collect();
        let [left, jobs, cores, items, done, work, around, size] = n[..] else { panic!("{row}") };
        let mut queue = Queue::new(left, &launcher(jobs, cores));
        queue.done = Done { jobs: done, items, work: work as f64 / 1e6, around: around as f64 / 1e6 };
        assert_eq!(queue.size(), size, "{row}");
        count += 1;
    }
    assert!(count > 20);
}

/// Sends items to workers in simulated time: `fate` gives the seconds that a job takes, and whether its reply arrives.
/// Returns the simulated seconds, and the result.
fn simulate(items: usize, workers: usize, mut fate: impl FnMut(usize, usize) -> (f64, bool)) -> (f64, Launched) {
    let mut queue = Queue::new(items, &launcher(workers, 4));
    let start = Instant::now();
    let mut now = start;
    let mut events = BinaryHeap::new();
    let mut jobs = BTreeMap::new();
    let (mut idle, mut count) = (workers, 0);
    loop {
        let mut wake = None;
        while idle > 0 {
            match queue.next(now) {
                Next::Send(job) => {
                    let (seconds, arrives) = fate(count, job.items.len());
                    let seconds = Duration::from_secs_f64(seconds);
                    events.push(Reverse((now + seconds, count)));
                    jobs.insert(count, (job, seconds, arrives));
                    (idle, count) = (idle - 1, count + 1);
                }
                Next::Wait(time) => {
                    wake = Some(now + time);
                    break;
                }
                Next::Over => return ((now - start).as_secs_f64(), queue.finish()),
            }
        }
        let next = events.peek().map(|Reverse((when, _))| *when);
        now = next.into_iter().chain(wake).min().expect("something goes on");
        // A copy that is called off ends at once.
        let cancelled: Vec<usize> = jobs.iter().filter(|(_, (job, ..))| job.cancel.is_set()).map(|(n, _)| *n).collect();
        let due = |events: &mut BinaryHeap<Reverse<(Instant, usize)>>| match events.peek() {
            Some(Reverse((when, number))) if *when <= now => Some((*number, events.pop())),
            _ => None,
        };
        let mut ended = cancelled;
        while let Some((number, _)) = due(&mut events) {
            ended.push(number);
        }
        for number in ended {
            let Some((job, seconds, arrives)) = jobs.remove(&number) else { continue };
            let work = seconds.saturating_sub(Duration::from_millis(80));
            let replies = vec![vec![1]; job.items.len()];
            let answer = if arrives && !job.cancel.is_set() {
                Answer::Done { host: "n".into(), work, replies }
            } else {
                Answer::Lost("lost".into())
            };
            queue.ended(&job, answer, now);
            idle += 1;
        }
    }
}

#[test]
fn many_items_on_many_workers_take_little_more_than_their_work() {
    for (items, workers, most) in [(20_000, 8, 90.0), (20_000, 500, 3.0), (2_000, 1000, 1.0)] {
        let (seconds, launched) = simulate(items, workers, |_, items| (0.08 + 0.03 * items as f64, true));
        let least = 0.03 * items as f64 / workers as f64;
        assert!(launched.items.iter().all(Option::is_some));
        assert!((least..most).contains(&seconds), "{items} on {workers}: {seconds} s");
        assert!(launched.attempts.iter().all(|a| a.lost.is_none()));
    }
}

#[test]
fn lost_and_hanging_jobs_are_replaced_in_time() {
    // Every 20th job is lost, every 50th hangs for ten minutes.
    let fate = |number: usize, items: usize| match number {
        n if n % 50 == 10 => (600.0, false),
        n => (0.08 + 0.03 * items as f64, n % 20 != 3),
    };
    let (seconds, launched) = simulate(20_000, 100, fate);
    assert!(launched.items.iter().all(Option::is_some));
    assert!(launched.attempts.iter().any(|a| a.earlier > 0));
    assert!((6.0..40.0).contains(&seconds), "{seconds} s");
}
