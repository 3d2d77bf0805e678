//! Columns: reductions over rows that lie apart, along which their results are used again (softmax over channels). The lanes
//! go along the rows: a few vectors side by side are worked on from the first row to the last, and what they need in between
//! stands in scratch memory that is as wide as they are.
use crate::analysis::access::{NEST, Sym, Use};
use crate::graph::{Kind, Size};
use crate::schedule::planned::Item;
use crate::schedule::planner::Planner;

impl Planner<'_> {
    /// Whether what is kept in scratch memory can be kept column by column along loop `v`: all of it that moves with the loop
    /// moves in step.
    pub(crate) fn in_columns(&self, items: &[Item], uses: &[Use], v: usize) -> bool {
        let moved = |i: &&Item| uses.iter().any(|u| u.id == i.id && u.depends((NEST, v)));
        let in_step = |i: &Item| {
            let once = i.follows.iter().filter(|f| **f == Some(v)).count() == 1;
            once && !self.graph.must_materialize.contains(&i.id)
                && matches!(self.graph.tensors[i.id].kind, Kind::Result { .. })
        };
        let mut kept = items.iter().filter(|i| i.scratch).filter(moved).peekable();
        kept.peek().is_some() && kept.all(in_step)
    }

    /// Lets the dimensions of an item that went into loop `v` stay at 0, where alone they are wanted: a column has a few
    /// steps of all of them. What went into other loops is whole, so that these can run on past its end. `dims` are the
    /// sizes of the nest.
    pub(crate) fn stay_where_merged(&self, item: &mut Item, uses: &[Use], v: usize, dims: &[Size]) {
        let still = (0..v).rev().find(|&d| dims[d].known() == Some(1));
        let (Some(still), Some(at)) = (still, item.follows.iter().position(|f| *f == Some(v))) else { return };
        let uses: Vec<&Use> = uses.iter().filter(|u| u.id == item.id).collect();
        for at in (0..at).rev().take_while(|&at| uses.iter().all(|u| u.idx[at] == Sym::default())) {
            item.follows[at] = Some(still);
        }
    }

    /// The vectors side by side: what is kept for them fits half of the second-level cache, and they divide the loop evenly.
    pub(crate) fn columns_side(&self, items: &[Item], v: usize, lanes: i64, dims: &[Size]) -> i64 {
        let bytes: i64 = items
            .iter()
            .filter(|i| i.scratch && i.follows.contains(&Some(v)))
            .map(|i| {
                let tensor = &self.graph.tensors[i.id];
                let rows = tensor.dims.iter().zip(&i.follows).filter(|(_, f)| f.is_none());
                let rows: i64 = rows.map(|(d, _)| self.typical(*d)).product();
                rows.saturating_mul(lanes * tensor.elem.byte_width() as i64)
            })
            .sum();
        let vectors = (self.typical(dims[v]) + lanes - 1) / lanes;
        let fit = ((self.target.l2 / 2) as i64 / bytes.max(1))
            .clamp(1, self.target.cpu.memory.column_vectors.min(i64::from(self.target.registers) / 4));
        let tiles = (vectors + fit - 1) / fit.max(1);
        (vectors + tiles - 1) / tiles.max(1)
    }
}
