//! Replaces the code of one variant: MLIR for one target, instead of code generated from the executable's source.
//!
//! Before `hal-translate` a variant may contain code (docs/exchange-form.md); the source remains for the other
//! variants.
use crate::{
    SubstitutionName, Variants,
    merge::merge,
    request::{Request, RequestIndex},
    select::check_export,
    settings::VariantSettings,
    variant_source::{find, has_body},
};
use halyard_diag::{Error, Result, either, nearest};
use halyard_ir::{
    Attr, Module, Op, Session,
    form::{Executable, Phase, Program, Variant, check_replacement},
    names,
};
use halyard_targets::Target;

/// Code of a variant that has been checked.
pub(crate) struct Code<'s> {
    /// The executable to change, and the variant to create in it.
    pub(crate) executable: String,
    pub(crate) variant: String,
    target: Attr,
    /// A separate executable with the exports of the file.
    given: Executable,
    /// The export to replace; `None` for all.
    export: Option<String>,
    /// Owns the IR of the file.
    _module: Module<'s>,
    /// Remarks for the user.
    pub(crate) remarks: Vec<String>,
}

impl Drop for Code<'_> {
    fn drop(&mut self) {
        self.given.op.erase();
    }
}

/// Parses the file of a request for a variant and checks it against the executable; `index` is of all requests. Errors:
/// a program that has its objects already; an unknown variant or export; what MLIR and [`check_replacement`] say.
pub(crate) fn prepare<'s>(
    session: &'s Session,
    request: &Request,
    index: &RequestIndex<'_>,
    settings: &VariantSettings<'_>,
) -> Result<Code<'s>> {
    let (file, original) = (&request.files[0], request.executable);
    let Variants::One(name) = &request.name.variants else { return Err(all_variants(request)) };
    if settings.phase == Phase::Objects {
        return Err(Error::input(format!(
            "`{}` is code for a variant, but the program already has its objects",
            file.name
        ))
        .code("wrong-phase")
        .note("code is generated from MLIR by `hal-translate`")
        .hint("run `hal-substitute` before `hal-translate` (`--substitute-executable-source` of `hal-compile`)"));
    }
    check_export(original, &request.name)?;
    let module = session.parse(&file.bytes, &file.name)?;
    let mut remarks = Vec::new();
    let found = find(session, Op::from(&module), (request, name), index, &mut remarks)?;
    let target = target(original, request, name, found.target, settings.targets, session)?;
    let given = alone(original, found.at, &found.code);
    let mut code = Code {
        executable: original.name(),
        variant: name.clone(),
        target,
        given,
        export: request.name.export.clone(),
        _module: module,
        remarks,
    };
    check(session, original, &code)?;
    let replaced = index.of_executable(&request.name.executable).any(Request::is_whole_source);
    let there = original.variants().into_iter().find(|v| v.name() == *name).filter(|_| !replaced);
    if there.is_some_and(|v| v.op.has_attr(names::OBJECTS)) {
        code.remarks.push("its objects go: new ones are made of the MLIR".into());
    }
    Ok(code)
}

/// Returns the targets of `hal-translate`: the given ones, or its default.
pub(crate) fn targets(said: &[Target]) -> Vec<Target> {
    if said.is_empty() { vec![Target::host()] } else { said.to_vec() }
}

/// Returns the target of the code: that of the existing variant, that of the file, or one of the program's targets.
fn target(
    original: Executable,
    request: &Request,
    name: &str,
    said: Option<Attr>,
    targets: &[Target],
    session: &Session,
) -> Result<Attr> {
    let there = original.variants().into_iter().find(|v| v.name() == name).and_then(Variant::target);
    let targets = &self::targets(targets);
    let known = targets.iter().find(|t| t.variant_name() == name).map(|t| t.attr(session));
    match (there.or(known), said) {
        (Some(target), Some(said)) if target != said => {
            Err(Error::input(format!("variant `{name}` is for another target than its code in `{}`", request.shown()))
                .code("interface-changed")
                .note(format!("the variant: {target}"))
                .note(format!("the code:    {said}"))
                .hint("give the variant another name, or leave `hal.target` out"))
        }
        (Some(target), _) | (None, Some(target)) => Ok(target),
        (None, None) => {
            let executable = SubstitutionName::executable(&original.name());
            let error = Error::usage(format!("executable `{executable}` has no variant `{name}`, and will have none"))
                .code("unknown-name");
            let mut names: Vec<String> = original.variants().into_iter().map(Variant::name).collect();
            names.extend(targets.iter().map(Target::variant_name));
            let near = nearest(name, names.iter().map(String::as_str));
            let error = match (near.is_empty(), names.is_empty()) {
                (false, _) => error.hint(format!("did you mean {}?", either(&near))),
                (true, true) => error,
                (true, false) => error.note(format!(
                    "`--target` makes {}",
                    names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
                )),
            };
            Err(error.hint(format!(
                "`--target` says which variants there will be; `{executable}=FILE` replaces the source of all"
            )))
        }
    }
}

/// Makes a detached executable from code.
fn alone(original: Executable, at: Op, code: &[Op]) -> Executable {
    let given = Executable::create(at.loc(), &original.name());
    for op in code {
        given.body().append(op.duplicate());
    }
    given
}

/// The interface must be that of the executable; for one export, only it is looked at.
fn check(session: &Session, original: Executable, code: &Code<'_>) -> Result<()> {
    let interface = Executable { op: original.op.duplicate() };
    if interface.exports().is_empty() {
        for export in original.interface_exports() {
            interface.body().append(export.op.duplicate());
        }
    }
    interface.variants().into_iter().for_each(|v| v.op.erase());
    let result = match &code.export {
        None => check_replacement(session, interface, code.given),
        Some(name) => {
            let drop_others = |e: Executable| {
                let others = e.exports().into_iter().filter(|x| x.name() != *name);
                for other in others {
                    other.op.remove_attr(names::EXPORT);
                }
            };
            drop_others(interface);
            drop_others(code.given);
            check_replacement(session, interface, code.given)
        }
    };
    interface.op.erase();
    result
}

fn all_variants(request: &Request) -> Error {
    let (name, file) = (SubstitutionName::executable(&request.name.executable), request.shown());
    let error =
        Error::usage(format!("`{file}` is MLIR, which replaces one variant or the source, not `{}`", request.name));
    error
        .code("wrong-kind")
        .hint(format!("`{name}={file}` replaces the source of all variants that have no code of their own"))
}

impl Code<'_> {
    /// Returns the name of the replaced part, for messages.
    pub(crate) fn name(&self) -> String {
        let export = self.export.as_ref().map(|e| format!("/{e}")).unwrap_or_default();
        format!("{}/{}{export}", self.executable, self.variant)
    }

    /// Substitutes the code. Exports that are not in the file come from the variant, or else from the source.
    pub(crate) fn apply(&self, program: Program) {
        let Some(executable) = program.executable(&self.executable) else { return };
        let there = executable.variants().into_iter().find(|v| v.name() == self.variant);
        let ops = self.given.body().ops();
        let code = match &self.export {
            None => Variant::with_code(self.given.op, &self.variant, self.target, &ops),
            Some(export) => {
                let base = base(executable, there);
                let code = Variant::with_code(executable.op, &self.variant, self.target, &base);
                merge(code.op, export, self.given.op);
                code
            }
        };
        match there {
            Some(old) => {
                executable.body().insert_before(old.op, code.op);
                old.op.erase();
            }
            None => drop(executable.body().append(code.op)),
        }
    }

    /// Fails where it does not go with what else comes into the executable, `executable` being what that will be.
    pub(crate) fn check_rest(&self, executable: Executable, request: &Request) -> Result<()> {
        let (name, file) = (format!("{}/{}", self.executable, self.variant), request.shown());
        let there = executable.variants().into_iter().find(|v| v.name() == self.variant);
        if let Some(other) = there.filter(|_| executable.op != request.executable.op) {
            return Err(Error::input(format!(
                "`{file}` and the new source of `{}` both bring `{}`",
                self.executable,
                other.name()
            ))
            .code("given-twice")
            .hint("leave the variant out of one of them"));
        }
        let Some(export) = &self.export else { return Ok(()) };
        let base = base(executable, there);
        let has_body = |name: &str| base.iter().any(|op| op.symbol().as_deref() == Some(name) && has_body(*op));
        let mut rest = executable.interface_exports().into_iter().map(|e| e.name()).filter(|e| e != export).peekable();
        let has_objects = rest.peek().is_some() && there.is_some_and(|v| v.op.has_attr(names::OBJECTS));
        let why = match rest.find(|e| !has_body(e)) {
            _ if has_objects => format!("`{name}` has objects"),
            Some(bare) => format!("export `{bare}` has no MLIR"),
            None => return Ok(()),
        };
        Err(Error::input(format!(
            "`{file}` is MLIR for one export of `{name}`, `{export}`, and cannot go with the others"
        ))
        .code("missing-kernel")
        .note(format!("{why}; a variant has MLIR for all of its exports, or for none"))
        .hint(format!("give MLIR for all of them, as `{name}={file}`, or an object for the one")))
    }
}

/// Returns the present code of a variant: its own, or the source.
fn base(executable: Executable, variant: Option<Variant>) -> Vec<Op> {
    let own = variant.filter(|v| v.exports().iter().any(|e| has_body(e.op)));
    match own {
        Some(variant) => variant.op.body_ops(),
        None => executable.body().ops().into_iter().filter(|&op| Variant::view(op).is_none()).collect(),
    }
}
