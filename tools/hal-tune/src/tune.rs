//! Tunes one subject: rounds of candidates, each with a first look at all and a second look at the promising ones; at the end the
//! best ones against the present kernel with all care.
use crate::{
    budget::Share,
    build::{Builder, Built},
    candidate::Candidate,
    interrupt::Interrupt,
    judge::{Judgement, first_look, judge},
    search::Search,
    subject::Subject,
    trials::{Place, TrialOutcome, Trials},
};
use halyard_diag::Result;
use halyard_verify::{Case, ContestOptions, ContestTimes, Effort, Verdict, contest};
use std::{collections::HashMap, time::Duration};

/// Candidates of a round.
const ROUND: usize = 16;
/// Rounds without a better candidate after which the search ends.
const PATIENCE: usize = 4;
/// Better means by this much at least.
const BETTER: f64 = 0.995;
/// A candidate that takes no more than this part of the present kernel's time at the first look gets a second one.
const PROMISING: f64 = 0.98;
/// As many of the best candidates are compared with all care.
const FINALISTS: usize = 3;

/// At first: a few samples, given up soon.
const FIRST: Effort = Effort { samples: 5, time: Duration::from_millis(2), hopeless: 1.15, twin: false };
/// Then as many as tell a few per cent apart.
const SECOND: Effort = Effort { samples: 15, time: Duration::from_millis(15), hopeless: 1.1, twin: false };
/// At the end, with a copy of the present kernel.
const LAST: Effort = Effort { samples: 60, time: Duration::from_millis(200), hopeless: 1.3, twin: true };

/// What is the same for all subjects.
pub(crate) struct Tuner<'a> {
    pub(crate) builder: Builder<'a>,
    pub(crate) options: ContestOptions,
    pub(crate) target: String,
    pub(crate) machine: String,
    pub(crate) seed: u64,
    pub(crate) interrupt: Interrupt,
    pub(crate) trials: Trials,
}

/// What came of a subject.
#[derive(Debug, Clone)]
pub(crate) struct Tuned {
    /// The candidate that won, its whole schedule, and how it compares.
    pub(crate) winner: Option<(Candidate, String, Judgement)>,
    /// Candidates that were tried.
    pub(crate) tried: usize,
    /// Of these, kernels that were rejected.
    pub(crate) rejected: usize,
}

/// A subject with its present kernel.
pub(crate) struct Incumbent {
    pub(crate) built: Built,
    /// Seconds of a call.
    pub(crate) seconds: f64,
}

impl Tuner<'_> {
    /// Makes the present kernel of a subject and times it. Errors: why it cannot be tuned, as a sentence.
    pub(crate) fn incumbent(&self, subject: &Subject) -> Result<Incumbent, String> {
        let built = self.builder.build(subject.executable, &[None]).pop().expect("one schedule, one kernel")?;
        if built.space.is_none() {
            return Err("there is nothing to choose for its kernel".into());
        }
        let effort = Effort { time: Duration::from_millis(5), ..FIRST };
        match self.contest(&built, &[&built], effort).pop() {
            Some(Verdict::Timed(times)) => {
                Ok(Incumbent { seconds: halyard_statistics::median(&times.incumbent), built })
            }
            Some(Verdict::Rejected(_, why)) => Err(format!("its present kernel is wrong: {why}")),
            Some(Verdict::Skipped(why)) => Err(why),
            None => Err("it was not measured".into()),
        }
    }

    fn contest(&self, incumbent: &Built, contestants: &[&Built], effort: Effort) -> Vec<Verdict> {
        let cases: Vec<Case> = contestants.iter().map(|b| b.case.clone()).collect();
        let options = ContestOptions { effort, ..self.options.clone() };
        contest(self.builder.session, &incumbent.case, &cases, &options)
    }

    /// Searches until the share is spent. Errors: trials cannot be written.
    pub(crate) fn tune(&mut self, subject: &Subject, incumbent: &Incumbent, share: Share) -> Result<Tuned> {
        let place = Place {
            key: subject.key.clone(),
            executable: subject.name(),
            export: subject.export(),
            target: self.target.clone(),
            machine: self.machine.clone(),
            threads: self.options.threads,
        };
        let mut run = Run {
            search: Search::new(self.seed),
            best: Vec::new(),
            codes: HashMap::from([(incumbent.built.code, "the present kernel".to_owned())]),
            tried: 0,
            rejected: 0,
            place,
        };
        let space = incumbent.built.space.as_ref().expect("it was looked at");
        run.search.learn(&Candidate::default(), space, 1.0);
        let (mut idle, mut best) = (0, 1.0);
        while idle < PATIENCE && !share.is_spent(run.tried) && !self.interrupt.came() {
            let proposals = run.search.propose(ROUND.min(share.left(run.tried)));
            if proposals.is_empty() {
                break;
            }
            self.round(subject, incumbent, &mut run, proposals)?;
            let now = run.best.first().map_or(1.0, |b| b.0);
            idle = if now < best * BETTER { 0 } else { idle + 1 };
            best = f64::min(best, now);
        }
        let winner = self.last_look(incumbent, &run);
        Ok(Tuned { winner, tried: run.tried, rejected: run.rejected })
    }

    /// Tries candidates.
    fn round(
        &mut self,
        subject: &Subject,
        incumbent: &Incumbent,
        run: &mut Run,
        proposals: Vec<Candidate>,
    ) -> Result<()> {
        // What an earlier search found slow or wrong is not tried again; what it found fast is.
        let nests = incumbent.built.space.as_ref().map_or(1, |s| s.nests());
        let fresh: Vec<Candidate> = proposals
            .into_iter()
            .filter(|c| {
                self.trials.earlier(&run.place, &c.to_string()).is_none_or(|r| r.is_some_and(|r| r < PROMISING))
            })
            .collect();
        let schedules: Vec<Option<String>> = fresh.iter().map(|c| Some(c.schedule(nests))).collect();
        let made = self.builder.build(subject.executable, &schedules);
        if self.interrupt.came() {
            return Ok(());
        }
        run.tried += fresh.len();
        let mut contestants = Vec::new();
        for (candidate, made) in fresh.into_iter().zip(made) {
            let outcome = match made {
                Ok(built) => match run.codes.get(&built.code) {
                    None => {
                        run.codes.insert(built.code, candidate.to_string());
                        contestants.push((candidate, built));
                        continue;
                    }
                    Some(other) => TrialOutcome::SameCode(other.clone()),
                },
                Err(why) => TrialOutcome::NotBuilt(why),
            };
            self.trials.add(&run.place, &candidate.to_string(), &candidate.schedule(nests), &outcome)?;
        }
        let all: Vec<&Built> = contestants.iter().map(|(_, built)| built).collect();
        let mut verdicts = self.contest(&incumbent.built, &all, FIRST);
        let promising: Vec<usize> = (0..verdicts.len())
            .filter(|&i| measured(&verdicts[i]).is_some_and(|t| first_look(t) < PROMISING))
            .collect();
        let again: Vec<&Built> = promising.iter().map(|&i| &contestants[i].1).collect();
        if !again.is_empty() {
            for (i, verdict) in promising.into_iter().zip(self.contest(&incumbent.built, &again, SECOND)) {
                verdicts[i] = verdict;
            }
        }
        // Signals reach workers, too: what they were at then says nothing of candidates.
        if self.interrupt.came() {
            verdicts.retain(|v| measured(v).is_some());
        }
        for ((candidate, built), verdict) in contestants.into_iter().zip(verdicts) {
            let schedule = built.space.as_ref().map(|s| s.schedule()).unwrap_or_default();
            let outcome = match verdict {
                Verdict::Timed(times) => {
                    let ratio = first_look(&times);
                    let seconds = halyard_statistics::median(&times.contestant);
                    if let Some(space) = &built.space {
                        run.search.learn(&candidate, space, ratio);
                    }
                    let shown = candidate.to_string();
                    run.keep(ratio, candidate, built);
                    self.trials.add(&run.place, &shown, &schedule, &TrialOutcome::Measured { ratio, seconds })?;
                    continue;
                }
                Verdict::Rejected(code, why) => {
                    run.rejected += 1;
                    TrialOutcome::Rejected(code, why)
                }
                Verdict::Skipped(why) => TrialOutcome::Skipped(why),
            };
            self.trials.add(&run.place, &candidate.to_string(), &schedule, &outcome)?;
        }
        Ok(())
    }

    /// Compares the best candidates with the present kernel; the first that is faster beyond doubt wins, or a later one that is faster than that.
    fn last_look(&self, incumbent: &Incumbent, run: &Run) -> Option<(Candidate, String, Judgement)> {
        let finalists: Vec<&(f64, Candidate, Built)> =
            run.best.iter().filter(|b| b.0 < BETTER).take(FINALISTS).collect();
        let built: Vec<&Built> = finalists.iter().map(|b| &b.2).collect();
        if built.is_empty() {
            return None;
        }
        let verdicts = self.contest(&incumbent.built, &built, LAST);
        let mut winner: Option<(Candidate, String, Judgement)> = None;
        for ((_, candidate, built), verdict) in finalists.into_iter().zip(&verdicts) {
            let Some(judgement) = measured(verdict).map(judge).filter(|j| j.faster) else { continue };
            if winner.as_ref().is_none_or(|(.., w)| judgement.interval[1] < w.interval[0]) {
                let schedule = built.space.as_ref().map(|s| s.schedule()).unwrap_or_default();
                winner = Some((candidate.clone(), schedule, judgement));
            }
        }
        winner
    }
}

/// The state of a search for one subject.
struct Run {
    search: Search,
    /// The best candidates, the best one first: ratio, candidate, kernel.
    best: Vec<(f64, Candidate, Built)>,
    /// What has which code.
    codes: HashMap<blake3::Hash, String>,
    tried: usize,
    rejected: usize,
    place: Place,
}

impl Run {
    fn keep(&mut self, ratio: f64, candidate: Candidate, built: Built) {
        let at = self.best.partition_point(|b| b.0 <= ratio);
        self.best.insert(at, (ratio, candidate, built));
        self.best.truncate(FINALISTS);
    }
}

fn measured(verdict: &Verdict) -> Option<&ContestTimes> {
    match verdict {
        Verdict::Timed(times) => Some(times),
        _ => None,
    }
}
