use super::*;
use crate::MachineModel;

fn gpu(model: MachineModel) -> GpuModel {
    model.gpu.expect("it is of a GPU")
}

fn request(gpu: &GpuModel, m: Option<i64>, n: Option<i64>) -> TileRequest<'_> {
    let (bytes, sum) = (4, Some(1024));
    TileRequest { gpu, matrix: false, bytes, materialized: [true; 2], sizes: [m, n], sum, batch: Some(1) }
}

#[test]
fn tiles_follow_the_sizes() {
    let cuda = gpu(MachineModel::cuda(80));
    let of = |m, n| Tile::choose(&request(&cuda, Some(m), Some(n)));
    assert_eq!(of(4096, 4096).block, [128, 128]);
    assert_eq!(of(4096, 4096).slices, 1);
    assert!(of(16, 16).slices > 1, "few workgroups share the sum");
    assert!(of(16, 4096).block[0] <= 32);
    assert_eq!(Tile::choose(&request(&cuda, None, Some(3))).block, [64, 64]);
}

#[test]
fn tensor_cores_have_large_tiles_and_what_is_pulled_smaller_ones() {
    let cuda = gpu(MachineModel::cuda(80));
    let large = |bytes, materialized| {
        let plain = request(&cuda, Some(4096), Some(4096));
        let tile = Tile::choose(&TileRequest { matrix: true, bytes, materialized, sum: Some(4096), ..plain });
        (tile.block[0] * tile.block[1], tile.stages, tile.depth)
    };
    assert_eq!(large(2, [false; 2]), (128 * 256, 4, 32));
    assert_eq!(large(4, [false; 2]), (128 * 256, 4, 16));
    assert!(large(2, [false, true]).0 <= 128 * 128);
}

#[test]
fn every_device_has_the_shared_memory() {
    let (cuda, vulkan) = (gpu(MachineModel::cuda(80)), gpu(MachineModel::vulkan()));
    for bytes in [4, 8] {
        for size in [Some(16), Some(64), Some(1000), Some(5000), None] {
            let tile = Tile::choose(&TileRequest { bytes, ..request(&vulkan, size, size) });
            let padding = 4 * tile.depth * tile.padding(&vulkan, bytes) * bytes;
            assert!(tile.shared(bytes) + padding <= vulkan.shared_bytes, "{tile:?}");
            let tile = Tile::choose(&TileRequest { bytes, ..request(&cuda, size, size) });
            assert!(tile.shared(bytes) <= cuda.panel_bytes, "{tile:?}");
        }
    }
}

#[test]
fn threads_load_evenly() {
    let cuda = gpu(MachineModel::cuda(80));
    let products = &cuda.products;
    for &(block, thread, depth) in products.tiles.iter().chain(&products.sliced_tiles).chain(&products.deep_tiles) {
        let threads = Tile::simple((block, thread, depth)).threads();
        for side in block {
            assert_eq!(side * depth % threads, 0);
            assert!(threads % depth == 0 && threads % side == 0, "{block:?}");
        }
    }
    for bytes in [1, 2, 4] {
        for tile in on_tensor_cores(&TileRequest { matrix: true, bytes, ..request(&cuda, None, None) }) {
            for side in tile.block {
                // Lines of chunks of 16 bytes, along the sum and across.
                for (lines, chunks) in [(side, 4), (tile.depth, side * bytes / 16)] {
                    assert_eq!(lines * chunks % tile.slice(), 0, "{tile:?}");
                    assert_eq!(tile.slice() % chunks, 0, "{tile:?}");
                }
            }
        }
    }
}

#[test]
fn warps_share_long_sums_of_few_results() {
    let cuda = gpu(MachineModel::cuda(90));
    let slices = |size: i64, sum: Option<i64>| {
        let few = request(&cuda, Some(size), Some(size));
        Tile::choose(&TileRequest { matrix: true, bytes: 2, materialized: [true; 2], sum, ..few }).slices
    };
    assert!(slices(64, Some(4608)) > 1);
    assert_eq!(slices(4096, Some(4608)), 1);
    // Whether or not they are whole.
    assert!(slices(64, Some(4617)) > 1);
}
