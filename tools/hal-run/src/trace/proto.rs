//! The messages of Perfetto's trace that we write. Names and numbers are those of `protos/perfetto/trace` in
//! <https://github.com/google/perfetto>: `trace.proto`, `trace_packet.proto` and `track_event/*.proto`.

/// `TrackEvent.Type`: the begin of a slice.
pub(super) const SLICE_BEGIN: i32 = 1;
/// `TrackEvent.Type`: the end of the last slice that began on the track.
pub(super) const SLICE_END: i32 = 2;
/// All packets are of one writer.
const SEQUENCE: u32 = 1;

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Trace {
    #[prost(message, repeated, tag = "1")]
    pub(super) packet: Vec<Packet>,
}

/// `TracePacket`.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Packet {
    /// In nanoseconds.
    #[prost(uint64, optional, tag = "8")]
    pub(super) timestamp: Option<u64>,
    #[prost(uint32, tag = "10")]
    pub(super) trusted_packet_sequence_id: u32,
    #[prost(message, optional, tag = "11")]
    pub(super) track_event: Option<TrackEvent>,
    #[prost(message, optional, tag = "60")]
    pub(super) track_descriptor: Option<TrackDescriptor>,
}

impl Packet {
    pub(super) fn event(time: u64, event: TrackEvent) -> Self {
        Self {
            timestamp: Some(time),
            trusted_packet_sequence_id: SEQUENCE,
            track_event: Some(event),
            track_descriptor: None,
        }
    }

    pub(super) fn track(descriptor: TrackDescriptor) -> Self {
        Self {
            timestamp: None,
            trusted_packet_sequence_id: SEQUENCE,
            track_event: None,
            track_descriptor: Some(descriptor),
        }
    }
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct TrackEvent {
    #[prost(message, repeated, tag = "4")]
    pub(super) annotations: Vec<Annotation>,
    #[prost(int32, tag = "9")]
    pub(super) kind: i32,
    #[prost(uint64, tag = "11")]
    pub(super) track_uuid: u64,
    #[prost(string, repeated, tag = "22")]
    pub(super) categories: Vec<String>,
    #[prost(string, optional, tag = "23")]
    pub(super) name: Option<String>,
    #[prost(fixed64, repeated, packed = "false", tag = "47")]
    pub(super) flow_ids: Vec<u64>,
}

/// `DebugAnnotation`.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Annotation {
    #[prost(string, tag = "10")]
    pub(super) name: String,
    #[prost(oneof = "Value", tags = "3, 6")]
    pub(super) value: Option<Value>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub(super) enum Value {
    #[prost(uint64, tag = "3")]
    Uint(u64),
    #[prost(string, tag = "6")]
    Text(String),
}

impl Annotation {
    pub(super) fn new(name: &str, value: Value) -> Self {
        Self { name: name.to_owned(), value: Some(value) }
    }
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct TrackDescriptor {
    #[prost(uint64, tag = "1")]
    pub(super) uuid: u64,
    #[prost(string, optional, tag = "2")]
    pub(super) name: Option<String>,
    #[prost(message, optional, tag = "3")]
    pub(super) process: Option<Process>,
    #[prost(message, optional, tag = "4")]
    pub(super) thread: Option<Thread>,
    #[prost(uint64, optional, tag = "5")]
    pub(super) parent_uuid: Option<u64>,
}

/// `ProcessDescriptor`.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Process {
    #[prost(int32, tag = "1")]
    pub(super) pid: i32,
    #[prost(string, tag = "6")]
    pub(super) process_name: String,
}

/// `ThreadDescriptor`.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Thread {
    #[prost(int32, tag = "1")]
    pub(super) pid: i32,
    #[prost(int32, tag = "2")]
    pub(super) tid: i32,
    #[prost(string, tag = "5")]
    pub(super) thread_name: String,
}
