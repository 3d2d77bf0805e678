//! A device that times what another one is asked to do.
use crate::{
    device::{Device, DeviceRange, HostUse, KernelCall},
    timeline::{SpanWork, TimelineDispatch, TimelineSpan, Track},
};
use halyard_diag::Result;
use std::time::{Duration, Instant};

/// What was recorded so far.
#[derive(Debug)]
pub(crate) struct Recording {
    origin: Instant,
    /// Whether the device notes what its threads do; each dispatch is timed by itself otherwise.
    by_threads: bool,
    dispatches: Vec<TimelineDispatch>,
    spans: Vec<TimelineSpan>,
    /// When the host function began that is running.
    host_function: Option<u64>,
}

impl Recording {
    /// Begins to record.
    pub(crate) fn begin(device: &mut dyn Device) -> Self {
        let origin = Instant::now();
        let by_threads = device.record_spans(Some(origin));
        Self { origin, by_threads, dispatches: Vec::new(), spans: Vec::new(), host_function: None }
    }

    /// Ends the call, and gives its dispatches and spans.
    pub(crate) fn end(mut self, device: &mut dyn Device) -> (Vec<TimelineDispatch>, Vec<TimelineSpan>) {
        self.push(Track::Thread(0), SpanWork::Call, 0);
        self.spans.extend(device.take_spans());
        device.record_spans(None);
        // Nested spans end no later than what they are in.
        self.spans.sort_by_key(|s| (s.track, s.start, std::cmp::Reverse(s.end), depth(s.work)));
        (self.dispatches, self.spans)
    }

    fn now(&self) -> u64 {
        nanos(self.origin.elapsed())
    }

    fn push(&mut self, track: Track, work: SpanWork, start: u64) {
        let end = self.now();
        self.spans.push(TimelineSpan { track, work, start, end });
    }
}

/// Nanoseconds, as many as 64 bits hold.
fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// The order of spans of the same times.
fn depth(work: SpanWork) -> u8 {
    match work {
        SpanWork::Call => 0,
        SpanWork::Run { .. } | SpanWork::WaitForThreads => 2,
        _ => 1,
    }
}

/// A device with a recording.
#[derive(Debug)]
pub(crate) struct Recorder<'a> {
    pub(crate) device: &'a mut dyn Device,
    pub(crate) recording: &'a mut Recording,
}

impl Recorder<'_> {
    fn timed<R>(&mut self, work: SpanWork, run: impl FnOnce(&mut dyn Device) -> R) -> R {
        let start = self.recording.now();
        let result = run(self.device);
        self.recording.push(Track::Thread(0), work, start);
        result
    }
}

impl Device for Recorder<'_> {
    fn threads(&self) -> usize {
        self.device.threads()
    }

    fn allocate(&mut self, bytes: u64) -> Result<DeviceRange> {
        self.timed(SpanWork::Allocate(bytes), |device| device.allocate(bytes))
    }

    fn free(&mut self, span: DeviceRange) {
        self.device.free(span);
    }

    fn constants(&mut self, list: &[&[u8]]) -> Result<Vec<DeviceRange>> {
        self.device.constants(list)
    }

    fn import(&mut self, bytes: &[u8]) -> Result<DeviceRange> {
        self.device.import(bytes)
    }

    fn import_mut(&mut self, bytes: &mut [u8], keep: bool) -> Result<DeviceRange> {
        self.device.import_mut(bytes, keep)
    }

    fn copy(&mut self, source: DeviceRange, target: DeviceRange) -> Result<()> {
        self.timed(SpanWork::Copy(source.bytes), |device| device.copy(source, target))
    }

    fn fill(&mut self, target: DeviceRange, element: &[u8]) -> Result<()> {
        self.timed(SpanWork::Fill(target.bytes), |device| device.fill(target, element))
    }

    fn read(&mut self, source: DeviceRange, bytes: &mut [u8]) -> Result<()> {
        self.timed(SpanWork::Read(source.bytes), |device| device.read(source, bytes))
    }

    fn write(&mut self, target: DeviceRange, bytes: &[u8]) -> Result<()> {
        self.timed(SpanWork::Write(target.bytes), |device| device.write(target, bytes))
    }

    fn dispatch(&mut self, call: KernelCall<'_>) -> Result<()> {
        let KernelCall { kernel, bindings, constants, workgroups } = call;
        let number = self.recording.dispatches.len() as u32;
        let bytes = bindings.iter().map(|b| b.bytes).collect();
        let record = TimelineDispatch { kernel, workgroups, constants: constants.to_vec(), bindings: bytes };
        self.recording.dispatches.push(record);
        let work = SpanWork::Dispatch(number);
        if self.recording.by_threads {
            return self.timed(work, |device| device.dispatch(call));
        }
        let start = self.recording.now();
        let took = self.device.time(call, 1)?;
        let end = self.recording.now();
        let count = workgroups.iter().map(|&n| u64::from(n)).product();
        let track = if self.device.falls_back(kernel) { Track::Thread(0) } else { Track::Queue };
        let run = SpanWork::Run { dispatch: number, workgroups: count };
        let begin = end.saturating_sub(nanos(took)).max(start);
        self.recording.spans.push(TimelineSpan { track, work: run, start: begin, end });
        self.recording.push(Track::Thread(0), work, start);
        Ok(())
    }

    fn time(&mut self, call: KernelCall<'_>, times: usize) -> Result<Duration> {
        self.device.time(call, times)
    }

    fn host(&mut self, span: DeviceRange, use_: HostUse) -> Result<DeviceRange> {
        let now = self.recording.now();
        self.recording.host_function.get_or_insert(now);
        self.device.host(span, use_)
    }

    fn host_wrote(&mut self, span: DeviceRange, memory: DeviceRange) -> Result<()> {
        self.device.host_wrote(span, memory)
    }

    fn host_done(&mut self) {
        self.device.host_done();
        if let Some(start) = self.recording.host_function.take() {
            self.recording.push(Track::Thread(0), SpanWork::HostFunction, start);
        }
    }

    fn finish(&mut self) -> Result<()> {
        self.timed(SpanWork::Finish, |device| device.finish())
    }

    fn end_call(&mut self) {
        self.device.end_call();
    }
}
