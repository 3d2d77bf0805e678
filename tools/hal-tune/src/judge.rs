//! Decides whether a candidate is faster beyond the noise of the measurement.
use halyard_statistics::{median, ratio};
use halyard_verify::ContestTimes;

/// A careful comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Judgement {
    /// The candidate's time, as a part of the current kernel's.
    pub(crate) ratio: f64,
    /// The 95 % interval of it.
    pub(crate) interval: [f64; 2],
    /// The interval of the current kernel against a copy of itself: what is not outside of it is noise.
    pub(crate) noise: [f64; 2],
    /// Seconds of the current kernel and of the candidate.
    pub(crate) seconds: [f64; 2],
    /// Whether the candidate is faster beyond doubt.
    pub(crate) faster: bool,
}

/// The least gain of a candidate: smaller ones may be noise that the twin did not show.
const LEAST_GAIN: f64 = 0.005;

/// Judges samples with a twin of the current kernel.
pub(crate) fn judge(times: &ContestTimes) -> Judgement {
    let (of_candidate, interval) = ratio(&times.contestant, &times.incumbent);
    let noise = if times.twin.is_empty() { [1.0, 1.0] } else { ratio(&times.twin, &times.incumbent).1 };
    // The candidate beside the twin, too: a lucky place in memory of the first copy does not decide.
    let beside = if times.twin.is_empty() { interval } else { ratio(&times.contestant, &times.twin).1 };
    let faster = interval[1] < (1.0 - LEAST_GAIN).min(noise[0]) && beside[1] < 1.0 - LEAST_GAIN;
    let seconds = [median(&times.incumbent), median(&times.contestant)];
    Judgement { ratio: of_candidate, interval, noise, seconds, faster }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(center: f64, spread: f64, seed: u64) -> Vec<f64> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        (0..60)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                center * (1.0 + spread * ((state >> 40) as f64 / (1u64 << 24) as f64 - 0.5))
            })
            .collect()
    }

    #[test]
    fn equal_kernels_are_never_faster() {
        for seed in 0..40 {
            let times = ContestTimes {
                incumbent: samples(1.0, 0.1, seed),
                twin: samples(1.0, 0.1, seed + 100),
                contestant: samples(1.0, 0.1, seed + 200),
                hot: Vec::new(),
            };
            assert!(!judge(&times).faster, "{:?}", judge(&times));
        }
    }

    #[test]
    fn what_a_copy_does_too_is_no_gain() {
        let times = ContestTimes {
            incumbent: samples(1.0, 0.02, 1),
            twin: samples(0.93, 0.02, 2),
            contestant: samples(0.93, 0.02, 3),
            hot: Vec::new(),
        };
        assert!(!judge(&times).faster);
        let times = ContestTimes { contestant: samples(0.8, 0.02, 4), ..times };
        assert!(judge(&times).faster);
    }
}
