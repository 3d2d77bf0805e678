//! The operators of domain `com.microsoft`, as onnxruntime's optimiser and quantisers write them. Most are composed of
//! standard operators ([`build`]), which the rest of the compiler fuses again.
mod activations;
mod attention;
mod blocks;
mod build;
mod causal_conv;
mod embed;
mod fused;
mod group_query;
mod linear_algebra;
mod masks;
mod norms;
mod quantized;
mod quantized_products;
mod rotary;
mod sequences;
mod sliding_cache;
mod small;
mod text;
mod tokens;

use super::Entry;
pub(super) use blocks::{BlockWeights, block_product};

pub(super) const FAMILIES: &[&[Entry]] = &[
    activations::OPS,
    attention::OPS,
    blocks::OPS,
    causal_conv::OPS,
    embed::OPS,
    fused::OPS,
    group_query::OPS,
    linear_algebra::OPS,
    norms::OPS,
    quantized::OPS,
    quantized_products::OPS,
    rotary::OPS,
    small::OPS,
    text::OPS,
    tokens::OPS,
];

/// Operators that onnxruntime writes into the standard domain.
pub(super) const STANDARD: &[Entry] = norms::STANDARD;
