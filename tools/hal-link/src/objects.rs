//! Checks the machine code of a linked program: the symbols that it defines and needs.
use halyard_diag::{Diagnostic, Error, Result};
pub(crate) use halyard_objects::{Library, ObjectFile as LinkObject, inspect};
use std::collections::{BTreeMap, BTreeSet};

/// Fails unless each symbol is defined once and each needed one is defined or given by the C library.
pub(crate) fn check_symbols(objects: &[LinkObject], provided: impl Fn(&str) -> bool) -> Result<()> {
    let mut definitions: BTreeMap<&str, &LinkObject> = BTreeMap::new();
    for object in objects {
        for (name, _) in object.defined.iter().filter(|(_, symbol)| !symbol.weak) {
            if let Some(other) = definitions.insert(name, object) {
                return Err(Error::input(format!(
                    "symbol `{name}` is defined twice: by {} and by {}",
                    other.owner, object.owner
                ))
                .code("duplicate-symbol")
                .hint("make it `static`, or rename one of them"));
            }
        }
    }
    let defined: BTreeSet<&str> = objects.iter().flat_map(|o| o.defined.keys().map(String::as_str)).collect();
    let mut missing: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for object in objects {
        for name in &object.undefined {
            if !defined.contains(name.as_str()) && !provided(name) {
                missing.entry(name).or_default().push(&object.owner);
            }
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    let mut diagnostics = Vec::new();
    for (name, users) in missing {
        diagnostics.push(
            Diagnostic::error(format!("undefined symbol `{name}`, needed by {}", users.join(", ")))
                .code("undefined-symbol")
                .hint("pass the object or static archive that defines it to `hal-link`; declare a function of a kernel library with `hal.import`"),
        );
    }
    Err(Error::many(diagnostics))
}
