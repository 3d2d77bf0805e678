//! The operators of domain `com.microsoft`, as onnxruntime's optimiser and quantisers write them.
use super::Entry;

pub(super) const FAMILIES: &[&[Entry]] = &[];

/// Operators that onnxruntime writes into the standard domain.
pub(super) const STANDARD: &[Entry] = &[];
