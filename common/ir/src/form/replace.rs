//! Replaces one executable of a program by an edited one.
//!
//! The host program depends on the interface, which must stay the same. The implementation may change.
use super::{
    Executable, ExecutableOrigin, Export, Interface, Phase, Program, Variant, content_key, fingerprint,
    fingerprint::interface_text,
    load_constants::verify_load_constants,
    verify::verify_executable,
    work::{keep_work, tells_work},
};
use crate::{Attr, Op, Session, names};
use halyard_diag::{Diagnostic, Error, ErrorKind, Result};
use std::collections::BTreeSet;

/// Checks that an executable may take the place of another one: the same name, exports with the same interfaces (in any
/// order), all variants with the same targets, and a body or objects for each export. More variants, objects, helper
/// functions and other workgroup counts are legal. Lowered exports are given the interface of the original. Reports all
/// that differs, at its place in the reply and with the place of the original.
pub fn check_replacement(session: &Session, original: Executable, reply: Executable) -> Result<()> {
    let mut found = Findings { session, original, list: Vec::new() };
    let (old, new) = (original.name(), reply.name());
    if old == new {
        let program = original.op.parent().and_then(Program::view);
        let phase = program.and_then(|p| p.phase().ok()).unwrap_or(Phase::Executables);
        adopt_interfaces(original, reply);
        found.exports(reply);
        found.variants(reply);
        found.bodies(reply);
        // The difference is a better message than its consequences.
        if found.list.is_empty() {
            verify_executable(reply, phase, &mut |op, message| {
                found.say(op, Diagnostic::error(message).code("bad-form"))
            });
        }
    } else {
        let message = format!("executable `@{old}` came back as `@{new}`");
        found.differs(reply.op, message, "keep the name: the host program uses it");
    }
    found.result()
}

/// Replaces an executable by a checked one, which keeps the origin and, if it has no source, the content key of the original. If its
/// source does not tell how much there is to do, that of the original counts.
/// The reply itself is not changed.
pub fn replace(original: Executable, reply: Executable) {
    let Some(block) = original.op.block() else { return };
    let new = reply.op.duplicate();
    new.remove_attr(names::VERSION);
    match original.op.attr("sym_visibility") {
        Some(visibility) => new.set_attr("sym_visibility", visibility),
        None => drop(new.remove_attr("sym_visibility")),
    }
    ExecutableOrigin::of(original.op).set(new);
    new.remove_attr(names::KEY);
    if (Executable { op: new }).exports().is_empty() {
        new.set_attr(names::KEY, Attr::string(new.context(), &content_key(original)));
    }
    if !tells_work(Executable { op: new }) {
        keep_work(original, Executable { op: new });
    }
    block.insert_before(original.op, new);
    original.op.detach();
    original.op.erase();
}

/// Lowered exports take the interface of the original, unless they say one.
fn adopt_interfaces(original: Executable, reply: Executable) {
    let old = original.interface_exports();
    let of_variants = reply.variants().into_iter().flat_map(|v| v.exports());
    for export in reply.exports().into_iter().chain(of_variants) {
        if let Some(same) = old.iter().find(|o| o.name() == export.name()) {
            super::adopt_interface(export.op, same.op);
        }
    }
}

struct Findings<'s> {
    session: &'s Session,
    original: Executable,
    list: Vec<Diagnostic>,
}

impl Findings<'_> {
    fn say(&mut self, at: Op, diagnostic: Diagnostic) {
        self.list.push(diagnostic.at(self.session.span(at)));
    }

    fn differs(&mut self, at: Op, message: String, hint: &str) {
        self.say(at, Diagnostic::error(message).code("interface-changed").hint(hint));
    }

    fn exports(&mut self, reply: Executable) {
        let (name, old, new) = (self.original.name(), self.original.interface_exports(), reply.interface_exports());
        for export in &old {
            let Some(same) = new.iter().find(|e| e.name() == export.name()) else {
                let message = format!(
                    "executable `@{name}` lost its export `@{}`: it has {}",
                    export.name(),
                    list(new.iter().map(|e| e.name()))
                );
                self.differs(reply.op, message, "keep the names of exports: they are symbols of objects");
                continue;
            };
            // Arguments that are wrongly said to be the loader's would look like another interface.
            let before = self.list.len();
            verify_load_constants(same.op, &mut |op, message| {
                self.say(op, Diagnostic::error(message).code("bad-form"))
            });
            if self.list.len() > before || fingerprint(export.op) == fingerprint(same.op) {
                continue;
            }
            let message =
                format!("export `@{}` of `@{name}` has a different interface from the original", export.name());
            let mut d = Diagnostic::error(message).code("interface-changed");
            d = d
                .note(format!("original: {}", interface_text(export.op)))
                .note(format!("here:     {}", interface_text(same.op)));
            if let Some(first) = first_difference(*export, *same) {
                d = d.note(first);
            }
            d = d.hint("the host program passes the arguments of the original");
            if Interface::of(same.op).inputs.len() > Interface::of(export.op).inputs.len() {
                d = d.hint(format!(
                    "properties of the device can be further arguments: `{} = [\"device.threads\"]`",
                    names::LOAD_CONSTANTS
                ));
            }
            self.say(same.op, d);
        }
        for export in new.iter().filter(|e| old.iter().all(|o| o.name() != e.name())) {
            let message = format!("executable `@{name}` has a new export `@{}`, which nothing calls", export.name());
            self.differs(export.op, message, &format!("a helper function has no `{}`", names::EXPORT));
        }
    }

    fn variants(&mut self, reply: Executable) {
        let (name, new) = (self.original.name(), reply.variants());
        for variant in self.original.variants() {
            let Some(same) = new.iter().find(|v| v.name() == variant.name()) else {
                let message = format!(
                    "executable `@{name}` lost its variant `@{}`: it has {}",
                    variant.name(),
                    list(new.iter().map(|v| v.name()))
                );
                self.differs(reply.op, message, "variants may be added, not dropped or renamed");
                continue;
            };
            if variant.target() != same.target() {
                let text = |v: &Variant| v.target().map_or_else(|| "none".into(), |t| t.to_string());
                let d = Diagnostic::error(format!(
                    "variant `@{name}::@{}` has another target than the original",
                    same.name()
                ))
                .code("interface-changed")
                .note(format!("original: {}", text(&variant)))
                .note(format!("here:     {}", text(same)));
                self.say(same.op, d.hint("for another target, add a variant"));
            }
        }
    }

    /// Every export must have a body, or objects in every variant.
    fn bodies(&mut self, reply: Executable) {
        let name = reply.name();
        let with_body: BTreeSet<String> =
            reply.exports().iter().filter(|e| e.op.body().is_some()).map(|e| e.name()).collect();
        let exports = self.original.interface_exports();
        let without: Vec<_> = exports.iter().map(|e| e.name()).filter(|e| !with_body.contains(e)).collect();
        let variants = reply.variants();
        let has_objects = |v: &Variant| v.objects().is_ok_and(|o| !o.is_empty());
        if without.is_empty() || self.list.iter().any(|d| d.message.contains("lost its export")) {
            return;
        }
        let bare = variants.iter().find(|v| !has_objects(v));
        if bare.is_none() && !variants.is_empty() {
            return;
        }
        let lacking = bare.map_or_else(
            || "it has no variant with objects".to_owned(),
            |v| format!("variant `@{}` has no objects", v.name()),
        );
        let place = reply.exports().into_iter().find(|e| e.name() == without[0]).map_or(reply.op, |e| e.op);
        let d = Diagnostic::error(format!("export `@{}` of `@{name}` came back without a body", without[0]))
            .code("no-body")
            .note(lacking)
            .hint("a body may be left out only where every variant has objects");
        self.say(place, d);
    }

    fn result(mut self) -> Result<()> {
        if self.list.is_empty() {
            return Ok(());
        }
        // The place of the original once is enough.
        if let Some(span) = self.session.span(self.original.op)
            && let Some(first) = self.list.first_mut()
            && first.primary.as_ref() != Some(&span)
        {
            *first = first.clone().label(span, "the original");
        }
        Err(Error { kind: ErrorKind::Input, diagnostics: self.list })
    }
}

fn list(names: impl Iterator<Item = String>) -> String {
    let names: Vec<_> = names.map(|n| format!("`@{n}`")).collect();
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

fn first_difference(original: Export, reply: Export) -> Option<String> {
    let (old, new) = (Interface::of(original.op), Interface::of(reply.op));
    for (what, old, new) in [("argument", &old.inputs, &new.inputs), ("result", &old.results, &new.results)] {
        if old.len() != new.len() {
            return Some(format!("{} {what}s in the original, {} here", old.len(), new.len()));
        }
        if let Some(i) = (0..old.len()).find(|&i| old[i] != new[i]) {
            return Some(format!("{what} {i} is `{}` in the original, `{}` here", old[i], new[i]));
        }
    }
    None
}

#[cfg(test)]
mod tests;
