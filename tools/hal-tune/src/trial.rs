//! A trial: a candidate and its result.
use halyard_verify::{ContestTimes, HotSpot};
use serde_json::{Value, json};

/// A candidate that takes no more than this part of the current kernel's time at the first look gets a second one.
pub(crate) const PROMISING: f64 = 0.98;

/// The result of a candidate.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TrialOutcome {
    /// It is right; its time.
    Measured(Measured),
    /// The same code as that of the current kernel, or of another candidate, which is named.
    SameCode(String),
    /// It is wrong, or did what kernels must not do: the code of the reason, and the reason.
    Rejected(String, String),
    /// No kernel could be made of it: why.
    NotBuilt(String),
    /// It could not be judged here: why.
    Skipped(String),
    /// An earlier search found it slow, wrong or impossible, and it was not tried again.
    Known(String),
}

impl TrialOutcome {
    /// What an earlier trial says of a candidate, whose ratio is given if it was measured, unless it is worth another one.
    pub(crate) fn of_earlier(ratio: Option<f64>) -> Option<Self> {
        match ratio {
            Some(ratio) if ratio < PROMISING => None,
            Some(ratio) => Some(Self::Known(format!("an earlier search found it slow: {ratio:.3} of the time"))),
            None => Some(Self::Known("an earlier search found it wrong or impossible".into())),
        }
    }
}

impl TrialOutcome {
    /// Its name in lines of trials.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Measured(_) => "measured",
            Self::SameCode(_) => "same-code",
            Self::Rejected(..) => "rejected",
            Self::NotBuilt(_) => "not-built",
            Self::Skipped(_) | Self::Known(_) => "skipped",
        }
    }

    /// Further fields of its lines of trials.
    pub(crate) fn details(&self) -> Vec<(&'static str, Value)> {
        match self {
            Self::Measured(m) => {
                let mut all =
                    vec![("ratio", json!(m.ratio)), ("interval", json!(m.interval)), ("seconds", json!(m.seconds))];
                if !m.hot.is_empty() {
                    all.push(("hot", m.hot.iter().map(hot).collect()));
                }
                all
            }
            Self::SameCode(other) => vec![("as", json!(other))],
            Self::Rejected(code, why) => vec![("code", json!(code)), ("reason", json!(why))],
            Self::NotBuilt(why) | Self::Skipped(why) | Self::Known(why) => vec![("reason", json!(why))],
        }
    }
}

/// A time with its uncertainty.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Measured {
    /// The time as a part of the current kernel's, and the 95 % interval of it.
    pub(crate) ratio: f64,
    pub(crate) interval: [f64; 2],
    /// Seconds of a call, and the 95 % interval of them.
    pub(crate) seconds: f64,
    pub(crate) seconds_interval: [f64; 2],
    /// Where its time goes.
    pub(crate) hot: Vec<HotSpot>,
}

impl Measured {
    pub(crate) fn of(times: &ContestTimes) -> Self {
        let (ratio, interval) = halyard_statistics::ratio(&times.contestant, &times.incumbent);
        let seconds_interval = halyard_statistics::median_interval(&times.contestant);
        let seconds = halyard_statistics::median(&times.contestant);
        Self { ratio, interval, seconds, seconds_interval, hot: times.hot.clone() }
    }
}

/// A hot spot as lines of trials have it: shares have two digits, more would be noise.
fn hot(spot: &HotSpot) -> Value {
    let share = |share: f64| (share * 100.0).round() / 100.0;
    json!({
        "share": share(spot.share),
        "offset": spot.offset,
        "instruction": spot.instruction,
        "block": spot.block,
        "block_share": share(spot.block_share),
    })
}

/// What all candidates of a kernel have in common.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) key: String,
    pub(crate) executable: String,
    pub(crate) export: String,
    pub(crate) target: String,
    pub(crate) machine: String,
    pub(crate) threads: usize,
}
