//! Operand panels: whether what the vectors of one tile read over the whole reduction is copied together, because its rows lie
//! far apart in memory, or transposed on the way, because the lanes run across the rows of the operand. [`crate::emit::pack`]
//! copies them.
use crate::analysis::access::{NEST, Stride, Use, stride};
use crate::graph::{Kind, Size};
use crate::machine::memory::CACHE_LINE;
use crate::schedule::planned::{Follow, Pack};
use crate::schedule::planner::Planner;

impl Planner<'_> {
    /// What a vector of a use costs, in loads, if lanes along `v` read it from a transposed panel; `None` if they cannot,
    /// or nothing else reads the panel again.
    pub(crate) fn transposed_cost(&self, u: &Use, v: usize, loops: &[usize], dims: &[Size], lanes: i64) -> Option<f64> {
        if u.inside.is_empty() || dims[v].known().is_some_and(|n| n < lanes) || !self.operand_panel(u, v, 0)?.transposed
        {
            return None;
        }
        let again = loops.iter().filter(|&&d| !u.depends((NEST, d))).map(|&d| self.typical(dims[d]));
        // Only one loop's tiles lie inside the panel.
        Some(1.0 + self.target.cpu.costs.panel_transposed / again.max().filter(|&n| n > 1)? as f64)
    }

    /// The panel of a use for lanes along `v`: each dimension follows one loop.
    pub(crate) fn operand_panel(&self, x: &Use, v: usize, depth: usize) -> Option<Pack> {
        let Kind::Memory(memory) = &self.graph.tensors[x.id].kind else { return None };
        let mut follows = Vec::new();
        for (at, sym) in x.idx.iter().enumerate() {
            follows.push(match sym.exactly() {
                Some((NEST, d)) if d == v => Follow::Lanes,
                Some((NEST, d)) => Follow::Loop(d),
                // A merged loop runs over several dimensions.
                Some((node, d)) if self.graph.nodes[node].dims[d] != memory.dims[at] => return None,
                Some(_) => Follow::Whole,
                // A loop of one step, or one that is merged with the next.
                None if sym.is_zero() => Follow::First,
                None => return None,
            });
        }
        let last = memory.strides.last()?.known() == Some(1);
        let once = follows.iter().filter(|f| **f == Follow::Lanes).count() == 1;
        let across = !matches!(stride(memory, &x.idx, (NEST, v)), Stride::Known(s) if s.abs() <= 4);
        let transposed = last && across && follows.last() == Some(&Follow::Whole);
        (once && last && (transposed || follows.last() == Some(&Follow::Lanes))).then_some(Pack {
            id: x.id,
            follows,
            depth,
            transposed,
            across: v,
        })
    }

    /// Whether a panel as it stands is worth copying.
    pub(crate) fn scattered(&self, pack: &Pack) -> bool {
        let numbers = &self.target.cpu.memory;
        // Few registers make small tiles, which read a panel more often.
        let few = self.target.registers < 32;
        let least = if few { numbers.packed_distance_of_small_tiles } else { numbers.packed_distance };
        let many = |rows| rows >= numbers.packed_rows && (few || !pack.follows.contains(&Follow::First));
        self.rows_of_panel(pack)
            .is_some_and(|(rows, distance)| distance >= least && (many(rows) || rows > numbers.rows_together(distance)))
    }

    /// Whether the rows of a panel push one another out of the first-level cache, unless it is copied.
    pub(crate) fn competes(&self, pack: &Pack) -> bool {
        let together = |(rows, distance)| rows > self.target.cpu.memory.rows_together(distance);
        self.scattered(pack) && self.rows_of_panel(pack).is_some_and(together)
    }

    /// Whether so many columns of the rows of a panel take up more lines than half of the first-level cache has. Short rows touch up to
    /// twice the lines that they fill, unless each begins with one. Measured with 16 registers alone.
    pub(crate) fn overflows(&self, pack: &Pack, width: i64) -> bool {
        let Kind::Memory(memory) = &self.graph.tensors[pack.id].kind else { return false };
        let bytes = width * memory.elem.byte_width() as i64;
        let lines = |distance: i64| (bytes + CACHE_LINE - 1) / CACHE_LINE + i64::from(distance % CACHE_LINE != 0);
        let overflows = |(rows, distance)| rows * lines(distance) * CACHE_LINE > (self.target.l1 / 2) as i64;
        self.target.registers < 32 && self.scattered(pack) && self.rows_of_panel(pack).is_some_and(overflows)
    }

    /// How many rows a panel has, and how far apart the nearest are, in bytes.
    fn rows_of_panel(&self, pack: &Pack) -> Option<(i64, i64)> {
        let Kind::Memory(memory) = &self.graph.tensors[pack.id].kind else { return None };
        let mut rows = 1;
        let mut nearest = i64::MAX;
        for (at, follow) in pack.follows.iter().enumerate() {
            if *follow == Follow::Whole {
                rows *= memory.dims[at].known()?;
                nearest = nearest.min(memory.strides[at].known()?);
            }
        }
        Some((rows, nearest.checked_mul(memory.elem.byte_width() as i64)?))
    }
}
