//! The timeline for the page: for each track its spans, short enough to be embedded.
use halyard_runtime::{SpanWork, Timeline, Track};
use serde::Serialize;

/// A track with its spans.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct TrackData {
    pub(crate) name: String,
    /// Each span: begin and length in nanoseconds, the dispatch or -1, and the kind, an index in [`KINDS`].
    pub(crate) spans: Vec<(u64, u64, i64, usize)>,
}

/// The kinds of spans.
pub(crate) const KINDS: [&str; 8] =
    ["kernel", "wait for threads", "finish", "copy", "fill", "transfer", "allocate", "host function"];

/// The tracks of a timeline, the length of the call in nanoseconds, and the kernel of each dispatch. Host commands that dispatch
/// are left out: their workgroups are there.
pub(crate) fn tracks(timeline: &Timeline) -> Vec<TrackData> {
    let mut list: Vec<TrackData> = (0..timeline.threads)
        .map(|n| TrackData {
            name: if n == 0 { "host program".into() } else { format!("thread {n}") },
            spans: Vec::new(),
        })
        .collect();
    if timeline.device.is_some() {
        list.push(TrackData { name: "device queue".into(), spans: Vec::new() });
    }
    for span in &timeline.spans {
        let (dispatch, kind) = match span.work {
            SpanWork::Call | SpanWork::Dispatch(_) => continue,
            SpanWork::Run { dispatch, .. } => (i64::from(dispatch), 0),
            SpanWork::WaitForThreads => (-1, 1),
            SpanWork::Finish => (-1, 2),
            SpanWork::Copy(_) => (-1, 3),
            SpanWork::Fill(_) => (-1, 4),
            SpanWork::Read(_) | SpanWork::Write(_) => (-1, 5),
            SpanWork::Allocate(_) => (-1, 6),
            SpanWork::HostFunction => (-1, 7),
        };
        let place = match span.track {
            Track::Thread(n) => n as usize,
            Track::Queue => list.len() - 1,
        };
        list[place].spans.push((span.start, span.end.saturating_sub(span.start), dispatch, kind));
    }
    list
}

/// The length of the call in nanoseconds.
pub(crate) fn length(timeline: &Timeline) -> u64 {
    timeline.spans.iter().map(|s| s.end).max().unwrap_or(0)
}
