//! Convolutions whose filters are packed in blocks, as the layout pass of `hal-translate` writes them: any window, stride and dilation, with or
//! without groups; of f32, or with filters of f16 that become f32 in registers; of bytes (`groups.rs`), where a CPU multiplies them.
//!
//! Lanes go along the filters, so that none is lost whatever the image's size, and steps along the image cost nothing.
//! The elements of a row of the window stay a loop: if it is unrolled, LLVM keeps pixels in registers for the next element, and spills sums.
//! Padding is copied together with a stripe of the input, where f16 becomes f32; on CPUs with few registers stripes are copied with the channels
//! of a pixel side by side (`channels_last.rs`), as they are for matrix tiles (`matrix_tiles.rs`), and products whose results are stored transposed are convolutions, too (`product.rs`). Blocks of the result are transposed in registers to rows of
//! the image, unless the kernel stores filters side by side. What follows the sums is computed tile by tile, or row by row (`finish.rs`).
mod channel_chunks;
mod channels_last;
mod emit;
mod fetch;
mod finish;
mod finish_runs;
mod form;
mod groups;
mod inside;
mod matrix_tiles;
mod pixels;
mod plan;
mod product;
mod runs;
mod stripe;
mod taps;
#[cfg(test)]
mod tests;

pub(super) use plan::DirectPlan;
