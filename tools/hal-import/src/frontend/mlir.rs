//! Reads MLIR text and bytecode.
use super::{check::supported_dialects, check_supported, foreign, tosa};
use crate::history::{ImportHistory, run_pipeline};
use halyard_diag::{Diagnostic, Error, Result};
use halyard_ir::{
    Module, Op, Session, Type,
    form::{Phase, Program},
    names,
};
use halyard_stages::{Pipeline, Step, StepRunner};

/// Parses a module. Errors: what [`Session::parse`] says, a program beyond phase `input`.
pub fn parse_mlir<'s>(session: &'s Session, bytes: &[u8], name: &str) -> Result<Module<'s>> {
    // Operations of unknown dialects are parsed, so that all of them can be listed.
    session.allow_unregistered_dialects(true);
    let parsed = session.parse(bytes, name);
    session.allow_unregistered_dialects(false);
    let module = parsed.map_err(|e| foreign::explain(e, &supported_dialects()))?;
    if let Some(program) = Program::view(Op::from(&module)) {
        program.expect_phase("hal-import", Phase::Input).map_err(|e| e.in_file(name))?;
    }
    Ok(module)
}

/// Lowers a module to functions on tensors by the pipeline `import`, and notes what its stages change in a history. Errors: what [`check_supported`] finds, a
/// module without functions, what the stages of the pipeline say.
pub fn lower_mlir(
    session: &Session,
    module: &Module<'_>,
    name: &str,
    (pipeline, history): (&Pipeline, Option<&ImportHistory>),
) -> Result<()> {
    let op = Op::from(module);
    let mut lowering = Lowering { session, name };
    run_pipeline(session, pipeline, (op, &mut lowering), history)?;
    if let Some(given) = pipeline.replacement() {
        // The steps that find what is wrong may not be among its stages.
        let sound = if op.verify() { Ok(()) } else { Err(session.error("the module does not verify")) };
        let sound = sound.and_then(|()| check_supported(session, op)).and_then(|()| check_lowered(session, op));
        let note = format!("that is what `{given}` made, which runs in place of the pipeline `import`");
        sound.map_err(|e| e.note(note))?;
    }
    as_model(op);
    Ok(())
}

/// The steps of the pipeline `import`.
struct Lowering<'a> {
    session: &'a Session,
    name: &'a str,
}

impl StepRunner for Lowering<'_> {
    fn step(&mut self, step: &Step, module: Op) -> Result<()> {
        match step.name() {
            "hal-check-model" => {
                check_supported(self.session, module).and_then(|()| check_functions(module, self.name))
            }
            "hal-mark-unsigned" => tosa::mark_unsigned(self.session, module),
            "hal-check-lowered" => check_lowered(self.session, module),
            other => unreachable!("`{other}` is no step of the pipeline"),
        }
    }

    fn holds(&self, condition: &str, _: Op) -> bool {
        unreachable!("the pipeline has no condition `{condition}`")
    }
}

fn check_functions(module: Op, name: &str) -> Result<()> {
    let body = module.body().expect("a module has a body");
    match body.ops().iter().any(|f| f.is("func.func") && f.body().is_some()) {
        true => Ok(()),
        false => Err(Error::input("the module has no function").in_file(name).code("no-function")),
    }
}

/// An executable alone, as `hal-extract` writes it, is a model whose functions are its exports.
fn as_model(module: Op) {
    for name in [names::EXECUTABLE, names::ORIGIN, names::KEY, names::WORK] {
        module.remove_attr(name);
    }
    for export in module.body_ops() {
        // Load-time constants of exports become arguments like others.
        if export.has_attr(names::EXPORT) {
            export.remove_attr(names::LOAD_CONSTANTS);
        }
        for name in [names::EXPORT, names::FINGERPRINT, names::INTERFACE] {
            export.remove_attr(name);
        }
    }
}

/// Reports operations that the lowerings left.
fn check_lowered(session: &Session, module: Op) -> Result<()> {
    let mut found = Vec::new();
    module.walk(&mut |op| {
        let name = op.name();
        let why = match name.split('.').next() {
            Some("tosa") => "upstream MLIR has no lowering for it with these types and attributes",
            Some("cf") if name != "cf.assert" => "this control flow cannot be made structured",
            Some("affine") => "upstream MLIR has no lowering for it here",
            Some("shape") => "the shape dialect is not supported here",
            _ if op.results().iter().any(|r| has_sign(r.ty())) => {
                "integers with a sign are for tosa; arith has signless ones"
            }
            _ => return,
        };
        let d = Diagnostic::error(format!("operation `{name}` is not supported: {why}")).code("unsupported");
        found.push(d.at(session.span(op)));
    });
    if found.is_empty() { Ok(()) } else { Err(Error::many(found)) }
}

/// Whether a type is, or contains, an integer with a sign.
fn has_sign(ty: Type) -> bool {
    ty.element().has_sign()
}
