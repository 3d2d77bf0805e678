//! The operators of domain `ai.onnx.ml`: classical machine learning.
mod class;
mod encode;
mod features;
mod forest;
mod linear;
mod maps;
mod post;
mod scale;
mod step;
mod svm;
mod svm_probability;
mod tree;
mod walk;

use super::Entry;

pub(super) const FAMILIES: &[&[Entry]] =
    &[encode::OPS, features::OPS, linear::OPS, maps::OPS, scale::OPS, svm::OPS, tree::OPS];
