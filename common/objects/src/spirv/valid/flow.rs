//! Functions: parameters, blocks, branches that nest, definitions before uses.
use super::{Checked, Type, Values};
use crate::spirv::layout::id;
use rspirv::{
    dr::{Block, Function, Instruction, Operand},
    spirv::{LoopControl, Op},
};
use std::collections::{BTreeSet, HashMap, HashSet};

/// A function as a graph; blocks are numbered in their order.
pub(super) struct Graph<'f> {
    pub blocks: &'f [Block],
    /// The number of a block by its label.
    numbers: HashMap<u32, usize>,
    pub successors: Vec<Vec<usize>>,
    predecessors: Vec<Vec<usize>>,
    /// The closest block on all ways to a block; `None` for what is not reached.
    dominator: Vec<Option<usize>>,
}

pub(super) fn check(function: &Function, values: &Values<'_>) -> Checked {
    let def = function.def.as_ref().ok_or("a function has no beginning")?;
    let name = def.result_id.unwrap_or(0);
    inner(function, def, values).map_err(|why| format!("function %{name}: {why}"))
}

fn inner(function: &Function, def: &Instruction, values: &Values<'_>) -> Checked {
    let Some(Type::Function(result, parameters)) = id(def.operands.get(1)).and_then(|t| values.types.get(&t)) else {
        return Err("its type is none of functions".into());
    };
    let given: Vec<u32> = function.parameters.iter().filter_map(|p| p.result_type).collect();
    if def.result_type != Some(*result) || given != *parameters {
        return Err("it has another type than it says".into());
    }
    if function.blocks.is_empty() {
        return Err("it has no blocks".into());
    }
    let graph = Graph::new(&function.blocks, values, *result)?;
    graph.merges()?;
    super::constructs::check(&graph)?;
    graph.definitions(function, values)
}

impl<'f> Graph<'f> {
    fn new(blocks: &'f [Block], values: &Values<'_>, result: u32) -> Result<Self, String> {
        let mut numbers = HashMap::new();
        for (i, block) in blocks.iter().enumerate() {
            let label = block.label.as_ref().and_then(|l| l.result_id).ok_or("a block has no label")?;
            numbers.insert(label, i);
        }
        let mut graph = Self {
            blocks,
            numbers,
            successors: Vec::new(),
            predecessors: vec![Vec::new(); blocks.len()],
            dominator: Vec::new(),
        };
        for (i, block) in blocks.iter().enumerate() {
            let (last, before) = block.instructions.split_last().ok_or("a block is empty")?;
            if let Some(early) = before.iter().find(|i| is_end(i.class.opcode)) {
                return Err(format!("a block goes on after Op{}", early.class.opname));
            }
            let merge = |i: &Instruction| matches!(i.class.opcode, Op::LoopMerge | Op::SelectionMerge);
            if before.iter().rev().skip(1).any(merge) {
                return Err("a merge does not stand before a branch".into());
            }
            graph.order(i, before)?;
            let next = graph.ends(last, values, result)?;
            for &to in &next {
                if to == 0 {
                    return Err("a branch leads to the first block".into());
                }
                if !graph.predecessors[to].contains(&i) {
                    graph.predecessors[to].push(i);
                }
            }
            graph.successors.push(next);
        }
        graph.dominator = dominators(&graph.successors);
        Ok(graph)
    }

    /// Phis come first, variables at the beginning of the function.
    fn order(&self, block: usize, instructions: &[Instruction]) -> Checked {
        let rank = |i: &Instruction| match i.class.opcode {
            Op::Phi => Some(0),
            Op::Variable => Some(1),
            Op::Line | Op::NoLine | Op::Nop | Op::ExtInst => None,
            _ => Some(2),
        };
        let ranks: Vec<i32> = instructions.iter().filter_map(rank).collect();
        let early = block == 0 && ranks.contains(&0);
        if early || (block > 0 && ranks.contains(&1)) || !ranks.is_sorted() {
            return Err("a phi or a variable does not stand at the beginning".into());
        }
        Ok(())
    }

    /// Where the end of a block leads.
    fn ends(&self, last: &Instruction, values: &Values<'_>, result: u32) -> Result<Vec<usize>, String> {
        let block = |operand: Option<&Operand>| {
            let label = id(operand).ok_or("a branch leads nowhere")?;
            self.numbers.get(&label).copied().ok_or_else(|| format!("%{label} is no block of the function"))
        };
        let operands = &last.operands;
        Ok(match last.class.opcode {
            Op::Branch => vec![block(operands.first())?],
            Op::BranchConditional => vec![block(operands.get(1))?, block(operands.get(2))?],
            Op::Switch => {
                let mut next = vec![block(operands.get(1))?];
                for case in operands[2..].chunks(2) {
                    next.push(block(case.get(1))?);
                }
                next
            }
            Op::Return if *values.ty(result)? == Type::Void => Vec::new(),
            Op::ReturnValue if id(operands.first()).is_some_and(|v| values.type_of(v) == Ok(result)) => Vec::new(),
            Op::Return | Op::ReturnValue => return Err("it returns something else than it says".into()),
            Op::Unreachable => Vec::new(),
            _ => return Err(format!("a block ends with Op{}", last.class.opname)),
        })
    }

    fn reached(&self, block: usize) -> bool {
        self.dominator[block].is_some()
    }

    fn dominates(&self, a: usize, mut b: usize) -> bool {
        while a != b && b != 0 {
            b = self.dominator[b].unwrap_or(0);
        }
        a == b
    }

    /// The merge of a block: its instruction, where ways meet again, and where a loop goes on.
    pub(super) fn merge_of(&self, block: usize) -> Result<Option<(usize, Option<usize>)>, String> {
        let [.., merge, _] = self.blocks[block].instructions.as_slice() else { return Ok(None) };
        let target = |i: usize| {
            let label = id(merge.operands.get(i)).ok_or("a merge names no block")?;
            self.numbers.get(&label).copied().ok_or_else(|| format!("%{label} is no block of the function"))
        };
        match merge.class.opcode {
            Op::SelectionMerge => Ok(Some((target(0)?, None))),
            Op::LoopMerge => Ok(Some((target(0)?, Some(target(1)?)))),
            _ => Ok(None),
        }
    }

    /// What else SPIR-V can say of loops depends on its version, and no compiler of kernels says it.
    fn loop_control_is_plain(&self, block: usize) -> bool {
        let [.., merge, _] = self.blocks[block].instructions.as_slice() else { return true };
        matches!(merge.operands.get(2), Some(Operand::LoopControl(c)) if (LoopControl::UNROLL | LoopControl::DONT_UNROLL).contains(*c))
    }

    /// Branches nest, as drivers build them up again from it.
    fn merges(&self) -> Checked {
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
                // A way back: to the beginning of a loop, from where it goes on.
                let again = self.merge_of(to)?.and_then(|(_, again)| again);
                if again.is_none_or(|again| !self.dominates(again, from)) {
                    return Err("a way back does not belong to a loop".into());
                }
            }
            // What chooses says where its ways meet, unless it leaves what it is in.
            let different: BTreeSet<usize> = next.iter().copied().collect();
            let leaves = |to: &usize| meets.contains_key(to) || goes_on.contains_key(to);
            let choice = different.len() > 1 && self.merge_of(from)?.is_none();
            if choice && different.iter().filter(|to| !leaves(to)).count() > 1 {
                return Err("a branch does not say where its ways meet".into());
            }
        }
        self.reducible()?;
        // Loops have one way back.
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

    /// Every value is defined on all ways to its uses; phis have a value for each way.
    fn definitions(&self, function: &Function, values: &Values<'_>) -> Checked {
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

    fn phi(
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

/// Blocks so that each comes after those that it is reached from, but by loops.
fn postorder(successors: &[Vec<usize>]) -> Vec<usize> {
    let (mut seen, mut order, mut open) = (HashSet::from([0]), Vec::new(), vec![(0, 0)]);
    while let Some((block, next)) = open.pop() {
        match successors[block].get(next) {
            Some(&to) => {
                open.push((block, next + 1));
                if seen.insert(to) {
                    open.push((to, 0));
                }
            }
            None => order.push(block),
        }
    }
    order
}

/// The closest other block on all ways to a block, by its number, as in "A Simple, Fast Dominance Algorithm" (Cooper, Harvey,
/// Kennedy); `None` for what is not reached from the first block, which stands for itself.
pub(super) fn dominators(successors: &[Vec<usize>]) -> Vec<Option<usize>> {
    let order = postorder(successors);
    let rank: HashMap<usize, usize> = order.iter().enumerate().map(|(i, &b)| (b, i)).collect();
    let mut predecessors = vec![Vec::new(); successors.len()];
    for (from, next) in successors.iter().enumerate() {
        next.iter().for_each(|&to| predecessors[to].push(from));
    }
    let mut dominator: Vec<Option<usize>> = vec![None; successors.len()];
    dominator[0] = Some(0);
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for &block in order.iter().rev().skip(1) {
            let mut new: Option<usize> = None;
            for &from in predecessors[block].iter().filter(|&&p| dominator[p].is_some()) {
                new = Some(new.map_or(from, |mut a| {
                    let mut b = from;
                    while a != b {
                        while rank[&a] < rank[&b] {
                            a = dominator[a].unwrap_or(0);
                        }
                        while rank[&b] < rank[&a] {
                            b = dominator[b].unwrap_or(0);
                        }
                    }
                    a
                }));
            }
            if dominator[block] != new {
                dominator[block] = new;
                changed = true;
            }
        }
    }
    dominator
}

fn is_end(opcode: Op) -> bool {
    matches!(
        opcode,
        Op::Branch | Op::BranchConditional | Op::Switch | Op::Return | Op::ReturnValue | Op::Unreachable | Op::Kill
    )
}
