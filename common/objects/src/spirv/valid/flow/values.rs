//! Checks that definitions dominate their uses, and that phis name the predecessors.
use super::super::{Checked, Values};
use super::Graph;
use crate::spirv::layout::id;
use rspirv::{
    dr::{Function, Instruction},
    spirv::Op,
};
use std::collections::{HashMap, HashSet};

impl<'f> Graph<'f> {
    /// Checks that every value is defined on all paths to its uses, and that phis have a value for each predecessor.
    pub(super) fn definitions(&self, function: &Function, values: &Values<'_>) -> Checked {
        let mut place: HashMap<u32, (usize, usize)> = HashMap::new();
        for (b, block) in self.blocks.iter().enumerate() {
            place.extend(block.instructions.iter().enumerate().filter_map(|(i, x)| Some((x.result_id?, (b, i)))));
        }
        let parameters: HashSet<u32> = function.parameters.iter().filter_map(|p| p.result_id).collect();
        let global = |value: u32| values.globals.contains(&value);
        for (b, block) in self.blocks.iter().enumerate() {
            for (i, instruction) in block.instructions.iter().enumerate() {
                if instruction.class.opcode == Op::Phi {
                    self.phi(b, instruction, &place, &parameters, &global)?;
                    continue;
                }
                for value in instruction.operands.iter().filter_map(|o| id(Some(o))) {
                    if self.numbers.contains_key(&value) || parameters.contains(&value) || global(value) {
                        continue;
                    }
                    let known = place.get(&value).is_some_and(|&(at, n)| match at == b {
                        true => n < i,
                        false => !self.reached(b) || (self.reached(at) && self.dominates(at, b)),
                    });
                    if !known {
                        return Err(format!("%{value} is used where it is not defined"));
                    }
                }
            }
        }
        Ok(())
    }

    pub(super) fn phi(
        &self,
        block: usize,
        phi: &Instruction,
        place: &HashMap<u32, (usize, usize)>,
        parameters: &HashSet<u32>,
        global: &dyn Fn(u32) -> bool,
    ) -> Checked {
        let mut from = Vec::new();
        for pair in phi.operands.chunks(2) {
            let (Some(value), Some(label)) = (id(pair.first()), id(pair.get(1))) else {
                return Err("a phi has no pairs".into());
            };
            let before = *self.numbers.get(&label).ok_or_else(|| format!("%{label} is no block of the function"))?;
            from.push(before);
            let known = parameters.contains(&value)
                || global(value)
                || place
                    .get(&value)
                    .is_some_and(|&(at, _)| !self.reached(before) || (self.reached(at) && self.dominates(at, before)));
            if !known {
                return Err(format!("%{value} is used where it is not defined"));
            }
        }
        from.sort_unstable();
        let mut expected = self.predecessors[block].clone();
        expected.sort_unstable();
        if from == expected { Ok(()) } else { Err("a phi has not one value for each way to it".into()) }
    }
}
