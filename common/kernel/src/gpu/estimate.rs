//! How long tiles take on CUDA, roughly: enough to choose between them.
//!
//! Numbers are cycles of a multiprocessor, as NVIDIA's white papers on the A100 and H100 and the programming guide have
//! them: four schedulers, 128 bytes of shared memory per cycle, some 48 bytes from the second-level cache.
use super::tiles::{Tile, TileRequest};
use crate::machine::gpu::{
    CACHE_BYTES_PER_CYCLE, MATERIALIZED_ELEMENT, MEMORY_LATENCY, MULTIPROCESSOR_SHARED, REGISTERS,
};

/// Multiprocessors of a chip of that generation.
fn units(capability: u32) -> f64 {
    if capability >= 90 { 132.0 } else { 108.0 }
}

/// The estimated cycles of a product in tiles.
pub(super) fn time(request: &TileRequest, tile: &Tile, capability: u32) -> f64 {
    let up = |n: i64, by: i64| (n + by - 1) / by;
    let tiles = |s: usize| up(request.sizes[s].unwrap_or(1024), tile.block[s]);
    let groups = (tiles(0) * tiles(1) * request.batch.unwrap_or(1)) as f64;
    let units = units(capability);
    // How many blocks are on a multiprocessor together.
    let [r, c] = tile.thread;
    let threads = tile.threads();
    let registers = threads * (r * c + 48).min(255);
    let room =
        (2048 / threads).min(REGISTERS / registers).min(MULTIPROCESSOR_SHARED / tile.shared(request.bytes)).max(1)
            as f64;
    let together = (groups / units).ceil().clamp(1.0, room);
    let rounds = (groups / (units * together)).ceil();
    let warps = threads as f64 / 32.0;
    let bytes = ((tile.block[0] + tile.block[1]) * tile.depth * tile.slices * request.bytes) as f64;
    let materialized = |s: usize| {
        if request.materialized[s] {
            (tile.block[s] * tile.depth / tile.slice()) as f64 * MATERIALIZED_ELEMENT
        } else {
            0.0
        }
    };
    let each = materialized(0) + materialized(1);
    let panel = if tile.matrix {
        // A step is 32 bytes deep. An `mma.sync` is 2048 products of two bytes.
        let steps = 2.0;
        let products = (tile.block[0] * tile.block[1]) as f64 / 64.0;
        let reads = warps * (8 * r + 4 * c) as f64 * 32.0 / 128.0;
        let fragments = warps / 4.0 * (each / steps + (r * c) as f64 / 2.0);
        (steps * products.max(reads + bytes / steps / 128.0).max(fragments)).max(bytes / CACHE_BYTES_PER_CYCLE)
    } else {
        // Each load from shared memory brings four numbers to a thread; a warp has four times eight threads.
        let per_step = (r * c) as f64 + 2.0 * ((r + 3) / 4 + (c + 3) / 4) as f64;
        let rate = if capability == 80 { 2.0 } else { 1.0 };
        (warps / 4.0 * (tile.depth as f64 * per_step * rate + each)).max(bytes / CACHE_BYTES_PER_CYCLE)
    };
    // What is on its way is so many panels ahead.
    let ahead = if tile.matrix && request.materialized == [false; 2] { (tile.stages - 1) as f64 } else { 1.0 };
    let panel = (panel * together).max(MEMORY_LATENCY / ahead);
    let panels = up(request.sum.unwrap_or(512), tile.depth * tile.slices) as f64;
    rounds * (panels * panel + 2.0 * MEMORY_LATENCY + (tile.slices - 1) as f64 * (r * c) as f64 * 2.0)
}
