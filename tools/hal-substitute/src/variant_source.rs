//! Finds the code for one variant in a file of MLIR.
use crate::{
    SubstitutionName,
    request::{Request, RequestIndex},
    source::{choose, source_text},
};
use halyard_diag::{Error, Result};
use halyard_ir::{Attr, Op, Session, form::Variant, names};

/// The code that a file has for a variant.
pub(crate) struct VariantSource {
    /// The operation, for places.
    pub(crate) at: Op,
    pub(crate) code: Vec<Op>,
    pub(crate) target: Option<Attr>,
}

impl VariantSource {
    fn of(variant: Variant) -> Self {
        let code = variant.op.body_ops();
        Self { at: variant.op, code, target: variant.target() }
    }
}

/// The code in a file: an executable's exports, those of its variant of that name, or a variant that stands alone.
pub(crate) fn find(
    session: &Session,
    module: Op,
    (request, wanted): (&Request, &str),
    index: &RequestIndex<'_>,
    remarks: &mut Vec<String>,
) -> Result<VariantSource> {
    let (file, name) = (request.files[0].name.as_str(), request.name.executable.as_str());
    let inner = module.body_ops();
    let alone = Variant::view(module).or_else(|| match inner.as_slice() {
        [one] => Variant::view(*one),
        _ => None,
    });
    let at = |error: Error, op: Op| match session.span(op) {
        Some(span) => error.at(span),
        None => error.in_file(file),
    };
    let variant = if let Some(variant) = alone {
        variant
    } else {
        let executable = choose(session, module, file, name, index.executables_of(file))?;
        let variants = executable.variants();
        match variants.iter().copied().find(|v| v.name() == wanted) {
            Some(variant) => {
                let same =
                    executable.exports().is_empty() || source_text(executable) == source_text(request.executable);
                if !same {
                    return Err(at(
                        Error::input(format!("`{file}` has code for variant `{wanted}`, and also a different source"))
                            .code("two-sources")
                            .note(format!("only the variant is asked for, with `{}`", request.name))
                            .hint(format!("`{}={file}` takes both", SubstitutionName::executable(name))),
                        executable.op,
                    ));
                }
                variant
            }
            None if variants.is_empty() => {
                return Ok(VariantSource { at: executable.op, code: executable.body().ops(), target: None });
            }
            None => {
                let names: Vec<String> = variants.iter().map(|v| format!("`{}`", v.name())).collect();
                return Err(at(
                    Error::input(format!("`{file}` has no variant `{wanted}`, but {}", names.join(", ")))
                        .code("wrong-variant")
                        .hint("leave out the other variants, so that the source becomes the code of this one"),
                    executable.op,
                ));
            }
        }
    };
    if variant.name() != wanted {
        return Err(at(
            Error::input(format!("`{file}` should become variant `{wanted}`, but holds `{}`", variant.name()))
                .code("wrong-variant")
                .hint(format!(
                    "rename the module, or write `{}/{}={file}`",
                    SubstitutionName::executable(name),
                    variant.name()
                )),
            variant.op,
        ));
    }
    if !variant.exports().iter().any(|e| has_body(e.op)) {
        return Err(at(
            Error::input(format!("variant `{wanted}` in `{file}` has no code"))
                .code("no-body")
                .hint("`hal-extract --as=obj` writes its object, which can be given after `hal-translate`"),
            variant.op,
        ));
    }
    if variant.op.has_attr(names::OBJECTS) {
        remarks.push("the objects in the file are left out: code is generated from its MLIR".into());
    }
    Ok(VariantSource::of(variant))
}

/// Whether a function has a body.
pub(crate) fn has_body(function: Op) -> bool {
    function.regions().first().is_some_and(|r| r.first_block().is_some())
}
