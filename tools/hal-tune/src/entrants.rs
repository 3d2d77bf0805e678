//! Kernels that the compiler did not generate: files of the command line, and a generator's proposals.
use crate::{
    bound::Gate,
    budget::Share,
    candidate::{Candidate, KernelSource},
    contender::Contender,
    device::TuningDevice,
    incumbent::Incumbent,
    subject::Subject,
    trial::TrialOutcome,
    tune::{ROUND, Run, Tuner},
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
                TrialOutcome::Known(why) => run.known.push((shown, why)),
                _ => {}
            }
        }
        Ok(())
    }

    /// What a generator gets to know beside the description of an executable.
    pub(crate) fn facts(&self, subject: &Subject) -> Value {
        let machine = json!({ "name": self.machine, "target": self.target, "threads": self.options.threads });
        let (gate, device) = (self.gate.as_ref(), self.device.as_ref());
        json!({
            "machine": machine,
            "device": device.map(TuningDevice::json),
            "peaks": gate.map(Gate::json),
            "bound": gate.map(|gate| gate.bound(subject).json()),
        })
    }

    /// Tries a file, with a workgroup count if it has one of its own.
    pub(crate) fn try_file(
        &mut self,
        subject: &Subject,
        incumbent: &Incumbent,
        run: &mut Run,
        (file, workgroups): (&Path, Option<[u32; 3]>),
    ) -> Result<TrialOutcome> {
        let built = match self.files.build(&self.builder, subject, (file, workgroups)) {
            Ok(built) => built,
            Err(unbuilt) => {
                run.tried += 1;
                let outcome = unbuilt.into();
                self.trials.add(&run.place, &KernelSource::File(file.to_owned(), None), None, &outcome)?;
                return Ok(outcome);
            }
        };
        let source = KernelSource::File(file.to_owned(), Some(built.code));
        if let Some(known) = self.trials.earlier(&run.place, &source)?.and_then(TrialOutcome::of_earlier) {
            return Ok(known);
        }
        run.tried += 1;
        let contender = Contender { built: &built, source: source.clone(), schedule: None };
        let judged = self.judge_all(subject, incumbent, &run.place, &[contender], true)?;
        let outcome = judged.into_iter().next().expect("one kernel, one outcome");
        match &outcome {
            TrialOutcome::Measured(m) => {
                run.keep(m.ratio, source, built);
                run.counts.extend(workgroups.map(|count| (file.to_owned(), count)));
            }
            TrialOutcome::Rejected(..) => run.rejected += 1,
            _ => {}
        }
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
        let assignment = generator.assign(self.builder, self.program, (subject, incumbent), facts)?;
        while !share.is_spent(run.tried) && !self.interrupt.came() {
            let (proposals, warnings) = generator.ask(self.builder.session, &assignment, share.left(run.tried))?;
            run.warnings.extend(warnings);
            if proposals.is_empty() {
                break;
            }
            let mut proposals = proposals.into_iter().peekable();
            while let Some(proposal) = proposals.next() {
                if share.is_spent(run.tried) || self.interrupt.came() {
                    break;
                }
                match proposal.source {
                    KernelSource::Script(_) => unreachable!("generators propose files and schedules"),
                    KernelSource::File(file, _) => {
                        let outcome = self.try_file(subject, incumbent, run, (&file, proposal.workgroups))?;
                        generator.tell(&proposal.id, &outcome);
                    }
                    KernelSource::Schedule(candidate) => {
                        let (mut ids, mut candidates) = (vec![proposal.id], vec![candidate]);
                        while candidates.len() < ROUND.min(share.left(run.tried))
                            && let Some(next) = proposals.next_if(|p| matches!(p.source, KernelSource::Schedule(_)))
                        {
                            ids.push(next.id);
                            candidates.extend(next.source.into_schedule());
                        }
                        let outcomes = self.try_schedules(subject, incumbent, run, candidates)?;
                        ids.iter().zip(&outcomes).for_each(|(id, outcome)| generator.tell(id, outcome));
                    }
                }
            }
        }
        self.generator = Some(generator);
        Ok(())
    }

    /// Tries schedules that somebody proposed; the outcomes are in their order.
    pub(crate) fn try_schedules(
        &mut self,
        subject: &Subject,
        incumbent: &Incumbent,
        run: &mut Run,
        candidates: Vec<Candidate>,
    ) -> Result<Vec<TrialOutcome>> {
        candidates.iter().for_each(|candidate| run.search.mark(candidate));
        let mut told = self.round(subject, incumbent, run, candidates.clone())?;
        let stopped = || TrialOutcome::Skipped("the search was interrupted".into());
        let of = |candidate: &Candidate| match told.iter().position(|(c, _)| c == candidate) {
            Some(at) => told.remove(at).1,
            None => stopped(),
        };
        Ok(candidates.iter().map(of).collect())
    }
}
