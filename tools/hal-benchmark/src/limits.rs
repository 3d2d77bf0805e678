//! Finds dispatches that are far below their roofline.
use crate::record::{Measurement, Report};

/// A dispatch that takes longer than it must.
#[derive(Debug, Clone)]
pub(crate) struct FarFromRoof<'a> {
    pub(crate) measurement: &'a Measurement,
    /// The fraction of the roofline that it reaches.
    pub(crate) share: f64,
    /// The name of its limit.
    pub(crate) limit: &'a str,
    /// The seconds that a call of the function spends in it, and would spend at the roofline.
    pub(crate) seconds: [f64; 2],
}

/// Returns the dispatches below a fraction of their roofline, those with most time to gain first; and the number of
/// dispatches with a roofline.
pub(crate) fn below(report: &Report, share: f64) -> (Vec<FarFromRoof<'_>>, usize) {
    let with_roof = report.results.iter().filter_map(|m| {
        let dispatch = m.dispatch.as_ref()?;
        let roof = dispatch.roofline.as_ref()?;
        let seconds = [m.median, roof.seconds].map(|s| s * dispatch.calls as f64);
        Some(FarFromRoof { measurement: m, share: roof.share, limit: &roof.limit, seconds })
    });
    let all: Vec<_> = with_roof.collect();
    let count = all.len();
    let mut far: Vec<_> = all.into_iter().filter(|f| f.share < share).collect();
    let gain = |f: &FarFromRoof<'_>| f.seconds[0] - f.seconds[1];
    far.sort_by(|a, b| gain(b).total_cmp(&gain(a)));
    (far, count)
}
