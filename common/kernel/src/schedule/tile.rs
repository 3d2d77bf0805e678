//! The register tile of a nest: which loops run side by side and how many steps of them, in which order the loops
//! around it go, and whether the panel that the tile streams is copied together first.
use crate::analysis::access::{NEST, Stride, Use, Var, stride};
use crate::analysis::layout::Layout;
use crate::graph::{Kind, Size};
use crate::machine::memory::{CACHE_LINE, MOST_INTERLEAVED};
use crate::schedule::cost_model::Reuse;
use crate::schedule::planned::Pack;
use crate::schedule::planner::Planner;
use std::collections::BTreeSet;

/// The loop order of a nest and how its loops are unrolled and jammed.
pub(crate) struct Tiling {
    /// The loops, outermost first.
    pub(crate) order: Vec<usize>,
    /// The unroll-and-jam factor of each loop.
    pub(crate) unroll_jam: Vec<i64>,
    /// A loop along whose unrolled lanes whole blocks are transposed in registers.
    pub(crate) block: Option<usize>,
    /// The panel to copy.
    pub(crate) pack: Option<Pack>,
    /// The loops that could be such.
    pub(crate) blocks: Vec<usize>,
    /// Whether there is a panel that could be copied.
    pub(crate) packs: bool,
    /// The bytes of the operand whose columns the tiles read as they lie in memory, if all rows of tiles read them before the next columns.
    pub(crate) columns_bytes: Option<i64>,
}

/// What a register tile must fit into.
pub(crate) struct TileBudget<'a> {
    /// The loops to order, outermost first.
    pub(crate) inner: &'a [usize],
    /// The loop with the lanes.
    pub(crate) vector: Option<usize>,
    /// Its lanes.
    pub(crate) lanes: i64,
    /// The sizes.
    pub(crate) dims: &'a [Size],
    /// Where the results go.
    pub(crate) outputs: &'a [Layout],
    /// Unrolled lanes along loops that are open already.
    pub(crate) already: i64,
}

impl Planner<'_> {
    /// Decides for the uses of a nest.
    pub(crate) fn tiling(&self, uses: &[Use], budget: &TileBudget<'_>) -> Tiling {
        let mut tiling = Tiling {
            order: budget.inner.to_vec(),
            unroll_jam: vec![1; budget.dims.len()],
            block: None,
            pack: None,
            blocks: Vec::new(),
            packs: false,
            columns_bytes: None,
        };
        let loaded: Vec<&Use> = uses
            .iter()
            .filter(|u| !u.inside.is_empty() && !matches!(self.graph.tensors[u.id].kind, Kind::Splat(_) | Kind::Empty))
            .collect();
        let size = |d: usize| self.typical(budget.dims[d]);
        let Some(v) = budget.vector.filter(|v| budget.inner.contains(v)) else {
            if budget.vector.is_none() && !loaded.is_empty() {
                self.dots(&loaded, budget, &mut tiling.unroll_jam);
            }
            return tiling;
        };
        let vectors = (size(v) + budget.lanes - 1) / budget.lanes;
        if loaded.is_empty() {
            let blocks = budget.inner.iter().copied();
            let transposes = |d: usize| {
                self.transposes(uses, v, d, budget.lanes, budget.dims)
                    || self.stores_across(budget.outputs, v, d, budget.lanes, budget.dims)
            };
            tiling.blocks = blocks.filter(|&d| d != v && transposes(d)).collect();
            tiling.block = self.requested_block(&tiling.blocks);
            tiling.unroll_jam[v] = if tiling.block.is_some() { 1 } else { vectors.clamp(1, 2) };
            if let Some(d) = tiling.block {
                // Several blocks of large operands, so that more than a line of each row is read at once.
                let bytes = i64::from(self.target.vector_bits / 8) / budget.lanes;
                let large = size(v).saturating_mul(size(d)).saturating_mul(bytes) > (self.target.l2 / 2) as i64;
                let blocks = self.target.cpu.memory.transposed_blocks;
                let blocks = if large && size(d) % (blocks * budget.lanes) == 0 { blocks } else { 1 };
                tiling.unroll_jam[d] = blocks * budget.lanes;
            } else if let Some(d) = self.interleaves(budget, v) {
                tiling.unroll_jam[d] = size(d);
            }
            return tiling;
        }
        let still = |u: &&Use, d: usize| !u.depends((NEST, d));
        let reused = |d: usize| loaded.iter().any(|u| u.depends((NEST, v)) && still(u, d));
        let shared = loaded.iter().any(|u| still(u, v));
        let registers = i64::from(self.target.registers);
        if budget.already > 1 {
            let fits = ((registers - 2) / (budget.already + 1)).clamp(1, 4);
            // All tiles of about one width.
            let tiles = ((vectors + fits - 1) / fits).max(1);
            tiling.unroll_jam[v] = ((vectors + tiles - 1) / tiles).max(1);
            return tiling;
        }
        let other = budget
            .inner
            .iter()
            .copied()
            .filter(|&d| d != v && size(d) > 1 && reused(d))
            .max_by_key(|&d| size(d).min(64));
        if let Some(u) = other.filter(|&u| self.blocks_pay(&loaded, budget, v, u)) {
            tiling.blocks = vec![u];
            tiling.block = self.requested_block(&tiling.blocks);
            if tiling.block.is_some() {
                (tiling.unroll_jam[u], tiling.unroll_jam[v]) = (budget.lanes, 1);
                self.arrange(&loaded, budget, v, u, &mut tiling);
                return tiling;
            }
        }
        if let Some(u) = other {
            let (rows, columns) = Reuse {
                numbers: &self.target.cpu,
                registers,
                rows: size(u),
                together: self.together(&loaded, u),
                vectors,
                vectors_together: self.vectors_of_lines(budget, v, u),
                broadcast: shared,
            }
            .tile();
            (tiling.unroll_jam[u], tiling.unroll_jam[v]) = (rows, columns);
            self.arrange(&loaded, budget, v, u, &mut tiling);
            return tiling;
        }
        // A window: neighbours along another loop share loads.
        let windowed = |d: usize| {
            loaded.iter().any(|u| u.idx.iter().any(|s| s.terms.get(&(NEST, d)) == Some(&1) && s.vars().count() > 1))
        };
        match budget.inner.iter().copied().find(|&d| d != v && windowed(d)) {
            Some(d) => {
                tiling.unroll_jam[d] = size(d).clamp(1, 4);
                tiling.unroll_jam[v] = vectors.clamp(1, 2);
            }
            // Long columns side by side: whole cache lines of each row are used at once.
            None if !windowed(v) => tiling.unroll_jam[v] = vectors.clamp(1, registers / 2),
            None => tiling.unroll_jam[v] = vectors.clamp(1, 4),
        }
        tiling
    }

    /// Dot products side by side along each of two loops.
    pub(crate) fn dots_side(&self) -> i64 {
        if self.target.registers >= 32 { 4 } else { 2 }
    }

    /// Dot products side by side: each load serves several.
    fn dots(&self, loaded: &[&Use], budget: &TileBudget<'_>, unroll_jam: &mut [i64]) {
        let one = self.dots_side();
        let side = if budget.already > 1 { (one * one / budget.already).max(1) } else { one };
        let mut left = if budget.already > 1 { 1 } else { 2 };
        for &d in budget.inner.iter().rev() {
            let size = self.typical(budget.dims[d]);
            if left > 0 && size > 1 && loaded.iter().any(|u| !u.depends((NEST, d))) {
                unroll_jam[d] = size.min(side);
                left -= 1;
            }
        }
    }

    /// Whether some use is read across its rows along `v` but along its rows along `d`, with room for whole blocks.
    pub(crate) fn transposes(&self, uses: &[Use], v: usize, d: usize, lanes: i64, dims: &[Size]) -> bool {
        let large = |d: usize| self.typical(dims[d]) >= lanes;
        large(v)
            && large(d)
            && uses.iter().any(|u| match &self.graph.tensors[u.id].kind {
                Kind::Memory(memory) if u.inside.is_empty() => {
                    matches!(stride(memory, &u.idx, (NEST, v)), Stride::Known(s) if s.abs() > 4)
                        && stride(memory, &u.idx, (NEST, d)) == Stride::Known(1)
                }
                _ => false,
            })
    }

    /// Where loops are open around others, because sums are kept for them, and results lie across the lanes: a block, which is transposed
    /// before it is stored. Either rows are open around the loop with the lanes, or the lanes are columns that the last loop goes down.
    pub(crate) fn block_of_open(
        &self,
        uses: &[Use],
        budget: &TileBudget<'_>,
        order: &[usize],
        unroll_jam: &mut [i64],
        tiling: &mut Tiling,
    ) {
        let (Some(v), Some(&last)) = (budget.vector, order.last()) else { return };
        if uses.iter().any(|u| !u.inside.is_empty()) {
            return;
        }
        let open: Vec<usize> = if last == v {
            let single = |d: usize| d != v && unroll_jam[d] == 1 && budget.already <= 1;
            order.iter().copied().filter(|&d| single(d)).collect()
        } else {
            let others = (0..unroll_jam.len()).any(|d| d != v && unroll_jam[d] > 1);
            let wide = budget.lanes >= self.target.cpu.loops.narrowest_column_blocks;
            let columns = wide && !others && !budget.inner.contains(&v) && budget.inner.contains(&last);
            columns.then_some(last).into_iter().collect()
        };
        let across = |d: &usize| self.stores_across(budget.outputs, v, *d, budget.lanes, budget.dims);
        tiling.blocks = open.into_iter().filter(across).collect();
        tiling.block = self.requested_block(&tiling.blocks);
        if let Some(d) = tiling.block {
            (unroll_jam[d], unroll_jam[v]) = (budget.lanes, 1);
        }
    }

    /// Whether some result is stored across its rows along `v` but along its rows along `d`, with room for whole blocks.
    pub(crate) fn stores_across(&self, outputs: &[Layout], v: usize, d: usize, lanes: i64, dims: &[Size]) -> bool {
        let large = |d: usize| dims[d].known().is_some_and(|n| n >= lanes);
        let across = |o: &Layout| o.strides[v].is_some_and(|s| s.abs() > 4) && o.strides[d] == Some(1);
        large(v) && large(d) && outputs.iter().any(across)
    }

    /// The loop whose few steps lie side by side in a result between the lanes along `v`: all of them together are whole vectors.
    fn interleaves(&self, budget: &TileBudget<'_>, v: usize) -> Option<usize> {
        let between = |o: &Layout, d: usize| {
            let steps = budget.dims[d].known().filter(|n| (2..=MOST_INTERLEAVED).contains(n));
            steps.is_some() && o.strides[v] == steps && o.strides[d] == Some(1)
        };
        budget.inner.iter().copied().find(|&d| d != v && budget.outputs.iter().any(|o| between(o, d)))
    }

    /// Whether the sums of a tile of rows `u` and lanes along `v` are so short that blocks of results, which are transposed before they are
    /// stored, are worth a tile that loads more.
    fn blocks_pay(&self, loaded: &[&Use], budget: &TileBudget<'_>, v: usize, u: usize) -> bool {
        let steps = loaded.iter().map(|x| self.weight(x)).fold(0.0, f64::max);
        budget.lanes + 2 <= i64::from(self.target.registers)
            && steps <= self.target.cpu.loops.steps_of_blocks
            && budget.lanes <= self.together(loaded, u)
            && self.stores_across(budget.outputs, v, u, budget.lanes, budget.dims)
    }

    /// The steps of loop `u` that can be read side by side: rows of which all lie in the same lines of the cache push one another out.
    fn together(&self, loaded: &[&Use], u: usize) -> i64 {
        let rows = loaded.iter().filter_map(|x| match &self.graph.tensors[x.id].kind {
            Kind::Memory(memory) => match stride(memory, &x.idx, (NEST, u)) {
                Stride::Known(s) if s != 0 => Some(s * self.graph.tensors[x.id].elem.byte_width() as i64),
                _ => None,
            },
            _ => None,
        });
        rows.map(|distance| self.target.cpu.memory.rows_together(distance)).min().unwrap_or(i64::MAX)
    }

    /// The vectors along `v` of whole cache lines of the results, where rows along `u` push one another out of the cache: two tiles that
    /// share a line would fetch and store it twice.
    fn vectors_of_lines(&self, budget: &TileBudget<'_>, v: usize, u: usize) -> i64 {
        // Measured with 16 registers alone.
        if self.target.registers >= 32 {
            return 1;
        }
        let of_line = |o: &Layout| {
            let bytes = o.elem.byte_width() as i64;
            let competes = |s: i64| self.typical(budget.dims[u]) > self.target.cpu.memory.rows_together(s * bytes);
            let vectors = CACHE_LINE / (budget.lanes * bytes).max(1);
            (o.strides[v] == Some(1) && o.strides[u].is_some_and(competes)).then_some(vectors)
        };
        budget.outputs.iter().filter_map(of_line).max().unwrap_or(1).max(1)
    }

    /// Orders the loops around a tile of rows `u` and vectors `v` so that what is streamed again and again is small, and
    /// decides on packing.
    fn arrange(&self, loaded: &[&Use], budget: &TileBudget<'_>, v: usize, u: usize, tiling: &mut Tiling) {
        let rows: Vec<&&Use> = loaded.iter().filter(|x| !x.depends((NEST, v))).collect();
        let columns: Vec<&&Use> = loaded.iter().filter(|x| x.depends((NEST, v))).collect();
        let moves = |of: &[&&Use], d: usize| of.iter().any(|x| x.depends((NEST, d)));
        let (mut both, mut with_u, mut with_v) = (Vec::new(), Vec::new(), Vec::new());
        for &d in budget.inner.iter().filter(|&&d| d != u && d != v) {
            match (moves(&rows, d), moves(&columns, d)) {
                (true, false) => with_u.push(d),
                (false, true) => with_v.push(d),
                _ => both.push(d),
            }
        }
        with_u.push(u);
        with_v.push(v);
        let step = |var: Var| match var {
            (NEST, d) => self.typical(budget.dims[d]),
            (node, d) => self.typical(self.graph.nodes[node].dims[d]),
        };
        let bytes = |of: &[&&Use]| -> i64 {
            of.iter()
                .map(|x| {
                    let vars: BTreeSet<Var> =
                        x.idx.iter().flat_map(|s| s.vars()).filter(|w| w.0 != NEST || !both.contains(&w.1)).collect();
                    let windows = x
                        .idx
                        .iter()
                        .filter(|s| s.vars().count() > 1)
                        .flat_map(|s| s.vars().filter(|w| w.0 != NEST))
                        .collect::<BTreeSet<_>>();
                    vars.into_iter().filter(|w| !windows.contains(w)).map(step).product::<i64>()
                        * self.graph.tensors[x.id].elem.byte_width() as i64
                })
                .sum()
        };
        let half = (self.target.l2 / 2) as i64;
        let (row_bytes, column_bytes) = (bytes(&rows), bytes(&columns));
        let tiles = |d: usize| {
            let tile = tiling.unroll_jam[d] * if d == v { budget.lanes } else { 1 };
            (step((NEST, d)) + tile - 1) / tile
        };
        let transposed = columns.iter().find_map(|x| self.operand_panel(x, v, 0).filter(|p| p.transposed));
        let any = transposed.clone().or_else(|| columns.iter().find_map(|x| self.operand_panel(x, v, 0)));
        tiling.packs = any.is_some();
        let asked = any.is_some() && self.choices.flag("pack", false);
        let again = tiles(u) >= self.target.cpu.memory.packed_tiles;
        let width = tiling.unroll_jam[v] * budget.lanes;
        let worth = |pack: &Pack| self.competes(pack) || self.overflows(pack, width);
        let competes = again && any.as_ref().is_some_and(|pack| !pack.transposed && worth(pack));
        let rows_outside = if asked || transposed.is_some() || competes {
            false
        } else if column_bytes <= half {
            true
        } else if row_bytes <= half {
            false
        } else {
            tiles(u) * column_bytes <= tiles(v) * row_bytes
        };
        let mut order = both;
        let depth;
        if rows_outside {
            order.extend(with_u);
            order.extend(with_v);
            depth = None;
        } else {
            order.extend(with_v);
            depth = Some(order.len());
            order.extend(with_u);
        }
        tiling.order = order;
        let wanted = self.choices.requested("pack").is_some();
        tiling.pack = match (depth, transposed) {
            (Some(depth), _) if wanted => {
                any.filter(|_| self.choices.flag("pack", false)).map(|pack| Pack { depth, ..pack })
            }
            _ if wanted => None,
            (Some(depth), Some(pack)) => Some(Pack { depth, ..pack }),
            (Some(depth), None) if again => {
                columns.iter().find_map(|x| self.operand_panel(x, v, depth).filter(|p| self.scattered(p)))
            }
            _ => None,
        };
        let unpacked = !rows_outside && tiling.pack.is_none() && row_bytes <= half;
        tiling.columns_bytes = unpacked.then_some(column_bytes);
    }
}
