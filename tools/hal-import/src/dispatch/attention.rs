//! Attention: a product, the softmax of its rows and a second product, all in one executable. A workgroup works on some
//! rows from one end to the other, so that the matrix of scores, which is as large as the sequence squared, never exists.
use super::cluster::Former;
use super::structure::Kind;
use super::weights;

/// The second product has at most this many columns: they are streamed past each few rows.
const MAX_COLUMNS: i64 = 256;

impl Former<'_> {
    /// Joins a product with the softmax that it reads and the product before that. The length of a row must be known: on GPUs, rows of
    /// unknown length do not fit into shared memory, and the kernel would compute the scores again for each element. Products with the matrices
    /// of weights stay apart: each is as fast as it gets where its matrix is packed, and divides its columns among workgroups.
    pub(super) fn attend(&mut self, op: usize) {
        if self.graph.structures[op].as_ref().is_none_or(|s| s.kind != Kind::Contraction) {
            return;
        }
        let values = self.graph.group[op];
        let parts = self.graph.producers(op).into_iter().find_map(|rows| {
            let scores = self.scores_of(rows)?;
            let packed = [scores, values].into_iter().any(|product| self.reads_large_weight(product));
            (!packed && self.are_rows_of(rows, values) && self.are_scores_of(scores, rows)).then_some((rows, scores))
        });
        let Some((rows, scores)) = parts else { return };
        for from in [rows, scores] {
            let Some(edges) = self.graph.edges(from, values) else { return };
            let Some(fit) = self.fit(from, values, &edges) else { return };
            self.join(from, values, fit);
        }
    }

    /// The group of the product that a softmax reads.
    fn scores_of(&self, rows: usize) -> Option<usize> {
        let members = self.graph.members[rows].iter();
        let mut producers = members.flat_map(|m| self.graph.producers(*m)).filter(|g| *g != rows);
        producers.find(|g| self.profile(*g).heavy)
    }

    /// Whether a product of a group reads a matrix of weights that may be packed.
    fn reads_large_weight(&self, group: usize) -> bool {
        self.graph.members[group].iter().any(|&m| {
            let Some(s) = self.graph.structures[m].as_ref().filter(|s| s.kind == Kind::Contraction) else {
                return false;
            };
            let mut operands = self.graph.ops[m].operands().into_iter().enumerate();
            operands.any(|(i, value)| !s.is_init(i) && weights::is_large_weight(value))
        })
    }

    /// Whether a group makes rows, from one end of each to the other, that only a product reads.
    fn are_rows_of(&self, rows: usize, product: usize) -> bool {
        let profile = self.profile(rows);
        let Some(edges) = self.graph.edges(rows, product) else { return false };
        let Some(fit) = self.fit(rows, product, &edges) else { return false };
        let columns = fit.dropped_consumer.iter().map(|d| self.loops[product].outer[d]);
        let columns = columns.into_iter().try_fold(1i64, |n, size| size.map(|s| n.saturating_mul(s)));
        let read = edges.iter().all(|e| self.graph.structures[e.to].as_ref().is_some_and(|s| !s.is_init(e.operand)));
        profile.row
            && profile.trailing
            && !profile.heavy
            && !profile.moves
            && read
            && self.kinds(product).filter(|k| k.is_heavy()).count() == 1
            && !self.profile(product).row
            && fit.dropped_producer.is_empty()
            && self.is_wide(rows, product, &fit)
            && columns.is_some_and(|n| n <= MAX_COLUMNS)
            && self.graph.only_used_by(rows, product)
            && !self.graph.has_detour(rows, product)
    }

    /// Whether a group is a product whose rows only a softmax reads.
    fn are_scores_of(&self, scores: usize, rows: usize) -> bool {
        let Some(edges) = self.graph.edges(scores, rows) else { return false };
        let Some(fit) = self.fit(scores, rows, &edges) else { return false };
        let mut heavy = self.kinds(scores).filter(|k| k.is_heavy());
        heavy.next() == Some(Kind::Contraction)
            && heavy.next().is_none()
            && !self.profile(scores).row
            && !self.profile(scores).moves
            && fit.dropped_consumer.is_empty()
            && self.knows_rows(scores, &fit.dropped_producer)
            && self.knows_rows(rows, &[])
            && self.graph.only_used_by(scores, rows)
            && !self.graph.has_detour(scores, rows)
    }

    /// Whether the lengths of all loops of a group that run inside a row are known: those that are no outer loops, and `dropped`.
    fn knows_rows(&self, group: usize, dropped: &[usize]) -> bool {
        let inside = |id: &Option<usize>| id.is_none_or(|id| dropped.contains(&id));
        self.loops[group]
            .of
            .iter()
            .all(|(&op, loops)| loops.iter().zip(self.extents(op)).all(|(id, extent)| extent.is_some() || !inside(id)))
    }
}
