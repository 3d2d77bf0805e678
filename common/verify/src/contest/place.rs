//! What is timed of an executable.
use super::ContestTimes;
use halyard_ir::form::Export;

/// An export at sizes, and how much its time counts.
#[derive(Debug, Clone, PartialEq)]
pub struct ContestPlace {
    /// The name of the export.
    pub export: String,
    /// For each argument: its sizes; of a scalar, its value. `None` where that is not known. Empty: they are fixed.
    pub sizes: Vec<Vec<Option<i64>>>,
    /// Which part of the calls are like this one.
    pub weight: f64,
}

impl ContestPlace {
    /// An export of fixed sizes, and nothing else.
    pub fn fixed(export: &Export) -> Self {
        Self { export: export.name(), sizes: Vec::new(), weight: 1.0 }
    }
}

/// The time of a call, on average over places: of each, as many samples as the shortest series has.
pub(super) fn weighted(times: &[(f64, ContestTimes)]) -> ContestTimes {
    let sum = |of: &dyn Fn(&ContestTimes) -> &Vec<f64>| {
        let samples = times.iter().map(|(_, t)| of(t).len()).min().unwrap_or(0);
        (0..samples).map(|i| times.iter().map(|(weight, t)| weight * of(t)[i]).sum()).collect()
    };
    ContestTimes {
        incumbent: sum(&|t| &t.incumbent),
        twin: sum(&|t| &t.twin),
        contestant: sum(&|t| &t.contestant),
        hot: times.first().map(|(_, t)| t.hot.clone()).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_added_sample_by_sample() {
        let times = |n: f64, count: usize| ContestTimes {
            incumbent: vec![n; count],
            twin: Vec::new(),
            contestant: vec![2.0 * n; count],
            hot: Vec::new(),
        };
        let sum = weighted(&[(0.75, times(1.0, 4)), (0.25, times(8.0, 3))]);
        assert_eq!(sum, ContestTimes { incumbent: vec![2.75; 3], contestant: vec![5.5; 3], ..ContestTimes::default() });
    }
}
