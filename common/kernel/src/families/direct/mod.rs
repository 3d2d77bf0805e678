//! Convolutions whose filters are packed in blocks, as the layout pass of `hal-translate` writes them: any window, stride and dilation, without
//! groups.
//!
//! Lanes go along the filters, so that none is lost whatever the image's size, and steps along the image cost nothing.
//! Padding is copied together with a stripe of the input; blocks of the result are transposed in registers to rows of
//! the image.
mod emit;
mod form;
mod inside;
mod pixels;
mod plan;
mod taps;
#[cfg(test)]
mod tests;

pub(super) use plan::DirectPlan;
