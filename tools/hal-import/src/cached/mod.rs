//! Takes imported programs from the cache if their models were imported before. Weights stay where they are: an entry says in
//! which file they lie ([`kept`]), and its key has the hashes of these files ([`key`]).
mod kept;
mod key;
mod place;

use crate::{ImportRequest, ImportedProgram, import};
use halyard_cache::{CacheChoice, CacheKey, CacheMode, EntryLayers};
use halyard_cli::Printer;
use halyard_diag::{Error, Result};
use halyard_ir::Session;
use kept::KeptImport;
use key::Known;
use std::collections::BTreeSet;

/// Imports like [`import`], but takes the program from the cache where it has it; it is the same, and so are the messages. Errors:
/// those of the import; with [`CacheMode::Check`], an entry that differs from what is imported. One whose steps are noted is done
/// anew: the cache has nothing of them.
pub fn import_cached<'s>(
    session: &'s Session,
    what: &ImportRequest<'_>,
    cache: Option<&CacheChoice>,
    printer: &Printer,
) -> Result<ImportedProgram<'s>> {
    let Some(choice) = cache.filter(|_| what.history.is_none()) else { return import(session, what) };
    let known = match Known::of(what) {
        Ok(known) => known,
        Err(why) => {
            printer.verbose(format!("the import of `{}` is not cached: {why}", what.name));
            return import(session, what);
        }
    };
    let mut cache = EntryLayers::open(&choice.clone().on_this_machine());
    let kept = found(&mut cache, &known.key);
    if let Some(kept) = kept.as_ref().filter(|_| choice.mode != CacheMode::Check)
        && let Some(program) = kept.restore(session, what, &known)
    {
        printer.verbose(format!("the import of `{}` is from the cache", what.name));
        return Ok(with_warnings(program, &cache));
    }
    if kept.is_none() && !cache.is_empty() && printer.is_verbose() {
        printer.verbose(format!("the import of `{}` is {}", what.name, cache.missed(&known.key)));
    }
    let before: BTreeSet<_> = halyard_cli::files_read().into_iter().collect();
    let sources = session.sources();
    let program = import(session, what)?;
    if cache.is_empty() {
        return Ok(with_warnings(program, &cache));
    }
    let other = halyard_cli::files_read().into_iter().find(|path| !before.contains(path));
    let fresh = match other {
        Some(path) => Err(format!("it has read `{}`", path.display())),
        None => KeptImport::of(session, &program, (what, &known), &sources),
    };
    match fresh {
        Ok(fresh) => match kept {
            Some(kept) if choice.mode == CacheMode::Check => {
                if let Some(part) = kept.difference(&fresh) {
                    return Err(differs(what.name, &known.key, part));
                }
            }
            _ => cache.add(vec![(known.key, fresh.bytes().to_vec())]),
        },
        Err(why) => printer.verbose(format!("the import of `{}` is not kept in the cache: {why}", what.name)),
    }
    Ok(with_warnings(program, &cache))
}

fn found(cache: &mut EntryLayers, key: &CacheKey) -> Option<KeptImport> {
    cache.find(&[Some(key.clone())], |_, bytes| KeptImport::read(bytes)).pop().flatten()
}

fn with_warnings<'s>(mut program: ImportedProgram<'s>, cache: &EntryLayers) -> ImportedProgram<'s> {
    program.warnings.extend(cache.warnings());
    program
}

fn differs(name: &str, key: &CacheKey, part: &str) -> Error {
    Error::tool(format!("`{name}`: {part} in the cache differs from a new import"))
        .code("cache-differs")
        .note(format!("the key of the entry is {}", key.hash()))
        .hint("this is a defect of Halyard, or of the cache: please report it; `--cache=off` uses no cache")
}
