//! Pooling: the largest element, or the sum, of windows that slide over the planes of images. What follows (division by the
//! size, activation) is computed as each result is stored.
mod emit;
mod emit_open;
mod form;
mod plan;
#[cfg(test)]
mod tests;

pub(super) use plan::PoolPlan;
