//! Computes what depends on constants alone: tables of positions, normalised weights, projections of weights. The results
//! are constants like those of the model.
//!
//! [`values`] finds what is constant and what is worth computing, [`place`] writes the results into the program. Numbers stay as narrow as they
//! are stored, weights that are only moved stay as they are, and no large result is stored that is cheap to compute from small constants.
mod place;
mod values;

use crate::weights::Weight;
use halyard_ir::{Op, form::Program};
use std::collections::HashSet;

/// The time that the import of a program may spend on its constants, in multiplications of a matrix product: a few seconds. It is counted, not
/// measured, so that a model always gives the same program.
const MOST_TIME: u64 = 1 << 33;

/// Computes the constants of a program whose weights were collected; `weights` are changed with it.
pub(crate) fn compute(program: Program, weights: &mut Vec<Weight>) {
    let mut budget = MOST_TIME;
    let mut erased = HashSet::new();
    let model = values::Model::of(program, weights);
    for function in program.functions() {
        let (mut failed, mut computed) = (HashSet::<Op>::new(), values::Computed::default());
        // An operation that cannot be computed is left to the run; then the choice is made again.
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
