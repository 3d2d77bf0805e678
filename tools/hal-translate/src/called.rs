//! Functions that the code of an executable calls and others implement: adds their objects, or imports of their names,
//! to the variant.
use crate::target::{CpuTarget, Target};
use halyard_diag::{Error, Result, may_be_file};
use halyard_ir::{
    Attr, Session,
    form::{Executable, ExternalKernel, ExternalObject, ExternalTarget, Variant},
    names,
};
use std::path::PathBuf;

/// Adds to a variant what its code needs: `needs` are the symbols that its object does not define. Errors: a function
/// without objects for the target; objects that cannot be read.
pub(crate) fn add(
    session: &Session,
    executable: Executable,
    variant: Variant,
    target: &Target,
    needs: &[String],
    folders: &[PathBuf],
) -> Result<()> {
    let context = session.raw();
    let (mut objects, mut imports) = (Vec::new(), Vec::new());
    for given in executable.body().ops().into_iter().filter_map(ExternalKernel::view) {
        let name = given.name();
        if !needs.contains(&name) {
            continue;
        }
        if given.is_import() {
            imports.push(Attr::string(context, &name));
            continue;
        }
        let place = |error: Error| error.at(session.span(given.op));
        let all = given.targets().map_err(place)?;
        let Some(best) = best(&all, target) else {
            let list: Vec<_> = all.iter().filter_map(|t| t.target).map(|t| format!("`{t}`")).collect();
            let message = format!(
                "function `@{name}`, which executable `@{}` calls, has no objects for `{}`",
                executable.name(),
                target.short()
            );
            return Err(place(
                Error::input(message).code("no-objects").note(format!("it has some for {}", list.join(", "))),
            ));
        };
        for (i, object) in best.objects.iter().enumerate() {
            let bytes = bytes(object, &name, folders).map_err(place)?;
            let format = if bytes.starts_with(b"!<arch>\n") { "archive" } else { "elf" };
            let data = Variant::embed(context, &format!("{}_{}_{name}_{i}", executable.name(), variant.name()), &bytes);
            let hash = blake3::hash(&bytes).to_hex();
            let dict =
                [("format", Attr::string(context, format)), ("data", data), ("hash", Attr::string(context, &hash))];
            objects.push(Attr::dict(context, &dict));
        }
    }
    if !objects.is_empty() {
        let mut all = variant.op.attr(names::OBJECTS).and_then(Attr::as_array).unwrap_or_default();
        all.extend(objects);
        variant.op.set_attr(names::OBJECTS, Attr::array(context, &all));
    }
    if !imports.is_empty() {
        variant.op.set_attr(names::IMPORTS, Attr::array(context, &imports));
    }
    Ok(())
}

/// The most demanding of the entries that fit a target. An entry without a target fits any: the linker checks it.
fn best<'t>(entries: &'t [ExternalTarget], target: &Target) -> Option<&'t ExternalTarget> {
    let rank = |entry: &'t ExternalTarget| {
        let Some(attr) = entry.target else { return target.cpu().map(|_| 0) };
        let target = match target {
            Target::Cpu(cpu) => cpu,
            gpu => return (Target::of_attr(attr)? == *gpu).then_some(1),
        };
        let more = entry.features.iter().all(|f| f.strip_prefix('+').is_none_or(|f| target.has(f)));
        let suits = target.suits(&CpuTarget::of_attr(attr)?)?;
        more.then_some(1 + suits + entry.features.len())
    };
    // The first of equals.
    entries.iter().rev().filter_map(|e| Some((rank(e)?, e))).max_by_key(|(rank, _)| *rank).map(|(_, e)| e)
}

fn bytes(object: &ExternalObject, name: &str, folders: &[PathBuf]) -> Result<Vec<u8>> {
    match object {
        ExternalObject::Data(bytes) => Ok(bytes.clone()),
        ExternalObject::Path(path, hash) => {
            let candidates: Vec<PathBuf> =
                std::iter::once(path.into()).chain(folders.iter().map(|f| f.join(path))).collect();
            let Some(found) = candidates.iter().find(|p| may_be_file(p)) else {
                let tried: Vec<_> = candidates.iter().map(|p| format!("`{}`", p.display())).collect();
                return Err(Error::environment(format!("object `{path}` of function `@{name}` cannot be found"))
                    .code("missing-object")
                    .note(format!("looked for {}", tried.join(", ")))
                    .hint(
                        "paths are relative to the working directory; `--object-path=FOLDER` names further folders",
                    ));
            };
            let bytes = std::fs::read(found).map_err(|e| Error::io("read", found, &e))?;
            halyard_cli::depend_on(found);
            let is = blake3::hash(&bytes).to_hex();
            match hash {
                Some(hash) if **hash != *is => {
                    let message =
                        format!("object `{path}` of `@{name}` has an unexpected hash: `{is}` instead of `{hash}`");
                    Err(Error::input(message).code("wrong-object"))
                }
                _ => Ok(bytes),
            }
        }
    }
}
