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

/// The time that the import of a program may spend on its constants, in products of a product of matrices: a few seconds. It is counted, not
/// measured, so that a model always gives the same program.
const MOST_TIME: u64 = 1 << 33;

/// Computes the constants of a program whose weights were collected; `weights` are changed with it.
pub(crate) fn compute(program: Program, weights: &mut Vec<Weight>) {
    let mut budget = MOST_TIME;
    let mut erased = HashSet::new();
    let model = values::Model::of(program, weights);
    for function in program.functions() {
        let (mut failed, mut computed) = (HashSet::<Op>::new(), values::Computed::default());
        // What cannot be computed is taken for a value of the run, and the choice made again.
        loop {
            let mut constants = values::Constants::of(function, (&model, weights), &failed, &mut computed);
            let (chosen, time) = constants.chosen(budget);
            let before = failed.len();
            let mut arrays = Vec::new();
            for value in chosen {
                match constants.evaluate(value) {
                    Ok(array) => arrays.push((value, place::Packed::of(&array))),
                    Err(op) => _ = failed.insert(op),
                }
            }
            if failed.len() == before {
                budget -= time;
                let unused = constants.ops();
                place::replace(program, function, arrays, weights);
                place::erase_unused(&unused, &mut erased);
                break;
            }
        }
    }
    place::erase_globals(program, &erased, weights);
}
