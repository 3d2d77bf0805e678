//! `--trace`: writes a call as a trace for Perfetto.
//!
//! The format is the protobuf of TrackEvent (<https://perfetto.dev/docs/reference/synthetic-track-event>), not Chrome's JSON:
//! it has tracks for threads and queues with names of their own, flows between them and times in nanoseconds, and is
//! smaller. [`proto`] has the messages, [`tracks`] the tracks.
mod proto;
mod tracks;

use halyard_cli::write_output;
use halyard_diag::{Error, Result};
use halyard_runtime::{KernelInfo, SpanWork, Timeline, TimelineSpan};
use prost::Message;
use proto::{Annotation, Packet, SLICE_BEGIN, SLICE_END, Trace, TrackEvent, Value};
use std::path::Path;

/// Writes a trace. Errors: a file that cannot be written.
pub(crate) fn write(path: &Path, program: &str, timeline: &Timeline, kernels: &[KernelInfo]) -> Result<()> {
    write_output(path, &encode(program, timeline, kernels))
}

/// Refuses a trace to standard output, where the results of the call go. Errors: `-`.
pub(crate) fn check(path: &Path) -> Result<()> {
    if path == Path::new("-") {
        let error = Error::usage("a trace is not written to standard output, where results go");
        return Err(error.hint("give it a file, `--trace=run.perfetto`"));
    }
    Ok(())
}

/// The trace of a call of a program.
fn encode(program: &str, timeline: &Timeline, kernels: &[KernelInfo]) -> Vec<u8> {
    let mut packets = tracks::describe(program, timeline);
    // Spans of a track are nested and in the order of their begins: those that have ended are closed before the next.
    for track in timeline.spans.chunk_by(|a, b| a.track == b.track) {
        let mut open: Vec<u64> = Vec::new();
        let uuid = tracks::uuid(track[0].track);
        for span in track {
            while let Some(end) = open.pop_if(|end| *end <= span.start) {
                packets.push(Packet::end(end, uuid));
            }
            packets.push(begin(span, uuid, timeline, kernels));
            // What another clock or an earlier read says to be longer ends with what it is in.
            open.push(open.last().map_or(span.end, |outer| span.end.min(*outer)));
        }
        while let Some(end) = open.pop() {
            packets.push(Packet::end(end, uuid));
        }
    }
    Trace { packet: packets }.encode_to_vec()
}

impl Packet {
    fn end(time: u64, track: u64) -> Self {
        Self::event(time, TrackEvent { kind: SLICE_END, track_uuid: track, ..TrackEvent::default() })
    }
}

fn begin(span: &TimelineSpan, track: u64, timeline: &Timeline, kernels: &[KernelInfo]) -> Packet {
    let bytes = |n: u64| vec![Annotation::new("bytes", Value::Uint(n))];
    let (category, name, annotations, dispatch) = match span.work {
        SpanWork::Call => ("call", timeline.function.clone(), Vec::new(), None),
        SpanWork::Dispatch(i) => {
            let kernel = &kernels[timeline.dispatches[i as usize].kernel];
            ("dispatch", format!("dispatch {}", kernel.export), about(timeline, kernels, i), Some(i))
        }
        SpanWork::Run { dispatch, workgroups } => {
            let mut list = about(timeline, kernels, dispatch);
            list.push(Annotation::new("workgroups here", Value::Uint(workgroups)));
            let kernel = &kernels[timeline.dispatches[dispatch as usize].kernel];
            ("kernel", kernel.export.clone(), list, Some(dispatch))
        }
        SpanWork::WaitForThreads => ("wait", "wait for threads".into(), Vec::new(), None),
        SpanWork::Finish => ("wait", "finish".into(), Vec::new(), None),
        SpanWork::Copy(n) => ("copy", "copy".into(), bytes(n), None),
        SpanWork::Fill(n) => ("copy", "fill".into(), bytes(n), None),
        SpanWork::Read(n) => ("copy", "read".into(), bytes(n), None),
        SpanWork::Write(n) => ("copy", "write".into(), bytes(n), None),
        SpanWork::Allocate(n) => ("memory", "allocate".into(), bytes(n), None),
        SpanWork::HostFunction => ("host", "host function".into(), Vec::new(), None),
    };
    let event = TrackEvent {
        kind: SLICE_BEGIN,
        track_uuid: track,
        name: Some(name),
        categories: vec![category.to_owned()],
        annotations,
        // From the command to where its workgroups run.
        flow_ids: dispatch.map(|i| u64::from(i) + 1).into_iter().collect(),
    };
    Packet::event(span.start, event)
}

/// What there is to say of a dispatch.
fn about(timeline: &Timeline, kernels: &[KernelInfo], dispatch: u32) -> Vec<Annotation> {
    let one = &timeline.dispatches[dispatch as usize];
    let kernel = &kernels[one.kernel];
    let text = |name: &str, value: String| Annotation::new(name, Value::Text(value));
    let mut list = vec![
        Annotation::new("dispatch", Value::Uint(u64::from(dispatch))),
        text("executable", kernel.executable.clone()),
        text("key", kernel.identity.key.clone()),
        text("variant", kernel.variant.clone()),
        text("workgroups", one.workgroups.map(|n| n.to_string()).join("x")),
        Annotation::new("bytes", Value::Uint(one.bindings.iter().sum())),
    ];
    if !kernel.identity.origin.is_empty() {
        list.push(text("origin", kernel.identity.origin.join(", ")));
    }
    if !one.constants.is_empty() {
        list.push(text("constants", one.constants.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")));
    }
    list.extend(kernel.work.operations_of(&one.constants).map(|n| Annotation::new("flops", Value::Uint(n))));
    list
}
