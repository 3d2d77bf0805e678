//! The measuring loop.
use crate::BenchmarkArgs;
use halyard_diag::Result;
use halyard_peaks::CacheEviction;
use std::time::{Duration, Instant};

/// A sample lasts at least this long, so that reading the clock (about 50 ns) does not count: what is faster is run
/// several times per sample.
const SHORTEST_SAMPLE: Duration = Duration::from_micros(50);

/// When a measurement stops.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan<'a> {
    /// The least number of samples of each subject.
    pub(crate) runs: usize,
    /// The least time for each subject.
    pub(crate) min_time: Duration,
    /// Rounds before that; `None` is a tenth of `min_time`, at least one.
    pub(crate) warmup: Option<usize>,
    /// Evicts the caches before each run, if requested.
    pub(crate) cold: Option<&'a CacheEviction>,
}

impl<'a> Plan<'a> {
    /// Makes the plan that the command line requests.
    pub(crate) fn of(args: &BenchmarkArgs, cold: Option<&'a CacheEviction>) -> Self {
        Self { runs: args.runs as usize, min_time: args.min_time, warmup: args.warmup.map(|n| n as usize), cold }
    }

    /// Empties the caches, if that is asked for.
    pub(crate) fn cool(&self) {
        if let Some(caches) = self.cold {
            caches.evict();
        }
    }
}

/// Something that can be run some number of times and says how long that took.
pub(crate) type Subject<'a> = Box<dyn FnMut(usize) -> Result<Duration> + 'a>;

/// The running times of a subject.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Samples {
    /// Seconds per run.
    pub(crate) seconds: Vec<f64>,
    /// Runs per sample.
    pub(crate) iterations: usize,
}

/// Measures subjects by turns (A B A B …), so that what disturbs the machine disturbs all of them. All get equally
/// many samples.
pub(crate) fn measure(plan: Plan<'_>, subjects: &mut [Subject<'_>]) -> Result<Vec<Samples>> {
    let started = Instant::now();
    // A second run in a sample would be warm.
    let per_sample = |run: Duration| if plan.cold.is_some() { 1 } else { per_sample(run) };
    let enough = plan.min_time.mul_f64(0.1) * subjects.len() as u32;
    let mut fastest = vec![None::<Duration>; subjects.len()];
    let mut rounds = 0;
    while plan.warmup.map_or(rounds < 1 || started.elapsed() < enough, |n| rounds < n) {
        for (subject, fastest) in subjects.iter_mut().zip(&mut fastest) {
            plan.cool();
            let took = subject(1)?;
            *fastest = Some(fastest.map_or(took, |f| f.min(took)));
        }
        rounds += 1;
    }
    let mut samples: Vec<_> =
        fastest.iter().map(|f| Samples { seconds: Vec::new(), iterations: f.map_or(1, per_sample) }).collect();
    let mut spent = vec![Duration::ZERO; subjects.len()];
    loop {
        for ((subject, samples), spent) in subjects.iter_mut().zip(&mut samples).zip(&mut spent) {
            plan.cool();
            let took = subject(samples.iterations)?;
            samples.seconds.push(took.as_secs_f64() / samples.iterations as f64);
            *spent += took;
        }
        if samples.iter().all(|s| s.seconds.len() >= plan.runs) && spent.iter().all(|s| *s >= plan.min_time) {
            return Ok(samples);
        }
    }
}

/// Returns how many runs of that length make a sample.
fn per_sample(run: Duration) -> usize {
    SHORTEST_SAMPLE.as_nanos().div_ceil(run.as_nanos().max(1)).clamp(1, 100_000) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use halyard_diag::Error;

    fn plan(runs: usize, millis: u64, warmup: Option<usize>) -> Plan<'static> {
        Plan { runs, min_time: Duration::from_millis(millis), warmup, cold: None }
    }

    #[test]
    fn by_turns_and_equally_often() {
        let log = std::cell::RefCell::new(String::new());
        let subject = |name: char| -> Subject<'_> {
            let log = &log;
            Box::new(move |_| {
                log.borrow_mut().push(name);
                Ok(Duration::from_millis(2))
            })
        };
        let samples = measure(plan(3, 0, Some(1)), &mut [subject('a'), subject('b')]).unwrap();
        assert_eq!(*log.borrow(), "abababab");
        assert_eq!(samples[1], Samples { seconds: vec![0.002; 3], iterations: 1 });
    }

    #[test]
    fn as_long_as_asked() {
        let run: Subject<'_> = Box::new(|n| Ok(Duration::from_millis(1) * n as u32));
        assert_eq!(measure(plan(2, 20, Some(0)), &mut [run]).unwrap()[0].seconds.len(), 20);
    }

    #[test]
    fn fast_subjects_run_several_times_per_sample() {
        let run: Subject<'_> = Box::new(|n| Ok(Duration::from_nanos(600) * n as u32));
        let samples = measure(plan(5, 0, None), &mut [run]).unwrap();
        assert_eq!(samples[0].iterations, 84);
        assert!((samples[0].seconds[0] - 600e-9).abs() < 1e-12);
    }

    #[test]
    fn cold_runs_stand_alone() {
        let caches = CacheEviction::new();
        let run: Subject<'_> = Box::new(|n| Ok(Duration::from_nanos(600) * n as u32));
        let samples = measure(Plan { cold: Some(&caches), ..plan(3, 0, None) }, &mut [run]).unwrap();
        assert_eq!((samples[0].iterations, samples[0].seconds.len()), (1, 3));
    }

    #[test]
    fn failures_end_it() {
        let run: Subject<'_> = Box::new(|_| Err(Error::input("no")));
        assert!(measure(plan(1, 0, None), &mut [run]).is_err());
    }
}
