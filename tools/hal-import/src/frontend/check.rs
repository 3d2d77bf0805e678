//! Finds everything in a module that Halyard does not support, and reports all of it at once.
use super::foreign;
use halyard_diag::{Diagnostic, Error, ErrorKind, Result};
use halyard_ir::{
    Attr, DYNAMIC, Op, Session, Type,
    form::{Check, ExternalKernel, HostFunctionDeclaration},
};
use std::collections::BTreeSet;

/// Dialects that an input may contain; `tosa`, `affine` and `cf` are lowered by the frontend.
const DIALECTS: &[&str] =
    &["builtin", "func", "linalg", "tosa", "tensor", "arith", "math", "affine", "scf", "cf", "ml_program"];

/// Returns the dialects, for messages.
pub(super) fn supported_dialects() -> String {
    DIALECTS[1..].join(", ")
}

/// At most this many messages; the rest is counted.
const LIMIT: usize = 50;

/// Checks operations and types of a module. Errors: one per offending operation, with its place.
pub fn check_supported(session: &Session, module: Op) -> Result<()> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    module.walk(&mut |op| {
        if op == module {
            return;
        }
        if let Some(problem) = problem_of(op) {
            let place = session.span(op);
            let key = (place.as_ref().map(|s| (s.source.name.clone(), s.range.start)), problem.message.clone());
            if seen.insert(key) {
                found.push(problem.at(place));
            }
        }
    });
    if found.is_empty() {
        return Ok(());
    }
    let more = found.len().saturating_sub(LIMIT);
    found.truncate(LIMIT);
    if more > 0 {
        found.push(Diagnostic::error(format!("{more} more operations are not supported")).code("unsupported"));
    }
    Err(Error { kind: ErrorKind::Input, diagnostics: found })
}

fn problem_of(op: Op) -> Option<Diagnostic> {
    let name = op.name();
    let dialect = name.split('.').next().unwrap_or_default();
    let say = |text: String| Some(Diagnostic::error(text).code("unsupported"));
    if !DIALECTS.contains(&dialect) {
        return Some(
            Diagnostic::error(format!("operation `{name}` is not supported"))
                .code("unsupported")
                .note(format!("`hal-import` takes the dialects {}", supported_dialects()))
                .hint(foreign::hint(dialect)),
        );
    }
    if name == "builtin.module" {
        return say("a module inside the module is not supported".into());
    }
    if matches!(&*name, "func.call_indirect" | "func.constant") {
        return say(format!("operation `{name}` is not supported: functions are called by name"));
    }
    if matches!(&*name, "ml_program.func" | "ml_program.subgraph") {
        return say(format!("operation `{name}` is not supported: functions are `func.func`"));
    }
    if name == "func.func" {
        let symbol = op.symbol().unwrap_or_default();
        let ty = op.attr("function_type")?.as_type()?;
        let all: Vec<(String, Type)> = (ty.inputs().into_iter().enumerate().map(|(i, t)| (format!("argument {i}"), t)))
            .chain(ty.results().into_iter().enumerate().map(|(i, t)| (format!("result {i}"), t)))
            .collect();
        for (what, ty) in all {
            if let Some(why) = bad_type(ty) {
                return say(format!("{what} of function `@{symbol}` has type `{ty}`: {why}"));
            }
        }
        if op.body().is_none()
            && ExternalKernel::view(op).is_none()
            && HostFunctionDeclaration::view(op).is_none()
            && Check::view(op).is_none()
        {
            let hint = "say who implements it: `hal.objects` names objects, `hal.import` a plugin, `hal.host_function` what the host calls, `hal.check` is the message of a check; a kernel also has `hal.workgroups`";
            let d = Diagnostic::error(format!("function `@{symbol}` is declared but not defined"))
                .code("unsupported")
                .hint(hint);
            let ours = op.discardable_attrs().into_iter().map(|(name, _)| name).find(|name| name.starts_with("hal."));
            return Some(match ours {
                Some(name) => d.note(format!("`{name}` does not say it")),
                None => d,
            });
        }
        return None;
    }
    for ty in op.results().into_iter().map(|v| v.ty()) {
        if let Some(why) = bad_type(ty) {
            return say(format!("operation `{name}` gives type `{ty}`: {why}"));
        }
    }
    if (name == "linalg.pack" || name == "linalg.unpack") && has_open_tile(op) {
        let d = Diagnostic::error(format!("operation `{name}` is not supported with tiles whose size is not a number"));
        return Some(d.code("unsupported").hint("give `inner_tiles` as numbers"));
    }
    if name == "tensor.pad" && has_lost_amount(op) {
        return say(format!("`{name}` pads by {}, which MLIR reserves for amounts that an operand gives", i64::MIN));
    }
    if name == "ml_program.global" {
        let ty = op.attr("type")?.as_type()?;
        if let Some(why) = bad_type(ty) {
            return say(format!("global `@{}` has type `{ty}`: {why}", op.symbol().unwrap_or_default()));
        }
    }
    None
}

/// Returns why a type is not supported; `None` if it is.
fn bad_type(ty: Type) -> Option<String> {
    // Most are fine, and their texts would take long.
    if known_element(ty.element()) && (ty.is_ranked_tensor() && !ty.has_encoding() || ty.element() == ty) {
        return None;
    }
    let text = ty.to_string();
    if text.starts_with("!shape.") || text.starts_with("!tosa.shape") {
        return None;
    }
    if ty.is_tensor() && !ty.is_ranked_tensor() {
        return Some("the rank must be known".into());
    }
    if ty.is_memref() || text.starts_with("memref<") {
        return Some("functions take and return tensors, not memory".into());
    }
    if ty.is_vector() {
        return Some("vectors are not supported".into());
    }
    if ty.is_ranked_tensor() {
        if ty.has_encoding() {
            return Some("tensors with an encoding are not supported".into());
        }
        let element = ty.element();
        return (!known_element(element)).then(|| format!("element type `{element}` is not supported"));
    }
    (!known_element(ty)).then(|| "this type is not supported".into())
}

fn known_element(ty: Type) -> bool {
    ty.is_common_float() || ty.is_index() || ty.is_integer() && matches!(ty.bits(), 1 | 4 | 8 | 16 | 32 | 48 | 64)
}

/// Whether a tile of `linalg.pack` or `linalg.unpack` has a size that is no constant. Sizes of tiles are the last operands.
fn has_open_tile(op: Op) -> bool {
    let tiles = op.attr("static_inner_tiles").and_then(Attr::as_i64s).unwrap_or_default();
    let open = tiles.iter().filter(|tile| **tile == DYNAMIC).count();
    op.operands().iter().rev().take(open).any(|tile| tile.constant().is_none())
}

/// Whether a `tensor.pad` has an amount that an operand should give, and no such operand: the parser takes the least number for one.
fn has_lost_amount(op: Op) -> bool {
    let open = |name: &str| op.attr(name).and_then(Attr::as_i64s).unwrap_or_default();
    let count = ["static_low", "static_high"].into_iter().flat_map(open).filter(|amount| *amount == DYNAMIC).count();
    op.operand_count() != 1 + count
}
