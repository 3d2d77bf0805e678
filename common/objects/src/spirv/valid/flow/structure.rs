//! Checks structured control flow: the merges of selections and loops.
use super::super::Checked;
use super::Graph;
use rspirv::{
    dr::Operand,
    spirv::{LoopControl, Op},
};
use std::collections::{BTreeSet, HashMap};

impl<'f> Graph<'f> {
    /// Checks that a loop's control is at most `Unroll` or `DontUnroll`: the other operands depend on the version of
    /// SPIR-V, and no kernel compiler emits them.
    fn loop_control_is_plain(&self, block: usize) -> bool {
        let [.., merge, _] = self.blocks[block].instructions.as_slice() else { return true };
        matches!(merge.operands.get(2), Some(Operand::LoopControl(c)) if (LoopControl::UNROLL | LoopControl::DONT_UNROLL).contains(*c))
    }

    /// Branches nest, as drivers build them up again from it.
    pub(super) fn merges(&self) -> Checked {
        let (mut meets, mut goes_on) = (HashMap::new(), HashMap::new());
        for block in 0..self.blocks.len() {
            let Some((merge, again)) = self.merge_of(block)? else { continue };
            let branch = self.blocks[block].instructions.last().map(|i| i.class.opcode);
            if again.is_some() && !self.loop_control_is_plain(block) {
                return Err("a loop has a control other than `None`, `Unroll` and `DontUnroll`".into());
            }
            let fits = match again {
                None => matches!(branch, Some(Op::BranchConditional | Op::Switch)),
                Some(_) => matches!(branch, Some(Op::BranchConditional | Op::Branch)),
            };
            if !fits || merge == block || merge == 0 || Some(merge) == again || meets.insert(merge, block).is_some() {
                return Err("a merge does not fit its branch".into());
            }
            if let Some(again) = again
                && goes_on.insert(again, block).is_some()
            {
                return Err("two loops go on in one block".into());
            }
            for inside in again.into_iter().chain([merge]).filter(|&b| self.reached(block) && self.reached(b)) {
                if !self.dominates(block, inside) {
                    return Err("a construct is entered beside its beginning".into());
                }
            }
        }
        for (from, next) in self.successors.iter().enumerate().filter(|(b, _)| self.reached(*b)) {
            for &to in next.iter().filter(|&&to| self.dominates(to, from)) {
                // A back edge: from the continue target of a loop to its header.
                let again = self.merge_of(to)?.and_then(|(_, again)| again);
                if again.is_none_or(|again| !self.dominates(again, from)) {
                    return Err("a way back does not belong to a loop".into());
                }
            }
            // A selection names its merge block, unless it leaves the enclosing construct.
            let different: BTreeSet<usize> = next.iter().copied().collect();
            let leaves = |to: &usize| meets.contains_key(to) || goes_on.contains_key(to);
            let choice = different.len() > 1 && self.merge_of(from)?.is_none();
            if choice && different.iter().filter(|to| !leaves(to)).count() > 1 {
                return Err("a branch does not say where its ways meet".into());
            }
        }
        self.reducible()?;
        // A loop has one back edge.
        for block in (0..self.blocks.len()).filter(|&b| self.reached(b)) {
            let back =
                self.predecessors[block].iter().filter(|&&p| self.reached(p) && self.dominates(block, p)).count();
            let is_loop = self.merge_of(block)?.is_some_and(|(_, again)| again.is_some());
            if back > 1 || (back == 1 && !is_loop) {
                return Err("a loop has several ways back".into());
            }
        }
        Ok(())
    }

    /// Loops are entered at their beginning: without the ways back there are none.
    fn reducible(&self) -> Checked {
        let forward = |b: usize| self.successors[b].iter().copied().filter(move |&to| !self.dominates(to, b));
        let reached = || (0..self.blocks.len()).filter(|&b| self.reached(b));
        let mut waits: HashMap<usize, usize> = HashMap::new();
        reached().flat_map(forward).for_each(|to| *waits.entry(to).or_default() += 1);
        let (mut open, mut left) = (vec![0], reached().count());
        while let Some(block) = open.pop() {
            left -= 1;
            for to in forward(block) {
                let count = waits.entry(to).or_default();
                *count -= 1;
                if *count == 0 {
                    open.push(to);
                }
            }
        }
        if left == 0 { Ok(()) } else { Err("a loop is entered beside its beginning".into()) }
    }
}
