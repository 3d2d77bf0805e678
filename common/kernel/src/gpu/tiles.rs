//! The sizes of tiles, by formula.
use super::estimate;
use super::tile::{Tile, TileRequest};
use crate::machine::gpu::GpuModel;

impl Tile {
    /// The tile with the lowest estimated time.
    pub(super) fn choose(request: &TileRequest<'_>) -> Tile {
        let numbers = &request.gpu.products;
        let known = request.sizes.iter().all(Option::is_some);
        if numbers.multiprocessor.is_some() {
            // What is not known may be large; a tile in the middle is wrong for nothing.
            let usual = if request.matrix { [64, 64] } else { numbers.middle_tile.0 };
            let chosen = Tile::choose_of(request, |t| known || (t.block == usual && t.slices == 1));
            return chosen.unwrap_or(Tile::simple(numbers.middle_tile));
        }
        let usual = Tile::simple(numbers.middle_tile);
        let fits = usual.shared(request.bytes) <= request.gpu.panel_bytes;
        let usual = if fits { usual } else { Tile::simple(numbers.small_tile) };
        if known { Tile::choose_of(request, |_| true).unwrap_or(usual) } else { usual }
    }

    /// The tile with the lowest estimated time of those that fit a condition; `None` if none does.
    pub(super) fn choose_of(request: &TileRequest<'_>, wanted: impl Fn(&Tile) -> bool) -> Option<Tile> {
        let gpu = request.gpu;
        if let Some(unit) = &gpu.products.multiprocessor {
            let candidates = if request.matrix { on_tensor_cores(request) } else { by_threads(gpu) };
            let time = |tile: &Tile| estimate::time(request, tile, unit);
            return candidates.into_iter().filter(|t| wanted(t)).min_by(|a, b| time(a).total_cmp(&time(b)));
        }
        let fits = |t: &Tile| {
            t.threads() <= 256
                && t.shared(request.bytes) <= gpu.panel_bytes
                && t.thread[0] * t.thread[1] <= gpu.thread_sums
        };
        let candidates = gpu.products.tiles.iter().map(|&tile| Tile::simple(tile));
        let time = |tile: &Tile| estimate::rough_time(request, tile);
        candidates.filter(|t| fits(t) && wanted(t)).min_by(|a, b| time(a).total_cmp(&time(b)))
    }
}

/// What the threads of a block can do without tensor cores.
fn by_threads(gpu: &GpuModel) -> Vec<Tile> {
    let numbers = &gpu.products;
    let tiles = numbers.tiles.iter().chain(&numbers.sliced_tiles).chain(&numbers.deep_tiles).map(|&t| Tile::simple(t));
    let sliced = |tile: Tile| [1, 2, 4, 8].map(|slices| Tile { slices, ..tile });
    // Slices meet in memory of the launch.
    let fits = |t: &Tile| (64..=256).contains(&t.threads()) && (t.slices == 1 || gpu.launch_memory);
    tiles.flat_map(sliced).filter(fits).collect()
}

/// The sums of a thread with tensor cores, at most.
pub(super) fn most_in_registers(request: &TileRequest<'_>) -> i64 {
    match request.materialized {
        [false, false] => 128,
        _ if request.bytes == 1 => 32,
        _ => 64,
    }
}

/// What they can do with them: panels are 64 bytes deep. What is materialized takes registers while it is on its way.
fn on_tensor_cores(request: &TileRequest<'_>) -> Vec<Tile> {
    let (gpu, numbers) = (request.gpu, &request.gpu.products);
    let most = most_in_registers(request);
    let tiles = numbers.matrix_tiles.iter().filter(|(_, thread)| thread[0] * thread[1] <= most);
    let sliced = |&(block, thread): &([i64; 2], [i64; 2])| {
        let tile = Tile { block, thread, depth: 64 / request.bytes, slices: 1, stages: 1, matrix: true };
        [1, 2, 4, 8].map(|slices| Tile { slices, ..tile })
    };
    let staged = |tile: Tile| {
        let stages = (gpu.panel_bytes / tile.shared(request.bytes)).clamp(2, numbers.panel_stages);
        Tile { stages, ..tile }
    };
    let fits = |tile: &Tile| {
        let room = tile.threads() <= 256 && tile.shared(request.bytes) <= gpu.panel_bytes;
        tile.slices == 1 || room
    };
    tiles.flat_map(sliced).map(staged).filter(fits).collect()
}

#[cfg(test)]
mod tests;
