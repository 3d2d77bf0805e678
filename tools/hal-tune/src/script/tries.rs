//! Searches the choices of a script: all of them if they are few, else from the best ones so far, as schedules are searched.
use super::{Script, make::taken};
use crate::{
    budget::Share,
    build::Built,
    candidate::{Candidate, KernelSource, Scripted},
    contender::Contender,
    files::keeps_state,
    incumbent::Incumbent,
    search::Search,
    subject::Subject,
    trial::TrialOutcome,
    tune::{BETTER, PATIENCE, ROUND, Run, Tuner},
    unbuilt::Unbuilt,
};
use halyard_diag::Result;
use std::rc::Rc;

/// So few choices are all tried.
const FEW: usize = 512;
/// What a candidate counts as that was not measured: its neighbours come last.
const HOPELESS: f64 = 100.0;

impl Tuner<'_> {
    /// Tries the choices of the scripts that are for the subject.
    pub(crate) fn try_scripts(
        &mut self,
        subject: &Subject,
        incumbent: &Incumbent,
        run: &mut Run,
        share: Share,
    ) -> Result<()> {
        for (file, script) in self.files.scripts(subject) {
            let before = run.tried;
            let mut made = 0;
            let mut why = None;
            let mut note = |outcomes: &[(Candidate, TrialOutcome)]| {
                for (_, outcome) in outcomes {
                    match outcome {
                        TrialOutcome::NotBuilt(reason) => {
                            why.get_or_insert_with(|| reason.clone());
                        }
                        _ => made += 1,
                    }
                }
            };
            if script.size() <= FEW.min(share.left(run.tried)) {
                for round in script.all().chunks(ROUND) {
                    if share.is_spent(run.tried) || self.interrupt.came() {
                        break;
                    }
                    note(&self.script_round(subject, incumbent, run, (&script, round.to_vec()))?);
                }
            } else {
                self.search_script(subject, incumbent, run, (&script, share), &mut note)?;
            }
            // One choice that cannot be made is a part of the search; if none can, the script is not for this executable.
            if let (0, Some(why), true, false) = (made, why, run.tried > before, file.is_for_any) {
                let shown = format!("{}{}", file.file.display(), file.settings);
                run.refused.push((shown, "not-built".into(), why));
            }
        }
        Ok(())
    }

    fn search_script(
        &mut self,
        subject: &Subject,
        incumbent: &Incumbent,
        run: &mut Run,
        (script, share): (&Rc<Script>, Share),
        note: &mut dyn FnMut(&[(Candidate, TrialOutcome)]),
    ) -> Result<()> {
        let mut search = Search::new(self.seed);
        let mut proposals = vec![script.base()];
        search.mark(&proposals[0]);
        let (mut idle, mut best) = (0, f64::INFINITY);
        while !proposals.is_empty() && idle < PATIENCE && !share.is_spent(run.tried) && !self.interrupt.came() {
            let outcomes = self.script_round(subject, incumbent, run, (script, proposals))?;
            note(&outcomes);
            let mut now = best;
            for (candidate, outcome) in &outcomes {
                let ratio = if let TrialOutcome::Measured(m) = outcome { m.ratio } else { HOPELESS };
                search.learn(candidate, &script.space(candidate), ratio);
                now = now.min(ratio);
            }
            idle = if now < best * BETTER { 0 } else { idle + outcomes.len() };
            best = best.min(now);
            proposals = search.propose(ROUND.min(share.left(run.tried)));
        }
        Ok(())
    }

    /// Makes and measures choices of a script.
    pub(crate) fn script_round(
        &mut self,
        subject: &Subject,
        incumbent: &Incumbent,
        run: &mut Run,
        (script, candidates): (&Rc<Script>, Vec<Candidate>),
    ) -> Result<Vec<(Candidate, TrialOutcome)>> {
        let session = self.builder.session;
        let what: Vec<_> = candidates.iter().map(|c| (subject.executable, script.stage(c))).collect();
        let texts = Script::run(session, &what, self.builder.translation);
        let copy =
            |text: &Result<String, Unbuilt>| taken(session, subject.executable, text.as_ref().map_err(Clone::clone)?);
        let made = self.builder.build_copies(texts.iter().map(copy).collect());
        let mut outcomes = Vec::new();
        let mut contestants: Vec<(Candidate, Scripted, Built)> = Vec::new();
        for ((candidate, ((_, stage), text)), built) in
            candidates.into_iter().zip(what.into_iter().zip(texts)).zip(made)
        {
            let scripted = Scripted { stage, text: text.unwrap_or_default() };
            let earlier = self.trials.earlier(&run.place, &KernelSource::Script(scripted.clone()))?;
            if let Some(known) = earlier.and_then(TrialOutcome::of_earlier) {
                outcomes.push((candidate, known));
                continue;
            }
            run.tried += 1;
            let outcome = match built {
                Err(unbuilt) => unbuilt.into(),
                Ok(built) => match (run.codes.get(&built.code), keeps_state(&built)) {
                    (Some(other), _) => TrialOutcome::SameCode(other.clone()),
                    (None, Some(why)) => TrialOutcome::Rejected("keeps-state".into(), why),
                    (None, None) => {
                        run.codes.insert(built.code, scripted.stage.clone());
                        contestants.push((candidate, scripted, built));
                        continue;
                    }
                },
            };
            self.trials.add(&run.place, &KernelSource::Script(scripted), None, &outcome)?;
            outcomes.push((candidate, outcome));
        }
        let contenders: Vec<Contender<'_>> = contestants
            .iter()
            .map(|(_, scripted, built)| Contender {
                built,
                source: KernelSource::Script(scripted.clone()),
                schedule: None,
            })
            .collect();
        let judged = self.judge_all(subject, incumbent, &run.place, &contenders, false)?;
        for ((candidate, scripted, built), outcome) in contestants.into_iter().zip(judged) {
            match &outcome {
                TrialOutcome::Measured(m) => run.keep(m.ratio, KernelSource::Script(scripted), built),
                TrialOutcome::Rejected(..) => run.rejected += 1,
                _ => {}
            }
            outcomes.push((candidate, outcome));
        }
        Ok(outcomes)
    }

    /// Puts what a script makes of each executable of a subject into the program. Errors: it cannot be made.
    pub(crate) fn put_scripted(&self, subject: &Subject, scripted: &Scripted) -> Result<()> {
        let session = self.builder.session;
        let what: Vec<_> = subject.members.iter().map(|e| (*e, scripted.stage.clone())).collect();
        let texts = Script::run(session, &what, self.builder.translation);
        let scratch = halyard_exec::Scratch::new("tune")?;
        for (member, text) in subject.members.iter().zip(texts) {
            let text = text.map_err(|u| halyard_diag::Error::input(format!("`{}`: {}", scripted.stage, u.why)))?;
            scratch.write("winner.mlir", text.as_bytes())?;
            let file = scratch.path().join("winner.mlir");
            self.files.put(&self.builder, self.program, &member.name(), (&file, None))?;
        }
        Ok(())
    }
}
