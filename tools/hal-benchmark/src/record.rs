//! What was measured; the JSON report is this, serialised.
use crate::{machine::Machine, measure::Samples};
use serde::Serialize;

/// The version of the JSON report.
pub(crate) const SCHEMA: u32 = 1;

/// A whole run of the tool.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Report {
    /// [`SCHEMA`].
    pub(crate) schema: u32,
    /// Where it ran.
    pub(crate) machine: Machine,
    /// Threads that executed workgroups.
    pub(crate) threads: usize,
    /// What they ran on, if that is not the CPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) device: Option<String>,
    /// The inputs, as types with where they came from.
    pub(crate) inputs: Vec<String>,
    /// Functions first, then their dispatches.
    pub(crate) results: Vec<Measurement>,
    /// What was compared before measuring, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) agreement: Vec<String>,
    /// Of two programs: the first function.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) comparison: Option<Comparison>,
    /// Of two programs: all functions, and the dispatches that both have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) comparisons: Vec<Comparison>,
}

/// Something measured. Times are in seconds.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Measurement {
    /// The function, or the export.
    pub(crate) name: String,
    /// The program as given on the command line.
    pub(crate) program: String,
    /// Only of dispatches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) dispatch: Option<Dispatch>,
    pub(crate) median: f64,
    pub(crate) mad: f64,
    /// 95 % interval of the median.
    pub(crate) interval: [f64; 2],
    pub(crate) mean: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
    pub(crate) outliers: usize,
    /// Runs per sample; a sample is their mean.
    pub(crate) iterations: usize,
    pub(crate) samples: Vec<f64>,
}

/// What only dispatches have.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Dispatch {
    pub(crate) executable: String,
    /// The content key of the executable.
    pub(crate) key: String,
    /// The nodes of the model that it comes from, if known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) origin: Vec<String>,
    /// How often a call of the function does this.
    pub(crate) calls: usize,
    /// The part of the time of all dispatches, from 0 to 1.
    pub(crate) share: f64,
    pub(crate) workgroups: [u32; 3],
    pub(crate) constants: Vec<i64>,
    /// Bytes of the bindings.
    pub(crate) bytes: u64,
    /// Floating-point operations of one dispatch, if known.
    pub(crate) flops: Option<u64>,
}

/// Two programs against each other.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Comparison {
    /// The function, or the export.
    pub(crate) name: String,
    /// Only of dispatches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) executable: Option<String>,
    pub(crate) a: String,
    pub(crate) b: String,
    /// Median of `a` by median of `b`: above 1, `b` is faster.
    pub(crate) speedup: f64,
    /// Its 95 % interval.
    pub(crate) interval: [f64; 2],
}

impl Measurement {
    /// Sums samples up.
    pub(crate) fn new(name: &str, program: &str, samples: Samples) -> Self {
        let s = halyard_statistics::summary(&samples.seconds);
        Self {
            name: name.into(),
            program: program.into(),
            dispatch: None,
            median: s.median,
            mad: s.mad,
            interval: s.interval,
            mean: s.mean,
            min: s.min,
            max: s.max,
            outliers: s.outliers,
            iterations: samples.iterations,
            samples: samples.seconds,
        }
    }

    /// 10^9 floating-point operations per second, if known.
    pub(crate) fn gflops(&self) -> Option<f64> {
        Some(self.dispatch.as_ref()?.flops? as f64 / self.median / 1e9)
    }

    /// 10^9 bytes of bindings per second.
    pub(crate) fn gigabytes(&self) -> Option<f64> {
        Some(self.dispatch.as_ref()?.bytes as f64 / self.median / 1e9)
    }
}

impl Comparison {
    /// Compares paired samples.
    pub(crate) fn new(a: &Measurement, b: &Measurement) -> Self {
        let (speedup, interval) = halyard_statistics::ratio(&a.samples, &b.samples);
        let executable = a.dispatch.as_ref().map(|d| d.executable.clone());
        Self { name: a.name.clone(), executable, a: a.program.clone(), b: b.program.clone(), speedup, interval }
    }

    /// Which one is faster, in a sentence.
    pub(crate) fn sentence(&self) -> String {
        let interval = |low: f64, high: f64| format!("(95 % interval {low:.3} … {high:.3})");
        let [low, high] = self.interval;
        if low > 1.0 {
            format!("`{}` is {:.2} times as fast as `{}` {}", self.b, self.speedup, self.a, interval(low, high))
        } else if high < 1.0 {
            let inverse = interval(1.0 / high, 1.0 / low);
            format!("`{}` is {:.2} times as fast as `{}` {inverse}", self.a, 1.0 / self.speedup, self.b)
        } else {
            format!(
                "no difference between `{}` and `{}` can be told: speed-up {:.3} {}",
                self.a,
                self.b,
                self.speedup,
                interval(low, high)
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences() {
        let text = |speedup, interval| {
            Comparison { name: "main".into(), executable: None, a: "a.so".into(), b: "b.so".into(), speedup, interval }
                .sentence()
        };
        insta::assert_snapshot!(text(1.5, [1.4, 1.6]), @"`b.so` is 1.50 times as fast as `a.so` (95 % interval 1.400 … 1.600)");
        insta::assert_snapshot!(text(0.5, [0.4, 0.8]), @"`a.so` is 2.00 times as fast as `b.so` (95 % interval 1.250 … 2.500)");
        insta::assert_snapshot!(text(1.01, [0.99, 1.03]), @"no difference between `a.so` and `b.so` can be told: speed-up 1.010 (95 % interval 0.990 … 1.030)");
    }
}
