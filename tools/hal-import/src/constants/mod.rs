//! Computes what depends on constants alone: tables of positions, normalised weights, projections of weights. What they give are
//! constants like those of the model.
//!
//! [`values`] finds what is constant and what it is worth to keep, [`place`] writes that into the program. Numbers stay as narrow as they are
//! stored, what is only moved stays where it is, and a program does not grow by what is computed cheaply from little.
mod place;
mod values;

use crate::weights::Weight;
use halyard_ir::{Op, form::Program};
use std::collections::HashSet;

/// The work that the import of a program may spend on its constants: a few seconds.
const MOST_WORK: u64 = 1 << 33;

/// Computes the constants of a program whose weights were collected; `weights` are changed with it.
pub(crate) fn compute(program: Program, weights: &mut Vec<Weight>) {
    let mut budget = MOST_WORK;
    let mut erased = HashSet::new();
    let model = values::Model::of(program, weights);
    for function in program.functions() {
        let mut failed: HashSet<Op> = HashSet::new();
        // What cannot be computed is taken for a value of the run, and the choice made again.
        loop {
            let mut constants = values::Constants::of(function, &model, weights, &failed);
            let (chosen, work) = constants.chosen(budget);
            let before = failed.len();
            let mut arrays = Vec::new();
            for value in chosen {
                match constants.evaluate(value) {
                    Ok(array) => arrays.push((value, array)),
                    Err(op) => _ = failed.insert(op),
                }
            }
            if failed.len() == before {
                budget -= work;
                let unused = constants.ops();
                place::replace(program, function, arrays, weights);
                place::erase_unused(&unused, &mut erased);
                break;
            }
        }
    }
    place::erase_globals(program, &erased, weights);
}
