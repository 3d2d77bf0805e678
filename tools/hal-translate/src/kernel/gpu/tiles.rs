//! The sizes of tiles, by formula.
use crate::kernel::machine::Machine;

/// How a product is divided among workgroups and threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tile {
    /// Rows and columns of a workgroup.
    pub(super) block: [i64; 2],
    /// Rows and columns of a thread.
    pub(super) thread: [i64; 2],
    /// Steps of the sum that are in shared memory at a time.
    pub(super) depth: i64,
    /// Whether tensor cores do it.
    pub(super) matrix: bool,
}

impl Tile {
    /// The threads of a workgroup.
    pub(super) fn threads(self) -> i64 {
        self.block[0] / self.thread[0] * (self.block[1] / self.thread[1])
    }

    /// The shared memory that two strips of each operand take without padding, for elements of so many bytes.
    pub(super) fn shared(self, bytes: i64) -> i64 {
        2 * self.depth * (self.block[0] + self.block[1]) * bytes
    }

    /// The elements that keep rows of a strip apart, against threads that meet in one bank. CUDA's vectors want rows at
    /// 16 bytes.
    pub(super) fn padding(self, machine: Machine, bytes: i64) -> i64 {
        match machine {
            Machine::Vulkan => i64::from(self.shared(bytes) + 4 * self.depth * bytes <= SHARED),
            _ => 4,
        }
    }

    /// The tile with the lowest estimated time for `rows` by `columns` of each of `batch` products.
    pub(super) fn choose(
        machine: Machine,
        (matrix, bytes): (bool, i64),
        rows: Option<i64>,
        columns: Option<i64>,
        batch: Option<i64>,
    ) -> Tile {
        let usual = if matrix {
            Tile { block: [64, 64], thread: [4, 8], depth: 32, matrix }
        } else {
            Tile { block: [64, 64], thread: [4, 4], depth: 16, matrix }
        };
        let fits = |tile: Tile| machine != Machine::Vulkan || tile.shared(bytes) <= SHARED;
        let usual = if fits(usual) { usual } else { Tile { block: [32, 32], thread: [2, 4], depth: 16, matrix } };
        let (Some(rows), Some(columns)) = (rows, columns) else { return usual };
        let batch = batch.unwrap_or(1);
        let mut best = (f64::INFINITY, usual);
        for &(block, thread, depth) in if matrix { MATRIX } else { CHOICES } {
            let tile = Tile { block, thread, depth, matrix };
            if tile.threads() > 256 || !fits(tile) || (machine == Machine::Vulkan && thread[0] * thread[1] > 32) {
                continue;
            }
            let up = |n: i64, by: i64| (n + by - 1) / by;
            let groups = (up(rows, block[0]) * up(columns, block[1]) * batch) as f64;
            // Multiply-adds per load from shared memory, with some cost of their own.
            let (r, c) = (thread[0] as f64, thread[1] as f64);
            let each = (block[0] * block[1]) as f64 * (1.0 + 1.2 * (r + c) / (r * c));
            // Groups that run side by side share the device; few of them leave most of it idle.
            let time = each * (groups / UNITS).ceil().max(groups / UNITS);
            if time < best.0 {
                best = (time, tile);
            }
        }
        best.1
    }
}

/// Block, thread, depth. Every thread loads as many elements as every other.
const CHOICES: &[([i64; 2], [i64; 2], i64)] = &[
    ([128, 128], [8, 8], 8),
    ([128, 64], [8, 4], 16),
    ([64, 128], [4, 8], 16),
    ([64, 64], [4, 4], 16),
    ([32, 64], [4, 4], 16),
    ([64, 32], [4, 4], 16),
    ([32, 32], [2, 4], 16),
    ([16, 64], [2, 4], 16),
    ([64, 16], [4, 2], 16),
    ([16, 16], [2, 2], 16),
];

/// The same for tensor cores: a warp has 8 times the rows and 4 times the columns of a thread.
const MATRIX: &[([i64; 2], [i64; 2], i64)] = &[
    ([128, 128], [8, 8], 32),
    ([128, 64], [8, 8], 32),
    ([64, 128], [8, 8], 32),
    ([64, 64], [4, 8], 32),
    ([32, 64], [2, 8], 32),
    ([32, 32], [2, 4], 32),
];

/// The shared memory that every device of Vulkan has, in bytes.
const SHARED: i64 = 16 << 10;
/// Units of a device that each run a workgroup or two at a time.
const UNITS: f64 = 96.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_follow_the_sizes() {
        let cuda = Machine::Cuda { capability: 80 };
        let of = |m, n| Tile::choose(cuda, (false, 4), Some(m), Some(n), Some(1)).block;
        assert_eq!(of(4096, 4096), [128, 128]);
        assert_eq!(of(16, 16), [16, 16]);
        assert!(of(16, 4096)[0] == 16);
        assert_eq!(Tile::choose(cuda, (false, 4), None, Some(3), None).block, [64, 64]);
    }

    #[test]
    fn every_device_has_the_shared_memory() {
        for bytes in [4, 8] {
            for size in [Some(16), Some(64), Some(1000), Some(5000), None] {
                let tile = Tile::choose(Machine::Vulkan, (false, bytes), size, size, Some(1));
                let padding = 4 * tile.depth * tile.padding(Machine::Vulkan, bytes) * bytes;
                assert!(tile.shared(bytes) + padding <= SHARED, "{tile:?}");
            }
        }
    }

    #[test]
    fn threads_load_evenly() {
        for &(block, thread, depth) in CHOICES {
            let threads = Tile { block, thread, depth, matrix: false }.threads();
            for side in block {
                assert_eq!(side * depth % threads, 0);
                assert!(threads % depth == 0 && threads % side == 0, "{block:?}");
            }
        }
    }
}
