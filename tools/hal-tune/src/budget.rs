//! How long to search.
use halyard_cli::duration;
use std::{
    str::FromStr,
    time::{Duration, Instant},
};

/// A limit on the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchBudget {
    /// A time.
    Time(Duration),
    /// A number of candidates, including rejected ones.
    Trials(usize),
}

impl FromStr for SearchBudget {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(trials) = text.parse::<usize>() {
            return Ok(Self::Trials(trials));
        }
        duration(text).map(Self::Time).map_err(|why| {
            format!("{why}; a budget is a time, such as `30s`, or a number of candidates, such as `500`")
        })
    }
}

/// The remaining budget of an executable.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Share {
    until: Option<Instant>,
    trials: usize,
}

impl Share {
    /// Whether it is spent after this many candidates.
    pub(crate) fn is_spent(&self, tried: usize) -> bool {
        tried >= self.trials || self.until.is_some_and(|end| Instant::now() >= end)
    }

    /// The number of further candidates.
    pub(crate) fn left(&self, tried: usize) -> usize {
        self.trials.saturating_sub(tried)
    }
}

/// Divides the remaining budget among executables in order, by weights; the next ones get what one does not need.
#[derive(Debug)]
pub(crate) struct Division {
    end: Option<Instant>,
    trials: usize,
    weight: f64,
}

impl Division {
    pub(crate) fn new(budget: SearchBudget, weights: &[f64]) -> Self {
        let weight = weights.iter().sum();
        match budget {
            SearchBudget::Time(time) => Self { end: Some(Instant::now() + time), trials: usize::MAX, weight },
            SearchBudget::Trials(trials) => Self { end: None, trials, weight },
        }
    }

    /// The share of the next one.
    pub(crate) fn next(&mut self, weight: f64) -> Share {
        let part = if self.weight > 0.0 { (weight / self.weight).clamp(0.0, 1.0) } else { 1.0 };
        self.weight -= weight;
        let until = self.end.map(|end| {
            let now = Instant::now();
            now + end.saturating_duration_since(now).mul_f64(part)
        });
        let trials = if self.trials == usize::MAX { usize::MAX } else { (self.trials as f64 * part).ceil() as usize };
        Share { until, trials }
    }

    /// Subtracts what was used.
    pub(crate) fn used(&mut self, trials: usize) {
        if self.trials != usize::MAX {
            self.trials = self.trials.saturating_sub(trials);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_times_or_numbers() {
        assert_eq!("30s".parse(), Ok(SearchBudget::Time(Duration::from_secs(30))));
        assert_eq!("500".parse(), Ok(SearchBudget::Trials(500)));
        assert!("soon".parse::<SearchBudget>().unwrap_err().contains("such as `30s`"));
    }

    #[test]
    fn what_one_does_not_need_goes_to_the_next() {
        let mut division = Division::new(SearchBudget::Trials(100), &[3.0, 1.0]);
        assert_eq!(division.next(3.0).left(0), 75);
        division.used(20);
        assert_eq!(division.next(1.0).left(0), 80);
    }
}
