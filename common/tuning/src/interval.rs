//! An estimate with its uncertainty.
use serde::{Deserialize, Serialize};

/// An estimate with the confidence interval around it: of a time in nanoseconds, or of a ratio.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "[f64; 3]", into = "[f64; 3]")]
pub struct Interval {
    value: f64,
    low: f64,
    high: f64,
}

impl Interval {
    /// Makes one, of nine significant digits, so that it stays the same in any text. `None` unless the numbers are positive,
    /// finite and in order.
    pub fn new(value: f64, low: f64, high: f64) -> Option<Self> {
        let round = |x: f64| format!("{x:.8e}").parse::<f64>().ok();
        let (value, low, high) = (round(value)?, round(low)?, round(high)?);
        let legal = 0.0 < low && low <= value && value <= high && high.is_finite();
        legal.then_some(Self { value, low, high })
    }

    /// The estimate.
    pub fn value(self) -> f64 {
        self.value
    }

    /// The lower end.
    pub fn low(self) -> f64 {
        self.low
    }

    /// The upper end.
    pub fn high(self) -> f64 {
        self.high
    }
}

impl TryFrom<[f64; 3]> for Interval {
    type Error = String;

    fn try_from([value, low, high]: [f64; 3]) -> Result<Self, String> {
        Self::new(value, low, high)
            .ok_or_else(|| format!("[{value}, {low}, {high}] is no interval: estimate, lower and upper end"))
    }
}

impl From<Interval> for [f64; 3] {
    fn from(i: Interval) -> Self {
        [i.value, i.low, i.high]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_no_interval() {
        assert!(Interval::new(1.0, 0.5, 2.0).is_some());
        let illegal = [(1.0, 2.0, 3.0), (3.0, 1.0, 2.0), (1.0, 0.0, 2.0), (1.0, -1.0, 2.0)];
        let not_numbers = [(f64::NAN, 0.5, 2.0), (1.0, 0.5, f64::INFINITY), (1.0, f64::NAN, 2.0)];
        for (value, low, high) in illegal.into_iter().chain(not_numbers) {
            assert_eq!(Interval::new(value, low, high), None, "{value} {low} {high}");
        }
    }

    proptest! {
        #[test]
        fn texts_keep_it(value in 1e-9..1e15f64, below in 0.0..0.5f64, above in 0.0..0.5f64) {
            let interval = Interval::new(value, value * (1.0 - below), value * (1.0 + above)).unwrap();
            let text = serde_json::to_string(&interval).unwrap();
            prop_assert_eq!(serde_json::from_str::<Interval>(&text).unwrap(), interval);
        }
    }
}
