//! Parses `hip[:CHIP]`.
use super::{CHIPS, HipTarget};
use halyard_diag::Result;

/// Reads what follows `hip:`. Errors: an unknown chip (with near names), features.
pub(crate) fn parse(rest: &str, features: &[String]) -> Result<HipTarget> {
    CHIPS.parse(rest, features).map(|chip| HipTarget { chip })
}
