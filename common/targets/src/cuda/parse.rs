//! Parses `cuda[:CHIP]`.
use super::{CHIPS, CudaTarget};
use halyard_diag::Result;

/// Reads what follows `cuda`. Errors: an unknown chip or feature (with near names).
pub(crate) fn parse(rest: &str, features: &[String]) -> Result<CudaTarget> {
    CHIPS.parse(rest, features).map(|chip| CudaTarget { chip })
}

/// What cards and generations are called, and their chips.
const CARDS: [(&str, &str); 22] = [
    ("pascal", "sm_60"),
    ("p100", "sm_60"),
    ("volta", "sm_70"),
    ("v100", "sm_70"),
    ("turing", "sm_75"),
    ("t4", "sm_75"),
    ("ampere", "sm_80"),
    ("a100", "sm_80"),
    ("a10", "sm_86"),
    ("a40", "sm_86"),
    ("rtx3090", "sm_86"),
    ("orin", "sm_87"),
    ("ada", "sm_89"),
    ("l4", "sm_89"),
    ("l40", "sm_89"),
    ("rtx4090", "sm_89"),
    ("hopper", "sm_90"),
    ("h100", "sm_90"),
    ("h200", "sm_90"),
    ("blackwell", "sm_100"),
    ("b200", "sm_100"),
    ("rtx5090", "sm_120"),
];

/// `sm_90` of `9.0`, `90`, `compute_90`, `H100` and the like.
pub(super) fn normal(name: &str) -> String {
    if let Some((_, chip)) = CARDS.iter().find(|(card, _)| *card == name.to_lowercase()) {
        return (*chip).to_owned();
    }
    format!("sm_{}", name.trim_start_matches("compute_").replace(['.', '_'], "").trim_start_matches("sm"))
}
