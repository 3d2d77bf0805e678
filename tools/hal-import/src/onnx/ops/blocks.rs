//! .
use super::Entry;

pub(super) const OPS: &[Entry] = &[];
