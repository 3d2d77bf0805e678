//! What became of a nest, in a sentence: its family, the parameters and why they are what they are.
use crate::analysis::access::{NEST, Sym};
use crate::graph::{Kind, Size};
use crate::schedule::planned::{Plan, Wide};
use crate::schedule::planner::{NestRequest, Planner};
use std::collections::BTreeSet;

impl Planner<'_> {
    /// Notes what the outermost nests do; those that only fill memory for others are left out.
    pub(crate) fn explain(&mut self, nest: &NestRequest, plan: &Plan, dims: &[Size], workgroups: Option<i64>) {
        if !nest.outermost {
            return;
        }
        let mut text = self.family_of(&nest.roots, plan).to_owned();
        let size = |d: usize| dims[d].known().map_or("?".to_owned(), |n| n.to_string());
        let width = |d: usize| plan.unroll_jam[d] * if plan.vector == Some(d) { plan.lanes } else { 1 };
        let loops: Vec<usize> = plan.order.clone();
        if let Some(block) = plan.block {
            text += &format!(", blocks of {0} x {0} transposed in registers", plan.lanes);
            let blocks = plan.unroll_jam[block] / plan.lanes;
            if blocks > 1 {
                text += &format!(", {blocks} side by side");
            }
            if let Some(Wide::StreamingTranspose(streaming)) = plan.wide {
                text += &format!(
                    ", along {} rows of the operand at a time (streaming transpose) because it exceeds the cache",
                    streaming.width
                );
            }
        } else if let Some(Wide::CacheBlockedReduction(blocked)) = plan.wide {
            let width = blocked.width;
            text += &format!(
                ", bands of {width} sums in the cache, to which rows are added (cache-blocked reduction) because they are far apart in memory"
            );
        } else if let Some(v) = plan.vector {
            let tile: Vec<String> = loops.iter().filter(|&&d| width(d) > 1).map(|&d| width(d).to_string()).collect();
            text += &format!(", tiles of {} in registers with {} lanes", tile.join(" x "), plan.lanes);
            text += &format!(" along loop {v} ({} steps)", size(v));
            if plan.items.iter().any(|i| i.depth > 0 && i.follows.contains(&Some(v))) {
                text += ", all rows of a column in order";
            }
        } else if loops.iter().any(|&d| plan.unroll_jam[d] > 1) {
            let tile: Vec<String> =
                loops.iter().filter(|&&d| plan.unroll_jam[d] > 1).map(|&d| plan.unroll_jam[d].to_string()).collect();
            text += &format!(", {} results in registers with lanes along the reduction", tile.join(" x "));
        } else {
            text += ", lanes along the reduction or none";
        }
        if let Some(pack) = &plan.pack {
            let why = if pack.transposed {
                "its rows run along the reduction"
            } else {
                "its rows are far apart in memory and it exceeds the cache"
            };
            let how = if pack.transposed { "transposed" } else { "packed" };
            text += &format!(", operand {how} into panels because {why}");
        }
        if plan.stretches.is_some() {
            text += ", in stretches of columns that stay in the first-level cache";
        }
        let kept = plan.items.iter().filter(|i| i.scratch).count();
        if kept > 0 {
            text += &format!(", {kept} intermediate{} in scratch memory", if kept == 1 { "" } else { "s" });
        }
        if plan.nontemporal {
            text += ", non-temporal stores because the result exceeds the caches";
        }
        text += &match workgroups {
            Some(1) => ", one workgroup".to_owned(),
            Some(n) => format!(", {n} workgroups"),
            None => ", workgroups by size".to_owned(),
        };
        self.remarks.push(text);
    }

    fn family_of(&self, roots: &[usize], plan: &Plan) -> &'static str {
        let mut products = BTreeSet::new();
        let (mut sums, mut windows) = (false, false);
        for &root in roots {
            let idx: Vec<Sym> = (0..self.graph.tensors[root].dims.len()).map(|d| Sym::var((NEST, d))).collect();
            for u in self.graph.uses(root, idx, &BTreeSet::new()) {
                windows |= !u.inside.is_empty() && u.idx.iter().any(|s| s.terms.len() > 1);
                let Kind::Result { node, .. } = self.graph.tensors[u.id].kind else { continue };
                if self.graph.nodes[node].reduction.contains(&true) {
                    let body = self.graph.nodes[node].body.ops();
                    let multiplies = body
                        .iter()
                        .any(|o| matches!(&*o.name(), "arith.mulf" | "arith.muli") && o.operand(0) != o.operand(1));
                    if multiplies && self.graph.nodes[node].inputs.len() > 1 && self.graph.combiners(node).is_some() {
                        products.insert(node);
                    }
                    sums = true;
                }
            }
        }
        let rows = plan.items.iter().any(|i| i.follows.iter().any(Option::is_some));
        match (products.len(), sums) {
            (2.., _) if rows => "attention (rows go from one product to the next)",
            (1.., _) if windows => "windowed product",
            (1.., _) => "product",
            (_, true) if rows => "row kernel",
            (_, true) => "reduction",
            _ if plan.block.is_some() => "transposition",
            _ => "elementwise",
        }
    }
}
