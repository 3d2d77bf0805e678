//! Layouts of weights: forms in which a kernel may take a weight instead of the model's.
//!
//! A variant records the layout of each such argument (`hal.packed`, [`crate::form::PackedWeight`]). `hal-link` packs the weights, and
//! `hal-translate --verify` packs random ones, with [`WeightLayout::pack`].
mod pack;
mod panels;

use crate::Filtering;
use halyard_diag::{either, nearest};

/// A layout of a weight. Those of four dimensions are of the filters of 2-D convolutions, `[K, C, H, W]` in the model: K filters,
/// C channels; with groups `[G, K, C, H, W]`, K filters of C channels in each. The others are of matrices `[N, K]` that are
/// quantised in blocks along K.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WeightLayout {
    /// 3×3 filters of f32 or f16 transformed for winograd with tiles of 2×2 outputs, `G g Gᵀ` each: `[4, 4, K/32, C, 32]` of f32.
    Winograd2,
    /// The same with tiles of 4×4 outputs: `[6, 6, K/32, C, 32]`.
    Winograd4,
    /// 3×3 filters of 8-bit integers transformed for winograd with tiles of 2×2 outputs, `4 · G g Gᵀ` each, which are integers. Two channels of
    /// each filter stand side by side: `[4, 4, K/32, C/2, 32, 2]` of i16. Channels are filled up with zeros.
    Winograd2Words,
    /// Filters of f32 or f16 in blocks, whose elements stand side by side: `[K/32, C, H, W, 32]`, with groups
    /// `[G, K/32, C, H, W, 32]`.
    FilterBlocks,
    /// Filters of 8-bit integers with the channels innermost: `[K, H, W, C]`.
    ChannelsLast,
    /// Filters of 8-bit integers in blocks, four channels of each filter side by side: `[K/32, C/4, H, W, 32, 4]`, with groups
    /// `[G, K/32, C/4, H, W, 32, 4]`. Channels are filled up with zeros.
    ByteBlocks,
    /// The same, tap by tap: `[K/32, H, W, C/4, 32, 4]`, with groups `[G, K/32, H, W, C/4, 32, 4]`. For CPUs with matrix tiles, which multiply the
    /// channels of one tap or of several together.
    ByteTapBlocks,
    /// Matrices of 8-bit integers `[N, K]`: 32 rows in a panel, four bytes of each side by side, `[N/32, K/4, 32, 4]`. Rows are filled
    /// up with zeros.
    ByteRowPanels,
    /// The same of matrices `[K, N]`: 32 columns in a panel.
    ByteColumnPanels,
    /// As [`Self::ByteBlocks`], with two channels side by side: `[K/32, C/2, H, W, 32, 2]`. For CPUs that multiply 16-bit numbers in
    /// pairs, and no bytes.
    BytePairBlocks,
    /// As [`Self::ByteRowPanels`], with two bytes side by side: `[N/32, K/2, 32, 2]`.
    BytePairRowPanels,
    /// As [`Self::ByteColumnPanels`], with two bytes side by side.
    BytePairColumnPanels,
    /// Bytes of quantised numbers, `[N, blocks, bytes]`: 32 rows side by side, four bytes of each at a time,
    /// `[N/32, blocks, bytes/4, 32, 4]`. One number or several are in a byte.
    BlockPanels,
    /// What each block of a row has, scale or zero point, `[N, blocks]`: 32 rows side by side, `[N/32, blocks, 32]`. So are
    /// matrices of floats `[N, K]`.
    RowPanels,
    /// Matrices of floats `[K, N]`: 32 columns in a panel, `[N/32, K, 32]`.
    ColumnPanels,
}

impl WeightLayout {
    /// All layouts.
    pub const ALL: [Self; 15] = [
        Self::Winograd2,
        Self::Winograd4,
        Self::Winograd2Words,
        Self::FilterBlocks,
        Self::ChannelsLast,
        Self::ByteBlocks,
        Self::ByteTapBlocks,
        Self::ByteRowPanels,
        Self::ByteColumnPanels,
        Self::BytePairBlocks,
        Self::BytePairRowPanels,
        Self::BytePairColumnPanels,
        Self::BlockPanels,
        Self::RowPanels,
        Self::ColumnPanels,
    ];
    /// The filters of a block, the rows of a panel. The last one is filled up with zeros.
    pub const BLOCK: u64 = 32;

    /// The name in `hal.packed`, in archives and in linked programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Winograd2 => "winograd2",
            Self::Winograd4 => "winograd4",
            Self::Winograd2Words => "winograd2_words",
            Self::FilterBlocks => "filter_blocks",
            Self::ChannelsLast => "channels_last",
            Self::ByteBlocks => "byte_blocks",
            Self::ByteTapBlocks => "byte_tap_blocks",
            Self::ByteRowPanels => "byte_row_panels",
            Self::ByteColumnPanels => "byte_column_panels",
            Self::BytePairBlocks => "byte_pair_blocks",
            Self::BytePairRowPanels => "byte_pair_row_panels",
            Self::BytePairColumnPanels => "byte_pair_column_panels",
            Self::BlockPanels => "block_panels",
            Self::RowPanels => "row_panels",
            Self::ColumnPanels => "column_panels",
        }
    }

    /// The layout of that name. Errors: there is none; the message lists those that there are.
    pub fn of_name(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|l| l.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name);
            let near = nearest(name, names);
            let list = names.map(|n| format!("`{n}`"));
            let meant = if near.is_empty() { String::new() } else { format!(" (did you mean {}?)", either(&near)) };
            format!("unknown layout `{name}`{meant}; there are {}", list.join(", "))
        })
    }

    /// The layout of filters of bytes in blocks, of which so many channels stand side by side.
    pub fn byte_blocks(group: u64) -> Option<Self> {
        [Self::ByteBlocks, Self::BytePairBlocks].into_iter().find(|layout| layout.group() == Some(group))
    }

    /// The layout of matrices of bytes in panels, of rows or else of columns, of which so many bytes stand side by side.
    pub fn byte_panels(group: u64, rows: bool) -> Option<Self> {
        let layouts = match rows {
            true => [Self::ByteRowPanels, Self::BytePairRowPanels],
            false => [Self::ByteColumnPanels, Self::BytePairColumnPanels],
        };
        layouts.into_iter().find(|layout| layout.group() == Some(group))
    }

    /// How many bytes stand side by side, as instructions multiply them.
    pub fn group(self) -> Option<u64> {
        match self {
            Self::ByteBlocks
            | Self::ByteTapBlocks
            | Self::ByteRowPanels
            | Self::ByteColumnPanels
            | Self::BlockPanels => Some(4),
            Self::BytePairBlocks | Self::BytePairRowPanels | Self::BytePairColumnPanels => Some(2),
            _ => None,
        }
    }

    /// The winograd algorithm whose filters it holds.
    pub fn filtering(self) -> Option<&'static Filtering> {
        match self {
            Self::Winograd2 | Self::Winograd2Words => Some(&Filtering::TWO),
            Self::Winograd4 => Some(&Filtering::FOUR),
            _ => None,
        }
    }

    /// The shape of a packed weight. `shape` and `element` (an MLIR type such as `f32`) are those of the model's. `None` if the
    /// layout is for other weights, or the packed weight has more than 2⁶³ bytes.
    pub fn packed_shape(self, shape: &[u64], element: &str) -> Option<Vec<u64>> {
        let packed = match (self, shape, element) {
            (Self::Winograd2 | Self::Winograd4, &[filters, channels, 3, 3], "f32" | "f16") => {
                let tile = self.filtering()?.tile() as u64;
                vec![tile, tile, filters.div_ceil(Self::BLOCK), channels, Self::BLOCK]
            }
            (Self::Winograd2Words, &[filters, channels, 3, 3], "i8") => {
                vec![4, 4, filters.div_ceil(Self::BLOCK), channels.div_ceil(2), Self::BLOCK, 2]
            }
            (Self::FilterBlocks, &[filters, channels, rows, columns], "f32" | "f16") => {
                vec![filters.div_ceil(Self::BLOCK), channels, rows, columns, Self::BLOCK]
            }
            (Self::FilterBlocks, &[groups, filters, channels, rows, columns], "f32" | "f16") => {
                vec![groups, filters.div_ceil(Self::BLOCK), channels, rows, columns, Self::BLOCK]
            }
            (Self::ChannelsLast, &[filters, channels, rows, columns], "i8") => vec![filters, rows, columns, channels],
            (Self::ByteBlocks | Self::BytePairBlocks, &[filters, channels, rows, columns], "i8") => {
                let group = self.group()?;
                vec![filters.div_ceil(Self::BLOCK), channels.div_ceil(group), rows, columns, Self::BLOCK, group]
            }
            (Self::ByteTapBlocks, &[filters, channels, rows, columns], "i8") => {
                let group = self.group()?;
                vec![filters.div_ceil(Self::BLOCK), rows, columns, channels.div_ceil(group), Self::BLOCK, group]
            }
            (Self::ByteBlocks | Self::ByteTapBlocks | Self::BytePairBlocks, &[groups, ref group @ ..], "i8")
                if group.len() == 4 =>
            {
                [&[groups], &*self.packed_shape(group, element)?].concat()
            }
            (Self::ByteRowPanels | Self::BytePairRowPanels, &[rows, steps], "i8")
            | (Self::ByteColumnPanels | Self::BytePairColumnPanels, &[steps, rows], "i8") => {
                let group = self.group()?;
                vec![rows.div_ceil(Self::BLOCK), steps.div_ceil(group), Self::BLOCK, group]
            }
            (Self::BlockPanels, &[rows, blocks, bytes], "i8") if bytes % self.group()? == 0 => {
                let group = self.group()?;
                vec![rows.div_ceil(Self::BLOCK), blocks, bytes / group, Self::BLOCK, group]
            }
            (Self::RowPanels, &[rows, blocks], "i8" | "f16" | "bf16" | "f32") => {
                vec![rows.div_ceil(Self::BLOCK), blocks, Self::BLOCK]
            }
            (Self::ColumnPanels, &[rows, columns], "f16" | "bf16" | "f32") => {
                vec![columns.div_ceil(Self::BLOCK), rows, Self::BLOCK]
            }
            _ => return None,
        };
        let bytes = packed.iter().try_fold(4u64, |n, d| n.checked_mul(*d))?;
        i64::try_from(bytes).is_ok().then_some(packed)
    }

    /// The element type of a packed weight, whose model has one. Transformed filters have more digits than those of f16 or of bytes can hold.
    pub fn packed_element(self, element: &str) -> &str {
        match self {
            Self::Winograd2 | Self::Winograd4 => "f32",
            Self::Winograd2Words => "i16",
            _ => element,
        }
    }

    /// Whether some layout is for weights of this shape and element type.
    pub fn exists_for(shape: &[u64], element: &str) -> bool {
        Self::ALL.iter().any(|l| l.packed_shape(shape, element).is_some())
    }

    /// Packs the elements of a weight, little-endian as in archives. Panics unless [`Self::packed_shape`] knows the shape and the
    /// element type, and the bytes are all of it.
    pub fn pack(self, shape: &[u64], element: &str, bytes: &[u8]) -> Vec<u8> {
        let group = self.group().unwrap_or(1) as usize;
        match (self, shape) {
            (Self::BlockPanels, &[rows, ..]) => panels::rows_together(rows as usize, group, bytes),
            (Self::ByteRowPanels | Self::BytePairRowPanels, &[rows, steps]) => {
                pack::byte_blocks([rows as usize, steps as usize, 1], group, bytes)
            }
            (Self::ByteColumnPanels | Self::BytePairColumnPanels, &[steps, columns]) => {
                panels::bytes_of_columns([steps as usize, columns as usize], group, bytes)
            }
            (Self::RowPanels, &[rows, blocks]) => {
                panels::rows_together(rows as usize, bytes.len() / (rows * blocks).max(1) as usize, bytes)
            }
            (Self::ColumnPanels, &[rows, columns]) => {
                let width = bytes.len() / (rows * columns).max(1) as usize;
                panels::columns_together([rows as usize, columns as usize], width, bytes)
            }
            (
                Self::FilterBlocks | Self::ByteBlocks | Self::ByteTapBlocks | Self::BytePairBlocks,
                &[groups, ref filters @ ..],
            ) if filters.len() == 4 => {
                let each = bytes.len() / (groups as usize).max(1);
                bytes.chunks_exact(each.max(1)).flat_map(|bytes| self.pack(filters, element, bytes)).collect()
            }
            (_, &[filters, channels, rows, columns]) => {
                let [filters, channels, taps] = [filters, channels, rows * columns].map(|n| n as usize);
                match self {
                    Self::Winograd2 | Self::Winograd4 => {
                        let filtering = self.filtering().expect("a layout of winograd");
                        pack::transformed(filtering, [filters, channels], &pack::singles(element, bytes))
                    }
                    Self::Winograd2Words => pack::transformed_words([filters, channels], bytes),
                    Self::FilterBlocks => {
                        let width = if element == "f16" { 2 } else { 4 };
                        pack::blocks(filters, channels * taps, width, bytes)
                    }
                    Self::ByteBlocks | Self::BytePairBlocks => {
                        pack::byte_blocks([filters, channels, taps], group, bytes)
                    }
                    Self::ByteTapBlocks => pack::byte_tap_blocks([filters, channels, taps], group, bytes),
                    _ => pack::channels_last([filters, channels, taps], bytes),
                }
            }
            _ => panic!("the layout is not for weights of this shape"),
        }
    }
}
