//! Renames symbols of an object, so that variants of one kernel can live in one file.
use crate::objects::{LinkObject, inspect};
use halyard_diag::{Error, Result};
use std::collections::BTreeMap;

/// The object with symbols renamed, whether it defines or needs them.
pub(crate) fn rename(object: LinkObject, names: &BTreeMap<String, String>) -> Result<LinkObject> {
    let touched = object.defined.keys().chain(&object.undefined).any(|n| names.contains_key(n));
    if !touched {
        return Ok(object);
    }
    let fail = |e: object::build::Error| Error::input(format!("{}: symbols cannot be renamed: {e}", object.owner)).code("bad-object");
    let mut builder = object::build::elf::Builder::read(&*object.bytes).map_err(fail)?;
    for symbol in &mut builder.symbols {
        let name = String::from_utf8_lossy(&symbol.name).into_owned();
        if let Some(new) = names.get(&name) {
            symbol.name = new.clone().into_bytes().into();
        }
    }
    let mut bytes = Vec::new();
    builder.write(&mut bytes).map_err(fail)?;
    inspect(bytes, object.file.clone(), object.owner.clone())
}
