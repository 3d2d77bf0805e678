//! Measures in bursts: all threads do the same work at the same time, briefly and repeatedly.
use crate::machine::cores;
use std::{
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

/// The length of a burst: long compared with the cost of starting together, short compared with a slice of the
/// scheduler.
const BURST: Duration = Duration::from_micros(1500);
/// The number of bursts of each kind.
const BURSTS: usize = 32;

/// Something that a thread can do some number of times; it says how much it did.
pub(crate) type Work<'a> = Box<dyn FnMut(u64) -> f64 + Send + 'a>;

/// Rates of threads, in units of work per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rates {
    /// The rate of all threads in the best burst, for resources that they share.
    pub(crate) together: f64,
    /// The sum of each thread's rate in its best burst, for resources that each core has alone. On a busy machine
    /// there may be no burst in which no thread waits.
    pub(crate) apart: f64,
}

/// Measures the rates of threads. `make` creates the work of each thread, on that thread.
pub(crate) fn best_rates<'a>(threads: usize, make: impl Fn(usize) -> Work<'a> + Sync) -> Rates {
    // Known when all have started.
    let gate: OnceLock<Gate> = OnceLock::new();
    let spans: Vec<Mutex<Vec<(Instant, Instant, f64)>>> = (0..threads).map(|_| Mutex::default()).collect();
    let run = |t: usize| {
        let gate = gate.wait();
        let mut work = make(t);
        let times = calibrate(&mut work);
        for _ in 0..BURSTS {
            gate.wait();
            let start = Instant::now();
            let amount = work(times);
            let end = Instant::now();
            spans[t].lock().unwrap_or_else(PoisonError::into_inner).push((start, end, amount));
        }
    };
    let run = &run;
    std::thread::scope(|scope| {
        let starts = |t: &usize| {
            let t = *t;
            std::thread::Builder::new().spawn_scoped(scope, move || run(t)).is_ok()
        };
        // Where the system gives fewer threads, what they do counts for all.
        let started = (0..threads).take_while(starts).count();
        let _ = gate.set(Gate::new(started.max(1)));
        if started == 0 {
            run(0);
        }
    });
    let spans = spans.into_iter().map(|m| m.into_inner().unwrap_or_else(PoisonError::into_inner));
    let spans: Vec<Vec<(Instant, Instant, f64)>> = spans.filter(|of_thread| !of_thread.is_empty()).collect();
    let together = (0..BURSTS).map(|burst| rate(spans.iter().map(|of_thread| of_thread[burst]))).fold(0.0, f64::max);
    let best = |bursts: &Vec<_>| bursts.iter().map(|burst| rate(std::iter::once(*burst))).fold(0.0, f64::max);
    let sum: f64 = spans.iter().map(best).sum();
    let apart = sum * cores().min(threads) as f64 / spans.len() as f64;
    Rates { together, apart: apart.max(together) }
}

/// The rate of a burst: all that was done, in the time from the first start to the last end.
fn rate(spans: impl Iterator<Item = (Instant, Instant, f64)>) -> f64 {
    let all = spans.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1), a.2 + b.2));
    all.map_or(0.0, |(start, end, amount)| amount / (end - start).as_secs_f64().max(1e-9))
}

/// Returns how often the work fits into a burst.
fn calibrate(work: &mut Work<'_>) -> u64 {
    let mut times = 1;
    loop {
        let start = Instant::now();
        work(times);
        let took = start.elapsed();
        if took * 2 >= BURST || times > 1 << 40 {
            let scale = BURST.as_secs_f64() / took.as_secs_f64().max(1e-9);
            return ((times as f64 * scale) as u64).max(1);
        }
        times *= 2;
    }
}

/// Threads that start together. It spins: sleeping threads wake up one after the other.
struct Gate {
    threads: usize,
    arrived: AtomicUsize,
}

impl Gate {
    fn new(threads: usize) -> Self {
        Self { threads, arrived: AtomicUsize::new(0) }
    }

    fn wait(&self) {
        let turn = self.arrived.fetch_add(1, Ordering::AcqRel) / self.threads;
        let mut spins = 0u32;
        while self.arrived.load(Ordering::Acquire) < (turn + 1) * self.threads {
            spins += 1;
            // Where there are fewer cores than threads, the others need this one.
            if spins.is_multiple_of(256) {
                std::thread::yield_now();
            }
            std::hint::spin_loop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_as_long_as_its_threads_together() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let spans = [(at(0), at(10), 1.0), (at(5), at(20), 3.0)];
        assert!((rate(spans.into_iter()) - 200.0).abs() < 1e-6);
    }

    #[test]
    fn all_threads_work_equally_often() {
        let counts: Vec<AtomicUsize> = (0..3).map(|_| AtomicUsize::new(0)).collect();
        let rates = best_rates(3, |t| {
            let count = &counts[t];
            Box::new(move |times| {
                count.fetch_add(1, Ordering::Relaxed);
                std::thread::sleep(Duration::from_micros(100) * u32::try_from(times).unwrap_or(1));
                times as f64
            })
        });
        assert!(rates.together > 0.0 && rates.together < 40_000.0 && rates.apart >= rates.together, "{rates:?}");
        assert!(counts.iter().all(|c| c.load(Ordering::Relaxed) > BURSTS));
    }
}
