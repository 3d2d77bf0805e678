//! The data of the page. Keys are short where there are many; `page/src` reads them.
use crate::{graph::NodeKind, timeline::TrackData};
use serde::Serialize;
use std::collections::BTreeMap;

/// The version of the data, for the script.
pub(crate) const SCHEMA: u32 = 1;

/// All data of a page.
#[derive(Debug, Serialize)]
pub(crate) struct Data {
    pub(crate) schema: u32,
    pub(crate) tool: String,
    /// The name of the program's file, and of the one that it is compared with.
    pub(crate) programs: Vec<String>,
    /// `main(x: 1x784xf32) -> (1x10xf32)`.
    pub(crate) signature: String,
    pub(crate) function: String,
    pub(crate) device: Option<String>,
    pub(crate) threads: Option<usize>,
    pub(crate) inputs: Vec<String>,
    /// The name of the processor whose peaks are the roofline.
    pub(crate) machine: Option<String>,
    /// Bytes of constants, and of the arena.
    pub(crate) weights: u64,
    pub(crate) arena: u64,
    pub(crate) executables: Vec<Executable>,
    pub(crate) nodes: Vec<NodeData>,
    pub(crate) levels: Vec<LevelData>,
    /// The distance of rows in levels.
    pub(crate) row: i32,
    pub(crate) memory: Vec<crate::graph::Lifetime>,
    pub(crate) calls: Vec<Times>,
    pub(crate) speedup: Option<Ratio>,
    pub(crate) timeline: Option<TimelineData>,
    pub(crate) commands: Vec<Shown>,
}

/// A kernel of the program, with what was measured.
#[derive(Debug, Serialize)]
pub(crate) struct Executable {
    pub(crate) name: String,
    pub(crate) export: String,
    pub(crate) key: String,
    pub(crate) origin: Vec<String>,
    pub(crate) variant: String,
    pub(crate) others: Vec<String>,
    pub(crate) symbol: String,
    pub(crate) kind: Option<String>,
    pub(crate) flops: Option<u64>,
    pub(crate) bytes: Option<u64>,
    /// How many dispatches the host program has.
    pub(crate) uses: usize,
    /// Its interface: `tensor<1x784xf32>`, for each binding, with whether it is written.
    pub(crate) bindings: Vec<(String, bool)>,
    pub(crate) times: Vec<KindData>,
    /// Its part of the time of all dispatches.
    pub(crate) share: Option<f64>,
    /// Seconds in a call.
    pub(crate) total: Option<f64>,
    pub(crate) roofline: Option<f64>,
    pub(crate) limit: Option<String>,
    pub(crate) against: Option<Ratio>,
    /// Where its time goes.
    pub(crate) hot: Option<HotData>,
    /// What was tried in its place, for each target and machine.
    pub(crate) tuning: Vec<TuningData>,
    pub(crate) commands: Vec<Shown>,
}

/// The samples of a kernel.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct HotData {
    /// How many there are.
    pub(crate) samples: u64,
    /// How many threads they are of.
    pub(crate) threads: usize,
    /// Lines of its assembly, from 0, and the samples on each.
    pub(crate) lines: Vec<(usize, u64)>,
}

/// What `hal-tune` measured of an executable.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct TuningData {
    pub(crate) target: String,
    pub(crate) machine: String,
    /// Whether the trials are in the order in which they were made; else the fastest ones come first.
    pub(crate) in_order: bool,
    pub(crate) trials: Vec<TrialData>,
    /// How many more there are.
    pub(crate) left_out: usize,
    /// The winner and its speed-up, if a database has one.
    pub(crate) winner: Option<(String, Ratio)>,
}

/// A candidate and what became of it.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct TrialData {
    pub(crate) kind: String,
    pub(crate) candidate: String,
    /// `measured`, or why not.
    pub(crate) outcome: String,
    /// How many times as fast as the compiler's own choice it is.
    pub(crate) ratio: Option<Ratio>,
    pub(crate) seconds: Option<f64>,
}

/// Dispatches of one kernel with the same sizes.
#[derive(Debug, Serialize)]
pub(crate) struct KindData {
    pub(crate) workgroups: [u32; 3],
    pub(crate) constants: Vec<i64>,
    pub(crate) calls: usize,
    pub(crate) time: Times,
    pub(crate) flops: Option<u64>,
    pub(crate) bytes: u64,
}

/// Seconds: the median with its 95 % interval, and all samples.
#[derive(Debug, Serialize)]
pub(crate) struct Times {
    pub(crate) median: f64,
    pub(crate) interval: [f64; 2],
    pub(crate) samples: Vec<f64>,
}

impl Times {
    /// Sums samples up, to a nanosecond; `None` if there are none.
    pub(crate) fn of(samples: &[f64]) -> Option<Self> {
        let summary = (!samples.is_empty()).then(|| halyard_statistics::summary(samples))?;
        let round = |x: f64| (x * 1e9).round() / 1e9;
        let samples = samples.iter().copied().map(round).collect();
        Some(Self { median: round(summary.median), interval: summary.interval.map(round), samples })
    }
}

/// How many times as fast the second program is, with the 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Ratio {
    pub(crate) speedup: f64,
    pub(crate) interval: [f64; 2],
    /// Whether both have the same code.
    pub(crate) same: bool,
}

/// A node of the graph.
#[derive(Debug, Serialize)]
pub(crate) struct NodeData {
    /// The name.
    pub(crate) n: String,
    /// The kind.
    pub(crate) k: NodeKind,
    /// The executable, an index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) e: Option<usize>,
    /// The model's name of its result.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) v: String,
    /// Bytes of weights.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) w: u64,
    /// Loops and branches around it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) r: Vec<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// The graph at a level of detail.
#[derive(Debug, Serialize)]
pub(crate) struct LevelData {
    pub(crate) name: String,
    pub(crate) width: i32,
    pub(crate) height: i32,
    /// The group of each node.
    pub(crate) group: Vec<usize>,
    pub(crate) names: Vec<String>,
    /// The centre of each group.
    pub(crate) at: Vec<(i32, i32)>,
    /// From, to, and bytes or -1.
    pub(crate) edges: Vec<(usize, usize, i64)>,
    /// Where the edges of a group pass the rows below it.
    pub(crate) paths: BTreeMap<usize, Vec<i32>>,
}

/// The timeline of a call.
#[derive(Debug, Serialize)]
pub(crate) struct TimelineData {
    pub(crate) length: u64,
    pub(crate) kinds: Vec<&'static str>,
    pub(crate) tracks: Vec<TrackData>,
    /// The executable of each dispatch.
    pub(crate) dispatches: Vec<usize>,
}

/// A command that shows the same at the terminal.
#[derive(Debug, Serialize)]
pub(crate) struct Shown {
    pub(crate) what: String,
    pub(crate) command: String,
}

/// The texts of executables, which the page unpacks when one is selected: by symbol or name.
pub(crate) type Texts = BTreeMap<String, String>;
