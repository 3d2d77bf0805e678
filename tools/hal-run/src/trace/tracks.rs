//! The tracks of a trace: the program as a process, its threads, the queue of the device.
use super::proto::{Packet, Process, Thread, TrackDescriptor};
use halyard_runtime::{Timeline, Track};

/// The program counts as a process of this number, so that traces do not depend on the system's.
const PROCESS: i32 = 1;
const PROCESS_TRACK: u64 = 1;
const QUEUE_TRACK: u64 = 2;
const FIRST_THREAD_TRACK: u64 = 16;

/// The identifier of a track.
pub(super) fn uuid(track: Track) -> u64 {
    match track {
        Track::Thread(thread) => FIRST_THREAD_TRACK + u64::from(thread),
        Track::Queue => QUEUE_TRACK,
    }
}

/// All tracks, also of threads that did nothing.
pub(super) fn describe(program: &str, timeline: &Timeline) -> Vec<Packet> {
    let process = Process { pid: PROCESS, process_name: program.to_owned() };
    let mut list = vec![TrackDescriptor { uuid: PROCESS_TRACK, process: Some(process), ..TrackDescriptor::default() }];
    for number in 0..timeline.threads as u32 {
        let name = if number == 0 { "host program".to_owned() } else { format!("thread {number}") };
        let thread = Thread { pid: PROCESS, tid: PROCESS + number as i32, thread_name: name };
        let uuid = uuid(Track::Thread(number));
        list.push(TrackDescriptor { uuid, thread: Some(thread), ..TrackDescriptor::default() });
    }
    if let Some(device) = &timeline.device {
        list.push(TrackDescriptor {
            uuid: QUEUE_TRACK,
            name: Some(format!("queue of {}", device.replace('`', ""))),
            parent_uuid: Some(PROCESS_TRACK),
            ..TrackDescriptor::default()
        });
    }
    list.into_iter().map(Packet::track).collect()
}
