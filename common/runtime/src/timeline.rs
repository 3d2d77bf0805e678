//! What each thread, and the queue of a device, does during a call, with times.
//!
//! The host commands are timed where they meet the device (`recorder.rs`), workgroups where a thread takes them
//! (`device/batch`). Off, the first costs nothing, the second one comparison for each piece of work of a thread.

/// A call, from its begin: all times are nanoseconds since then.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Timeline {
    /// The name of the function.
    pub function: String,
    /// The number of threads that execute workgroups.
    pub threads: usize,
    /// The device for messages, if it is not the CPU.
    pub device: Option<String>,
    /// The dispatches, in the order of the host program.
    pub dispatches: Vec<TimelineDispatch>,
    /// What was done when, by track, then start, the outer ones first.
    pub spans: Vec<TimelineSpan>,
}

/// A dispatch of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimelineDispatch {
    /// The index in [`crate::LoadedProgram::kernels`].
    pub kernel: usize,
    /// The workgroup count.
    pub workgroups: [u32; 3],
    /// The scalars, as the kernel gets them.
    pub constants: Vec<i64>,
    /// The bytes of each binding, in order.
    pub bindings: Vec<u64>,
}

/// Something that took time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimelineSpan {
    /// Where it happened.
    pub track: Track,
    /// What it was.
    pub work: SpanWork,
    /// Its begin, in nanoseconds.
    pub start: u64,
    /// Its end, in nanoseconds.
    pub end: u64,
}

/// A sequence of nested spans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Track {
    /// A thread; 0 is the one that calls, and runs the host program.
    Thread(u32),
    /// The queue of the device. Each dispatch is waited for, so that its time is that of the kernel alone.
    Queue,
}

/// What takes time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanWork {
    /// The whole call.
    Call,
    /// The host command that dispatches; an index in [`Timeline::dispatches`]. On the CPU independent dispatches are
    /// collected: it may run those before it, or nothing at all.
    Dispatch(u32),
    /// Workgroups of a dispatch.
    Run {
        /// An index in [`Timeline::dispatches`].
        dispatch: u32,
        /// The number of workgroups that ran here.
        workgroups: u64,
    },
    /// Waiting for the other threads, which are still busy with the same dispatches.
    WaitForThreads,
    /// Waiting for all commands so far.
    Finish,
    /// A copy of so many bytes within the device.
    Copy(u64),
    /// A fill of so many bytes.
    Fill(u64),
    /// A copy of so many bytes from the device to the host.
    Read(u64),
    /// A copy of so many bytes from the host to the device.
    Write(u64),
    /// The allocation of so many bytes.
    Allocate(u64),
    /// A function of the host, with the tensors that it takes.
    HostFunction,
}
