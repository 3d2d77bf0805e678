//! The plan of a nest as a schedule has it: what is asked for, where it is legal, and what came of it with the alternatives.
use crate::graph::Size;
use crate::machine::loops::MOST_VECTORS_BY_SCHEDULE;
use crate::schedule::Legal;
use crate::schedule::planned::{Follow, Item, Pack, Plan, Wide};
use crate::schedule::planner::{NestRequest, Planner};
use halyard_ir::form::ScheduleSetting;
use std::collections::HashMap;

/// Loops whose orders are listed.
const ORDERED: usize = 5;

impl Planner<'_> {
    /// The plan of a nest and the sizes of its loops, after neighbours were merged if that pays.
    pub(crate) fn plan_nest(&mut self, nest: &NestRequest) -> (Plan, Vec<Size>) {
        let own = self.graph.tensors[nest.roots[0]].dims.clone();
        let merged = self.graph.view().merged(&nest.roots, &nest.outputs, &nest.free());
        let given = self.choices.is_given();
        // Whether loops are merged is up to us, unless the schedule says it.
        self.choices.ignore(given);
        let mut made = self.plan(nest, &merged);
        let mut dims = if made.cut { own.clone() } else { merged.clone() };
        self.choices.ignore(false);
        if given {
            let wanted = self.choices.flag("merge", dims == merged);
            dims = if wanted { merged.clone() } else { own.clone() };
            made = self.plan(nest, &dims);
            if wanted && made.cut {
                dims = own.clone();
                made = self.plan(nest, &dims);
            }
        } else if made.cut {
            made = self.plan(nest, &dims);
        }
        if merged != own {
            self.choices.record("merge", ScheduleSetting::Flag(dims == merged), Legal::flags());
        }
        (made, dims)
    }

    /// The depth that the schedule asks for, for each tensor that may be kept; -1 is nowhere.
    pub(crate) fn requested_depths(&self, candidates: &[usize], loops: usize) -> HashMap<usize, i64> {
        let fits = |list: &[i64]| list.len() == candidates.len() && list.iter().all(|d| *d <= loops as i64);
        let depths = self.choices.numbers("compute_at", Vec::new(), fits);
        candidates.iter().copied().zip(depths).collect()
    }

    /// The loop with the lanes.
    pub(crate) fn requested_vector(&self, ours: Option<usize>, loops: &[usize]) -> Option<usize> {
        let legal = |v: i64| v == -1 || loops.contains(&(v as usize));
        usize::try_from(self.choices.number("vector_loop", ours.map_or(-1, |v| v as i64), legal)).ok()
    }

    /// The loop along which blocks are transposed in registers.
    pub(crate) fn requested_block(&self, blocks: &[usize]) -> Option<usize> {
        let legal = |d: i64| d == -1 || blocks.contains(&(d as usize));
        let ours = blocks.first().map_or(-1, |&d| d as i64);
        usize::try_from(self.choices.number("transpose_loop", ours, legal)).ok()
    }

    /// Orders the loops as asked for. The panel is copied as soon as all that it follows is open.
    pub(crate) fn requested_order(&self, order: &mut Vec<usize>, items: &[Item], pack: &mut Option<Pack>) {
        if self.choices.requested("loop_order").is_none() {
            return;
        }
        let ours: Vec<i64> = order.iter().map(|&d| d as i64).collect();
        let wanted = self.choices.numbers("loop_order", ours, |list| {
            let list: Vec<usize> = list.iter().map(|&d| d as usize).collect();
            is_order(&list, order, items)
        });
        *order = wanted.into_iter().map(|d| d as usize).collect();
        if let Some(pack) = pack {
            pack.depth = order
                .iter()
                .rposition(|d| {
                    let moves = |f: &Follow| *f == Follow::Loop(*d);
                    pack.across == *d || pack.follows.iter().any(moves)
                })
                .map_or(0, |at| at + 1);
        }
    }

    /// The elements of a tile along each loop, in the order of the loops.
    pub(crate) fn requested_tile(
        &self,
        unroll_jam: &mut [i64],
        order: &[usize],
        (vector, lanes): (Option<usize>, i64),
        block: Option<usize>,
    ) {
        let step = |d: usize| if vector == Some(d) { lanes } else { 1 };
        let ours: Vec<i64> = order.iter().map(|&d| unroll_jam[d] * step(d)).collect();
        let legal = |list: &[i64]| tile_problem(list, order, (vector, lanes), block).is_none();
        for (&d, n) in order.iter().zip(self.choices.numbers("tile", ours, legal)) {
            unroll_jam[d] = n / step(d);
        }
    }

    /// Notes the plan of the open nest, with the order of its loops as it was before some were put together.
    pub(crate) fn record_plan(&mut self, plan: &Plan, order: &[usize], dims: &[Size]) {
        if self.choices.open().is_none() {
            return;
        }
        let numbers = |list: &[usize]| ScheduleSetting::Numbers(list.iter().map(|&d| d as i64).collect());
        self.choices.record_nest();
        let loops: Vec<usize> = {
            let mut loops = order.to_vec();
            loops.sort_unstable();
            loops
        };
        if plan.open.free_lanes && !loops.is_empty() {
            let vector = plan.vector.map_or(-1, |v| v as i64);
            self.choices.record_number("vector_loop", vector, [-1].into_iter().chain(loops.iter().map(|&d| d as i64)));
        }
        if plan.open.free_lanes && plan.vector.is_some() {
            let widths = (1..).map(|k| 1i64 << k).take_while(|n| *n <= plan.open.widest);
            self.choices.record_number("lanes", plan.lanes, widths);
        }
        if loops.len() > 1 {
            let orders = orders_of(&loops, order, &plan.items);
            self.choices.record("loop_order", numbers(order), Legal::arrays(orders));
        }
        let step = |d: usize| if plan.vector == Some(d) { plan.lanes } else { 1 };
        if !order.is_empty() && !matches!(plan.wide, Some(Wide::CacheBlockedReduction(_))) {
            let tile: Vec<i64> = order.iter().map(|&d| plan.unroll_jam[d] * step(d)).collect();
            let each = order.iter().map(|&d| tiles(plan, d, step(d), dims[d].known())).collect();
            self.choices.record("tile", ScheduleSetting::Numbers(tile), Legal::Each(each));
        }
        if let Some(ScheduleSetting::Numbers(list)) = self.choices.requested("tile")
            && let Some(why) = tile_problem(&list.clone(), order, (plan.vector, plan.lanes), plan.block)
        {
            self.choices.refuse("tile", &why);
        }
        if !plan.open.blocks.is_empty() {
            let all = [-1].into_iter().chain(plan.open.blocks.iter().map(|&d| d as i64));
            self.choices.record_number("transpose_loop", plan.block.map_or(-1, |d| d as i64), all);
        }
        if let Some(d) = plan.pack.as_ref().and_then(|pack| several(pack, plan)) {
            self.choices.refuse("pack", &format!("the tile has several steps of loop {d}, which a strip follows"));
        }
        if plan.open.packs {
            self.choices.record("pack", ScheduleSetting::Flag(plan.pack.is_some()), Legal::flags());
        }
        if !plan.open.candidates.is_empty() {
            let depth = |id: &usize| plan.items.iter().find(|i| i.id == *id).map_or(-1, |i| i.depth as i64);
            let depths = plan.open.candidates.iter().map(depth).collect();
            let each = plan.open.candidates.iter().map(|_| (-1..=loops.len() as i64).collect()).collect();
            self.choices.record("compute_at", ScheduleSetting::Numbers(depths), Legal::Each(each));
        }
    }
}

/// A loop that a panel follows and of which a tile has several steps: there would be a panel for each.
fn several(pack: &Pack, plan: &Plan) -> Option<usize> {
    pack.follows.iter().find_map(|follow| match follow {
        Follow::Loop(d) => Some(*d).filter(|&d| plan.unroll_jam[d] > 1),
        _ => None,
    })
}

/// Why a tile cannot be, if it cannot.
fn tile_problem(
    list: &[i64],
    order: &[usize],
    (vector, lanes): (Option<usize>, i64),
    block: Option<usize>,
) -> Option<String> {
    if list.len() != order.len() {
        return Some(format!("it has a number for each of the {} loops", order.len()));
    }
    let step = |d: usize| if vector == Some(d) { lanes } else { 1 };
    let each = || list.iter().zip(order);
    if let Some((_, d)) = each().find(|(n, d)| *n % step(**d) != 0) {
        return Some(format!("that of loop {d}, which has the lanes, is a multiple of {lanes}"));
    }
    let side = each().map(|(n, d)| n / step(*d)).fold(1, i64::saturating_mul);
    if side > MOST_VECTORS_BY_SCHEDULE {
        return Some(format!(
            "{side} results would be computed side by side, and {MOST_VECTORS_BY_SCHEDULE} are the most"
        ));
    }
    // Blocks are as wide as they are high.
    let blocked = |(n, d): &(&i64, &usize)| {
        (block == Some(**d) && **n % lanes != 0) || (block.is_some() && vector == Some(**d) && **n != lanes)
    };
    each()
        .find(blocked)
        .map(|(_, d)| format!("blocks of {lanes} x {lanes} are transposed, and that of loop {d} has another size"))
}

/// Whether what is kept is still kept inside of all that it follows.
fn is_order(list: &[usize], order: &[usize], items: &[Item]) -> bool {
    let mut sorted = list.to_vec();
    sorted.sort_unstable();
    let mut all = order.to_vec();
    all.sort_unstable();
    let inside = |item: &Item| {
        let open = &list[..item.depth.min(list.len())];
        item.follows.iter().flatten().all(|d| open.contains(d) || !order.contains(d))
    };
    sorted == all && items.iter().all(inside)
}

/// All orders of some loops that are legal; where there are many loops, just the one that was chosen.
fn orders_of(loops: &[usize], order: &[usize], items: &[Item]) -> Vec<Vec<i64>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    if loops.len() > ORDERED {
        all = vec![order.to_vec()];
    } else {
        for _ in loops {
            let further = |list: &Vec<usize>| {
                let list = list.clone();
                loops.iter().filter(|d| !list.contains(d)).map(|&d| [&list[..], &[d]].concat()).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(further).collect();
        }
    }
    all.retain(|list| is_order(list, order, items));
    all.into_iter().map(|list| list.into_iter().map(|d| d as i64).collect()).collect()
}

/// The sizes of a tile along a loop that are listed.
fn tiles(plan: &Plan, d: usize, step: i64, size: Option<i64>) -> Vec<i64> {
    if plan.block.is_some() && plan.vector == Some(d) {
        return vec![step];
    }
    let step = if plan.block == Some(d) { plan.lanes } else { step };
    let most = size.map_or(i64::MAX, |n| (n + step - 1) / step).max(1);
    let counts = (1..=8).chain([10, 12, 14, 16, 24, 32]).take_while(|k| *k <= most);
    let mut all: Vec<i64> = counts.map(|k| k * step).collect();
    let own = plan.unroll_jam[d] * if plan.vector == Some(d) { plan.lanes } else { 1 };
    if !all.contains(&own) {
        all.push(own);
        all.sort_unstable();
    }
    all
}
