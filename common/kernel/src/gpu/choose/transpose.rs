//! Which parts are transposed through shared memory: those whose operands are contiguous along another dimension than
//! the result.
use crate::analysis::access::{NEST, Stride, Sym, stride};
use crate::gpu::part_plan::{PartPlan, word_bytes};
use crate::graph::Kind;
use crate::schedule::planner::Planner;
use std::collections::BTreeSet;

/// How a part is transposed.
#[derive(Clone, Copy, Debug)]
pub(in crate::gpu) struct Transposition {
    /// The dimension along which the result is contiguous.
    pub(in crate::gpu) stored: usize,
    /// The dimension along which what is read is contiguous.
    pub(in crate::gpu) loaded: usize,
    /// The side of a tile, in elements.
    pub(in crate::gpu) side: i64,
    /// Rows of a tile that are worked on at a time.
    pub(in crate::gpu) rows: i64,
}

impl Transposition {
    /// The threads of a workgroup.
    pub(in crate::gpu) fn threads(self) -> i64 {
        self.side * self.rows
    }
}

impl Planner<'_> {
    /// The dimensions that a part exchanges, if it is worth it.
    pub(in crate::gpu) fn transposition_of(&self, part: &PartPlan) -> Option<Transposition> {
        let gpu = self.gpu_model();
        let (side, rows) = (gpu.threads.transposed_side, gpu.threads.transposed_rows);
        let wide: Vec<usize> = (0..part.dims.len()).filter(|&d| part.dims[d].known() != Some(1)).collect();
        let stored = *wide.last()?;
        let count = part.dims.iter().try_fold(1i64, |n, d| Some(n * d.known()?)).unwrap_or(i64::MAX);
        if count < gpu.threads.transposed_least || part.dims[stored].known().is_some_and(|n| n < side / 4) {
            return None;
        }
        let idx: Vec<Sym> = (0..part.dims.len())
            .map(|d| if wide.contains(&d) { Sym::var((NEST, d)) } else { Sym::default() })
            .collect();
        let (mut straight, mut transposed) = (0, vec![0; part.dims.len()]);
        for u in part.roots.iter().flat_map(|r| self.graph.uses(r.0, idx.clone(), &BTreeSet::new())) {
            match &self.graph.tensors[u.id].kind {
                Kind::Result { node, .. } if self.graph.nodes[*node].reduction.contains(&true) => return None,
                Kind::Memory(memory) => {
                    if stride(memory, &u.idx, (NEST, stored)) == Stride::Known(1) {
                        straight += 1;
                    } else if u.depends((NEST, stored)) {
                        let along = wide.iter().find(|&&d| stride(memory, &u.idx, (NEST, d)) == Stride::Known(1));
                        if let Some(&d) = along {
                            transposed[d] += 1;
                        }
                    }
                }
                _ => {}
            }
        }
        let loaded = wide.iter().copied().max_by_key(|&d| transposed[d])?;
        let long = part.dims[loaded].known().is_none_or(|n| n >= side / 4);
        let bytes: i64 = part.roots.iter().map(|r| word_bytes(r.1.elem)).sum();
        let fits = bytes * side * (side + 1) <= gpu.shared_bytes;
        (transposed[loaded] > straight && long && fits).then_some(Transposition { stored, loaded, side, rows })
    }
}
