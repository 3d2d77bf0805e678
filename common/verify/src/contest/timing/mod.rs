//! Times two kernels alternately, on the same buffers and on the threads that programs have.
mod inputs;
mod runner;
mod setup;
mod stale;

pub(super) use inputs::TimingInputs;

use super::{
    ContestOptions, ContestTimes, Effort,
    hot::{HotSpot, hottest},
};
use crate::{memory::Buffer, trial::Subject, worker::Stop};
use halyard_peaks::CacheEviction;
use halyard_runtime::TimeSampler;
use runner::Runner;
use std::time::{Duration, Instant};

/// Where other programs have the core, samples of where the time of a contestant goes take longer: then there are fewer.
const SAMPLED: Duration = Duration::from_millis(60);
/// A sample lasts at least this long: reading the clock takes some 50 ns.
const SAMPLE: Duration = Duration::from_micros(50);
/// The same on devices, whose clocks may tick once in a microsecond.
const DEVICE_SAMPLE: Duration = Duration::from_micros(200);
/// So many calls of a sample at most where something is sent to a device before each.
const SENT: u128 = 16;
/// Samples before the first look at whether a contestant is hopeless.
const FIRST_LOOK: usize = 4;

/// A rule that the contestant breaks: the code of the reason, and the reason.
pub(super) type Violation = (&'static str, String);

/// Two kernels and what they run on.
pub(super) struct PairedTiming<'a, 'r> {
    subjects: &'a [Subject<'r>; 2],
    options: &'a ContestOptions,
    /// Runs the incumbent, the contestant, and the incumbent's twin.
    runner: Runner<'a>,
    /// What empties the caches before each call.
    caches: Option<CacheEviction>,
    /// For each kernel: the weights that it takes in other layouts.
    packed: Vec<Vec<(usize, Buffer)>>,
    on: TimingInputs,
    /// The address and the size of the contestant's code.
    code: (usize, usize),
}

impl<'a, 'r> PairedTiming<'a, 'r> {
    fn run(&mut self, kernel: usize, times: usize) -> Result<Duration, Stop> {
        self.runner.run(&self.on, kernel, times)
    }

    /// Measures. `Ok(Err(…))`: the contestant breaks a rule.
    pub(super) fn measure(&mut self, effort: Effort) -> Result<Result<ContestTimes, Violation>, Stop> {
        let order: Vec<usize> = if effort.twin { vec![0, 2, 1] } else { vec![0, 1] };
        let mut fastest = Duration::MAX;
        for _ in 0..2 {
            for &kernel in &order {
                fastest = fastest.min(self.run(kernel, 1)?);
            }
        }
        let most = match (self.runner.is_device(), self.options.foreign) {
            // A second call in a sample would be warm.
            _ if self.caches.is_some() => 1,
            (true, true) => SENT,
            _ => 10_000,
        };
        let sample = if self.runner.is_device() { DEVICE_SAMPLE } else { SAMPLE };
        let calls = sample.as_nanos().div_ceil(fastest.as_nanos().max(1)).clamp(1, most) as usize;
        let mut samples = [Vec::new(), Vec::new(), Vec::new()];
        let mut spent = Duration::ZERO;
        let mut round = 0;
        // Of several places each gets its part of the time.
        let time = effort.time / self.options.places.len().max(1) as u32;
        while round < effort.samples || spent < time * order.len() as u32 {
            // By turns from both ends: whoever comes first meets colder caches.
            let turns: Vec<usize> = if round % 2 == 0 { order.clone() } else { order.iter().rev().copied().collect() };
            for kernel in turns {
                if let Some(caches) = &self.caches {
                    caches.evict();
                }
                let took =
                    if self.options.foreign { self.run_changing(kernel, calls)? } else { self.run(kernel, calls)? };
                // A device may say that it took no time at all.
                spent += took.max(Duration::from_micros(1));
                samples[kernel].push(took.as_secs_f64() / calls as f64);
            }
            round += 1;
            if round == FIRST_LOOK && least(&samples[1]) > effort.hopeless * least(&samples[0]) {
                break;
            }
        }
        let violation = match self.options.foreign {
            true => self.fresh()?,
            // Where sizes are open, it was checked at others.
            false if self.subjects[0].is_dynamic() => self.wrong_here()?,
            false => None,
        };
        if let Some(violation) = violation {
            return Ok(Err(violation));
        }
        let hot = self.hot(calls.min(16), effort.hot)?;
        let [incumbent, contestant, twin] = samples;
        Ok(Ok(ContestTimes { incumbent, twin, contestant, hot }))
    }

    /// Runs the contestant for a while under a sampler.
    fn hot(&mut self, calls: usize, samples: usize) -> Result<Vec<HotSpot>, Stop> {
        if samples == 0 || self.runner.is_device() {
            return Ok(Vec::new());
        }
        let Some(mut sampler) = TimeSampler::start(TimeSampler::INTERVAL) else { return Ok(Vec::new()) };
        let start = Instant::now();
        while sampler.count() < samples && start.elapsed() < SAMPLED {
            self.run(1, calls)?;
        }
        let places: Vec<usize> = sampler.stop().into_iter().map(|sample| sample.address).collect();
        let (address, size) = self.code;
        Ok(hottest(&places, address, size))
    }
}

fn least(samples: &[f64]) -> f64 {
    samples.iter().copied().fold(f64::INFINITY, f64::min)
}
