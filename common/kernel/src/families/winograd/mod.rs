//! Convolutions by Winograd's algorithm, as the layout pass of `hal-translate` writes them: tiles of the input are transformed
//! (`V = Bᵀ d B`), multiplied with transformed filters (a matrix product for each point of a tile) and transformed back
//! (`Y = Aᵀ M A`).
//!
//! One kernel does all three, stripe by stripe: what a stripe of tile rows needs in between stays in the second-level
//! cache. The products have their lanes along the filters, so that no lane is lost whatever the image's size; the last
//! transform turns them back to rows of the image.
mod emit;
mod form;
mod plan;
mod products;
#[cfg(test)]
mod tests;
mod transforms;
mod word_input;
mod words;

pub(super) use plan::WinogradPlan;
