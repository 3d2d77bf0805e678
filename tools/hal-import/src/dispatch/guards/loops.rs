//! Loops over elements: what is found wrong is carried along, a number for each hazard, as later steps may depend on earlier
//! ones. What would be written outside of a tensor is not written.
use super::{
    hazards::{Danger, Hazard},
    reduce::measure,
    safe::{compare, make_safe, size_value},
    size::Size,
    slice::Copier,
};
use halyard_ir::{Attr, Block, Builder, Op, Region, Type, Value};
use std::collections::{HashMap, HashSet};

/// Puts a loop in the place of another one that carries `found` along, with a number for each hazard. Gives the loop. `None`
/// where a hazard is in something that cannot carry it.
pub(super) fn carry(op: Op, found: Value, hazards: &[Hazard]) -> Option<Op> {
    let holders: HashSet<Op> = hazards
        .iter()
        .flat_map(|h| std::iter::successors(h.op.parent(), |p| p.parent()).take_while(|p| *p != op))
        .collect();
    let can_carry = holders.iter().all(|p| p.is("scf.for") || p.is("scf.if"));
    // Sizes are asked for from outside.
    let sizes = hazards.iter().all(|h| match h.danger {
        Danger::Index { size: Size::Dim(value, _) | Size::Value(value), .. } => !is_made_inside(value, op),
        _ => true,
    });
    (can_carry && sizes).then(|| Carrier { hazards, holders }.repeat(op, found, None))
}

fn is_made_inside(value: Value, op: Op) -> bool {
    let maker = value.def().or_else(|| value.argument_block().and_then(|b| b.parent()));
    maker.is_some_and(|maker| maker.is_inside(op))
}

struct Carrier<'a> {
    hazards: &'a [Hazard],
    /// The operations inside that have hazards inside.
    holders: HashSet<Op>,
}

impl Carrier<'_> {
    /// A `scf.for` that carries one more value.
    fn repeat(&self, op: Op, found: Value, root: Option<Op>) -> Op {
        let at = Builder::before(op);
        let old = op.body().expect("a loop has a body");
        let types: Vec<Type> = old.args().iter().map(|a| a.ty()).chain([found.ty()]).collect();
        let block = Block::create(&types, at.loc);
        let region = Region::create();
        region.append(block);
        let attrs = op.attrs();
        let attrs: Vec<(&str, Attr)> = attrs.iter().map(|(n, a)| (&**n, *a)).collect();
        let operands: Vec<Value> = op.operands().into_iter().chain([found]).collect();
        let results: Vec<Type> = operands[3..].iter().map(|v| v.ty()).collect();
        let new = at.op_with_regions("scf.for", &operands, &results, &attrs, vec![region]);
        self.take_over(old, block, at, root.unwrap_or(new), *block.args().last().expect("a value is carried"));
        replace(op, new);
        new
    }

    /// A `scf.if` that gives one more value.
    fn choose(&self, op: Op, found: Value, root: Op) -> Op {
        let at = Builder::before(op);
        let mut regions = Vec::new();
        for old in op.regions() {
            let (region, block) = (Region::create(), Block::create(&[], at.loc));
            region.append(block);
            if old.first_block().is_none() {
                Builder::at_end(block, at.loc).op("scf.yield", &[], &[], &[]);
            }
            regions.push((old.first_block(), region, block));
        }
        let results: Vec<Type> = op.results().iter().map(|r| r.ty()).chain([found.ty()]).collect();
        let new = at.op_with_regions("scf.if", &op.operands(), &results, &[], regions.iter().map(|r| r.1).collect());
        for (old, _, block) in regions {
            match old {
                Some(old) => self.take_over(old, block, at, root, found),
                None => finish(block, found),
            }
        }
        replace(op, new);
        new
    }

    /// Moves the operations of a block into its successor.
    fn take_over(&self, old: Block, block: Block, at: Builder, root: Op, found: Value) {
        for (from, to) in old.args().into_iter().zip(block.args()) {
            from.replace_all_uses(to);
        }
        let mark = Builder::at_end(block, at.loc).op("scf.yield", &[], &[], &[]);
        old.ops().into_iter().for_each(|inner| inner.move_before(mark));
        mark.erase();
        let mut found = found;
        for inner in block.ops() {
            found = self.visit(inner, found, root);
        }
        finish(block, found);
    }

    fn visit(&self, op: Op, found: Value, root: Op) -> Value {
        if !op.regions().is_empty() {
            if !self.holders.contains(&op) {
                return found;
            }
            let new = if op.is("scf.for") { self.repeat(op, found, Some(root)) } else { self.choose(op, found, root) };
            return *new.results().last().expect("it carries a value");
        }
        let own: Vec<(usize, Hazard)> =
            self.hazards.iter().enumerate().filter(|(_, h)| h.op == op).map(|(slot, h)| (slot, refreshed(h))).collect();
        if own.is_empty() {
            return found;
        }
        let at = Builder::before(op);
        let i64 = Type::integer(at.context(), 64);
        let mut found = found;
        for (slot, hazard) in &own {
            let mut copier = Copier { root, beside: true, at, map: HashMap::new(), loops: Vec::new() };
            let number = measure(&mut copier, hazard);
            let slot = at.index(*slot as i64);
            let before = at.value("tensor.extract", &[found, slot], i64, &[]);
            let most = at.value("arith.maxui", &[before, number], i64, &[]);
            found = at.value("tensor.insert", &[most, found, slot], found.ty(), &[]);
        }
        let writes = op.is("tensor.insert") || op.is("tensor.insert_slice");
        let inside = writes.then(|| own.iter().fold(None, |all, (_, h)| and(&at, all, is_inside(&at, h)))).flatten();
        own.iter().for_each(|(_, hazard)| make_safe(hazard, None));
        match inside {
            Some(inside) if op.is("tensor.insert") => keep_element(op, inside),
            Some(inside) => keep_slice(op, inside),
            None if op.is("cf.assert") => op.erase(),
            None => {}
        }
        found
    }
}

/// Lets a block give one more value.
fn finish(block: Block, found: Value) {
    let end = block.terminator().expect("blocks are terminated");
    let operands: Vec<Value> = end.operands().into_iter().chain([found]).collect();
    Builder::before(end).op("scf.yield", &operands, &[], &[]);
    end.erase();
}

/// A hazard as it is seen from its own place, after arguments of blocks were replaced.
fn refreshed(hazard: &Hazard) -> Hazard {
    Hazard { value: hazard.op.operand(hazard.operand), path: Vec::new(), ..hazard.clone() }
}

fn replace(op: Op, new: Op) {
    for (old, result) in op.results().into_iter().zip(new.results()) {
        old.replace_all_uses(result);
    }
    op.erase();
}

fn is_inside(at: &Builder, hazard: &Hazard) -> Option<Value> {
    let Danger::Index { size, length, .. } = hazard.danger else { return None };
    let index = Type::index(at.context());
    let mut end = size_value(at, size);
    if length > 1 {
        end = at.value("arith.subi", &[end, at.index(length - 1)], index, &[]);
        end = at.value("arith.maxsi", &[end, at.index(0)], index, &[]);
    }
    Some(compare(at, 6, hazard.value, end))
}

fn and(at: &Builder, all: Option<Value>, one: Option<Value>) -> Option<Value> {
    let flag = Type::integer(at.context(), 1);
    match (all, one) {
        (Some(a), Some(b)) => Some(at.value("arith.andi", &[a, b], flag, &[])),
        (all, one) => all.or(one),
    }
}

/// Writes what is there already, unless `inside` holds.
fn keep_element(op: Op, inside: Value) {
    let at = Builder::before(op);
    let (new, ty) = (op.operand(0), op.operand(0).ty());
    let old = at.value("tensor.extract", &op.operands()[1..], ty, &[]);
    op.set_operand(0, at.value("arith.select", &[inside, new, old], ty, &[]));
}

/// Writes nothing, unless `inside` holds.
fn keep_slice(op: Op, inside: Value) {
    let at = Builder::before(op);
    let ty = op.result(0).ty();
    let branch = || {
        let (region, block) = (Region::create(), Block::create(&[], at.loc));
        region.append(block);
        (region, Builder::at_end(block, at.loc))
    };
    let ((yes, write), (no, leave)) = (branch(), branch());
    leave.op("scf.yield", &[op.operand(1)], &[], &[]);
    let choice = at.op_with_regions("scf.if", &[inside], &[ty], &[], vec![yes, no]);
    op.result(0).replace_all_uses(choice.result(0));
    let end = write.op("scf.yield", &[op.result(0)], &[], &[]);
    op.move_before(end);
}
