//! Argmin and argmax along a row: the best element and where it is (argmax and the like), whose body takes either the element
//! or what was chosen before.
//!
//! Each lane chooses from a stretch of the row; then neighbours choose between what they have, the left one before
//! the right one, by the same body ([`crate::analysis::argminmax_law`] says when that is right). So equal elements and those that are
//! not a number come out as they do one by one.
use super::rows::Lane;
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Point};
use crate::emit::ir_builder::{Coder, Supported};
use crate::graph::Graph;
use halyard_ir::{Attr, EXTREMES, Value};

/// Operations that leave a choice a choice.
const BODY: &[&str] = &[
    "arith.andi",
    "arith.cmpf",
    "arith.cmpi",
    "arith.constant",
    "arith.index_cast",
    "arith.ori",
    "arith.select",
    "arith.xori",
    "linalg.index",
    "linalg.yield",
];

impl Graph {
    /// The loop along which a node chooses, if that is what it does.
    pub(super) fn choice_of(&self, node: usize) -> Option<usize> {
        let n = &self.nodes[node];
        let along: Vec<usize> = n.reductions().into_iter().filter(|&d| n.dims[d].known() != Some(1)).collect();
        let (&[along], &[x, value, place]) = (along.as_slice(), n.body.args().as_slice()) else { return None };
        if n.results.len() != 2 || n.out_map(0) != n.out_map(1) || place.ty().is_float() {
            return None;
        }
        let known = |name: &str| BODY.contains(&name) || EXTREMES.contains(&name);
        let index = |v: Value| v.def().is_some_and(|d| d.is("linalg.index"));
        let here = |d: halyard_ir::Op| d.attr("dim").and_then(Attr::as_int) == Some(along as i64);
        for op in n.body.ops() {
            if !known(&op.name()) || (op.is("linalg.index") && !here(op)) {
                return None;
            }
        }
        let yields = n.body.terminator()?.operands();
        let either = |op: halyard_ir::Op, from: usize, a: Value| {
            let operands = op.operands();
            operands[from..].contains(&a).then(|| operands[from..].iter().copied().find(|&v| v != a)).flatten()
        };
        let first = yields[0].def()?;
        let from = usize::from(first.is("arith.select"));
        (from == 1 || EXTREMES.contains(&first.name().as_str())).then_some(())?;
        (either(first, from, value)? == x).then_some(())?;
        let second = yields[1].def().filter(|d| d.is("arith.select"))?;
        let mut at = either(second, 1, place)?;
        while let Some(cast) = at.def().filter(|d| d.is("arith.index_cast")) {
            at = cast.operand(0);
        }
        (index(at) && self.chooses_in_parts(node, along, x, 0)).then_some(along)
    }
}

impl Emitter<'_> {
    /// Chooses by the lanes of a row; all of them have the results then.
    pub(super) fn choose_row(
        &mut self,
        node: usize,
        along: usize,
        domain: &Point,
        lane: Lane,
    ) -> Supported<Vec<Value>> {
        let length = self.nodes[node].dims[along];
        let initial = self.initial(node, std::slice::from_ref(domain))?;
        let stretch = self.code.divide("arith.divui", length.plus(lane.lanes - 1), Index::constant(lane.lanes));
        let from = self.code.mul(lane.lane, stretch);
        let to = self.code.add(from, stretch);
        let to = self.code.min(to, length);
        let chosen = self.for_loop((from, to, Index::constant(1)), &initial, |this, at, carried| {
            let mut domain = domain.clone();
            domain.idx[along] = LaneIndex::uniform(at);
            this.step(node, &[domain], carried.to_vec())
        })?;
        if lane.lanes == 1 {
            return Ok(chosen);
        }
        let types: Vec<_> = chosen.iter().map(|v| v.ty()).collect();
        let mut places = Vec::new();
        for &ty in &types {
            let word = self.word_of(ty);
            places.push((self.shared(word, lane.threads), word));
        }
        self.share(&places, lane.thread, &chosen);
        let mut apart = 1;
        while apart < lane.lanes {
            self.barrier();
            // Every second of those that are left looks to its right, if there is anything.
            let odd = self.code.divide("arith.remui", lane.lane, Index::constant(2 * apart));
            let (odd, zero) = (self.code.ix(odd), self.code.index_constant(0));
            let left = self.code.compare(0, odd, zero);
            let start = self.code.mul(lane.lane.plus(apart), stretch);
            let (start, end) = (self.code.ix(start), self.code.ix(length));
            let there = self.code.compare(2, start, end);
            let busy = self.code.and(Some(left), Some(there)).expect("there are conditions");
            self.when(busy, |this| {
                let own = this.look(&places, &types, lane.thread);
                let other = this.look(&places, &types, lane.thread.plus(apart * lane.step));
                let mut domain = domain.clone();
                domain.idx[along] = this.code.idx_of(other[1]);
                let block = this.nodes[node].body;
                let args = [Some(other[0]), Some(own[0]), Some(own[1])];
                // Who still has the position to start with has chosen nothing.
                let chosen = this.code.compare(1, other[1], initial[1]);
                this.when(chosen, |this| {
                    let both = this.body(block, &args, &domain.idx.clone(), &domain)?;
                    this.share(&places, lane.thread, &both);
                    Ok(())
                })
            })?;
            apart *= 2;
        }
        self.barrier();
        let skipped = self.code.mul(lane.lane, Index::constant(lane.step));
        let first = self.code.sub(lane.thread, skipped);
        Ok(self.look(&places, &types, first))
    }

    fn share(&mut self, places: &[(Value, halyard_ir::Type)], at: Index, values: &[Value]) {
        for (&(place, _), &value) in places.iter().zip(values) {
            let word = self.to_word(value);
            self.code.write(place, at, word);
        }
    }

    fn look(&mut self, places: &[(Value, halyard_ir::Type)], types: &[halyard_ir::Type], at: Index) -> Vec<Value> {
        let words = places.iter().zip(types);
        words
            .map(|(&(place, word), &ty)| {
                let value = self.code.read(place, at, word);
                self.from_word(value, ty)
            })
            .collect()
    }
}
