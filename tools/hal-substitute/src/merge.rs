//! Replaces one function, together with the functions that it calls.
use halyard_ir::{Attr, Block, Op};
use std::collections::{BTreeMap, BTreeSet};

/// Moves function `export` of one module into another one that has it, with all functions that it needs. Functions
/// whose names belong to other functions in that module are renamed; equal ones are shared. Functions that become
/// unused stay, since code generation drops them. `from` is consumed.
pub(crate) fn merge(into: Op, export: &str, from: Op) {
    let (Some(body), Some(source)) = (into.body(), from.body()) else { return };
    let count = format!("{export}_workgroups");
    let counts = |op: &Op| op.symbol().is_some_and(|s| s == count);
    let Some(old) = find(body, export) else { return };
    let place = old.next();
    // A count that was made for the old body says nothing about the new one.
    body.ops().into_iter().filter(counts).for_each(|op| op.erase());
    let place = place.filter(|op| body.ops().contains(op));
    old.erase();
    let needed = needed(source, &[export, &count]);
    let wanted: Vec<Op> =
        source.ops().into_iter().filter(|op| op.symbol().is_some_and(|s| needed.contains(&s))).collect();
    let differing = differing(body, &wanted);
    let mut taken: BTreeSet<String> = body.ops().into_iter().chain(source.ops()).filter_map(|op| op.symbol()).collect();
    let mut kept = Vec::new();
    for op in wanted {
        let name = op.symbol().unwrap_or_default();
        if differing.contains(&name) {
            let free = (2..).map(|i| format!("{name}_{i}")).find(|n| !taken.contains(n)).expect("numbers do not end");
            op.rename_symbol(&free, from);
            taken.insert(free);
        } else if find(body, &name).is_some() {
            continue;
        }
        kept.push(op);
    }
    for op in kept {
        let copy = op.duplicate();
        match place {
            Some(place) => body.insert_before(place, copy),
            None => body.append(copy),
        };
    }
}

fn find(block: Block, name: &str) -> Option<Op> {
    block.ops().into_iter().find(|op| op.symbol().as_deref() == Some(name))
}

/// The names that mean something else in a block: another operation, or one that leads to another one.
fn differing(body: Block, wanted: &[Op]) -> BTreeSet<String> {
    let name = |op: &Op| op.symbol().unwrap_or_default();
    let there = |op: &&Op| find(body, &name(op));
    let mut found: BTreeSet<String> =
        wanted.iter().filter(|op| there(op).is_some_and(|same| text(same) != text(**op))).map(name).collect();
    loop {
        let leads = |op: &&Op| references(**op).iter().any(|r| found.contains(r));
        let more: Vec<String> = wanted
            .iter()
            .filter(|op| there(op).is_some() && leads(op))
            .map(name)
            .filter(|n| !found.contains(n))
            .collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
}

fn text(op: Op) -> String {
    halyard_ir::form::print(op)
}

/// The symbols of a block that these ones lead to, themselves among them.
fn needed(block: Block, roots: &[&str]) -> BTreeSet<String> {
    let all: BTreeMap<String, Op> = block.ops().into_iter().filter_map(|op| Some((op.symbol()?, op))).collect();
    let mut found = BTreeSet::new();
    let mut open: Vec<String> = roots.iter().map(|r| (*r).to_owned()).collect();
    while let Some(name) = open.pop() {
        let Some(op) = all.get(&name) else { continue };
        if found.insert(name) {
            open.extend(references(*op));
        }
    }
    found
}

/// The symbols that an operation and what is in it refer to.
fn references(op: Op) -> Vec<String> {
    let mut found = Vec::new();
    op.walk(&mut |op| op.attrs().into_iter().for_each(|(_, attr)| symbols(attr, &mut found)));
    found
}

/// The symbols that an attribute refers to, by their outermost name.
fn symbols(attr: Attr, into: &mut Vec<String>) {
    if let Some(path) = attr.as_symbol() {
        into.extend(path.into_iter().next());
    }
    attr.as_array().into_iter().flatten().for_each(|a| symbols(a, into));
    attr.as_dict().into_iter().flatten().for_each(|(_, a)| symbols(a, into));
}
