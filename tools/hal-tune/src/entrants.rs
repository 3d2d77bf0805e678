//! Kernels that the compiler did not generate: files of the command line, and a generator's proposals.
use crate::{
    budget::Share,
    candidate::KernelSource,
    files::keeps_state,
    incumbent::Incumbent,
    judge::first_look,
    subject::Subject,
    trial::TrialOutcome,
    tune::{FIRST, KNOWN, PROMISING, Run, SECOND, Tuner, measured, outcome},
};
use halyard_diag::Result;
use serde_json::{Value, json};
use std::path::Path;

impl Tuner<'_> {
    /// Tries the files that are for the subject.
    pub(crate) fn try_files(&mut self, subject: &Subject, incumbent: &Incumbent, run: &mut Run) -> Result<()> {
        for file in self.files.of(subject) {
            let outcome = self.try_file(subject, incumbent, run, (&file.file, None))?;
            let shown = file.file.display().to_string();
            match outcome {
                TrialOutcome::Rejected(code, why) => run.refused.push((shown, code, why)),
                TrialOutcome::NotBuilt(why) | TrialOutcome::Skipped(why) if !file.is_for_any => {
                    run.refused.push((shown, "not-built".into(), why));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// What a generator gets to know beside the description of an executable.
    pub(crate) fn facts(&self, subject: &Subject) -> Value {
        let machine = json!({ "name": self.machine, "target": self.target, "threads": self.options.threads });
        json!({ "machine": machine, "peaks": self.gate.json(), "bound": self.gate.bound(subject).json() })
    }

    /// Tries a file, with a workgroup count if it has one of its own.
    pub(crate) fn try_file(
        &mut self,
        subject: &Subject,
        incumbent: &Incumbent,
        run: &mut Run,
        (file, workgroups): (&Path, Option<[u32; 3]>),
    ) -> Result<TrialOutcome> {
        let source = KernelSource::File(file.to_owned());
        run.tried += 1;
        let outcome = match self.files.build(&self.builder, subject, (file, workgroups)) {
            Err(why) => TrialOutcome::NotBuilt(why),
            Ok(built) => {
                let mut verdict = self.contest(subject, &incumbent.built, &[&built], FIRST, true).pop();
                if verdict.as_ref().and_then(measured).is_some_and(|t| first_look(t) < PROMISING) {
                    verdict = self.contest(subject, &incumbent.built, &[&built], SECOND, true).pop();
                }
                let outcome = match (outcome(verdict), keeps_state(&built)) {
                    (TrialOutcome::Measured(_), Some(why)) => TrialOutcome::Rejected("keeps-state".into(), why),
                    (outcome, _) => outcome,
                };
                if let TrialOutcome::Measured(m) = &outcome {
                    run.keep(m.ratio, source.clone(), built);
                    run.counts.extend(workgroups.map(|count| (file.to_owned(), count)));
                }
                outcome
            }
        };
        run.rejected += usize::from(matches!(outcome, TrialOutcome::Rejected(..)));
        self.trials.add(&run.place, &source, None, &outcome)?;
        Ok(outcome)
    }

    /// Lets the generator propose candidates until it has none, or the budget is spent.
    pub(crate) fn ask_generator(
        &mut self,
        subject: &Subject,
        incumbent: &Incumbent,
        run: &mut Run,
        share: Share,
    ) -> Result<()> {
        let Some(mut generator) = self.generator.take() else { return Ok(()) };
        let facts = self.facts(subject);
        let assignment = generator.assign(self.builder.session, self.program, (subject, incumbent), facts)?;
        while !share.is_spent(run.tried) && !self.interrupt.came() {
            let (proposals, warnings) = generator.ask(self.builder.session, &assignment, share.left(run.tried))?;
            run.warnings.extend(warnings);
            if proposals.is_empty() {
                break;
            }
            for proposal in proposals {
                if share.is_spent(run.tried) || self.interrupt.came() {
                    break;
                }
                match &proposal.source {
                    KernelSource::Script(_) => unreachable!("generators propose files and schedules"),
                    KernelSource::File(file) => {
                        let outcome = self.try_file(subject, incumbent, run, (file, proposal.workgroups))?;
                        generator.tell(&proposal.id, &outcome);
                    }
                    KernelSource::Schedule(candidate) => {
                        run.search.mark(candidate);
                        let outcomes = self.round(subject, incumbent, run, vec![candidate.clone()])?;
                        let outcome = outcomes.into_iter().next().map(|(_, outcome)| outcome);
                        let known = || TrialOutcome::Skipped(KNOWN.into());
                        generator.tell(&proposal.id, &outcome.unwrap_or_else(known));
                    }
                }
            }
        }
        self.generator = Some(generator);
        Ok(())
    }
}
