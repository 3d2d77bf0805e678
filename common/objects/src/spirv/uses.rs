//! Finds the functions and variables that an entry point reaches, and which variables it writes.
use super::{Access, layout::id};
use rspirv::{
    dr::{Function, Instruction, Module},
    spirv::Op,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Whether an instruction computes a pointer from its first operand (an access chain).
pub(super) fn is_chain(instruction: &Instruction) -> bool {
    matches!(
        instruction.class.opcode,
        Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain | Op::InBoundsPtrAccessChain | Op::CopyObject
    )
}

/// A function and those that it calls.
pub(super) fn reached(module: &Module, entry: u32) -> Vec<&Function> {
    let functions: HashMap<u32, &Function> =
        module.functions.iter().filter_map(|f| Some((f.def.as_ref()?.result_id?, f))).collect();
    let (mut seen, mut open) = (BTreeSet::from([entry]), vec![entry]);
    let mut found = Vec::new();
    while let Some(function) = open.pop() {
        let Some(&function) = functions.get(&function) else { continue };
        found.push(function);
        let calls = function.all_inst_iter().filter(|i| i.class.opcode == Op::FunctionCall);
        open.extend(calls.filter_map(|i| id(i.operands.first())).filter(|&callee| seen.insert(callee)));
    }
    found
}

/// Returns the variables of a module that a function and its callees use, and whether they are written.
pub(super) fn used(module: &Module, entry: u32) -> BTreeMap<u32, Access> {
    let variables: BTreeSet<u32> = module
        .types_global_values
        .iter()
        .filter(|i| i.class.opcode == Op::Variable)
        .filter_map(|i| i.result_id)
        .collect();
    let mut found = BTreeMap::new();
    reached(module, entry).into_iter().for_each(|function| follow(function, &variables, &mut found));
    found
}

/// Notes what one function does with variables.
fn follow(function: &Function, variables: &BTreeSet<u32>, found: &mut BTreeMap<u32, Access>) {
    // For each pointer: the variable that it points into.
    let mut roots: HashMap<u32, u32> = variables.iter().map(|v| (*v, *v)).collect();
    let mut note = |variable: u32, access: Access| {
        let known = found.entry(variable).or_insert(Access::No);
        if *known != Access::Yes && access != Access::No {
            *known = access;
        }
    };
    for instruction in function.all_inst_iter() {
        let operand = |i: usize| id(instruction.operands.get(i));
        let root = |i: usize| operand(i).and_then(|p| roots.get(&p)).copied();
        let opcode = instruction.class.opcode;
        let name = instruction.class.opname;
        match opcode {
            _ if is_chain(instruction) => {
                if let (Some(root), Some(result)) = (root(0), instruction.result_id) {
                    note(root, Access::No);
                    roots.insert(result, root);
                }
            }
            Op::Load | Op::ArrayLength | Op::AtomicLoad | Op::ImageTexelPointer => {
                root(0).into_iter().for_each(|r| note(r, Access::No));
            }
            Op::Store | Op::CopyMemory | Op::CopyMemorySized => {
                root(0).into_iter().for_each(|r| note(r, Access::Yes));
                root(1).into_iter().for_each(|r| note(r, Access::No));
            }
            _ if name.starts_with("Atomic") || name.contains("MatrixStore") => {
                // Stores without a result have the pointer first, too.
                root(0).into_iter().for_each(|r| note(r, Access::Yes));
            }
            _ if name.contains("MatrixLoad") => root(0).into_iter().for_each(|r| note(r, Access::No)),
            _ => {
                for i in 0..instruction.operands.len() {
                    root(i).into_iter().for_each(|r| note(r, Access::Unknown));
                }
            }
        }
    }
}
