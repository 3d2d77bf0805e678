//! How many rows a workgroup takes, by how many threads: as many as fit into shared memory, and leave enough workgroups.
use super::{FusedAttention, How, Place, Step};
use crate::analysis::access::{NEST, Sym};
use crate::analysis::layout::Layout;
use crate::gpu::contraction::Product;
use crate::gpu::part_plan::{PartPlan, word_bytes};
use crate::gpu::tile::Tile;
use crate::graph::Kind;
use crate::schedule::planner::Planner;
use std::collections::BTreeSet;

impl Planner<'_> {
    /// A plan for rows, tensors to keep and the result.
    pub(super) fn fit(
        &self,
        part: &PartPlan,
        (outer, tiled): (Vec<usize>, Option<usize>),
        kept: Vec<(usize, Vec<Place>)>,
        last: Vec<Place>,
    ) -> Option<FusedAttention> {
        let gpu = self.gpu_model();
        let (numbers, typical) = (&gpu.attention, gpu.rows.typical_size);
        for (id, _) in &kept {
            let elem = self.graph.tensors[*id].elem;
            // Shorter integers would share words.
            (elem.is_float() || elem.is_index() || elem.bits() >= 32).then_some(())?;
        }
        let own = |id: usize, memory: Layout| {
            let dims = self.graph.tensors[id].dims.clone();
            PartPlan { roots: vec![(id, memory)], dims }
        };
        let memory = part.roots[0].1.clone();
        let mut all: Vec<(PartPlan, Vec<Place>)> =
            kept.iter().map(|(id, places)| (own(*id, memory.clone()), places.clone())).collect();
        all.push((part.clone(), last));
        let products: Vec<Option<Product>> = all.iter().map(|(p, places)| self.row_product(p, places, tiled)).collect();
        let length = tiled.map_or(Some(1), |d| part.dims[d].known());
        let count = |rows: i64| {
            let others = outer.iter().try_fold(1i64, |n, &d| Some(n * part.dims[d].known()?));
            Some(others? * ((length? + rows - 1) / rows))
        };
        let mut choices: Vec<(i64, i64)> = Vec::new();
        if products.iter().any(Option::is_some) && length.is_none_or(|n| n >= gpu.products.narrowest) {
            choices.extend(numbers.tiles.iter().filter(|c| c.0 <= 8 || count(c.0).is_none_or(|n| n >= numbers.busy)));
        }
        let with_products = choices.len();
        let widest = all.iter().filter_map(|(p, places)| columns(p, places)).max().unwrap_or(typical);
        let shared =
            all.iter().rev().skip(1).any(|(_, places)| places.iter().any(|&p| Some(p) == tiled.map(Place::Row)));
        let few = if shared { (numbers.threads / power(widest)).clamp(1, 16) } else { self.balanced(&all) };
        let few = few.min(power(length.unwrap_or(typical)));
        choices.extend((0..5).map(|by| few >> by).filter(|&n| n > 0).map(|n| (n, numbers.threads)));
        let is_wanted = |&(_, (rows, threads)): &(usize, (i64, i64))| {
            self.choices.number("rows", rows, |_| true) == rows
                && self.choices.number("threads", threads, |_| true) == threads
        };
        let all_choices: Vec<(usize, (i64, i64))> = choices.into_iter().enumerate().collect();
        let mut wanted: Vec<(usize, (i64, i64))> = all_choices.iter().copied().filter(is_wanted).collect();
        if wanted.is_empty() {
            wanted = all_choices;
        }
        for (at, (rows_of_group, threads)) in wanted {
            let steps = all.iter().zip(&products).map(|((p, places), product)| {
                let product = product.clone().filter(|_| at < with_products);
                let how = self.how(p, places, product, (tiled, rows_of_group, threads));
                Step { id: p.roots[0].0, places: places.clone(), how }
            });
            let mut steps: Vec<Step> = steps.collect();
            let last = steps.pop()?;
            let attention =
                FusedAttention { outer: outer.clone(), tiled, count: rows_of_group, threads, kept: steps, last };
            if self.shared_bytes(&attention)? <= gpu.attention_bytes {
                return Some(attention);
            }
        }
        None
    }

    /// The rows that take as long as what is kept for all of them, the result last.
    fn balanced(&self, all: &[(PartPlan, Vec<Place>)]) -> i64 {
        let typical = self.gpu_model().rows.typical_size;
        let work = |(part, places): &(PartPlan, Vec<Place>)| {
            let length = self.sums_of(part).into_iter().flatten().map(|s| self.length(s.0)).max();
            columns(part, places).unwrap_or(typical).saturating_mul(length.unwrap_or(1))
        };
        let (last, kept) = all.split_last().expect("there is a result");
        power(kept.iter().map(work).fold(0, i64::saturating_add) / work(last).max(1)).min(1 << 20)
    }

    /// The product that a part is, with the rows of a workgroup as its rows and what it has all of as its columns.
    fn row_product(&self, part: &PartPlan, places: &[Place], tiled: Option<usize>) -> Option<Product> {
        let mut product = self.product_of(part)?;
        let at = |wanted: Place| (0..places.len()).find(|&p| places[p] == wanted).and_then(|p| product.loops[p]);
        let row = at(Place::Row(tiled?))?;
        if product.sides[1].dims == [row] {
            product.sides.swap(0, 1);
        }
        let fits = |p: usize| match (places[p], product.loops[p]) {
            (Place::One, _) => true,
            (Place::Row(d), Some(l)) if Some(d) == tiled => product.sides[0].dims == [l],
            (Place::Row(_), Some(l)) => product.batch.contains(&l),
            (Place::All, Some(l)) => product.sides[1].dims.contains(&l),
            _ => false,
        };
        let bits = product.total.bits();
        let wide = columns(part, places).is_none_or(|n| n >= self.gpu_model().products.narrowest);
        ((0..places.len()).all(fits) && wide && bits >= 16 && !product.total.is_index()).then_some(product)
    }

    /// How a step is done.
    fn how(
        &self,
        part: &PartPlan,
        places: &[Place],
        product: Option<Product>,
        shape: (Option<usize>, i64, i64),
    ) -> How {
        let (tiled, rows, threads) = shape;
        if let Some(product) = product {
            let columns = columns(part, places).map_or(64, power).clamp(16, 64);
            let each = match rows * columns / threads {
                1 => [1, 1],
                2 => [1, 2],
                4 => [2, 2],
                8 => [2, 4],
                _ => [4, 4],
            };
            let depth = if rows == 8 { 8 } else { 16 };
            return How::Product(Box::new(product), Tile::simple(([rows, columns], each, depth)));
        }
        let rows = if places.iter().any(|&p| Some(p) == tiled.map(Place::Row)) { rows } else { 1 };
        let columns = columns(part, places);
        let one = How::Items { lanes: 1, across: true, sums: Vec::new() };
        let Some(sums) = self.sums_of(part) else { return one };
        let (Some(&(first, _)), Some(columns)) = (sums.first(), columns) else { return one };
        let Kind::Result { node, .. } = self.graph.tensors[first].kind else { return one };
        let length = sums.iter().map(|s| self.length(s.0)).max().unwrap_or(1);
        let along = columns == 1 || self.reads_along(node);
        let spare = (threads / power(rows * columns)).max(1);
        // Without shuffles lanes meet at barriers, which many elements would wait for again and again.
        let shuffles = self.gpu_model().shuffle.is_some();
        let wanted = if along && length >= 32 && (shuffles || columns == 1) {
            spare.max(power(length / 4).min(32))
        } else {
            spare
        };
        let lanes = wanted.min(power(length) / 2).clamp(1, threads);
        if lanes == 1 { one } else { How::Items { lanes, across: !along, sums } }
    }

    /// The sums of a part that are in no other sum, if lanes can compute them together.
    fn sums_of(&self, part: &PartPlan) -> Option<Vec<(usize, Vec<Sym>)>> {
        let idx: Vec<Sym> = (0..part.dims.len())
            .map(|d| if part.dims[d].known() == Some(1) { Sym::default() } else { Sym::var((NEST, d)) })
            .collect();
        let mut sums: Vec<(usize, Vec<Sym>)> = Vec::new();
        for u in part.roots.iter().flat_map(|r| self.graph.uses(r.0, idx.clone(), &BTreeSet::new())) {
            if !self.adds_up(u.id) || !u.inside.is_empty() || sums.contains(&(u.id, u.idx.clone())) {
                continue;
            }
            let Kind::Result { node, .. } = self.graph.tensors[u.id].kind else { continue };
            if self.graph.combiners(node).is_none() {
                self.graph.choice_of(node)?;
            }
            let exact = |s: &Sym| *s == Sym::default() || s.exactly().is_some_and(|v| v.0 == NEST);
            u.idx.iter().all(exact).then_some(())?;
            sums.push((u.id, u.idx));
        }
        sums.sort_by_key(|s| s.0);
        Some(sums)
    }

    /// How many steps a reduction takes.
    fn length(&self, id: usize) -> i64 {
        let Kind::Result { node, .. } = self.graph.tensors[id].kind else { return 1 };
        let n = &self.graph.nodes[node];
        let length = n.reductions().into_iter().try_fold(1i64, |all, d| Some(all * n.dims[d].known()?));
        length.unwrap_or(self.gpu_model().rows.typical_size)
    }

    /// The elements of shared memory that a kept tensor takes, and how far apart its rows are. `None`: not known.
    pub(super) fn kept_size(&self, attention: &FusedAttention, step: &Step) -> Option<(i64, i64)> {
        let part = PartPlan { roots: Vec::new(), dims: self.graph.tensors[step.id].dims.clone() };
        let columns = columns(&part, &step.places)?;
        if !step.places.iter().any(|&p| attention.tiles(p)) {
            return Some((columns, 0));
        }
        let padding = self.gpu_model().attention.bank_padding;
        let banks = 4 * padding;
        let row = if columns < banks { columns } else { (columns + banks - 1) / banks * banks + padding };
        Some((attention.count * row, row))
    }

    /// The shared memory of a workgroup, in bytes. `None`: not known.
    fn shared_bytes(&self, attention: &FusedAttention) -> Option<i64> {
        let mut bytes = 0;
        for step in &attention.kept {
            let width = word_bytes(self.graph.tensors[step.id].elem).max(4);
            bytes += self.kept_size(attention, step)?.0 * width;
        }
        let mut panels = 0;
        for step in attention.kept.iter().chain([&attention.last]) {
            match &step.how {
                How::Product(product, tile) => {
                    let width = product.factor_bytes();
                    // With room for what keeps rows apart.
                    panels = panels.max(tile.shared(width) + 16 * tile.depth * width);
                }
                How::Items { lanes, sums, .. } if *lanes > 1 => bytes += 8 * attention.threads * sums.len() as i64,
                How::Items { .. } => {}
            }
        }
        Some(bytes + panels)
    }
}

/// The elements of a row.
fn columns(part: &PartPlan, places: &[Place]) -> Option<i64> {
    let all = (0..places.len()).filter(|&p| places[p] == Place::All);
    all.into_iter().try_fold(1i64, |n, p| n.checked_mul(part.dims[p].known()?))
}

/// The next power of two.
fn power(n: i64) -> i64 {
    n.max(1).unsigned_abs().next_power_of_two() as i64
}
