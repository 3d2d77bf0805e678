//! Updates in place: an export that makes the new value of a state, or of what a loop carries, from the old one, element by element or
//! by writing a part of it, shares the buffer of the old one (`hal.tied`), so that a cache is not copied for a token, nor all that a
//! recurrent layer has made for its next step.
//!
//! That is right wherever it is done: who still needs an argument that a result is tied to keeps a copy. So a tie is made only
//! where no call of the export would need one.
use halyard_ir::{
    Affine, Attr, Block, Op, Structured, Type, Value,
    form::{ExportDeclaration, Program},
    names,
};
use std::collections::{BTreeMap, HashMap};

/// Ties results of exports to arguments that are states or carried by loops, in a program whose executables are formed.
pub(super) fn tie_updates(program: Program, functions: &[Op]) {
    let entries: HashMap<String, ExportDeclaration> = program.entries().into_iter().map(|e| (e.name(), e)).collect();
    let mut calls: BTreeMap<String, Vec<Op>> = BTreeMap::new();
    for function in functions {
        function.walk(&mut |op| {
            if op.is("func.call") {
                calls.entry(op.callee().unwrap_or_default()).or_default().push(op);
            }
        });
    }
    let executables = program.executables_by_name();
    let mut search = Search::default();
    for (name, calls) in calls {
        let Some(entry) = entries.get(&name) else { continue };
        let mut tie_of = |call: Op| search.updated(call);
        let Some(tie) = tie_of(calls[0]).filter(|tie| calls[1..].iter().all(|c| tie_of(*c).as_ref() == Some(tie)))
        else {
            continue;
        };
        let Ok((executable, export)) = entry.target() else { continue };
        let exports = executables.get(&executable).map(|e| e.exports()).unwrap_or_default();
        let Some(export) = exports.into_iter().find(|e| e.name() == export) else { continue };
        if works_in_place(export.op, tie) {
            set_tied(export.op, tie);
            set_tied(entry.op, tie);
        }
    }
}

/// The calls that may write one after the other for each of them to do so in the same memory.
const MOST_CALLS: usize = 8;

/// An argument and a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Tie {
    argument: usize,
    result: usize,
}

fn symbol(op: Op, attr: &str) -> String {
    op.attr(attr).and_then(Attr::leaf_symbol).unwrap_or_default()
}

/// What is updated, from one run to the next or from one iteration to the next.
#[derive(Clone, PartialEq, Eq)]
enum Updated {
    /// A state, by its name.
    State(String),
    /// What a loop carries, by its number.
    Carried(Op, usize),
}

/// A value in a block, and the calls that may still be looked through.
type Question = (Value, usize, usize);

/// What is known of values by now: calls have many results and arguments, whose answers are asked for again and again.
#[derive(Default)]
struct Search {
    becomes: HashMap<Question, Option<Updated>>,
    comes_from: HashMap<Question, Option<Updated>>,
}

impl Search {
    /// The argument of a call that is the old value of what is updated, and the result that is its new one, if nothing else needs the old
    /// one after the call.
    fn updated(&mut self, call: Op) -> Option<Tie> {
        let block = call.block()?;
        for (result, new) in call.results().into_iter().enumerate() {
            let Some(updated) = self.becomes(new, block, MOST_CALLS) else { continue };
            for (argument, old) in call.operands().into_iter().enumerate() {
                let mut is_old = || self.comes_from(old, block, MOST_CALLS).is_some_and(|of| of == updated);
                if old.ty() == new.ty() && is_old() && last_used_by(made_as(old), call, argument) {
                    return Some(Tie { argument, result });
                }
            }
        }
        None
    }

    /// What a value is the new value of, perhaps after up to `calls` other calls have written more of it.
    fn becomes(&mut self, new: Value, block: Block, calls: usize) -> Option<Updated> {
        let question = (new, block.0.ptr as usize, calls);
        if let Some(known) = self.becomes.get(&question) {
            return known.clone();
        }
        let answer = self.find_new(new, block, calls);
        self.becomes.insert(question, answer.clone());
        answer
    }

    fn find_new(&mut self, new: Value, block: Block, calls: usize) -> Option<Updated> {
        let uses: Vec<(Op, usize)> = aliases(new).iter().flat_map(|v| v.uses()).collect();
        let stored = |(user, operand): &(Op, usize)| match &*user.name() {
            _ if user.block() != Some(block) => None,
            "ml_program.global_store" => Some(Updated::State(symbol(*user, "global"))),
            "scf.yield" => loop_of(block).map(|of| Updated::Carried(of, *operand)),
            _ => None,
        };
        if let Some(updated) = uses.iter().find_map(stored) {
            return Some(updated);
        }
        let [(next, _)] = uses.iter().copied().filter(|(user, _)| !is_view(*user)).collect::<Vec<_>>()[..] else {
            return None;
        };
        let next = Some(next).filter(|next| calls > 0 && next.is("func.call") && next.block() == Some(block))?;
        let mut results = next.results().into_iter().filter(|r| r.ty() == new.ty());
        results.find_map(|r| self.becomes(r, block, calls - 1))
    }

    /// What a value is the old value of, perhaps before up to `calls` other calls wrote some of it.
    fn comes_from(&mut self, old: Value, block: Block, calls: usize) -> Option<Updated> {
        let question = (old, block.0.ptr as usize, calls);
        if let Some(known) = self.comes_from.get(&question) {
            return known.clone();
        }
        let answer = self.find_old(old, block, calls);
        self.comes_from.insert(question, answer.clone());
        answer
    }

    fn find_old(&mut self, old: Value, block: Block, calls: usize) -> Option<Updated> {
        let old = made_as(old);
        let Some(from) = old.def() else { return carried(old, block) };
        let from = Some(from).filter(|d| d.block() == Some(block))?;
        if from.is("ml_program.global_load") {
            return Some(Updated::State(symbol(from, "global")));
        }
        if calls == 0 || !from.is("func.call") {
            return None;
        }
        let mut operands = from.operands().into_iter().filter(|v| v.ty() == old.ty());
        operands.find_map(|v| self.comes_from(v, block, calls - 1))
    }
}

/// The loop whose next iteration takes what a block yields.
fn loop_of(block: Block) -> Option<Op> {
    let op = block.parent()?;
    let last = op.regions().into_iter().next_back()?.first_block();
    ((op.is("scf.for") || op.is("scf.while")) && last == Some(block)).then_some(op)
}

/// What an argument of the body of a loop is of what the loop carries.
fn carried(argument: Value, block: Block) -> Option<Updated> {
    let of = loop_of(block).filter(|_| argument.argument_block() == Some(block))?;
    if of.is("scf.for") {
        return argument.index().checked_sub(1).map(|number| Updated::Carried(of, number));
    }
    // The condition passes on what it got, unchanged.
    let before = of.region(0).first_block()?;
    let passed = before.terminator()?.operand(1 + argument.index());
    (passed.argument_block() == Some(before)).then(|| Updated::Carried(of, passed.index()))
}

/// Whether nothing reads a value but what comes before a call, and the call through one argument.
fn last_used_by(old: Value, call: Op, argument: usize) -> bool {
    let block = call.block();
    aliases(old).into_iter().flat_map(|v| v.uses()).all(|(user, index)| {
        let in_block = std::iter::successors(Some(user), |op| op.parent()).find(|op| op.block() == block);
        match in_block {
            Some(op) if op == call => index == argument,
            Some(op) => op.is_before(call) || is_view(op) || op.is("tensor.dim"),
            None => false,
        }
    })
}

/// A value and the views of it.
fn aliases(value: Value) -> Vec<Value> {
    let mut found = vec![value];
    let mut next = 0;
    while let Some(value) = found.get(next) {
        found.extend(
            value
                .uses()
                .into_iter()
                .filter(|(user, index)| *index == 0 && is_view(*user))
                .map(|(user, _)| user.result(0)),
        );
        next += 1;
    }
    found
}

fn is_view(op: Op) -> bool {
    matches!(&*op.name(), "tensor.collapse_shape" | "tensor.expand_shape" | "tensor.cast")
}

/// What a value is a view of.
fn made_as(value: Value) -> Value {
    match value.def() {
        Some(d) if is_view(d) => made_as(d.operand(0)),
        _ => value,
    }
}

/// Whether an export may write a result where an argument is: it reads each element of the argument where and when it
/// writes it, or not at all.
fn works_in_place(export: Op, tie: Tie) -> bool {
    let Some(body) = export.body() else { return false };
    let Some(end) = body.terminator() else { return false };
    let (old, new) = (body.args()[tie.argument], end.operand(tie.result));
    let Some(last) = new.def() else { return false };
    let only_returned = new.uses().len() == 1;
    if last.is("tensor.insert_slice") {
        return last.operand(1) == old && old.uses().len() == 1 && only_returned;
    }
    if let Some(structure) = Structured::of(last).filter(|s| last.operands()[s.inputs..].contains(&old)) {
        // What a reduction starts from: each element is read by who writes it.
        let identity = |map: &Affine| map.projected_permutation() == Some((0..old.ty().rank()).collect());
        let init = structure.inputs + last.results().iter().position(|r| *r == new).unwrap_or_default();
        return last.operand(init) == old && identity(&structure.maps[init]) && old.uses().len() == 1 && only_returned;
    }
    let inner = body.ops().into_iter().filter(|op| *op != end);
    only_returned && end.operand_count() == 1 && inner.into_iter().all(|op| is_elementwise(op, old))
}

/// Whether an operation reads `old`, and everything that is as large, element by element.
fn is_elementwise(op: Op, old: Value) -> bool {
    if op.is("tensor.empty") || op.is("tensor.dim") || op.results().iter().all(|r| !r.ty().is_tensor()) {
        return !op.operands().contains(&old) || op.is("tensor.dim");
    }
    let Some(structure) = Structured::of(op) else { return false };
    let mut reads_inside = false;
    op.walk(&mut |inner| reads_inside |= inner != op && inner.operands().contains(&old));
    let rank = old.ty().rank();
    let is_identity = |map: &Affine| map.projected_permutation() == Some((0..rank).collect());
    let like_old = |value: &Value| value.ty().is_tensor() && value.ty().rank() == rank;
    let element_by_element = |(value, map): (&Value, &Affine)| {
        // Other arguments may be read anywhere: nobody writes them.
        let of_old = *value == old || value.def().is_some() && like_old(value);
        !of_old || is_identity(map)
    };
    !reads_inside
        && structure.loops() == rank
        && structure.parallel().iter().all(|p| *p)
        && op.results().iter().all(like_old)
        && op.operands().iter().zip(&structure.maps).all(element_by_element)
}

fn set_tied(function: Op, tie: Tie) {
    let context = function.context();
    let count = function.attr("function_type").and_then(Attr::as_type).map_or(0, |ty| ty.results().len());
    let mut attrs = function.attr("res_attrs").and_then(Attr::as_array).unwrap_or_default();
    attrs.resize(count, Attr::dict(context, &[]));
    let mut list = attrs[tie.result].as_dict().unwrap_or_default();
    list.push((names::TIED.to_owned(), Attr::integer(Type::integer(context, 32), tie.argument as i64)));
    let list: Vec<(&str, Attr)> = list.iter().map(|(name, attr)| (name.as_str(), *attr)).collect();
    attrs[tie.result] = Attr::dict(context, &list);
    function.set_attr("res_attrs", Attr::array(context, &attrs));
}
