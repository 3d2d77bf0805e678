//! Determines the target of objects.
use super::files::Code;
use halyard_diag::{Error, Result};
use halyard_ir::{
    Attr, Session,
    form::{ExternalKernel, ExternalTarget, TargetParts},
};
use halyard_objects::architecture_of_triple;
use halyard_runtime::TESTED_FEATURES;

/// The target attribute of objects: what the declaration says, else any CPU of their architecture. Errors: objects for
/// another architecture; features that are not written like `+avx2`, or that cannot be tested when a program is loaded.
pub(super) fn of(session: &Session, given: ExternalKernel, target: &ExternalTarget, code: &Code) -> Result<Attr> {
    session.load_dialects(&["llvm"]);
    let mut parts = match target.target {
        Some(attr) => TargetParts::of(attr).ok_or_else(|| unreadable(given))?,
        None => {
            let chip = if code.architecture == "x86_64" { "x86-64" } else { "generic" };
            TargetParts {
                triple: format!("{}-unknown-linux-gnu", code.architecture),
                chip: chip.into(),
                features: Vec::new(),
            }
        }
    };
    let wanted = architecture_of_triple(&parts.triple);
    if wanted != code.architecture {
        let message = format!(
            "the objects of `@{}` are for `{}`, their target is for `{wanted}`",
            given.name(),
            code.architecture
        );
        return Err(Error::input(message)
            .code("wrong-architecture")
            .hint(format!("compile them with `clang --target={}`", parts.triple)));
    }
    for feature in &target.features {
        let plain = feature.trim_start_matches(['+', '-']);
        if plain.is_empty() || !plain.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_')) {
            let message = format!("`{feature}` of `@{}` is no feature of a CPU", given.name());
            return Err(Error::input(message).code("bad-declaration").hint("write them as LLVM does: `+avx2`"));
        }
        // Of a feature that a CPU lacks nothing depends.
        if !feature.starts_with('-') && !TESTED_FEATURES.contains(&plain) {
            let message = format!(
                "it cannot be detected at load time whether a CPU has `{plain}`, which `@{}` needs",
                given.name()
            );
            let error =
                Error::input(message).code("bad-declaration").note(format!("known are {}", TESTED_FEATURES.join(", ")));
            return Err(match halyard_diag::nearest(plain, TESTED_FEATURES.iter().copied()).first() {
                Some(near) => error.hint(format!("did you mean `+{near}`?")),
                None => error,
            });
        }
        if !parts.features.contains(feature) {
            parts.features.push(feature.clone());
        }
    }
    parts.attr(session).ok_or_else(|| unreadable(given))
}

fn unreadable(given: ExternalKernel) -> Error {
    Error::input(format!("the target of `@{}` cannot be read", given.name())).code("bad-declaration")
}

/// A name for the variant of a target: `cpu_x86_64_v3`.
pub(super) fn variant_name(target: Attr) -> String {
    let parts = TargetParts::of(target).expect("the target is one that `of` made");
    let chip = if parts.chip == "generic" { architecture_of_triple(&parts.triple) } else { parts.chip };
    let plain: String = chip.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("cpu_{plain}")
}
