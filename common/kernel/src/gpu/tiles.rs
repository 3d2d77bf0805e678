//! The sizes of tiles, by formula.
use super::estimate;
use crate::machine::Backend;
use crate::machine::gpu::{
    MATRIX_TILES, MIDDLE_TILE, PANEL_BYTES, PANEL_STAGES, SHARED_BYTES, SLICED_TILES, TILES, VULKAN_UNITS,
};

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
pub(super) struct TileRequest {
    pub(super) backend: Backend,
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
    pub(super) fn simple((block, thread, depth): ([i64; 2], [i64; 2], i64)) -> Tile {
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

    /// The elements that keep rows of a panel apart, against threads that meet in one bank. CUDA's vectors want rows at
    /// 16 bytes.
    pub(super) fn padding(self, backend: Backend, bytes: i64) -> i64 {
        match backend {
            Backend::Vulkan => i64::from(self.shared(bytes) + 4 * self.depth * bytes <= SHARED_BYTES),
            _ => 4,
        }
    }

    /// The tile with the lowest estimated time.
    pub(super) fn choose(request: &TileRequest) -> Tile {
        match request.backend {
            Backend::Cuda { capability } => Tile::for_cuda(request, capability),
            _ => Tile::for_vulkan(request),
        }
    }

    /// The tile with the lowest estimated time of those that fit a condition; `None` if none does.
    pub(super) fn choose_of(request: &TileRequest, fits: impl Fn(&Tile) -> bool) -> Option<Tile> {
        match request.backend {
            Backend::Cuda { capability } => {
                let candidates = if request.matrix { on_tensor_cores(request) } else { by_threads() };
                let time = |tile: &Tile| estimate::time(request, tile, capability);
                candidates.into_iter().filter(|tile| fits(tile)).min_by(|a, b| time(a).total_cmp(&time(b)))
            }
            _ => Tile::vulkan_of(request, fits),
        }
    }

    fn for_cuda(request: &TileRequest, capability: u32) -> Tile {
        let candidates = if request.matrix { on_tensor_cores(request) } else { by_threads() };
        // What is not known may be large; a tile in the middle is wrong for nothing.
        let usual = if request.matrix { [64, 64] } else { MIDDLE_TILE.0 };
        let known = request.sizes.iter().all(Option::is_some);
        let candidates = candidates.into_iter().filter(|t| known || (t.block == usual && t.slices == 1));
        let time = |tile: &Tile| estimate::time(request, tile, capability);
        candidates.min_by(|a, b| time(a).total_cmp(&time(b))).unwrap_or(Tile::simple(MIDDLE_TILE))
    }

    fn for_vulkan(request: &TileRequest) -> Tile {
        let fits = |tile: Tile| tile.shared(request.bytes) <= SHARED_BYTES;
        let usual = Tile::simple(MIDDLE_TILE);
        let usual = if fits(usual) { usual } else { Tile::simple(([32, 32], [2, 4], 16)) };
        let known = request.sizes.iter().all(Option::is_some);
        Some(request).filter(|_| known).and_then(|request| Tile::vulkan_of(request, |_| true)).unwrap_or(usual)
    }

    fn vulkan_of(request: &TileRequest, wanted: impl Fn(&Tile) -> bool) -> Option<Tile> {
        let [rows, columns] = request.sizes.map(|n| n.unwrap_or(1024));
        let batch = request.batch.unwrap_or(1);
        let mut best: (f64, Option<Tile>) = (f64::INFINITY, None);
        for &(block, thread, depth) in TILES {
            let tile = Tile::simple((block, thread, depth));
            let fits = tile.shared(request.bytes) <= SHARED_BYTES;
            if tile.threads() > 256 || !fits || thread[0] * thread[1] > 32 || !wanted(&tile) {
                continue;
            }
            let up = |n: i64, by: i64| (n + by - 1) / by;
            let groups = (up(rows, block[0]) * up(columns, block[1]) * batch) as f64;
            // Multiply-adds per load from shared memory, with some cost of their own.
            let (r, c) = (thread[0] as f64, thread[1] as f64);
            let each = (block[0] * block[1]) as f64 * (1.0 + 1.2 * (r + c) / (r * c));
            // Groups that run side by side share the device; few of them leave most of it idle.
            let time = each * (groups / VULKAN_UNITS).ceil().max(groups / VULKAN_UNITS);
            if time < best.0 {
                best = (time, Some(tile));
            }
        }
        best.1
    }
}

/// What the threads of a block can do on CUDA without tensor cores.
fn by_threads() -> Vec<Tile> {
    let tiles = TILES.iter().chain(SLICED_TILES).map(|&t| Tile::simple(t));
    let sliced = |tile: Tile| [1, 2, 4, 8].map(|slices| Tile { slices, ..tile });
    tiles.flat_map(sliced).filter(|t| (64..=256).contains(&t.threads())).collect()
}

/// The sums of a thread with tensor cores, at most.
pub(super) fn most_in_registers(request: &TileRequest) -> i64 {
    match request.materialized {
        [false, false] => 128,
        _ if request.bytes == 1 => 32,
        _ => 64,
    }
}

/// What they can do with them: panels are 64 bytes deep. What is materialized takes registers while it is on its way.
fn on_tensor_cores(request: &TileRequest) -> Vec<Tile> {
    let most = most_in_registers(request);
    let tiles = MATRIX_TILES.iter().filter(|(_, thread)| thread[0] * thread[1] <= most);
    tiles
        .map(|&(block, thread)| {
            let tile = Tile { block, thread, depth: 64 / request.bytes, slices: 1, stages: 1, matrix: true };
            Tile { stages: (PANEL_BYTES / tile.shared(request.bytes)).clamp(2, PANEL_STAGES), ..tile }
        })
        .collect()
}

#[cfg(test)]
mod tests;
