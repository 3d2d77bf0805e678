//! Parses `cuda[:CHIP]`.
use super::{CHIPS, CudaTarget};
use halyard_diag::Result;

/// Reads what follows `cuda`. Errors: an unknown chip or feature (with near names).
pub(crate) fn parse(rest: &str, features: &[String]) -> Result<CudaTarget> {
    CHIPS.parse(rest, features).map(|chip| CudaTarget { chip })
}

/// `sm_90` of `9.0`, `90`, `compute_90` and the like.
pub(super) fn normal(name: &str) -> String {
    format!("sm_{}", name.trim_start_matches("compute_").replace(['.', '_'], "").trim_start_matches("sm"))
}
