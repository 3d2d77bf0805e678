//! The buffers that kernels are timed on, and the numbers in them.
use crate::{
    element::Style,
    memory::{Buffer, Side},
    random::Random,
    sizes::Chosen,
    trial::{How, Plan, Shapes, Subject, byte_length},
    worker::Stop,
};

/// As many inputs are tried until the source has a meaning for them.
const ATTEMPTS: u64 = 16;

/// Arguments and results at given sizes.
pub(in crate::contest) struct TimingInputs {
    pub(super) arguments: Vec<Buffer>,
    pub(super) results: Vec<Buffer>,
    pub(super) shapes: Shapes,
    chosen: Chosen,
    seed: u64,
    pub(super) random: Random,
}

impl TimingInputs {
    /// Buffers for a subject at these sizes of its arguments; none where they are fixed. Errors: its source has no meaning there; no memory.
    pub(in crate::contest) fn new(subject: &Subject<'_>, sizes: &[Vec<Option<i64>>], seed: u64) -> Result<Self, Stop> {
        let mut random = Random::new(seed ^ 0x7469_6d65);
        let chosen = if sizes.is_empty() {
            subject.choose(How::Any, 0, &mut random)
        } else {
            subject.choose_at(sizes, &mut random)
        };
        let chosen = chosen.ok_or_else(|| {
            Stop::Skip(match sizes.is_empty() {
                true => "no inputs were found that its source has a meaning for".into(),
                false => "its source has no meaning at the sizes that it is called with".into(),
            })
        })?;
        let shapes = subject.any_shapes(&chosen).ok_or_else(|| Stop::Skip("its sizes are not known".into()))?;
        let mut arguments = Vec::new();
        for (i, &ty) in subject.inputs.iter().enumerate() {
            arguments.push(buffer(byte_length(ty, if ty.is_tensor() { &shapes.0[i] } else { &[] }))?);
        }
        let mut results = Vec::new();
        for (r, &ty) in subject.interface.results.iter().enumerate() {
            results.push(buffer(if subject.interface.tied[r].is_some() { 0 } else { byte_length(ty, &shapes.1[r]) })?);
        }
        Ok(Self { arguments, results, shapes, chosen, seed: random.bits(), random })
    }

    /// Puts numbers into the buffers that the source has a meaning for, and says how many it tried for that. `known` is what it said before
    /// for the same subject, sizes and seed: nothing need be computed then. Errors: it found none.
    pub(in crate::contest) fn begin(&mut self, subject: &Subject<'_>, known: Option<u64>) -> Result<u64, Stop> {
        if let Some(count) = known {
            (0..count).for_each(|_| self.next_seed());
            self.fill(subject);
            return Ok(count);
        }
        let found = (1..=ATTEMPTS).find(|_| self.refill(subject));
        found.ok_or_else(|| Stop::Skip("no inputs were found that its source has a meaning for".into()))
    }

    /// Puts new numbers into the buffers. Says whether the source has a meaning for them.
    pub(super) fn refill(&mut self, subject: &Subject<'_>) -> bool {
        self.next_seed();
        self.fill(subject);
        let mut wanted: Vec<Buffer> = Vec::new();
        for (&ty, shape) in subject.interface.results.iter().zip(&self.shapes.1) {
            let Ok(buffer) = buffer(byte_length(ty, shape)) else { return false };
            wanted.push(buffer);
        }
        subject.reference(&self.arguments, &mut wanted, &self.shapes, &subject.places(self.seed))
    }

    fn next_seed(&mut self) {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    }

    fn fill(&mut self, subject: &Subject<'_>) {
        let plan = Plan { style: Style::Signed, how: How::Any, seed: self.seed };
        for (i, ty) in subject.inputs.iter().enumerate() {
            let bytes = self.arguments[i].bytes_mut();
            match self.shapes.0[i].first().filter(|_| !ty.is_tensor()) {
                Some(n) if ty.is_index() || ty.bits() >= 32 => bytes.copy_from_slice(&n.to_le_bytes()[..bytes.len()]),
                _ => subject.fill(plan, self.seed, &self.chosen, 100, i, bytes),
            }
        }
    }
}

fn buffer(length: usize) -> Result<Buffer, Stop> {
    let mut buffer = Buffer::new(length).map_err(Stop::Fail)?;
    buffer.lay_out(length, Side::Start);
    Ok(buffer)
}
