//! Records which thread runs which workgroups when.
use super::{Batch, Dispatch, Own};
use crate::{SpanWork, TimelineSpan, Track};
use std::time::Instant;

impl Batch {
    /// Begins to record, in time since then, or stops.
    pub(in crate::device) fn record(&mut self, since: Option<Instant>) {
        self.since = since;
        self.own.iter_mut().for_each(|own| own.spans.clear());
    }

    /// Gives what was recorded.
    pub(in crate::device) fn take_spans(&mut self) -> Vec<TimelineSpan> {
        self.own.iter_mut().flat_map(|own| std::mem::take(&mut own.spans)).collect()
    }

    /// The time, if spans are recorded.
    pub(super) fn now(&self) -> Option<u64> {
        self.since.map(nanos)
    }

    /// Records a dispatch that this thread has run alone.
    pub(super) fn ran_here(&mut self, dispatch: &Dispatch<'_>, started: Option<u64>) {
        if let (Some(since), Some(start)) = (self.since, started) {
            let work = SpanWork::Run { dispatch: dispatch.number, workgroups: dispatch.total() };
            self.own[0].spans.push(TimelineSpan { track: Track::Thread(0), work, start, end: nanos(since) });
        }
    }

    /// Records that the caller has waited since the end of its own work.
    pub(super) fn waited(&mut self) {
        let Some(since) = self.since else { return };
        if let Some(&TimelineSpan { end, .. }) = self.own[0].spans.last() {
            let (track, work) = (Track::Thread(0), SpanWork::WaitForThreads);
            self.own[0].spans.push(TimelineSpan { track, work, start: end, end: nanos(since) });
        }
    }
}

impl Own {
    /// Records workgroups of a dispatch, more of the one before where they follow without anything between.
    pub(super) fn ran(&mut self, thread: usize, dispatch: u32, count: u64, start: u64, since: Instant) {
        let end = nanos(since);
        if let Some(last) = self.spans.last_mut()
            && let SpanWork::Run { dispatch: before, workgroups } = &mut last.work
            && *before == dispatch
        {
            *workgroups += count;
            last.end = end;
            return;
        }
        let work = SpanWork::Run { dispatch, workgroups: count };
        self.spans.push(TimelineSpan { track: Track::Thread(thread as u32), work, start, end });
    }
}

fn nanos(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX)
}
