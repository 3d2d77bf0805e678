//! The code of one executable: `--emit=llvm`, `asm`, `obj` and those for GPUs.
use crate::{
    Translation, TranslationFormat, TranslationReport, input::Input, job::Job, program::all, variants, workers,
};
use halyard_diag::{Error, Result, either, nearest};
use halyard_ir::{
    Session,
    form::{Executable, Phase},
};

/// Translates one executable and gives its code. Errors: several targets, several executables and no name, an unknown
/// name (with near ones), an executable without source.
pub(crate) fn emit(
    session: &Session,
    input: &Input,
    name: Option<&str>,
    kind: TranslationFormat,
    translation: &Translation,
) -> Result<(Vec<u8>, TranslationReport)> {
    let code = kind.code();
    let [target] = translation.targets.as_slice() else {
        return Err(Error::usage(format!(
            "`--emit` writes the code for one target, not for {}",
            translation.targets.len()
        )));
    };
    if let Some(device) = kind.device().filter(|d| *d != target.device()) {
        let word = kind.name();
        return Err(Error::usage(format!("`--emit={word}` is for a target `{device}`, not for `{target}`"))
            .hint(format!("add `--target={device}`")));
    }
    let executable = choose(input, name)?;
    let (op, member) = variants::source(session, executable, target)?;
    let job = Job { members: vec![member], op, target: 0 };
    let (results, said) = workers::run(session, &[job], &translation.targets, translation, code);
    let done = all(results)?.pop().and_then(|mut list| list.pop()).expect("one job of one executable gives one result");
    let mut report = TranslationReport::default();
    report.add(target, &done);
    report.hear(&said);
    Ok((done.code, report))
}

fn choose(input: &Input, name: Option<&str>) -> Result<Executable> {
    let executables = match input {
        Input::Executable(executable) => vec![*executable],
        Input::Program(program) => {
            // Objects may be there already; the sources count.
            if program.phase()? == Phase::Input {
                program.expect_phase("hal-translate", Phase::Executables)?;
            }
            program.executables()
        }
    };
    let names: Vec<String> = executables.iter().map(|e| e.name()).collect();
    let Some(name) = name else {
        return match executables.as_slice() {
            [only] => Ok(*only),
            [] => Err(Error::input("the program has no executables").code("no-executable")),
            several => Err(Error::usage(format!("the program has {} executables", several.len()))
                .code("no-executable")
                .hint(format!("choose one with `--executable=NAME`, for example `--executable={}`", names[0]))),
        };
    };
    let name = name.trim_start_matches('@');
    if let Some(i) = names.iter().position(|n| n == name) {
        return Ok(executables[i]);
    }
    let error = Error::usage(format!("there is no executable `@{name}`")).code("no-executable");
    let near = nearest(name, names.iter().map(String::as_str));
    Err(if near.is_empty() {
        error.note(format!("the input has {} executables", names.len()))
    } else {
        error.hint(format!("did you mean {}?", either(&near)))
    })
}
