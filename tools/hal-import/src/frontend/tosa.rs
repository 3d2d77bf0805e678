//! Lowers unsigned integers in TOSA, which upstream's lowerings do not support.
use halyard_diag::{Diagnostic, Error, Result};
use halyard_ir::{Attr, Op, Session, Type, form::Program, names};

/// Notes what is unsigned before upstream's lowerings forget it. Errors: each operation that they would get wrong.
pub(super) fn mark_unsigned(session: &Session, module: Op) -> Result<()> {
    check_unsigned(session, module)?;
    (Program { op: module }).public_functions().into_iter().for_each(mark);
    Ok(())
}

/// Operations that mean the same for integers of either sign: `rescale` says in attributes what its operands are, the
/// others move elements.
const SIGN_BLIND: &[&str] = &[
    "rescale",
    "reshape",
    "transpose",
    "reverse",
    "slice",
    "concat",
    "tile",
    "pad",
    "gather",
    "identity",
    "const",
    "yield",
];

/// Upstream makes unsigned integers signless and forgets that they were unsigned: whatever computes with them would be
/// wrong. Errors: each such operation.
fn check_unsigned(session: &Session, module: Op) -> Result<()> {
    let mut found = Vec::new();
    module.walk(&mut |op| {
        let name = op.name();
        let Some(short) = name.strip_prefix("tosa.") else { return };
        let values = op.operands().into_iter().chain(op.results());
        if SIGN_BLIND.contains(&short) || !values.into_iter().any(|v| is_unsigned(v.ty())) {
            return;
        }
        let d = Diagnostic::error(format!("operation `{name}` on unsigned integers is not supported"))
            .code("unsupported")
            .hint("`tosa.rescale` brings them to signed integers first");
        found.push(d.at(session.span(op)));
    });
    if found.is_empty() { Ok(()) } else { Err(Error::many(found)) }
}

/// Notes on arguments and results that they are unsigned: MLIR's arithmetic, and so the lowered function, knows only
/// signless integers.
fn mark(function: Op) {
    let Some(ty) = function.attr("function_type").and_then(Attr::as_type) else { return };
    let context = function.context();
    for (name, types) in [("arg_attrs", ty.inputs()), ("res_attrs", ty.results())] {
        if !types.iter().any(|t| is_unsigned(*t)) {
            continue;
        }
        let old = function.attr(name).and_then(Attr::as_array).unwrap_or_default();
        let dicts = types.iter().enumerate().map(|(i, ty)| {
            let items = old.get(i).and_then(|d| d.as_dict()).unwrap_or_default();
            let mut items: Vec<(&str, Attr)> = items.iter().map(|(name, value)| (&**name, *value)).collect();
            if is_unsigned(*ty) {
                items.push((names::UNSIGNED, Attr::unit(context)));
            }
            Attr::dict(context, &items)
        });
        function.set_attr(name, Attr::array(context, &dicts.collect::<Vec<_>>()));
    }
}

fn is_unsigned(ty: Type) -> bool {
    ty.element().to_string().starts_with("ui")
}
