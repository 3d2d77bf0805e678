//! Files that were extracted from an earlier version of the program: finds the executable that each belongs to now.
use crate::{
    SubstitutionName,
    files::Source,
    provenance::{Home, Known, Provenance},
    rename::renamed,
};
use halyard_diag::{Diagnostic, Error, Result, Severity};
use halyard_ir::{
    Session,
    form::{Executable, escape_symbol},
};
use halyard_objects::inspect;
use std::path::Path;

/// How a file is matched with its executable.
#[derive(Debug, Clone, Default)]
pub(crate) struct Carried {
    /// The symbols in the file, and their names in this program.
    names: Vec<(String, String)>,
    /// The note that it was carried over, with the reason.
    pub(crate) note: Option<Diagnostic>,
}

impl Carried {
    fn new(provenance: &Provenance, home: Executable, file: &str, why: &str) -> Self {
        let text = if provenance.name == home.name() {
            format!(
                "`{file}`, which was extracted from an earlier version of `{}`, is carried over: {why}",
                home.name()
            )
        } else {
            format!(
                "`{file}`, which was extracted from `{}`, is carried over to `{}`: {why}",
                provenance.name,
                home.name()
            )
        };
        let note = Diagnostic::new(Severity::Note, text).code("carried-over");
        Self { names: provenance.renames(home), note: Some(note) }
    }

    /// The file with the names of this program. Errors: symbols that cannot be renamed.
    pub(crate) fn apply(&self, session: &Session, file: &Source) -> Result<Source> {
        renamed(session, file, &self.names)
    }
}

/// The destination of a file of a folder.
#[derive(Debug)]
pub(crate) enum Place {
    /// The executable that its name states.
    Named,
    /// The executable with this stem.
    Stem(String, Carried),
    /// Nowhere, which is an error if it was edited.
    Nowhere(Error),
}

/// Returns the destination in this program of a file of a folder. `stem` is its name without the suffix. An unedited
/// source is used only where it makes no difference.
pub(crate) fn in_folder(
    provenance: &Provenance,
    known: &Known<'_>,
    (path, stem): (&Path, &str),
    old_source: bool,
) -> Place {
    let file = path.display().to_string();
    let rest = stem.strip_prefix(&escape_symbol(&provenance.name)).filter(|r| r.is_empty() || r.starts_with('.'));
    // A file that was renamed since is for what its name says now.
    let Some(rest) = rest else { return Place::Named };
    match provenance.home(known, &file) {
        Ok(Home::Same) => Place::Named,
        Ok(Home::Moved(home, why)) => {
            if old_source && !provenance.is(home) {
                return Place::Nowhere(provenance.gone(&file).into());
            }
            let carried = Carried::new(provenance, home, &file, why);
            Place::Stem(format!("{}{rest}", escape_symbol(&home.name())), carried)
        }
        Ok(Home::Gone) => Place::Nowhere(provenance.gone(&file).into()),
        Err(error) => Place::Nowhere(error),
    }
}

/// The executable that `NAME=FILE` means, and how the file comes there. `chosen` is what NAME means in this program: exactly, or
/// by a pattern. Errors: the file is for an executable of another interface; the name means nothing here.
pub(crate) fn by_name(
    provenance: Option<&Provenance>,
    known: &Known<'_>,
    (name, is_pattern): (&SubstitutionName, bool),
    chosen: Result<Executable>,
    source: &Source,
) -> Result<(Executable, Carried)> {
    let file = &*source.name;
    let Some(provenance) = provenance else {
        let chosen = chosen?;
        let names = if is_pattern { kernels_of_other_numbers(source, chosen) } else { Vec::new() };
        return Ok((chosen, Carried { names, note: None }));
    };
    if is_pattern {
        let chosen = chosen?;
        let moved = || Carried { names: provenance.renames(chosen), note: None };
        return match provenance.fits(chosen) {
            true => Ok((chosen, moved())),
            false => Err(provenance.changed(chosen, file)),
        };
    }
    if provenance.name != name.executable {
        return Ok((chosen?, Carried::default()));
    }
    match (provenance.home(known, file), chosen) {
        (Ok(Home::Moved(home, why)), _) => Ok((home, Carried::new(provenance, home, file, why))),
        (Ok(Home::Same), chosen) => Ok((chosen?, Carried::default())),
        // Whoever names it, wants it there; whether it fits is checked as for any file.
        (Ok(Home::Gone), Ok(chosen)) => {
            let why = "it is named, though its nodes are not those that it was extracted from";
            Ok((chosen, Carried::new(provenance, chosen, file, why)))
        }
        (Ok(Home::Gone), Err(_)) => Err(provenance.gone(file).into()),
        (Err(error), _) => Err(error),
    }
}

/// The kernels of an object for an executable that had another number when they were written: old and new names. The rest of the
/// name, which says what they compute, must be the same, and be there once.
fn kernels_of_other_numbers(file: &Source, chosen: Executable) -> Vec<(String, String)> {
    let Ok(object) = inspect(file.bytes.to_vec(), String::new(), String::new()) else { return Vec::new() };
    let wanted = chosen.interface_exports().into_iter().map(|e| e.name()).filter(|w| !object.defined.contains_key(w));
    let renamed = |new: String| {
        let what = without_number(&new)?;
        let mut alike = object.defined.keys().filter(|name| without_number(name) == Some(what));
        let old = alike.next().filter(|_| alike.next().is_none())?;
        Some((old.clone(), new.clone()))
    };
    wanted.filter_map(renamed).collect()
}

/// `main` and `conv_1x8_f32` of `main_dispatch_3_conv_1x8_f32`.
fn without_number(name: &str) -> Option<(&str, &str)> {
    let (function, rest) = name.split_once("_dispatch_")?;
    let (number, what) = rest.split_once('_')?;
    (!number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())).then_some((function, what))
}

#[cfg(test)]
mod tests {
    use super::without_number;

    #[test]
    fn numbers_are_taken_out_of_names() {
        assert_eq!(without_number("main_dispatch_13_conv_1x8_f32"), Some(("main", "conv_1x8_f32")));
        assert_eq!(without_number("main_dispatch_x_conv"), None);
        assert_eq!(without_number("main_dispatch_3"), None);
    }
}
