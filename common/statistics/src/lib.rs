//! Robust statistics of running times.
//!
//! Times are skewed and have outliers: the median and the median absolute deviation describe them, and a bootstrap
//! estimates how accurate the median is (B. Efron, R. J. Tibshirani, *An Introduction to the Bootstrap*, 1993:
//! percentile intervals, section 13.3; ratios of paired samples, section 10.3). The bootstrap's random numbers have a
//! fixed seed: the same samples have the same interval.
use rand_pcg::{Pcg32, rand_core::Rng};

/// Statistics of samples, in their unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The median.
    pub median: f64,
    /// The median absolute deviation: half of the samples are nearer to the median. For normally distributed samples
    /// the standard deviation is 1.4826 times as much.
    pub mad: f64,
    /// The 95 % confidence interval of the median.
    pub interval: [f64; 2],
    /// The arithmetic mean.
    pub mean: f64,
    /// The smallest sample.
    pub min: f64,
    /// The largest sample.
    pub max: f64,
    /// The number of samples that are far off, see [`outliers`].
    pub outliers: usize,
}

/// Sums samples up. Panics if there are none.
pub fn summary(samples: &[f64]) -> Summary {
    let sorted = sorted(samples);
    Summary {
        median: median_of_sorted(&sorted),
        mad: mad(&sorted),
        interval: median_interval(samples),
        mean: samples.iter().sum::<f64>() / samples.len() as f64,
        min: sorted[0],
        max: sorted[sorted.len() - 1],
        outliers: outliers(samples).len(),
    }
}

/// The median: the middle sample, or the mean of the two in the middle. Panics if there are none.
pub fn median(samples: &[f64]) -> f64 {
    median_of_sorted(&sorted(samples))
}

fn sorted(samples: &[f64]) -> Vec<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

fn median_of_sorted(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { f64::midpoint(sorted[middle - 1], sorted[middle]) }
}

/// The median absolute deviation from the median.
pub fn mad(samples: &[f64]) -> f64 {
    let center = median(samples);
    median(&samples.iter().map(|s| (s - center).abs()).collect::<Vec<_>>())
}

/// The indices of samples whose modified z-score `0.6745 (x - median) / MAD` exceeds 14.8 in size, that is, which are
/// ten standard deviations off (B. Iglewicz, D. C. Hoaglin, *How to Detect and Handle Outliers*, 1993; the limit is
/// hyperfine's, as running times have longer tails than the 3.5 recommended there allows).
pub fn outliers(samples: &[f64]) -> Vec<usize> {
    let (center, spread) = (median(samples), mad(samples));
    // Samples that are all but equal have no spread; then a thousandth of the median is taken for it.
    let spread = spread.max(center.abs() * 1e-3);
    let far = |s: f64| (0.6745 * (s - center) / spread).abs() > 14.8;
    (0..samples.len()).filter(|&i| far(samples[i])).collect()
}

/// The 95 % percentile interval of the median.
pub fn median_interval(samples: &[f64]) -> [f64; 2] {
    bootstrap(samples.len(), |indices| {
        let mut resample: Vec<f64> = indices.iter().map(|&i| samples[i]).collect();
        middle(&mut resample)
    })
}

/// The ratio of the medians, `a / b`, and its 95 % interval. The samples are pairs that were taken one after the other,
/// and are drawn as pairs: what slowed both down does not widen the interval. Panics if there are not equally many.
pub fn ratio(a: &[f64], b: &[f64]) -> (f64, [f64; 2]) {
    assert_eq!(a.len(), b.len(), "samples are pairs");
    let interval = bootstrap(a.len(), |indices| {
        let draw = |samples: &[f64]| middle(&mut indices.iter().map(|&i| samples[i]).collect::<Vec<_>>());
        draw(a) / draw(b)
    });
    (median(a) / median(b), interval)
}

/// Returns the median, in linear time.
fn middle(samples: &mut [f64]) -> f64 {
    let half = samples.len() / 2;
    let odd = samples.len() % 2 == 1;
    let (below, &mut upper, _) = samples.select_nth_unstable_by(half, f64::total_cmp);
    if odd { upper } else { f64::midpoint(below.iter().copied().fold(f64::NEG_INFINITY, f64::max), upper) }
}

/// The 2.5 % and 97.5 % percentiles of a statistic over resamples of `count` samples, given as indices. There are 2000
/// resamples, fewer (at least 200) if there are very many samples.
fn bootstrap(count: usize, statistic: impl Fn(&[usize]) -> f64) -> [f64; 2] {
    let mut generator = Pcg32::new(0, 0);
    let rounds = (20_000_000 / count.max(1)).clamp(200, 2000);
    let mut values = Vec::with_capacity(rounds);
    let mut indices = vec![0; count];
    for _ in 0..rounds {
        // Multiply-shift: its bias, count / 2^32, is far below what is resolved here.
        indices.iter_mut().for_each(|i| *i = ((u64::from(generator.next_u32()) * count as u64) >> 32) as usize);
        values.push(statistic(&indices));
    }
    values.sort_by(f64::total_cmp);
    let at = |fraction: f64| values[((rounds - 1) as f64 * fraction).round() as usize];
    [at(0.025), at(0.975)]
}

#[cfg(test)]
mod tests;
