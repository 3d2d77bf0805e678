//! Convolutions whose filters are packed in blocks, as the layout pass of `hal-translate` writes them: any window, stride and dilation, with or
//! without groups; of f32, or with filters of f16 that become f32 in registers; of bytes (`groups.rs`), where a CPU multiplies them.
//!
//! Lanes go along the filters, so that none is lost whatever the image's size, and steps along the image cost nothing.
//! The elements of a row of the window stay a loop: if it is unrolled, LLVM keeps pixels in registers for the next element, and spills sums.
//! Padding is copied together with a stripe of the input, where f16 becomes f32; blocks of the result are transposed in registers to rows of
//! the image, unless the kernel stores filters side by side.
mod emit;
mod form;
mod groups;
mod inside;
mod pixels;
mod plan;
mod taps;
#[cfg(test)]
mod tests;

pub(super) use plan::DirectPlan;
