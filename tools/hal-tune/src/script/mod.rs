//! Transform scripts as candidates: each choice of values for the knobs and alternatives of a script is one.
//!
//! [`make`] runs the script on executables, in worker processes; [`tries`] searches.
mod make;
mod tries;

use crate::{
    candidate::Candidate,
    space::{Choice, Space},
};
use halyard_diag::Result;
use halyard_ir::{Session, form::ScheduleSetting};
use halyard_stages::{ScriptKnob, StageArgs, Stages};

/// As many values on each side of the current one are neighbours of it.
const REACH: usize = 3;

/// A transform script and its knobs.
#[derive(Debug)]
pub(crate) struct Script {
    /// As `--stage` would have it: `FILE.mlir[seq=NAME]{SETTINGS}`.
    stage: String,
    knobs: Vec<ScriptKnob>,
}

impl Script {
    /// Reads a script; `None` if the file is none. Errors: a stage that is malformed, knobs without values.
    pub(crate) fn read(session: &Session, flag: &str, stage: &str) -> Result<Option<Self>> {
        let args = StageArgs::default();
        let Some(knobs) = Stages::knobs(session, &args, flag, stage)? else { return Ok(None) };
        let script = Self { stage: stage.to_owned(), knobs };
        // What is wrong with it whatever the knobs are, is told before anything is measured.
        Stages::parse_with(session, &args, flag, &[script.stage(&script.base())])?;
        Ok(Some(script))
    }

    /// How many choices there are.
    pub(crate) fn size(&self) -> usize {
        self.knobs.iter().fold(1, |n, knob| n.saturating_mul(knob.values.len()))
    }

    /// The choice of all defaults.
    pub(crate) fn base(&self) -> Candidate {
        let all = 0..self.knobs.len();
        all.fold(Candidate::default(), |c, k| self.with(&c, k, self.knobs[k].default))
    }

    /// All choices, in order.
    fn all(&self) -> Vec<Candidate> {
        let mut all = vec![Candidate::default()];
        for (k, knob) in self.knobs.iter().enumerate() {
            let each = |c: &Candidate| (0..knob.values.len()).map(|v| self.with(c, k, v)).collect::<Vec<_>>();
            all = all.iter().flat_map(each).collect();
        }
        all
    }

    /// A choice with another value of a knob. All knobs have one, so that each choice is one candidate.
    fn with(&self, candidate: &Candidate, knob: usize, value: usize) -> Candidate {
        candidate.with(knob, "value", ScheduleSetting::Number(value as i64))
    }

    fn value(&self, candidate: &Candidate, knob: usize) -> usize {
        let chosen = candidate.number(knob).and_then(|n| usize::try_from(n).ok());
        chosen.unwrap_or(self.knobs[knob].default)
    }

    /// What may be changed in a choice.
    fn space(&self, candidate: &Candidate) -> Space {
        let choice = |(k, knob): (usize, &ScriptKnob)| {
            let now = self.value(candidate, k);
            let reach = now.saturating_sub(REACH)..(now + REACH + 1).min(knob.values.len());
            let others = reach.filter(|v| *v != now).map(|v| ScheduleSetting::Number(v as i64)).collect();
            vec![Choice { key: "value", value: ScheduleSetting::Number(now as i64), others }]
        };
        Space::of(self.knobs.iter().enumerate().map(choice).collect())
    }

    /// The stage with the values of a choice.
    fn stage(&self, candidate: &Candidate) -> String {
        let value = |(k, knob): (usize, &ScriptKnob)| {
            format!("{}={}", knob.name, knob.values[self.value(candidate, k).min(knob.values.len() - 1)])
        };
        let values: Vec<String> = self.knobs.iter().enumerate().map(value).collect();
        match (values.is_empty(), self.stage.strip_suffix('}')) {
            (true, _) => self.stage.clone(),
            (false, Some(given)) => format!("{given} {}}}", values.join(" ")),
            (false, None) => format!("{}{{{}}}", self.stage, values.join(" ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(stage: &str) -> Script {
        let knob = |name: &str, values: &[&str], default| ScriptKnob {
            name: name.into(),
            values: values.iter().map(|v| (*v).to_owned()).collect(),
            default,
        };
        let knobs = vec![knob("family", &["4", "8", "16"], 1), knob("how", &["0", "1"], 0)];
        Script { stage: stage.into(), knobs }
    }

    #[test]
    fn each_choice_is_a_stage() {
        let script = script("s.mlir[seq=a]{x=1}");
        let stages: Vec<String> = script.all().iter().map(|c| script.stage(c)).collect();
        assert_eq!(script.size(), 6);
        assert_eq!(stages.len(), 6);
        assert_eq!(stages[0], "s.mlir[seq=a]{x=1 family=4 how=0}");
        assert_eq!(stages[5], "s.mlir[seq=a]{x=1 family=16 how=1}");
        assert_eq!(script.stage(&script.base()), "s.mlir[seq=a]{x=1 family=8 how=0}");
    }

    #[test]
    fn neighbours_change_one_knob() {
        let script = script("s.mlir");
        let base = script.base();
        let near: Vec<String> = script.space(&base).neighbours(&base).iter().map(|c| script.stage(c)).collect();
        assert_eq!(near, ["s.mlir{family=4 how=0}", "s.mlir{family=16 how=0}", "s.mlir{family=8 how=1}"]);
    }
}
