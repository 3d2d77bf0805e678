//! Operators on strings.
mod concat;
mod letters;
mod normalise;
pub(super) mod pattern;
mod split;

use super::Entry;

pub(super) const OPS: &[Entry] = &[
    ("RegexFullMatch", pattern::full_match),
    ("StringConcat", concat::concat),
    ("StringNormalizer", normalise::normalise),
    ("StringSplit", split::split),
];
