//! Lets kernels compete with the present one, and records what came of each as soon as it is known.
use crate::{
    build::Built,
    contender::{Contender, FIRST, SECOND},
    files::keeps_state,
    incumbent::Incumbent,
    subject::Subject,
    trial::{Measured, PROMISING, Place, TrialOutcome},
    tune::Tuner,
};
use halyard_diag::{Error, Result};
use halyard_verify::{Case, Contest, ContestOptions, Effort, Verdict};

impl Tuner<'_> {
    /// Judges kernels. What came of each is recorded before the next one is looked at: whoever kills the search loses one. `foreign` are
    /// kernels that the compiler did not make. Errors: trials cannot be written.
    pub(crate) fn judge_all(
        &mut self,
        subject: &Subject,
        incumbent: &Incumbent,
        place: &Place,
        contenders: &[Contender<'_>],
        foreign: bool,
    ) -> Result<Vec<TrialOutcome>> {
        let mut trials = std::mem::take(&mut self.trials);
        let mut outcomes = vec![TrialOutcome::Skipped("it was not tried".into()); contenders.len()];
        let mut failed: Option<Error> = None;
        let kernels: Vec<&Built> = contenders.iter().map(|c| c.built).collect();
        let looks = (FIRST, Some((PROMISING, SECOND)));
        self.contest(subject, &incumbent.contest, &kernels, (looks, foreign), &mut |i, verdict| {
            let Contender { built, source, schedule } = &contenders[i];
            let state = if foreign { keeps_state(built) } else { None };
            let outcome = match (outcome(verdict), state) {
                (TrialOutcome::Measured(_), Some(why)) => TrialOutcome::Rejected("keeps-state".into(), why),
                (outcome, _) => outcome,
            };
            if failed.is_none() {
                failed = trials.add(place, source, schedule.as_deref(), &outcome).err();
            }
            outcomes[i] = outcome;
        });
        self.trials = trials;
        failed.map_or(Ok(outcomes), Err)
    }

    /// The verdict on one kernel.
    pub(crate) fn judge_one(
        &self,
        subject: &Subject,
        contest: &Contest,
        contestant: &Built,
        (effort, foreign): (Effort, bool),
    ) -> Verdict {
        let mut found = Verdict::Skipped("it was not measured".into());
        self.contest(subject, contest, &[contestant], ((effort, None), foreign), &mut |_, verdict| found = verdict);
        found
    }

    fn contest(
        &self,
        subject: &Subject,
        contest: &Contest,
        contestants: &[&Built],
        ((effort, again), foreign): ((Effort, Option<(f64, Effort)>), bool),
        tell: &mut dyn FnMut(usize, Verdict),
    ) {
        let cases: Vec<Case> = contestants.iter().map(|b| b.case.clone()).collect();
        let options = ContestOptions { effort, again, foreign, ..self.options_for(subject) };
        contest.judge(self.builder.session, &cases, &options, &mut |i, verdict| {
            tell(i, self.believable(subject, verdict));
        });
    }

    /// How kernels of a subject are checked and timed.
    pub(crate) fn options_for(&self, subject: &Subject) -> ContestOptions {
        ContestOptions { places: subject.places.clone(), ..self.options.clone() }
    }

    /// A verdict, unless the contestant was faster than the machine is.
    fn believable(&self, subject: &Subject, verdict: Verdict) -> Verdict {
        let Verdict::Timed(times) = &verdict else { return verdict };
        let seconds = halyard_statistics::median(&times.contestant);
        match self.gate.as_ref().and_then(|gate| gate.refuses(subject, seconds)) {
            Some(why) => Verdict::Rejected("faster-than-possible".into(), why),
            None => verdict,
        }
    }
}

/// What a verdict says of a trial.
fn outcome(verdict: Verdict) -> TrialOutcome {
    match verdict {
        Verdict::Timed(times) => TrialOutcome::Measured(Measured::of(&times)),
        Verdict::Rejected(code, why) => TrialOutcome::Rejected(code, why),
        Verdict::Skipped(why) => TrialOutcome::Skipped(why),
    }
}
