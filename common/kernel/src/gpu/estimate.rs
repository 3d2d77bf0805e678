//! How long tiles take, roughly: enough to choose between them.
//!
//! Where multiprocessors are known, numbers are cycles of one: four schedulers, 128 bytes of shared memory per cycle, and what
//! [`Multiprocessor`] says.
use super::tile::{Tile, TileRequest};
use crate::machine::products::Multiprocessor;

/// The estimated time of a product in tiles by the loads from shared memory alone, in no unit.
pub(super) fn rough_time(request: &TileRequest<'_>, tile: &Tile) -> f64 {
    let [rows, columns] = request.sizes.map(|n| n.unwrap_or(1024));
    let (block, thread) = (tile.block, tile.thread);
    let up = |n: i64, by: i64| (n + by - 1) / by;
    let groups = (up(rows, block[0]) * up(columns, block[1]) * request.batch.unwrap_or(1)) as f64;
    // Multiply-adds per load from shared memory, with some cost of their own.
    let (r, c) = (thread[0] as f64, thread[1] as f64);
    let each = (block[0] * block[1]) as f64 * (1.0 + 1.2 * (r + c) / (r * c));
    // Groups that run side by side share the device; few of them leave most of it idle.
    let units = request.gpu.products.units;
    each * (groups / units).ceil().max(groups / units)
}

/// The estimated cycles of a product in tiles.
pub(super) fn time(request: &TileRequest<'_>, tile: &Tile, unit: &Multiprocessor) -> f64 {
    let up = |n: i64, by: i64| (n + by - 1) / by;
    let tiles = |s: usize| up(request.sizes[s].unwrap_or(1024), tile.block[s]);
    let groups = (tiles(0) * tiles(1) * request.batch.unwrap_or(1)) as f64;
    let units = request.gpu.products.units;
    // How many blocks are on a multiprocessor together.
    let [r, c] = tile.thread;
    let threads = tile.threads();
    let registers = threads * (r * c + 48).min(255);
    let room = (unit.threads / threads)
        .min(unit.registers / registers)
        .min(unit.shared_bytes / tile.shared(request.bytes))
        .max(1) as f64;
    let together = (groups / units).ceil().clamp(1.0, room);
    let rounds = (groups / (units * together)).ceil();
    let warps = threads as f64 / 32.0;
    let bytes = ((tile.block[0] + tile.block[1]) * tile.depth * tile.slices * request.bytes) as f64;
    let materialized = |s: usize| {
        if request.materialized[s] {
            (tile.block[s] * tile.depth / tile.slice()) as f64 * unit.materialized_element
        } else {
            0.0
        }
    };
    let each = materialized(0) + materialized(1);
    let panel = if tile.matrix {
        // A step is 32 bytes deep. A multiplication of fragments is 2048 products of two bytes.
        let steps = (tile.depth * request.bytes) as f64 / 32.0;
        let products = (tile.block[0] * tile.block[1] * tile.slices) as f64 / 64.0;
        let reads = warps * (8 * r + 4 * c) as f64 * 32.0 / 128.0;
        let fragments = warps / 4.0 * (each / steps + (r * c) as f64 / 2.0);
        (steps * products.max(reads + bytes / steps / 128.0).max(fragments)).max(bytes / unit.cache_bytes_per_cycle)
    } else {
        // Each load from shared memory brings four numbers to a thread; a warp has four times eight threads.
        let per_step = (r * c) as f64 + 2.0 * ((r + 3) / 4 + (c + 3) / 4) as f64;
        (warps / 4.0 * (tile.depth as f64 * per_step * unit.cycles_per_fma + each) + unit.panel)
            .max(bytes / unit.cache_bytes_per_cycle)
    };
    // What is on its way is so many panels ahead.
    let ahead = if tile.matrix && request.materialized == [false; 2] { (tile.stages - 1) as f64 } else { 1.0 };
    let panel = (panel * together).max(unit.memory_latency / ahead);
    let panels = up(request.sum.unwrap_or(512), tile.depth * tile.slices) as f64;
    rounds * (panels * panel + 2.0 * unit.memory_latency + (tile.slices - 1) as f64 * (r * c) as f64 * 2.0)
}
