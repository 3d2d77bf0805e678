//! Tunes one subject: rounds of candidates, each with a first look at all and a second look at the promising ones; at the end the
//! best ones against the current kernel with all care.
use crate::{
    bound::Gate,
    budget::Share,
    build::{Builder, Built},
    candidate::{Candidate, KernelSource},
    contender::{Contender, LAST},
    device::TuningDevice,
    files::Files,
    generate::Generator,
    incumbent::Incumbent,
    judge::{Judgement, judge},
    search::Search,
    subject::{Schedules, Subject},
    trial::{PROMISING, Place, TrialOutcome},
    trials::Trials,
};
use hal_translate::pack_variant;
use halyard_diag::{Diagnostic, Result};
use halyard_exec::Interrupt;
use halyard_ir::form::Program;
use halyard_tuning::TunedCode;
use halyard_verify::{ContestOptions, Verdict};
use std::{collections::HashMap, path::PathBuf};

/// Candidates of a round.
pub(crate) const ROUND: usize = 16;
/// Candidates without a better one among them after which the search ends.
pub(crate) const PATIENCE: usize = 4 * ROUND;
/// Better means by this much at least.
pub(crate) const BETTER: f64 = 0.995;
/// As many of the best candidates are compared with all care.
const FINALISTS: usize = 3;

/// As many candidates of earlier searches are tried again, first of all.
const RECALLED: usize = 8;

/// What is the same for all subjects.
pub(crate) struct Tuner<'a> {
    pub(crate) builder: Builder<'a>,
    pub(crate) options: ContestOptions,
    /// The target as schedules name it.
    pub(crate) target: String,
    /// The target with the options that code depends on.
    pub(crate) code: String,
    pub(crate) machine: String,
    pub(crate) seed: u64,
    pub(crate) interrupt: Interrupt,
    pub(crate) trials: Trials,
    pub(crate) files: Files,
    pub(crate) generator: Option<Generator>,
    /// What no kernel can be faster than, where that is known.
    pub(crate) gate: Option<Gate>,
    /// The device that kernels run on; `None` is the CPU.
    pub(crate) device: Option<TuningDevice>,
    /// The program that the subjects are of.
    pub(crate) program: Program,
}

/// What came of a subject.
#[derive(Debug, Clone)]
pub(crate) struct Tuned {
    /// What won.
    pub(crate) winner: Option<Winner>,
    /// Candidates that were tried.
    pub(crate) tried: usize,
    /// Of these, kernels that were rejected.
    pub(crate) rejected: usize,
    /// Files that did not get as far as to be timed: the file, the code of the reason, the reason.
    pub(crate) refused: Vec<(String, String, String)>,
    /// Files that are not measured again: the file, what is known of it.
    pub(crate) known: Vec<(String, String)>,
    /// What is wrong with proposals of the generator.
    pub(crate) warnings: Vec<Diagnostic>,
}

/// A candidate that won.
#[derive(Debug, Clone)]
pub(crate) struct Winner {
    pub(crate) source: KernelSource,
    /// The whole schedule of each export; empty if it has none.
    pub(crate) schedules: Schedules,
    /// The workgroup count that a generator said.
    pub(crate) workgroups: Option<[u32; 3]>,
    /// The kernel of a file, as a tuning database stores it.
    pub(crate) packed: Option<Vec<u8>>,
    /// How it compares with the current kernel.
    pub(crate) judgement: Judgement,
}

impl Tuner<'_> {
    /// Searches until the share is spent. Errors: trials cannot be written.
    pub(crate) fn tune(&mut self, subject: &Subject, incumbent: &Incumbent, share: Share) -> Result<Tuned> {
        let mut run = self.start(subject, incumbent);
        self.try_files(subject, incumbent, &mut run)?;
        self.try_scripts(subject, incumbent, &mut run, share)?;
        self.ask_generator(subject, incumbent, &mut run, share)?;
        self.search(subject, incumbent, &mut run, share)?;
        self.finish(subject, incumbent, run)
    }

    /// Searches schedules until the share is spent, or nothing better comes. Errors: trials cannot be written.
    pub(crate) fn search(
        &mut self,
        subject: &Subject,
        incumbent: &Incumbent,
        run: &mut Run,
        share: Share,
    ) -> Result<()> {
        let recalled = self.recalled(run)?;
        if !recalled.is_empty() && !share.is_spent(run.tried) {
            self.round(subject, incumbent, run, recalled)?;
        }
        let (mut idle, mut best) = (0, run.best.first().map_or(1.0, |b| b.0));
        while idle < PATIENCE && !share.is_spent(run.tried) && !self.interrupt.came() {
            let proposals = run.search.propose(ROUND.min(share.left(run.tried)));
            if proposals.is_empty() {
                break;
            }
            let count = proposals.len();
            self.round(subject, incumbent, run, proposals)?;
            let now = run.best.first().map_or(1.0, |b| b.0);
            idle = if now < best * BETTER { 0 } else { idle + count };
            best = f64::min(best, now);
        }
        Ok(())
    }

    /// The state of a search that begins.
    pub(crate) fn start(&self, subject: &Subject, incumbent: &Incumbent) -> Run {
        let place = Place {
            key: subject.key.clone(),
            executable: subject.name(),
            export: subject.export(),
            target: self.code.clone(),
            machine: self.machine.clone(),
            threads: self.options.threads,
        };
        let mut run = Run {
            search: Search::new(self.seed),
            best: Vec::new(),
            refused: Vec::new(),
            known: Vec::new(),
            warnings: Vec::new(),
            counts: HashMap::new(),
            codes: HashMap::from([(incumbent.built.code, "the present kernel".to_owned())]),
            tried: 0,
            rejected: 0,
            place,
        };
        if let Some(space) = &incumbent.built.space {
            run.search.learn(&Candidate::default(), space, 1.0);
        }
        run
    }

    /// Decides what won, and tells the database. Errors: it cannot be written.
    pub(crate) fn finish(&mut self, subject: &Subject, incumbent: &Incumbent, run: Run) -> Result<Tuned> {
        let winner = self.last_look(subject, incumbent, &run);
        if let (Some(winner), false) = (&winner, incumbent.has_schedule) {
            let code = match winner.schedules.is_empty() {
                false => Some(TunedCode::Schedules(winner.schedules.clone())),
                true => winner.packed.clone().map(TunedCode::Variant),
            };
            if let (Some(store), Some(code)) = (self.trials.store(), code) {
                store.offer(&run.place, code, &winner.judgement, run.tried)?;
            }
        }
        let Run { tried, rejected, refused, known, warnings, .. } = run;
        Ok(Tuned { winner, tried, rejected, refused, known, warnings })
    }

    /// What earlier searches found fast.
    fn recalled(&mut self, run: &mut Run) -> Result<Vec<Candidate>> {
        let texts = self.trials.promising(&run.place, PROMISING)?;
        let found: Vec<Candidate> =
            texts.iter().take(RECALLED).filter_map(|text| Candidate::read(self.builder.session, text)).collect();
        found.iter().for_each(|candidate| run.search.mark(candidate));
        Ok(found)
    }

    /// Tries candidates; says what became of each, unless the search was interrupted.
    pub(crate) fn round(
        &mut self,
        subject: &Subject,
        incumbent: &Incumbent,
        run: &mut Run,
        proposals: Vec<Candidate>,
    ) -> Result<Vec<(Candidate, TrialOutcome)>> {
        let mut outcomes = Vec::new();
        // What an earlier search found slow or wrong is not tried again; what it found fast is.
        let exports = incumbent.built.space.as_ref().map_or(vec![1], |s| s.exports().to_vec());
        let nests = exports.iter().sum();
        let mut fresh: Vec<Candidate> = Vec::new();
        let element = subject.least_element();
        for candidate in proposals {
            if let Some(why) = self.device.as_ref().and_then(|device| device.refuses(&candidate, element)) {
                let outcome = TrialOutcome::NotBuilt(why);
                let schedule = candidate.schedule(nests);
                self.trials.add(&run.place, &KernelSource::Schedule(candidate.clone()), Some(&schedule), &outcome)?;
                run.tried += 1;
                outcomes.push((candidate, outcome));
                continue;
            }
            let earlier = self.trials.earlier(&run.place, &KernelSource::Schedule(candidate.clone()))?;
            match earlier.and_then(TrialOutcome::of_earlier) {
                Some(known) => outcomes.push((candidate, known)),
                None => fresh.push(candidate),
            }
        }
        let schedules: Vec<Option<Schedules>> = fresh.iter().map(|c| Some(c.schedules(&exports))).collect();
        let made = self.builder.build(subject.executable, &schedules);
        if self.interrupt.came() {
            return Ok(outcomes);
        }
        run.tried += fresh.len();
        let mut built: Vec<(Candidate, Built)> = Vec::new();
        for (candidate, made) in fresh.into_iter().zip(made) {
            let outcome = match made {
                Ok(kernel) => match run.codes.get(&kernel.code) {
                    None => {
                        run.codes.insert(kernel.code, candidate.to_string());
                        built.push((candidate, kernel));
                        continue;
                    }
                    Some(other) => TrialOutcome::SameCode(other.clone()),
                },
                Err(unbuilt) => unbuilt.into(),
            };
            let schedule = candidate.schedule(nests);
            self.trials.add(&run.place, &KernelSource::Schedule(candidate.clone()), Some(&schedule), &outcome)?;
            outcomes.push((candidate, outcome));
        }
        let contenders: Vec<Contender<'_>> = built
            .iter()
            .map(|(candidate, built)| Contender {
                built,
                source: KernelSource::Schedule(candidate.clone()),
                schedule: built.space.as_ref().map(|s| s.schedule()),
            })
            .collect();
        let judged = self.judge_all(subject, incumbent, &run.place, &contenders, false)?;
        for ((candidate, built), outcome) in built.into_iter().zip(judged) {
            match &outcome {
                TrialOutcome::Measured(m) => {
                    if let Some(space) = &built.space {
                        run.search.learn(&candidate, space, m.ratio);
                    }
                    run.keep(m.ratio, KernelSource::Schedule(candidate.clone()), built);
                }
                TrialOutcome::Rejected(..) => run.rejected += 1,
                _ => {}
            }
            outcomes.push((candidate, outcome));
        }
        Ok(outcomes)
    }

    /// Compares the best candidates with the current kernel; the first that is faster beyond doubt wins, or a later one that is faster than that.
    fn last_look(&self, subject: &Subject, incumbent: &Incumbent, run: &Run) -> Option<Winner> {
        let mut winner: Option<Winner> = None;
        for (_, source, built) in run.best.iter().filter(|b| b.0 < BETTER) {
            let foreign = !matches!(source, KernelSource::Schedule(_));
            let verdict = self.judge_one(subject, &incumbent.contest, built, (LAST, foreign));
            let Verdict::Timed(times) = verdict else { continue };
            let judgement = judge(&times);
            if !judgement.faster {
                continue;
            }
            if winner.as_ref().is_none_or(|w| judgement.interval[1] < w.judgement.interval[0]) {
                let schedules = built.space.as_ref().filter(|_| !foreign).map(|s| s.schedules()).unwrap_or_default();
                let packed = foreign.then(|| pack_variant(built.case.executable, built.case.variant).ok()).flatten();
                let workgroups = match source {
                    KernelSource::File(file, _) => run.counts.get(file).copied(),
                    _ => None,
                };
                winner = Some(Winner { source: source.clone(), schedules, workgroups, packed, judgement });
            }
        }
        winner
    }
}

/// The state of a search for one subject.
pub(crate) struct Run {
    pub(crate) search: Search,
    /// The best candidates, the best one first: ratio, candidate, kernel.
    pub(crate) best: Vec<(f64, KernelSource, Built)>,
    /// Files that did not get as far as to be timed: the file, the code of the reason, the reason.
    pub(crate) refused: Vec<(String, String, String)>,
    /// Files that are not measured again: the file, what is known of it.
    pub(crate) known: Vec<(String, String)>,
    /// What is wrong with proposals of the generator.
    pub(crate) warnings: Vec<Diagnostic>,
    /// Workgroup counts of files that a generator proposed.
    pub(crate) counts: HashMap<PathBuf, [u32; 3]>,
    /// What has which code.
    pub(crate) codes: HashMap<blake3::Hash, String>,
    pub(crate) tried: usize,
    pub(crate) rejected: usize,
    pub(crate) place: Place,
}

impl Run {
    pub(crate) fn keep(&mut self, ratio: f64, source: KernelSource, built: Built) {
        let at = self.best.partition_point(|b| b.0 <= ratio);
        self.best.insert(at, (ratio, source, built));
        self.best.truncate(FINALISTS);
    }
}
