//! `hip[:CHIP]`.
use super::{CHIPS, HipTarget, USUAL_CHIP};
use crate::device::usage;
use halyard_diag::{Result, either, nearest};

/// Reads what follows `hip:`. Errors: an unknown chip (with near names), features.
pub(crate) fn parse(rest: &str, features: &[String]) -> Result<HipTarget> {
    let chip = if rest.is_empty() { USUAL_CHIP } else { rest };
    let Some(target) = HipTarget::of_chip(chip) else {
        let error = usage(format!("unknown chip `{chip}` of `hip`"));
        let near = nearest(chip, CHIPS.iter().copied());
        return Err(match near.is_empty() {
            true => error.note(format!("known chips are `{}`", CHIPS.join("`, `"))),
            false => error.hint(format!("did you mean {}?", either(&near))),
        });
    };
    match features.first() {
        None => Ok(target),
        Some(feature) => {
            Err(usage(format!("feature `{feature}` of `{target}`: what an AMD GPU has is said by its chip"))
                .hint("`--target=hip:gfx942` names another chip"))
        }
    }
}
