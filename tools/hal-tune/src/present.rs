//! Makes the current kernel of an executable and times it.
use crate::{contender::FIRST, incumbent::Incumbent, subject::Subject, tune::Tuner};
use halyard_ir::names;
use halyard_verify::{Contest, Effort, Verdict};
use std::time::Duration;

/// Why a subject cannot be tuned.
#[derive(Debug)]
pub(crate) struct Untunable {
    pub(crate) why: String,
    /// Whether people want to know it who did not ask.
    pub(crate) is_remarkable: bool,
}

impl Untunable {
    fn quietly(why: String) -> Self {
        Self { why, is_remarkable: false }
    }
}

impl Tuner<'_> {
    /// Makes the current kernel of a subject and times it. Errors: why it cannot be tuned, as a sentence.
    pub(crate) fn incumbent(&self, subject: &Subject) -> Result<Incumbent, Untunable> {
        let built = self.builder.build(subject.executable, &[None]).pop().expect("one schedule, one kernel");
        let built = built.map_err(|unbuilt| Untunable::quietly(unbuilt.why))?;
        if built.space.is_none() && self.generator.is_none() && !self.files.are_for(subject) {
            return Err(Untunable::quietly("there is nothing to choose for its kernel".into()));
        }
        let effort = Effort { time: Duration::from_millis(5), hot: 0, ..FIRST };
        let contest = Contest::new(self.builder.session, built.case.clone(), &self.options_for(subject));
        match self.judge_one(subject, &contest, &built, (effort, false)) {
            Verdict::Timed(times) => {
                let has_schedule = subject.executable.exports().iter().any(|e| e.op.has_attr(names::SCHEDULE));
                let seconds = halyard_statistics::median(&times.incumbent);
                Ok(Incumbent { seconds, built, contest, has_schedule })
            }
            Verdict::Rejected(code, why) if code == "no-variant" => Err(Untunable { why, is_remarkable: true }),
            Verdict::Rejected(_, why) => Err(Untunable {
                why: format!("its present kernel is wrong: {why}"),
                is_remarkable: self.device.is_some(),
            }),
            Verdict::Skipped(why) => Err(Untunable::quietly(why)),
        }
    }
}
