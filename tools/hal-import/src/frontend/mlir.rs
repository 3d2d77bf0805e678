//! MLIR text and bytecode.
use super::{check::supported_dialects, check_supported, foreign, tosa};
use halyard_diag::{Diagnostic, Error, Result};
use halyard_ir::{
    Module, Op, Session, Type,
    form::{Phase, Program},
    names,
};

/// Parses a module and lowers it to functions on tensors; gives it with warnings. Errors: what [`Session::parse`] says, what
/// [`check_supported`] finds, a module without functions.
pub fn read_mlir<'s>(session: &'s Session, bytes: &[u8], name: &str) -> Result<(Module<'s>, Vec<Diagnostic>)> {
    // Operations of unknown dialects are parsed, so that all of them can be listed.
    session.allow_unregistered_dialects(true);
    let parsed = session.parse(bytes, name);
    session.allow_unregistered_dialects(false);
    let module = parsed.map_err(|e| foreign::explain(e, &supported_dialects()))?;
    if let Some(program) = Program::view(Op::from(&module)) {
        program.expect_phase("hal-import", Phase::Input).map_err(|e| e.in_file(name))?;
    }
    let warnings = lower(session, &module, name)?;
    as_model(Op::from(&module));
    Ok((module, warnings))
}

/// An executable alone, as `hal-extract` writes it, is a model whose functions are its exports.
fn as_model(module: Op) {
    module.remove_attr(names::EXECUTABLE);
    for export in module.body().map(|b| b.ops()).unwrap_or_default() {
        // Load-time constants become arguments like others.
        for name in [names::EXPORT, names::FINGERPRINT, names::INTERFACE, names::LOAD_CONSTANTS] {
            export.remove_attr(name);
        }
    }
}

/// Lowers what stands above the tensor level: tosa, unstructured control flow.
fn lower(session: &Session, module: &Module<'_>, name: &str) -> Result<Vec<Diagnostic>> {
    let op = Op::from(module);
    check_supported(session, op)?;
    let body = op.body().expect("a module has a body");
    if !body.ops().iter().any(|f| f.is("func.func") && f.body().is_some()) {
        return Err(Error::input("the module has no function").in_file(name).code("no-function"));
    }
    let warnings = drop_checks(session, op).into_iter().collect();
    let mut dialects = std::collections::BTreeSet::new();
    op.walk(&mut |op| {
        dialects.insert(op.name().split('.').next().unwrap_or_default().to_owned());
    });
    if dialects.contains("tosa") {
        tosa::lower(session, module)?;
    }
    if dialects.contains("cf") {
        session.run_pipeline(module, "builtin.module(func.func(lift-cf-to-scf),canonicalize)")?;
    }
    check_lowered(session, op)?;
    Ok(warnings)
}

/// Takes out checks at run time (`cf.assert`), which frameworks write for sizes that they cannot prove to fit. Gives a
/// warning with the place of the first one.
fn drop_checks(session: &Session, module: Op) -> Option<Diagnostic> {
    let mut found = Vec::new();
    module.walk(&mut |op| {
        if op.is("cf.assert") {
            found.push(op);
        }
    });
    let first = found.first()?;
    let checks = if found.len() == 1 { "1 check".into() } else { format!("{} checks", found.len()) };
    let warning = Diagnostic::warning(format!("{checks} at run time (`cf.assert`) left out"))
        .code("checks-dropped")
        .note("the program does not stop where the model would; the results are undefined there");
    let warning = match session.span(*first) {
        Some(span) => warning.at(span),
        None => warning,
    };
    for op in found {
        op.erase();
    }
    Some(warning)
}

/// Finds what the lowerings left.
fn check_lowered(session: &Session, module: Op) -> Result<()> {
    let mut found = Vec::new();
    module.walk(&mut |op| {
        let name = op.name();
        let why = match name.split('.').next() {
            Some("tosa") => "upstream MLIR has no lowering for it with these types and attributes",
            Some("cf") => "this control flow cannot be made structured",
            Some("shape") => "the shape dialect is not supported here",
            _ if op.results().iter().any(|r| has_sign(r.ty())) => {
                "integers with a sign are for tosa; arith has signless ones"
            }
            _ => return,
        };
        let d = Diagnostic::error(format!("operation `{name}` is not supported: {why}")).code("unsupported");
        found.push(match session.span(op) {
            Some(span) => d.at(span),
            None => d,
        });
    });
    if found.is_empty() { Ok(()) } else { Err(Error::many(found)) }
}

/// Whether a type is, or holds, an integer with a sign.
fn has_sign(ty: Type) -> bool {
    let element = ty.element().to_string();
    element.starts_with("si") || element.starts_with("ui")
}
