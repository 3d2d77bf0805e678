//! Several runs of a kernel, of different kinds.
use super::{How, Plan, Subject, Trial, Wrong};
use crate::{Difference, State, element::Style};
use halyard_diag::Result;

impl Subject<'_> {
    /// The runs of [`Self::verify`].
    pub(crate) fn plans(&self, runs: u32, seed: u64) -> Vec<Plan> {
        let styles = if self.is_narrow() {
            [Style::Whole, Style::Positive, Style::Signed]
        } else {
            [Style::Signed, Style::Whole, Style::Positive]
        };
        let mut plans: Vec<Plan> = (0..runs)
            .map(|i| Plan { style: styles[i as usize % 3], how: How::Any, seed: seed.wrapping_add(u64::from(i)) })
            .collect();
        if self.is_dynamic() {
            plans.push(Plan { style: Style::Signed, how: How::Ones, seed: 1001 });
            plans.push(Plan { style: Style::Signed, how: How::Zeros, seed: 1002 });
        }
        plans
    }

    /// The run of [`Self::verify_special`]; `None` if no floats take part.
    pub(crate) fn special_plan(&self, seed: u64) -> Option<Plan> {
        let floats = self.inputs.iter().any(|t| t.element().is_float());
        floats.then_some(Plan { style: Style::Special, how: How::Any, seed })
    }

    /// Runs the kernel so many times on random inputs that begin with a seed, and at the sizes 1 and 0 where they are not fixed.
    /// Errors: what the kernel did wrong beyond its results; what its device says.
    pub(crate) fn verify(&self, runs: u32, seed: u64) -> Result<State> {
        let plans = self.plans(runs, seed);
        let (mut done, mut largest, mut allowed, mut compared, mut elements) = (0, 0.0f64, 0.0f64, 0u64, 0u64);
        for plan in plans {
            match self.run(plan)? {
                Trial::NoInputs if plan.how == How::Any && done == 0 => {
                    return Ok(State::Skipped("no inputs were found that its source has a meaning for".into()));
                }
                Trial::NoInputs => {}
                Trial::Ran { sizes, wrong: Some(wrong), .. } => {
                    return Ok(differs(sizes, wrong));
                }
                Trial::Ran { results, whole, .. } => {
                    done += 1;
                    elements += whole;
                    for (comparison, tolerance) in results {
                        compared += comparison.compared;
                        // Of several results and runs: the one that comes nearest to its tolerance.
                        if allowed == 0.0 || comparison.largest * allowed > largest * tolerance {
                            (largest, allowed) = (comparison.largest, tolerance);
                        }
                    }
                }
            }
        }
        Ok(State::Agrees { runs: done, largest, tolerance: allowed, compared, elements })
    }

    /// Runs the kernel once on infinities, NaN and the like, if it computes with floats. Errors: as for [`Self::verify`].
    pub(crate) fn verify_special(&self, seed: u64) -> Result<State> {
        let agrees = State::Agrees { runs: 1, largest: 0.0, tolerance: 0.0, compared: 0, elements: 0 };
        let Some(plan) = self.special_plan(seed) else { return Ok(agrees) };
        Ok(match self.run(plan)? {
            Trial::Ran { sizes, wrong: Some(wrong), .. } => differs(sizes, wrong),
            _ => agrees,
        })
    }
}

fn differs(sizes: String, wrong: Wrong) -> State {
    State::Differs(Box::new(Difference {
        sizes,
        result: wrong.result,
        element: wrong.element,
        got: wrong.got,
        wanted: wrong.wanted,
        ulp: wrong.ulp,
        tolerance: wrong.tolerance,
        count: wrong.count,
        arrays: wrong.arrays,
    }))
}
