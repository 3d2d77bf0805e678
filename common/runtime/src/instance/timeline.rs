//! Calls with a timeline.
use super::Instance;
use crate::{Tensor, Timeline, recorder::Recording};
use halyard_diag::Result;

impl Instance {
    /// Like [`Instance::call_into`], and says which thread did what when. On the CPU the call runs as it does otherwise; on
    /// other devices each dispatch is waited for. Errors: as `call_into`.
    pub fn timeline(&mut self, name: &str, inputs: &[Tensor], outputs: &mut Vec<Tensor>) -> Result<Timeline> {
        let recording = Recording::begin(&mut *self.device);
        self.recording = Some(recording);
        let called = self.call_into(name, inputs, outputs);
        let recording = self.recording.take();
        let device = self.program.device_title();
        let spans = recording.map(|recording| recording.end(&mut *self.device)).unwrap_or_default();
        called?;
        let (dispatches, spans) = spans;
        Ok(Timeline { function: name.to_owned(), threads: self.threads(), device, dispatches, spans })
    }
}
