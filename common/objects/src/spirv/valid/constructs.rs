//! Checks constructs of structured control flow: selections and loops are entered at their header and left through
//! their declared merges ("Structured Control Flow" of SPIR-V), as drivers expect.
use super::{
    Checked,
    flow::{Graph, dominators},
};
use rspirv::spirv::Op;
use std::collections::HashSet;

/// A selection or a loop.
struct Construct {
    header: usize,
    merge: usize,
    /// The continue target of a loop.
    again: Option<usize>,
    is_switch: bool,
    blocks: HashSet<usize>,
}

/// Checks the constructs of a function. Errors: one is entered or left elsewhere than it says.
pub(super) fn check(graph: &Graph<'_>) -> Checked {
    let count = graph.blocks.len();
    // Merges and the places where loops go on count as reached from their headers.
    let mut successors = graph.successors.clone();
    for (block, next) in successors.iter_mut().enumerate() {
        if let Some((merge, again)) = graph.merge_of(block)? {
            next.extend(again.into_iter().chain([merge]));
        }
    }
    let dominator = dominators(&successors);
    let dominates = |a: usize, mut b: usize| {
        while a != b && b != 0 {
            b = dominator[b].unwrap_or(0);
        }
        a == b
    };
    let mut constructs = Vec::new();
    for header in (0..count).filter(|&b| dominator[b].is_some()) {
        let Some((merge, again)) = graph.merge_of(header)? else { continue };
        let outside = |b: usize| dominates(merge, b) || again.is_some_and(|a| a != header && dominates(a, b));
        let blocks = (0..count).filter(|&b| dominator[b].is_some() && dominates(header, b) && !outside(b)).collect();
        let is_switch = graph.blocks[header].instructions.last().is_some_and(|i| i.class.opcode == Op::Switch);
        constructs.push(Construct { header, merge, again, is_switch, blocks });
    }
    for construct in &constructs {
        for (from, next) in successors.iter().enumerate().filter(|(b, _)| dominator[*b].is_some()) {
            for &to in next {
                match (construct.blocks.contains(&from), construct.blocks.contains(&to)) {
                    (false, true) if to != construct.header => {
                        return Err("a construct is entered beside its beginning".into());
                    }
                    (true, false) if !may_leave(construct, to, &constructs) => {
                        return Err("a construct is left beside its end".into());
                    }
                    _ => {}
                }
            }
        }
    }
    Ok(())
}

/// Whether a construct may be left to a block: where its ways meet, where its own loop goes on, and from a selection where the
/// closest loop or `switch` around it ends or goes on.
fn may_leave(construct: &Construct, to: usize, all: &[Construct]) -> bool {
    if to == construct.merge || Some(to) == construct.again {
        return true;
    }
    if construct.again.is_some() {
        return false;
    }
    let around = |outer: &&Construct| outer.header != construct.header && outer.blocks.contains(&construct.header);
    // The closest has the fewest blocks.
    let closest = |kind: fn(&Construct) -> bool| {
        all.iter().filter(around).filter(|c| kind(c)).min_by_key(|outer| outer.blocks.len())
    };
    let a_loop = closest(|c| c.again.is_some());
    let switch = closest(|c| c.is_switch).filter(|s| a_loop.is_none_or(|l| l.blocks.contains(&s.header)));
    a_loop.is_some_and(|l| to == l.merge || Some(to) == l.again) || switch.is_some_and(|s| to == s.merge)
}
