//! The target of objects.
use super::files::Code;
use halyard_diag::{Error, Result};
use halyard_ir::{
    Attr, Session,
    form::{Given, GivenTarget},
};
use halyard_objects::architecture_of_triple;
use halyard_runtime::TESTED_FEATURES;

/// The parts of an `#llvm.target`.
pub(super) struct Parts {
    pub(super) triple: String,
    pub(super) chip: String,
    pub(super) features: Vec<String>,
}

impl Parts {
    /// Reads `#llvm.target<triple = "…", chip = "…", features = <["+a", "-b"]>>`.
    pub(super) fn of(attr: Attr) -> Self {
        let text = attr.to_string();
        let field = |name: &str| {
            let rest = &text[text.find(&format!("{name} = \""))? + name.len() + 4..];
            Some(rest[..rest.find('"')?].to_owned())
        };
        let features = text.find("features = <[").map_or(Vec::new(), |at| {
            let rest = &text[at + 13..];
            let list = rest[..rest.find(']').unwrap_or(rest.len())].split(',');
            list.map(|f| f.trim().trim_matches('"').to_owned()).filter(|f| !f.is_empty()).collect()
        });
        Self {
            triple: field("triple").unwrap_or_default(),
            chip: field("chip").unwrap_or_else(|| "generic".into()),
            features,
        }
    }

    fn attr(&self, session: &Session) -> Option<Attr> {
        let quote = |text: &str| format!("{:?}", text);
        let mut text = format!("#llvm.target<triple = {}, chip = {}", quote(&self.triple), quote(&self.chip));
        if !self.features.is_empty() {
            let list: Vec<_> = self.features.iter().map(|f| quote(f)).collect();
            text += &format!(", features = <[{}]>", list.join(", "));
        }
        Attr::parse(session.raw(), &(text + ">"))
    }
}

/// The target attribute of objects: what the declaration says, else any CPU of their architecture. Errors: objects for
/// another architecture; features that are not written like `+avx2`, or that cannot be tested when a program is loaded.
pub(super) fn of(session: &Session, given: Given, target: &GivenTarget, code: &Code) -> Result<Attr> {
    session.load_dialects(&["llvm"]);
    let mut parts = match target.target {
        Some(attr) => Parts::of(attr),
        None => {
            let chip = if code.architecture == "x86_64" { "x86-64" } else { "generic" };
            Parts {
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
            .hint(format!("compile them with `--target={}`", parts.triple)));
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
                "nobody can tell when a program is loaded whether a CPU has `{plain}`, which `@{}` needs",
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
    let attr = parts.attr(session);
    attr.ok_or_else(|| {
        Error::input(format!("the target of `@{}` cannot be read", given.name())).code("bad-declaration")
    })
}

/// A name for the variant of a target: `cpu_x86_64_v3`.
pub(super) fn variant_name(target: Attr) -> String {
    let parts = Parts::of(target);
    let chip = if parts.chip == "generic" { architecture_of_triple(&parts.triple) } else { parts.chip };
    let plain: String = chip.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("cpu_{plain}")
}
