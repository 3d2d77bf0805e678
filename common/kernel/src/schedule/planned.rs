//! The plan of a nest, as data.
use super::planner::Held;
use std::collections::{BTreeMap, BTreeSet};

/// A tensor that is computed before the innermost loop and kept.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// The tensor.
    pub(crate) id: usize,
    /// The loop of the nest that each of its dimensions follows, if it follows one that is open.
    pub(crate) follows: Vec<Option<usize>>,
    /// Whether it is kept in scratch memory (over the dimensions that follow no loop) or in registers.
    pub(crate) scratch: bool,
    /// The number of loops that are open where it is computed.
    pub(crate) depth: usize,
    /// Whether a thread computes it for the first of its workgroups, and finds it in scratch memory for the others.
    pub(crate) for_all: bool,
}

/// The plan of a nest.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Lanes of a vector.
    pub(crate) lanes: i64,
    /// The loop that carries the lanes.
    pub(crate) vector: Option<usize>,
    /// The loops, outermost first.
    pub(crate) order: Vec<usize>,
    /// The unroll-and-jam factor of each loop (in vectors, for the loop with the lanes).
    pub(crate) unroll_jam: Vec<i64>,
    /// A loop whose unrolled lanes are one side of blocks that are transposed in registers.
    pub(crate) block: Option<usize>,
    /// The intermediates that are computed once and kept in memory.
    pub(crate) items: Vec<Item>,
    /// The panel that is copied together.
    pub(crate) pack: Option<Pack>,
    /// What is done for a wide stretch of the loop with the lanes, which is the innermost, in loops of its own.
    pub(crate) wide: Option<Wide>,
    /// Whether results are stored around the caches.
    pub(crate) nontemporal: bool,
    /// The workgroups whose columns stay in the first-level cache while all rows read them, if the loops are ordered for that.
    pub(crate) stretches: Option<i64>,
    /// Whether something is kept for all steps of a merged loop because of the merging.
    pub(crate) cut: bool,
    /// An estimate of what all of it costs, in nanoseconds; `None` if sizes are not known.
    pub(crate) nanoseconds: Option<f64>,
    /// What could have been chosen otherwise.
    pub(crate) open: Alternatives,
}

/// What is done for a wide stretch of the loop with the lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wide {
    /// A sum whose accumulators stay in the cache.
    CacheBlockedReduction(CacheBlockedReduction),
    /// A transposition along the rows of its operand.
    StreamingTranspose(StreamingTranspose),
}

impl Wide {
    /// The elements of a stretch; the last one may have less.
    pub(crate) fn width(self) -> i64 {
        match self {
            Wide::CacheBlockedReduction(blocked) => blocked.width,
            Wide::StreamingTranspose(streaming) => streaming.width,
        }
    }
}

/// What could have been chosen otherwise.
#[derive(Clone, Debug, Default)]
pub(crate) struct Alternatives {
    /// The lanes that fill a register.
    pub(crate) widest: i64,
    /// The tensors that may be kept.
    pub(crate) candidates: Vec<usize>,
    /// The loops along which blocks may be transposed in registers.
    pub(crate) blocks: Vec<usize>,
    /// Whether there is a panel that could be packed.
    pub(crate) packs: bool,
    /// Whether the lanes are the nest's own.
    pub(crate) free_lanes: bool,
}

/// The sum of a nest that is computed block by block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CacheBlockedReduction {
    /// The tensor of sums.
    pub(crate) id: usize,
    /// Its dimension that the loop with the lanes follows.
    pub(crate) along: usize,
    /// The results of a block.
    pub(crate) width: i64,
}

/// A large transposition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StreamingTranspose {
    /// The loop along the operand's rows.
    pub(crate) across: usize,
    /// The rows of a block.
    pub(crate) width: i64,
    /// The elements of a row that are read at once.
    pub(crate) step: i64,
}

/// A panel of a tensor that is copied together for the loops inside.
#[derive(Clone, Debug)]
pub(crate) struct Pack {
    /// The tensor.
    pub(crate) id: usize,
    /// What each of its dimensions follows.
    pub(crate) follows: Vec<Follow>,
    /// The number of loops that are open where it is copied (of the loops that were ordered).
    pub(crate) depth: usize,
    /// Whether the lanes run across the rows of the tensor.
    pub(crate) transposed: bool,
    /// The loop with the lanes.
    pub(crate) across: usize,
}

/// What a dimension of a packed tensor follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Follow {
    /// The loop with the lanes.
    Lanes,
    /// Another loop of the nest.
    Loop(usize),
    /// A reduction, over all its steps.
    Whole,
    /// No loop: its first element alone.
    First,
}

/// How a nest is divided.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Partition {
    /// The loop whose tiles the workgroups share.
    pub(crate) dim: usize,
    /// The size of a tile.
    pub(crate) tile: i64,
    /// How many tiles there are, if it is known.
    pub(crate) tiles: Option<i64>,
    /// A loop inside it, with the size of its tile, if workgroups share the tiles of both: where only a run knows how many tiles one of them has, it
    /// may have few.
    pub(crate) inside: Option<(usize, i64)>,
    /// How many workgroups there are, at most.
    pub(crate) workgroups: i64,
}

impl Partition {
    /// Whether workgroups share the tiles of a loop.
    pub(crate) fn shares(self, dim: usize) -> bool {
        self.dim == dim || self.inside.is_some_and(|(inside, _)| inside == dim)
    }

    /// The number of workgroups, if it is known.
    pub(crate) fn count(self) -> Option<i64> {
        self.tiles.filter(|_| self.inside.is_none()).map(|tiles| tiles.min(self.workgroups).max(1))
    }
}

impl Plan {
    /// The elements of a tile along a loop.
    pub(crate) fn tile(&self, dim: usize) -> i64 {
        if let Some(wide) = self.wide.filter(|_| self.vector == Some(dim)) {
            return wide.width();
        }
        self.unroll_jam[dim] * if self.vector == Some(dim) { self.lanes } else { 1 }
    }
}

impl Plan {
    /// Whether the last tile along the loop with the lanes, whose length only a run knows, has all its vectors where more than half of them are
    /// needed. So it is with register tiles: one vector alone would leave most of the registers idle.
    pub(crate) fn fills_rest(&self, dim: usize) -> bool {
        let others = self.unroll_jam.iter().enumerate().any(|(d, count)| d != dim && *count > 1);
        self.vector == Some(dim) && self.unroll_jam[dim] > 1 && others && self.wide.is_none()
    }

    /// How many steps of a loop are unrolled, for each part of the loop that runs: whole tiles, then what is left. With `overlap`,
    /// elements may be computed twice.
    pub(crate) fn unrolled(&self, dim: usize, size: Option<i64>, overlap: bool) -> Vec<i64> {
        let lanes = if self.vector == Some(dim) { self.lanes } else { 1 };
        let tile = self.tile(dim);
        let whole = tile / lanes;
        let Some(n) = size else { return if tile > 1 { vec![whole, 1] } else { vec![whole] } };
        let left = n % tile;
        let rest = match self.block == Some(dim) && overlap && n >= tile {
            true => whole,
            false => (left + lanes - 1) / lanes,
        };
        [(n >= tile, whole), (left > 0, rest)].into_iter().filter(|part| part.0).map(|part| part.1).collect()
    }
}

/// A nest as it is emitted.
#[derive(Clone, Debug)]
pub(crate) struct PlannedNest {
    /// What it does where.
    pub(crate) plan: Plan,
    /// The steps of a loop, where neighbours are merged; the others have those of their dimension.
    pub(crate) merged: Vec<Option<i64>>,
    /// How it is divided among workgroups; `None` if one does everything.
    pub(crate) partition: Option<Partition>,
    /// Tensors in memory that no loop around its tile reads again.
    pub(crate) once: BTreeSet<usize>,
    /// The nests inside that fill scratch memory.
    pub(crate) inner: Vec<InnerNest>,
}

/// A nest that fills scratch memory within another one.
#[derive(Clone, Debug)]
pub(crate) struct InnerNest {
    /// The tensor.
    pub(crate) id: usize,
    /// What of the loops around it is open: parts of a loop may have less unrolled.
    pub(crate) held: Vec<Option<Held>>,
    /// How far the rows are that will be read for the next step of the loop around it, per tensor, in elements.
    pub(crate) next_rows: BTreeMap<usize, i64>,
    /// How it is computed; `None` if there is nothing to compute.
    pub(crate) nest: Option<Box<PlannedNest>>,
}
