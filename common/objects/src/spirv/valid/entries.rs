//! Checks entry points: their functions, execution modes, and interface variables.
use super::{Checked, Type, Values};
use crate::spirv::layout::id;
use rspirv::{
    dr::{Function, Instruction, Module},
    spirv::{Op, StorageClass},
};
use std::collections::{HashMap, HashSet};

/// Checks all entry points of a module. Errors: the first thing that is wrong, in words.
pub(super) fn check(module: &Module, values: &Values<'_>) -> Checked {
    for entry in &module.entry_points {
        let function = id(entry.operands.get(1)).and_then(|f| values.defined.get(&f));
        let ty = function.filter(|f| f.class.opcode == Op::Function).and_then(|f| id(f.operands.get(1)));
        match ty.map(|t| values.ty(t)).transpose()? {
            Some(Type::Function(result, parameters)) if parameters.is_empty() && *values.ty(*result)? == Type::Void => {
            }
            _ => return Err("an entry point is no function without parameters and result".into()),
        }
        interface(module, entry, values)?;
    }
    for mode in &module.execution_modes {
        let of = id(mode.operands.first());
        if !module.entry_points.iter().any(|e| id(e.operands.get(1)) == of) {
            return Err("an execution mode is for no entry point".into());
        }
    }
    Ok(())
}

/// Checks that the interface of an entry point lists what it uses: its inputs, and from SPIR-V 1.4 on all variables
/// outside functions.
fn interface(module: &Module, entry: &Instruction, values: &Values<'_>) -> Checked {
    let listed: HashSet<u32> = entry.operands.iter().skip(3).filter_map(|o| id(Some(o))).collect();
    let class = |variable: u32| match values.defined.get(&variable) {
        Some(i) if i.class.opcode == Op::Variable && values.globals.contains(&variable) => {
            match i.result_type.and_then(|t| values.types.get(&t)) {
                Some(Type::Pointer(class, _)) => Some(*class),
                _ => None,
            }
        }
        _ => None,
    };
    if let Some(variable) = listed.iter().find(|&&v| class(v).is_none()) {
        return Err(format!("%{variable} is in the interface of an entry point and is no variable"));
    }
    let all = module.header.as_ref().is_some_and(|h| h.version() >= (1, 4));
    for variable in id(entry.operands.get(1)).map(|f| reached(module, f)).unwrap_or_default() {
        let demanded = class(variable).is_some_and(|c| all || matches!(c, StorageClass::Input | StorageClass::Output));
        if demanded && !listed.contains(&variable) {
            return Err(format!("%{variable} is not in the interface of the entry point that uses it"));
        }
    }
    Ok(())
}

/// The identifiers that a function and those that it calls use, in order.
fn reached(module: &Module, start: u32) -> Vec<u32> {
    let functions: HashMap<u32, &Function> =
        module.functions.iter().filter_map(|f| Some((f.def.as_ref()?.result_id?, f))).collect();
    let (mut left, mut seen, mut used) = (vec![start], HashSet::from([start]), Vec::new());
    while let Some(function) = left.pop().and_then(|f| functions.get(&f)) {
        for operand in function.all_inst_iter().flat_map(|i| &i.operands).filter_map(|o| id(Some(o))) {
            if seen.insert(operand) {
                if functions.contains_key(&operand) {
                    left.push(operand);
                } else {
                    used.push(operand);
                }
            }
        }
    }
    used
}
