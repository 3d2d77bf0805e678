//! The executables of a session, and what became of their candidates.
use super::{Stop, request::Request};
use crate::{
    assignment::Assignment,
    budget::{Division, SearchBudget},
    candidate::{Candidate, KernelSource},
    generate::{Proposal, proposal},
    incumbent::Incumbent,
    ready::{Ready, weight},
    script::Script,
    subject::Subject,
    trial::TrialOutcome,
    tune::{ROUND, Run, Tuner},
};
use halyard_diag::{Result, nearest};
use halyard_exec::Scratch;
use halyard_ir::form::ExecutableOrigin;
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    rc::Rc,
};

/// An executable in a session.
struct Place {
    subject: Subject,
    incumbent: Incumbent,
    /// The names of all executables that are alike: those of operations that are replaced are gone.
    names: Vec<String>,
    share: f64,
    assignment: Option<Assignment>,
    run: Option<Run>,
    is_committed: bool,
}

/// A candidate of a request, or why it is none.
struct Asked {
    id: String,
    what: Result<What, String>,
}

/// What may be tried.
enum What {
    /// With a workgroup count if it has one of its own.
    File(PathBuf, Option<[u32; 3]>),
    Schedule(Candidate),
    Script(Rc<Script>),
}

pub(super) struct Session<'t, 'a> {
    pub(super) tuner: &'t mut Tuner<'a>,
    places: Vec<Place>,
    others: Vec<(String, String)>,
    scratch: Scratch,
    write: &'t dyn Fn() -> Result<()>,
}

impl<'t, 'a> Session<'t, 'a> {
    /// Errors: there is no folder for files.
    pub(super) fn new(tuner: &'t mut Tuner<'a>, ready: Ready, write: &'t dyn Fn() -> Result<()>) -> Result<Self> {
        let sum: f64 = ready.subjects.iter().map(weight).sum();
        let place = |pair: (Subject, Incumbent)| {
            let share = weight(&pair) / sum;
            let (subject, incumbent) = pair;
            let names = subject.members.iter().map(|e| e.name()).collect();
            Place { subject, incumbent, names, share, assignment: None, run: None, is_committed: false }
        };
        let places = ready.subjects.into_iter().map(place).collect();
        Ok(Self { tuner, places, others: ready.others, scratch: Scratch::new("tune")?, write })
    }

    /// Whether something was tried and not committed.
    pub(super) fn is_open(&self) -> bool {
        self.places.iter().any(|p| p.run.is_some() && !p.is_committed)
    }

    pub(super) fn answer(&mut self, request: Request) -> Result<Value, Stop> {
        match request {
            Request::List => Ok(self.list()),
            Request::Describe { executable } => {
                let at = self.open(&executable)?;
                Ok(self.assigned(at)?.head.clone())
            }
            Request::Try { executable, candidates } => self.try_all(&executable, &candidates),
            Request::Search { executable, candidates } => self.search(&executable, candidates),
            Request::Commit { executables } => self.commit(executables),
            Request::End => unreachable!("the session ends"),
        }
    }

    fn list(&self) -> Value {
        let place = |p: &Place| {
            let mut item = json!({
                "executable": p.names[0],
                "also": p.names[1..],
                "key": p.subject.key,
                "calls": p.subject.calls,
                "seconds": p.incumbent.seconds,
                "share": p.share,
                "tried": p.run.as_ref().map_or(0, |r| r.tried),
                "best": p.run.as_ref().and_then(|r| r.best.first()).map(|b| b.0),
                "committed": p.is_committed,
            });
            if !p.is_committed {
                item["origin"] = json!(ExecutableOrigin::of(p.subject.executable.op).names());
            }
            item
        };
        let other = |(name, why): &(String, String)| json!({ "executable": name, "reason": why });
        json!({
            "executables": self.places.iter().map(place).collect::<Vec<_>>(),
            "left_out": self.others.iter().map(other).collect::<Vec<_>>(),
        })
    }

    /// The place of an executable that can still be tuned.
    fn open(&self, name: &str) -> Result<usize, Stop> {
        let refused = |code, why| Err(Stop::Refused((code, why)));
        if let Some(at) = self.places.iter().position(|p| p.names.iter().any(|n| n == name)) {
            return match self.places[at].is_committed {
                true => refused("committed", format!("the winner of `{name}` is in the program already")),
                false => Ok(at),
            };
        }
        if let Some((_, why)) = self.others.iter().find(|(n, _)| n == name) {
            return refused("cannot-tune", format!("`{name}` cannot be tuned: {why}"));
        }
        let known = self.places.iter().flat_map(|p| p.names.iter().map(String::as_str));
        let near = nearest(name, known);
        let hint = near.first().map_or_else(String::new, |n| format!("; did you mean `{n}`?"));
        refused("no-executable", format!("there is no executable `{name}`{hint}"))
    }

    fn assigned(&mut self, at: usize) -> Result<&Assignment> {
        if self.places[at].assignment.is_none() {
            let place = &self.places[at];
            let facts = self.tuner.facts(&place.subject);
            let what = (&place.subject, &place.incumbent);
            let mut new = Assignment::new(&self.scratch, self.tuner.builder, self.tuner.program, what, facts)?;
            new.head["listed"] = json!(self.tuner.files.proposals(&place.subject));
            self.places[at].assignment = Some(new);
        }
        Ok(self.places[at].assignment.as_ref().expect("it was made above"))
    }

    fn try_all(&mut self, name: &str, candidates: &[Value]) -> Result<Value, Stop> {
        let at = self.open(name)?;
        let folder = self.assigned(at)?.folder.clone();
        let mut run = self.started(at);
        let mut trials = Vec::new();
        let mut items: Vec<Asked> =
            candidates.iter().enumerate().map(|(n, item)| self.read(&folder, item, n)).collect();
        items.reverse();
        while let Some(item) = items.pop() {
            if self.tuner.interrupt.came() {
                break;
            }
            let mut ids = vec![item.id];
            let Place { subject, incumbent, .. } = &self.places[at];
            let tuner = &mut *self.tuner;
            let outcomes: Result<Vec<Result<TrialOutcome, String>>> = match item.what {
                Err(why) => Ok(vec![Err(why)]),
                Ok(What::File(file, count)) => {
                    tuner.try_file(subject, incumbent, &mut run, (&file, count)).map(|outcome| vec![Ok(outcome)])
                }
                Ok(What::Script(script)) => {
                    let base = script.base();
                    let tried = tuner.script_round(subject, incumbent, &mut run, (&script, vec![base]));
                    let first = |outcomes: Vec<(_, TrialOutcome)>| outcomes.into_iter().next().map(|(_, o)| o);
                    tried.map(|all| vec![first(all).ok_or_else(|| "it was not tried".to_owned())])
                }
                Ok(What::Schedule(candidate)) => {
                    let mut batch = vec![candidate];
                    while batch.len() < ROUND
                        && let Some(next) = items.pop_if(|next| matches!(next.what, Ok(What::Schedule(_))))
                    {
                        ids.push(next.id);
                        batch.extend(if let Ok(What::Schedule(candidate)) = next.what {
                            Some(candidate)
                        } else {
                            None
                        });
                    }
                    let tried = tuner.try_schedules(subject, incumbent, &mut run, batch);
                    tried.map(|outcomes| outcomes.into_iter().map(Ok).collect())
                }
            };
            let outcomes = match outcomes {
                Ok(outcomes) => outcomes,
                Err(error) => {
                    self.places[at].run = Some(run);
                    return Err(error.into());
                }
            };
            for (id, outcome) in ids.into_iter().zip(outcomes) {
                let mut line = json!({ "id": id });
                match outcome {
                    Ok(outcome) => {
                        line["outcome"] = json!(outcome.word());
                        outcome.details().into_iter().for_each(|(key, value)| line[key] = value);
                    }
                    Err(why) => {
                        line["outcome"] = json!("malformed");
                        line["reason"] = json!(why);
                    }
                }
                trials.push(line);
            }
        }
        self.places[at].run = Some(run);
        Ok(json!({ "trials": trials }))
    }

    /// Reads a candidate of a request.
    fn read(&self, folder: &Path, item: &Value, number: usize) -> Asked {
        let session = self.tuner.builder.session;
        if let Some(stage) = item["script"].as_str() {
            let id = item["id"].as_str().map_or_else(|| number.to_string(), str::to_owned);
            let mut keys = item.as_object().into_iter().flatten().map(|(key, _)| key);
            let what = match keys.find(|key| !["id", "script"].contains(&key.as_str())) {
                Some(other) => Err(format!("beside `script` it has `{other}`")),
                None => match Script::read(session, "script", stage) {
                    Ok(Some(script)) => Ok(What::Script(Rc::new(script))),
                    Ok(None) => Err(format!("`{stage}` is no transform script")),
                    Err(error) => Err(crate::unbuilt::reason(&error)),
                },
            };
            return Asked { id, what };
        }
        match proposal(session, folder, item, number) {
            Err(why) => Asked { id: number.to_string(), what: Err(why) },
            Ok(Proposal { id, source, workgroups }) => {
                let what = match source {
                    KernelSource::File(file, _) => What::File(file, workgroups),
                    KernelSource::Schedule(candidate) => What::Schedule(candidate),
                    KernelSource::Script(_) => unreachable!("it was read above"),
                };
                Asked { id, what: Ok(what) }
            }
        }
    }

    /// The built-in search, for so many candidates.
    fn search(&mut self, name: &str, candidates: usize) -> Result<Value, Stop> {
        let at = self.open(name)?;
        let mut run = self.started(at);
        let before = run.tried;
        let share = Division::new(SearchBudget::Trials(before + candidates), &[1.0]).next(1.0);
        let Place { subject, incumbent, .. } = &self.places[at];
        let searched = self.tuner.search(subject, incumbent, &mut run, share);
        let best = run.best.first().map(|b| json!({ "candidate": b.1.text(), "kind": b.1.kind(), "ratio": b.0 }));
        let tried = run.tried - before;
        self.places[at].run = Some(run);
        searched?;
        Ok(json!({ "tried": tried, "best": best }))
    }

    fn started(&mut self, at: usize) -> Run {
        let place = &mut self.places[at];
        place.run.take().unwrap_or_else(|| self.tuner.start(&place.subject, &place.incumbent))
    }

    /// Compares the best candidates with all care, puts the winners into the program, and writes it.
    fn commit(&mut self, executables: Option<Vec<String>>) -> Result<Value, Stop> {
        let wanted: BTreeSet<usize> = match executables {
            Some(names) => names.iter().map(|name| self.open(name)).collect::<Result<_, _>>()?,
            None => (0..self.places.len()).filter(|&at| !self.places[at].is_committed).collect(),
        };
        let mut winners = Vec::new();
        for at in wanted {
            let Some(run) = self.places[at].run.take() else { continue };
            let place = &mut self.places[at];
            let tuned = self.tuner.finish(&place.subject, &place.incumbent, run)?;
            place.is_committed = true;
            let mut line = json!({ "executable": place.names[0], "tried": tuned.tried, "winner": Value::Null });
            if let Some(winner) = &tuned.winner {
                self.tuner.install(&place.subject, winner)?;
                line["winner"] = json!({
                    "candidate": winner.source.text(),
                    "kind": winner.source.kind(),
                    "ratio": winner.judgement.ratio,
                    "interval": winner.judgement.interval,
                    "seconds": winner.judgement.seconds,
                });
            }
            winners.push(line);
        }
        (self.write)()?;
        Ok(json!({ "committed": winners }))
    }
}
