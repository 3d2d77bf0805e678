use super::*;

const CUDA: Backend = Backend::Cuda { capability: 80 };

fn request(backend: Backend, m: Option<i64>, n: Option<i64>) -> TileRequest {
    let (bytes, sum) = (4, Some(1024));
    TileRequest { backend, matrix: false, bytes, materialized: [true; 2], sizes: [m, n], sum, batch: Some(1) }
}

#[test]
fn tiles_follow_the_sizes() {
    let of = |m, n| Tile::choose(&request(CUDA, Some(m), Some(n)));
    assert_eq!(of(4096, 4096).block, [128, 128]);
    assert_eq!(of(4096, 4096).slices, 1);
    assert!(of(16, 16).slices > 1, "few workgroups share the sum");
    assert!(of(16, 4096).block[0] <= 32);
    assert_eq!(Tile::choose(&request(CUDA, None, Some(3))).block, [64, 64]);
}

#[test]
fn tensor_cores_have_large_tiles_and_what_is_pulled_smaller_ones() {
    let large = |bytes, materialized| {
        let plain = request(CUDA, Some(4096), Some(4096));
        let tile = Tile::choose(&TileRequest { matrix: true, bytes, materialized, sum: Some(4096), ..plain });
        (tile.block[0] * tile.block[1], tile.stages, tile.depth)
    };
    assert_eq!(large(2, [false; 2]), (128 * 256, 4, 32));
    assert_eq!(large(4, [false; 2]), (128 * 256, 4, 16));
    assert!(large(2, [false, true]).0 <= 128 * 128);
}

#[test]
fn every_device_has_the_shared_memory() {
    for bytes in [4, 8] {
        for size in [Some(16), Some(64), Some(1000), Some(5000), None] {
            let tile = Tile::choose(&TileRequest { bytes, ..request(Backend::Vulkan, size, size) });
            let padding = 4 * tile.depth * tile.padding(Backend::Vulkan, bytes) * bytes;
            assert!(tile.shared(bytes) + padding <= SHARED_BYTES, "{tile:?}");
            let tile = Tile::choose(&TileRequest { bytes, ..request(CUDA, size, size) });
            assert!(tile.shared(bytes) <= PANEL_BYTES, "{tile:?}");
        }
    }
}

#[test]
fn threads_load_evenly() {
    for &(block, thread, depth) in TILES.iter().chain(SLICED_TILES) {
        let threads = Tile::simple((block, thread, depth)).threads();
        for side in block {
            assert_eq!(side * depth % threads, 0);
            assert!(threads % depth == 0 && threads % side == 0, "{block:?}");
        }
    }
    for bytes in [1, 2, 4] {
        for tile in on_tensor_cores(&TileRequest { matrix: true, bytes, ..request(CUDA, None, None) }) {
            for side in tile.block {
                // Lines of chunks of 16 bytes, along the sum and across.
                for (lines, chunks) in [(side, 4), (tile.depth, side * bytes / 16)] {
                    assert_eq!(lines * chunks % tile.threads(), 0, "{tile:?}");
                    assert_eq!(tile.threads() % chunks, 0, "{tile:?}");
                }
            }
        }
    }
}
