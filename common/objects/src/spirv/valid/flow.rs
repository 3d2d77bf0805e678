//! Checks functions: parameters, blocks, structured branches, definitions before uses.
mod dominance;
mod structure;
mod values;

use super::{Checked, Type, Values};
use crate::spirv::layout::id;
pub(super) use dominance::dominators;
use rspirv::{
    dr::{Block, Function, Instruction, Operand},
    spirv::Op,
};
use std::collections::HashMap;

/// A function as a graph; blocks are numbered in their order.
pub(super) struct Graph<'f> {
    pub blocks: &'f [Block],
    /// The number of a block by its label.
    numbers: HashMap<u32, usize>,
    pub successors: Vec<Vec<usize>>,
    predecessors: Vec<Vec<usize>>,
    /// The immediate dominator of each block; `None` for unreachable blocks.
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

    /// Returns the successors of a block.
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
}

fn is_end(opcode: Op) -> bool {
    matches!(
        opcode,
        Op::Branch | Op::BranchConditional | Op::Switch | Op::Return | Op::ReturnValue | Op::Unreachable | Op::Kill
    )
}
