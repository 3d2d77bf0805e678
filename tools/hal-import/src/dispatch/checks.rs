//! Puts checks at run time (calls of `hal.check`, `cf.assert`) where they belong in their blocks.
//!
//! A check runs as soon as what it needs is there, so that it comes before the first dispatch that relies on it. One that
//! reads what a dispatch has computed, for nothing but a check, comes last in its block: the host then waits for a device
//! once, when everything is on its way.
use halyard_ir::{Attr, Block, Op, Type, Value, form::Program, names};
use std::collections::{HashMap, HashSet};

/// Brings the checks of all functions in order; those that say the same, or always hold, go.
pub(super) fn place(program: Program) {
    let symbols = unique(program);
    for function in program.functions() {
        let mut blocks = Vec::new();
        function.walk(&mut |op| blocks.extend(op.regions().into_iter().flat_map(|r| r.blocks())));
        for block in blocks {
            drop_needless(block, &symbols);
            mark(block, &symbols);
            place_in(block, &symbols);
        }
    }
    let mut called = HashSet::new();
    for function in program.functions() {
        function.walk(&mut |op| called.extend(callee(op)));
    }
    for check in program.checks() {
        if !called.contains(&check.symbol()) {
            check.op.erase();
        }
    }
}

/// Lets calls of declarations that say the same call the first one. Gives the symbols of all.
fn unique(program: Program) -> HashSet<String> {
    let mut first: HashMap<(String, Vec<Type>, Vec<bool>), String> = HashMap::new();
    let mut instead = HashMap::new();
    for check in program.checks() {
        let inputs = check.inputs();
        let unsigned = (0..inputs.len()).map(|i| check.is_unsigned(i)).collect();
        let symbol = first.entry((check.message(), inputs, unsigned)).or_insert_with(|| check.symbol());
        instead.insert(check.symbol(), symbol.clone());
    }
    for function in program.functions() {
        function.walk(&mut |op| {
            if let Some(symbol) = callee(op).and_then(|name| instead.get(&name)) {
                op.set_attr("callee", Attr::symbol(op.context(), symbol));
            }
        });
    }
    instead.into_keys().collect()
}

fn callee(op: Op) -> Option<String> {
    op.callee().filter(|_| op.is("func.call"))
}

fn is_check(op: Op, symbols: &HashSet<String>) -> bool {
    op.is("cf.assert") || callee(op).is_some_and(|name| symbols.contains(&name))
}

/// Erases checks that hold whatever the inputs are, and those that say what an earlier one of the block has said.
fn drop_needless(block: Block, symbols: &HashSet<String>) {
    let mut said = HashSet::new();
    for op in block.ops().into_iter().filter(|op| is_check(*op, symbols)) {
        let message = callee(op).or_else(|| op.attr("msg").and_then(Attr::as_string));
        let holds = op.operand(0).constant_attr();
        if holds.is_some_and(|value| value.to_string() == "true") || !said.insert((message, op.operands())) {
            op.erase();
        }
    }
}

/// Marks the calls of checks with [`names::PURE`] until [`super::pure::unmark`]: they need not keep their place among what has
/// effects.
fn mark(block: Block, symbols: &HashSet<String>) {
    for op in block.ops().into_iter().filter(|op| is_check(*op, symbols) && op.is("func.call")) {
        op.set_attr(names::PURE, Attr::unit(op.context()));
    }
}

/// A block on its way into order.
struct Plan {
    ops: Vec<Op>,
    number: HashMap<Op, usize>,
    /// Checks, ascending.
    checks: Vec<usize>,
    /// For each check, the scalar operations that lead to it, ascending.
    feeders: HashMap<usize, Vec<usize>>,
    /// What comes last, checks and what only they need.
    late: HashSet<usize>,
    order: Vec<usize>,
    done: Vec<bool>,
}

fn place_in(block: Block, symbols: &HashSet<String>) {
    let end = block.terminator();
    let ops: Vec<Op> = block.ops().into_iter().filter(|op| Some(*op) != end).collect();
    let checks: Vec<usize> = (0..ops.len()).filter(|i| is_check(ops[*i], symbols)).collect();
    let Some(end) = end.filter(|_| !checks.is_empty()) else { return };
    let number = ops.iter().enumerate().map(|(i, op)| (*op, i)).collect();
    let done = vec![false; ops.len()];
    let mut plan = Plan { ops, number, checks, feeders: HashMap::new(), late: HashSet::new(), order: Vec::new(), done };
    plan.find_feeders();
    plan.find_late();
    plan.sort();
    for i in plan.order {
        plan.ops[i].move_before(end);
    }
}

impl Plan {
    /// The operation of this block that makes a value.
    fn definition(&self, value: Value) -> Option<usize> {
        self.number.get(&value.def()?).copied()
    }

    fn find_feeders(&mut self) {
        for &check in &self.checks {
            let mut found = HashSet::new();
            let mut stack = vec![check];
            while let Some(i) = stack.pop() {
                for from in self.ops[i].operands().into_iter().filter_map(|v| self.definition(v)) {
                    if is_scalar_work(self.ops[from]) && found.insert(from) {
                        stack.push(from);
                    }
                }
            }
            let mut found: Vec<usize> = found.into_iter().collect();
            found.sort_unstable();
            self.feeders.insert(check, found);
        }
    }

    /// Finds the checks that are late, and what nothing but them needs.
    fn find_late(&mut self) {
        // What leads to checks only, the last one first.
        let all: HashSet<usize> = self.checks.iter().flat_map(|c| &self.feeders[c]).copied().collect();
        let mut all: Vec<usize> = all.into_iter().collect();
        all.sort_unstable_by_key(|i| std::cmp::Reverse(*i));
        let users = |i: usize| {
            self.ops[i].results().into_iter().flat_map(|r| r.uses()).map(|(user, _)| self.number.get(&user).copied())
        };
        let mut only: HashSet<usize> = self.checks.iter().copied().collect();
        for &i in &all {
            if users(i).all(|user| user.is_some_and(|u| only.contains(&u))) {
                only.insert(i);
            }
        }
        let waits =
            |i: &usize| only.contains(i) && self.ops[*i].is("tensor.extract") && is_computed(self.ops[*i].operand(0));
        let mut late: HashSet<usize> =
            self.checks.iter().copied().filter(|c| self.feeders[c].iter().any(waits)).collect();
        for &i in &all {
            if users(i).all(|user| user.is_some_and(|u| late.contains(&u))) {
                late.insert(i);
            }
        }
        self.late = late;
    }

    fn sort(&mut self) {
        // For each check that is not late: how much of what it needs is still to come.
        let mut open: HashMap<usize, usize> = HashMap::new();
        let mut waiting: HashMap<usize, Vec<usize>> = HashMap::new();
        for &check in self.checks.iter().filter(|c| !self.late.contains(c)) {
            let feeders = &self.feeders[&check];
            let needs = feeders.iter().chain([&check]).flat_map(|i| self.ops[*i].operands());
            let leaves: HashSet<usize> =
                needs.filter_map(|v| self.definition(v)).filter(|d| feeders.binary_search(d).is_err()).collect();
            open.insert(check, leaves.len());
            leaves.into_iter().for_each(|leaf| waiting.entry(leaf).or_default().push(check));
        }
        let ready: Vec<usize> = self.checks.iter().copied().filter(|c| open.get(c) == Some(&0)).collect();
        ready.into_iter().for_each(|check| self.emit_check(check));
        for i in 0..self.ops.len() {
            if self.late.contains(&i) {
                continue;
            }
            self.emit(i);
            for check in waiting.remove(&i).unwrap_or_default() {
                let left = open.get_mut(&check).expect("it was counted");
                *left -= 1;
                if *left == 0 {
                    self.emit_check(check);
                }
            }
        }
        (0..self.ops.len()).for_each(|i| self.emit(i));
    }

    fn emit_check(&mut self, check: usize) {
        for i in self.feeders[&check].clone() {
            self.emit(i);
        }
        self.emit(check);
    }

    fn emit(&mut self, i: usize) {
        if !std::mem::replace(&mut self.done[i], true) {
            self.order.push(i);
        }
    }
}

/// Whether an operation computes scalars from what is there, and does nothing else.
fn is_scalar_work(op: Op) -> bool {
    let name = op.name();
    let computes =
        name.starts_with("arith.") || name.starts_with("math.") || matches!(&*name, "tensor.dim" | "tensor.extract");
    computes && op.regions().is_empty() && op.results().iter().all(|r| !r.ty().is_tensor())
}

/// Whether a scalar follows from what a dispatch computes, and is read for it.
pub(super) fn waits(value: Value) -> bool {
    let mut seen = HashSet::new();
    let mut stack = vec![value];
    while let Some(value) = stack.pop() {
        let Some(op) = value.def() else { continue };
        if op.is("tensor.extract") && is_computed(op.operand(0)) {
            return true;
        }
        if is_scalar_work(op) && !op.is("tensor.dim") && seen.insert(op) {
            stack.extend(op.operands());
        }
    }
    false
}

/// Whether reading a tensor on the host means to wait for a device: all but arguments of functions and constants.
fn is_computed(tensor: Value) -> bool {
    match tensor.def() {
        Some(op) => match &*op.name() {
            "tensor.cast"
            | "tensor.collapse_shape"
            | "tensor.expand_shape"
            | "tensor.reshape"
            | "tensor.extract_slice" => is_computed(op.operand(0)),
            "arith.constant" | "tensor.from_elements" | "ml_program.global_load_const" => false,
            _ => true,
        },
        None => !tensor.argument_block().and_then(|b| b.parent()).is_some_and(|op| op.is("func.func")),
    }
}
