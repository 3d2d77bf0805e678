//! The results of measurements; the JSON report is their serialisation.
use crate::{machine::Machine, measure::Samples};
use halyard_peaks::{Peaks, Roof};
use serde::Serialize;

/// The version of the JSON report.
pub(crate) const SCHEMA: u32 = 1;

/// The results of a whole run of the tool.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Report {
    /// [`SCHEMA`].
    pub(crate) schema: u32,
    /// The machine that was measured.
    pub(crate) machine: Machine,
    /// The number of threads that executed workgroups.
    pub(crate) threads: usize,
    /// The device, if it is not the CPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) device: Option<String>,
    /// The peaks of the machine, if dispatches were compared with them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) peaks: Option<Peaks>,
    /// The inputs, as types with where they came from.
    pub(crate) inputs: Vec<String>,
    /// Functions first, then their dispatches.
    pub(crate) results: Vec<Measurement>,
    /// Describes which outputs were compared before measuring.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) agreement: Vec<String>,
    /// For several programs, the first function of the second one compared with that of the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) comparison: Option<Comparison>,
    /// For several programs, the functions of the others compared with those of the first, and the dispatches that both have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) comparisons: Vec<Comparison>,
    /// Counts of a call, with `--perf`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) counters: Vec<Count>,
}

/// What a counter counted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Count {
    /// The name of the function.
    pub(crate) function: String,
    /// The name of the counter: `instructions`.
    pub(crate) name: &'static str,
    /// Its mean in a call.
    pub(crate) per_call: f64,
    /// The calls that were counted.
    pub(crate) calls: usize,
}

/// Something measured. Times are in seconds.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Measurement {
    /// The name of the function, or of the export.
    pub(crate) name: String,
    /// The program as given on the command line.
    pub(crate) program: String,
    /// The properties of a dispatch; `None` for functions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) dispatch: Option<Dispatch>,
    pub(crate) median: f64,
    pub(crate) mad: f64,
    /// The 95 % confidence interval of the median.
    pub(crate) interval: [f64; 2],
    pub(crate) mean: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
    pub(crate) outliers: usize,
    /// Runs per sample; a sample is their mean.
    pub(crate) iterations: usize,
    pub(crate) samples: Vec<f64>,
}

/// Properties that only dispatches have.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Dispatch {
    pub(crate) executable: String,
    /// The content key of the executable.
    pub(crate) key: String,
    /// The nodes of the model that it comes from, if known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) origin: Vec<String>,
    /// The number of such dispatches in a call of the function.
    pub(crate) calls: usize,
    /// The part of the time of all dispatches, from 0 to 1.
    pub(crate) share: f64,
    pub(crate) workgroups: [u32; 3],
    pub(crate) constants: Vec<i64>,
    /// Bytes of the bindings.
    pub(crate) bytes: u64,
    /// Arithmetic operations of one dispatch, if known.
    pub(crate) flops: Option<u64>,
    /// A hash of the kernel's code.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) digest: String,
    /// The share of the roofline, if the peaks are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) roofline: Option<Roofline>,
}

/// The roofline of a dispatch.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Roofline {
    /// The least time of any kernel, in seconds.
    pub(crate) seconds: f64,
    /// That time as a fraction of the measured time: 1 is optimal.
    pub(crate) share: f64,
    /// The limit: `f32`, `L2`, `memory`.
    pub(crate) limit: String,
}

/// The comparisons of dispatches, a list for each program that is compared with the first one.
pub(crate) fn of_dispatches(report: &Report) -> Vec<Vec<&Comparison>> {
    let mut tables: Vec<Vec<&Comparison>> = Vec::new();
    for c in report.comparisons.iter().filter(|c| c.executable.is_some()) {
        match tables.iter_mut().find(|list| list[0].b == c.b) {
            Some(list) => list.push(c),
            None => tables.push(vec![c]),
        }
    }
    tables
}

/// The comparison of two programs.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Comparison {
    /// The name of the function, or of the export.
    pub(crate) name: String,
    /// The executable; `None` for functions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) executable: Option<String>,
    pub(crate) a: String,
    pub(crate) b: String,
    /// Median of `a` by median of `b`: above 1, `b` is faster.
    pub(crate) speedup: f64,
    /// The 95 % confidence interval of the ratio.
    pub(crate) interval: [f64; 2],
    /// Whether both have identical code.
    pub(crate) same_code: bool,
    /// For dispatches, the union of the intervals of those with identical code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) noise: Option<[f64; 2]>,
}

impl Measurement {
    /// Summarises samples.
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

    /// Sets how close a dispatch comes to its bound.
    pub(crate) fn compare_with(&mut self, roof: Option<&Roof>) {
        let bound = |roof: &Roof| {
            let (seconds, limit) = (roof.seconds(), roof.limit_name().to_owned());
            Roofline { seconds, share: if self.median > 0.0 { seconds / self.median } else { 0.0 }, limit }
        };
        let roofline = roof.filter(|r| r.seconds() > 0.0).map(bound);
        if let Some(dispatch) = &mut self.dispatch {
            dispatch.roofline = roofline;
        }
    }

    /// 10^9 arithmetic operations per second, if known.
    pub(crate) fn gflops(&self) -> Option<f64> {
        Some(self.dispatch.as_ref()?.flops? as f64 / self.median / 1e9)
    }

    /// Returns 10^9 bytes of bindings per second.
    pub(crate) fn gigabytes(&self) -> Option<f64> {
        Some(self.dispatch.as_ref()?.bytes as f64 / self.median / 1e9)
    }
}

impl Comparison {
    /// Compares paired samples.
    pub(crate) fn new(a: &Measurement, b: &Measurement) -> Self {
        let (speedup, interval) = halyard_statistics::ratio(&a.samples, &b.samples);
        let executable = a.dispatch.as_ref().map(|d| d.executable.clone());
        let code = |m: &Measurement| m.dispatch.as_ref().map(|d| (d.digest.clone(), d.workgroups));
        let same_code = code(a).is_some_and(|(digest, _)| !digest.is_empty()) && code(a) == code(b);
        let (name, of_a, of_b) = (a.name.clone(), a.program.clone(), b.program.clone());
        Self { name, executable, a: of_a, b: of_b, speedup, interval, same_code, noise: None }
    }

    /// Whether the difference exceeds that of identical kernels in this run.
    pub(crate) fn differs(&self) -> bool {
        let [low, high] = self.noise.map_or([1.0, 1.0], |[low, high]| [low.min(1.0), high.max(1.0)]);
        !self.same_code && (self.interval[0] > high || self.interval[1] < low)
    }

    /// States in a sentence which one is faster.
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
    fn equal_kernels_are_the_noise() {
        let one = Comparison {
            name: "k".into(),
            executable: Some("e".into()),
            a: "a.so".into(),
            b: "b.so".into(),
            speedup: 0.95,
            interval: [0.925, 0.966],
            same_code: false,
            noise: None,
        };
        assert!(one.differs());
        // Partly or wholly within what equal kernels do.
        assert!(!Comparison { noise: Some([0.91, 0.99]), ..one.clone() }.differs());
        assert!(!Comparison { noise: Some([0.95, 1.02]), ..one.clone() }.differs());
        assert!(Comparison { noise: Some([0.97, 1.02]), ..one.clone() }.differs());
        assert!(!Comparison { same_code: true, ..one }.differs());
    }

    #[test]
    fn sentences() {
        let text = |speedup, interval| {
            Comparison {
                name: "main".into(),
                executable: None,
                a: "a.so".into(),
                b: "b.so".into(),
                speedup,
                interval,
                same_code: false,
                noise: None,
            }
            .sentence()
        };
        insta::assert_snapshot!(text(1.5, [1.4, 1.6]), @"`b.so` is 1.50 times as fast as `a.so` (95 % interval 1.400 … 1.600)");
        insta::assert_snapshot!(text(0.5, [0.4, 0.8]), @"`a.so` is 2.00 times as fast as `b.so` (95 % interval 1.250 … 2.500)");
        insta::assert_snapshot!(text(1.01, [0.99, 1.03]), @"no difference between `a.so` and `b.so` can be told: speed-up 1.010 (95 % interval 0.990 … 1.030)");
    }
}
