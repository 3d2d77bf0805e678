//! Tiles of products, and what is asked of them.
use crate::machine::gpu::GpuModel;
use crate::machine::products::ProductTile;

/// How a product is divided among workgroups and threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tile {
    /// Rows and columns of a workgroup.
    pub(super) block: [i64; 2],
    /// Rows and columns of a thread.
    pub(super) thread: [i64; 2],
    /// Steps of the sum that are in shared memory at a time.
    pub(super) depth: i64,
    /// How many groups of threads share the sum, each with panels of its own.
    pub(super) slices: i64,
    /// How many panels of an operand are in shared memory for a slice.
    pub(super) stages: i64,
    /// Whether tensor cores do it.
    pub(super) matrix: bool,
}

/// A product that wants a tile.
#[derive(Clone, Copy, Debug)]
pub(super) struct TileRequest<'g> {
    pub(super) gpu: &'g GpuModel,
    /// Whether tensor cores do it.
    pub(super) matrix: bool,
    /// The bytes of an element in shared memory.
    pub(super) bytes: i64,
    /// Whether an operand does not lie in memory as it is copied.
    pub(super) materialized: [bool; 2],
    /// Rows and columns.
    pub(super) sizes: [Option<i64>; 2],
    /// Steps of the sum.
    pub(super) sum: Option<i64>,
    /// How many products there are.
    pub(super) batch: Option<i64>,
}

impl Tile {
    /// A tile of one slice with two panels.
    pub(super) fn simple((block, thread, depth): ProductTile) -> Tile {
        Tile { block, thread, depth, slices: 1, stages: 2, matrix: false }
    }

    /// The threads of a slice.
    pub(super) fn slice(self) -> i64 {
        self.block[0] / self.thread[0] * (self.block[1] / self.thread[1])
    }

    /// The threads of a workgroup.
    pub(super) fn threads(self) -> i64 {
        self.slice() * self.slices
    }

    /// The shared memory that the panels of both operands take without padding, for elements of so many bytes.
    pub(super) fn shared(self, bytes: i64) -> i64 {
        self.stages * self.slices * self.depth * (self.block[0] + self.block[1]) * bytes
    }

    /// The elements that keep rows of a panel apart, against threads that meet in one bank. Vectors want rows at 16 bytes.
    pub(super) fn padding(self, gpu: &GpuModel, bytes: i64) -> i64 {
        match gpu.shared_run {
            1 => i64::from(self.shared(bytes) + 4 * self.depth * bytes <= gpu.panel_bytes),
            run => run,
        }
    }
}
