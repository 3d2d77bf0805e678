//! `cuda[:CHIP]`.
use super::{CHIPS, CudaTarget};
use crate::device::usage;
use halyard_diag::{Result, either, nearest};

/// Reads what follows `cuda`. Errors: an unknown chip or feature (with near names).
pub(crate) fn parse(rest: &str, features: &[String]) -> Result<CudaTarget> {
    let target = match rest {
        "" => CudaTarget::default(),
        chip => CudaTarget::of_chip(chip).ok_or_else(|| {
            let error = usage(format!("unknown chip `{chip}` of `cuda`"));
            let near = nearest(chip, CHIPS.iter().copied());
            let exact =
                format!("sm_{}", chip.trim_start_matches("compute_").replace(['.', '_'], "").trim_start_matches("sm"));
            if CHIPS.contains(&&*exact) {
                error.hint(format!("did you mean `{exact}`?"))
            } else if near.is_empty() {
                error.note(format!("known chips are `{}`", CHIPS.join("`, `")))
            } else {
                error.hint(format!("did you mean {}?", either(&near)))
            }
        })?,
    };
    match features.first() {
        None => Ok(target),
        Some(feature) => {
            Err(usage(format!("feature `{feature}` of `{target}`: what an NVIDIA GPU has is said by its chip"))
                .hint("`--target=cuda:sm_90` names another chip"))
        }
    }
}
