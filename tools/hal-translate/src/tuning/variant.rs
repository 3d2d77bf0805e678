//! Variants of winners: checked like a substituted file, and renamed for the executable.
use super::objects;
use crate::{target::Target, variants};
use halyard_diag::{Error, Result};
use halyard_ir::{
    Attr, Module, Op, Session,
    form::{Executable, ObjectData, Variant, check_replacement, fingerprint, single_executable, write},
    names,
};
use std::collections::BTreeSet;

/// Adds the variant of a winner to an executable; gives its name. Errors: why it does not fit; nothing is changed then.
pub(super) fn add(session: &Session, executable: Executable, target: &Target, bytes: &[u8]) -> Result<String> {
    let read = read(session, bytes);
    // MLIR's diagnostics about it are in the error; a warning about it has no reader.
    session.take_diagnostics();
    let (_owner, stored) = read?;
    let copy = Executable { op: executable.op.duplicate() };
    let fitted = fit(session, copy, target, stored).and_then(|variant| {
        check_replacement(session, executable, copy)?;
        Ok(variant)
    });
    let added = fitted.map(|variant| {
        executable.body().append(variant.op.duplicate());
        variant.name()
    });
    copy.op.erase();
    added
}

/// The text of an entry with the bytes of objects in it. As resources they would take names in the session, which objects that are
/// made later then do not get: the output would depend on what was only looked at.
fn without_resources(bytes: &[u8]) -> Result<Vec<u8>> {
    let session = Session::new();
    let module = session.parse(bytes, "the entry")?;
    let executable = single_executable(&session, Op::from(&module), "the entry")?;
    for variant in executable.variants() {
        let mut objects = Vec::new();
        for object in variant.objects()? {
            let ObjectData::Embedded(bytes) = object.data else {
                return Err(Error::input(format!("its `{}` object is in a file of its own", object.format)));
            };
            let hex: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
            let text = format!("dense<\"0x{hex}\"> : tensor<{}xi8>", bytes.len());
            let data = Attr::parse(session.raw(), &text);
            objects.push((object.format, data.ok_or_else(|| Error::input("its object is empty").code("bad-object"))?));
        }
        if !objects.is_empty() {
            variant.set_objects(&objects);
        }
    }
    Ok(write(executable.op, false))
}

/// The variant of an entry, and the module that owns it.
fn read<'s>(session: &'s Session, bytes: &[u8]) -> Result<(Module<'s>, Variant)> {
    let module = session.parse_beside(&without_resources(bytes)?, "the entry")?;
    let executable = single_executable(session, Op::from(&module), "the entry")?;
    match executable.variants().as_slice() {
        [variant] => Ok((module, *variant)),
        others => Err(Error::input(format!("it has {} variants instead of one", others.len()))),
    }
}

/// Adds a copy of a stored variant to an executable, under the names that things have there.
fn fit(session: &Session, executable: Executable, target: &Target, stored: Variant) -> Result<Variant> {
    let bad = |what: String| Error::input(what);
    if stored.target() != Some(target.attr(session)) {
        let other = stored.target().map_or_else(|| "none".to_owned(), |t| t.to_string());
        return Err(bad(format!("its variant is for another target: {other}")));
    }
    let (old, new) = (stored.exports(), executable.exports());
    if old.len() != new.len() {
        return Err(bad(format!("its variant has {} exports, the executable {}", old.len(), new.len())));
    }
    for (old, new) in old.iter().zip(&new) {
        let said = old.op.attr(names::FINGERPRINT).and_then(Attr::as_string);
        let wanted = fingerprint(new.op);
        if fingerprint(old.op) != wanted || said.is_some_and(|said| said != wanted) {
            let what = format!("its variant was made for another interface of export `@{}`", new.name());
            return Err(bad(what).note(format!("here: `{}`", new.ty())).note(format!("there: `{}`", old.ty())));
        }
    }
    let name = free_name(executable, target);
    let variant = Variant { op: executable.body().append(stored.op.duplicate()) };
    variant.op.set_attr("sym_name", Attr::string(session.raw(), &name));
    let wanted: Vec<String> = new.iter().map(|e| e.name()).collect();
    let renamed: Vec<(String, String)> = old.iter().map(|e| e.name()).zip(wanted).collect();
    rename_exports(variant, &renamed);
    let objects = objects::fit(variant, target, &renamed, &executable.name())?;
    if objects.is_empty() {
        return if has_code(variant) {
            Ok(variant)
        } else {
            Err(bad("its variant has neither code nor objects".into()))
        };
    }
    if let Some(bare) = variant.exports().into_iter().find(|e| variant.workgroups(*e).is_none()) {
        return Err(bad(format!("its variant has no workgroup count for export `@{}`", bare.name())));
    }
    let embed = |(i, (format, bytes)): (usize, (String, Vec<u8>))| {
        let name = format!("{}_{}_{i}", executable.name(), variant.name());
        (format, Variant::embed(session.raw(), &name, &bytes))
    };
    variant.set_objects(&objects.into_iter().enumerate().map(embed).collect::<Vec<_>>());
    Ok(variant)
}

fn has_code(variant: Variant) -> bool {
    !variant.exports().is_empty() && variant.exports().iter().all(|e| variants::has_code(variant.op, *e))
}

fn free_name(executable: Executable, target: &Target) -> String {
    let taken: BTreeSet<String> = executable.body().ops().into_iter().filter_map(|op| op.symbol()).collect();
    let base = target.variant_name();
    let mut names = std::iter::once(base.clone()).chain((2..).map(|i| format!("{base}_{i}")));
    names.find(|name| !taken.contains(name)).expect("numbers do not end")
}

/// Names exports and their workgroup counts as in the executable, in two steps: a new name may be the old one of another export.
fn rename_exports(variant: Variant, renamed: &[(String, String)]) {
    let rename = |op: Op, name: &str| {
        if op.symbol().as_deref() != Some(name) {
            op.rename_symbol(name, variant.op);
        }
    };
    let exports = variant.exports();
    let counts: Vec<Option<Op>> = exports.iter().map(|e| variant.workgroups(*e)).collect();
    for step in ["__hal_tuned_", ""] {
        for ((export, count), (_, new)) in exports.iter().zip(&counts).zip(renamed) {
            rename(export.op, &format!("{step}{new}"));
            // One count may be of several exports: it is called after the last.
            if let Some(count) = count {
                rename(*count, &format!("{step}{}", crate::codegen::workgroups_name(new)));
            }
        }
    }
}
