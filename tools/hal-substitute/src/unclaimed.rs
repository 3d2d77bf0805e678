//! Reports edited files of a folder that are not used, so that no edit is silently ignored.
use crate::{Folder, Only, SubstitutionReport, folder::Offer};
use halyard_diag::{Diagnostic, quote};
use halyard_ir::{
    Op, Session,
    form::{Executable, Program, print, single_executable},
    names,
};
use std::{fs, path::Path};

/// Reports files of a folder that no flag selects, or that it is empty.
pub(crate) fn tell(
    session: &Session,
    program: Program,
    folder: &Folder,
    offer: &Offer,
    report: &mut SubstitutionReport,
) {
    if offer.is_empty {
        let text = format!("`{}` has no file named like an executable", folder.path.display());
        report
            .warnings
            .push(Diagnostic::warning(text).code("empty-folder").hint("`hal-extract --to=FOLDER` writes such files"));
    }
    for path in offer.c_files.iter().filter(|_| folder.only != Only::Sources) {
        let text = format!("`{}` was edited, and C is not compiled here", path.display());
        let hint = format!(
            "`clang -O2 -fPIC -c {}` makes an object, `NAME=FILE.o` takes it",
            quote(&path.display().to_string())
        );
        report.warnings.push(Diagnostic::warning(text).code("edited-file").hint(hint));
    }
    if folder.rest_is_taken {
        return;
    }
    for (executable, path) in &offer.left {
        let file = path.display();
        match folder.only {
            // Their time may still come, further down the pipe.
            Only::Sources => {
                report.notes.push(format!("`{file}` was edited, too: `--objects-from` takes it, after `hal-translate`"))
            }
            _ if is_in(session, program, executable, path) => {}
            _ => report.warnings.push(
                Diagnostic::warning(format!("`{file}` was edited, but only objects are used here"))
                    .code("edited-file")
                    .hint("`--sources-from` takes it, before `hal-translate` (`--substitute-executable-sources-from`)"),
            ),
        }
    }
}

/// Whether a file has the same source as the program.
fn is_in(session: &Session, program: Program, name: &str, path: &Path) -> bool {
    let Some(executable) = program.executable(name) else { return false };
    let Ok(bytes) = fs::read(path) else { return false };
    let file = path.display().to_string();
    let Ok(module) = session.parse(&bytes, &file) else { return false };
    let Ok(given) = single_executable(session, Op::from(&module), &file) else { return false };
    exports(executable) == exports(given)
}

/// Returns the code of an executable without the parts that `hal-translate` adds.
fn exports(executable: Executable) -> Vec<String> {
    let ops = executable.body().ops();
    ops.into_iter().filter(|op| !op.has_attr(names::VARIANT)).map(print).collect()
}
