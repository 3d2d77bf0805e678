//! Writes the code of one executable: `--emit=llvm`, `asm`, `obj` and the formats for GPUs.
use crate::{
    Translation, TranslationFormat, TranslationReport,
    input::Input,
    job::Job,
    program::all,
    tuning::{self, Tuned},
    variants,
};
use halyard_diag::{Error, Result};
use halyard_ir::{
    Session,
    form::{Executable, ExecutableSelector, Phase},
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
        return Err(Error::usage(format!("`--emit={word}` is for a target `{device}`, not for `{}`", target.short()))
            .hint(format!("add `--target={device}`")));
    }
    let executable = choose(input, name)?;
    let mut tuned = Tuned::place(session, &[executable], translation)?;
    if let Some(variant) = tuned.as_ref().and_then(|t| t.variant_of(executable, target)) {
        let what = format!("executable `@{}` has variant `@{variant}` from the tuning database", executable.name());
        check_generated(executable, variant, what)?;
    }
    let (op, member) = variants::source(session, executable, target)?;
    let mut jobs = [Job { members: vec![member], op, target: 0, text: None }];
    if let Some(debug) = &translation.debug {
        debug.write(&jobs)?;
    }
    let (results, said) = tuning::run(session, &mut jobs, &translation.targets, translation, code, tuned.as_mut());
    let done = all(results)?.pop().and_then(|mut list| list.pop()).expect("one job of one executable gives one result");
    let mut report = TranslationReport::default();
    report.add(target, &done);
    report.add_output(said);
    report.add_tuned(tuned.as_ref());
    Ok((done.code, report))
}

/// Errors: a variant has objects, whose code is not generated here; `what` says where it is from.
fn check_generated(executable: Executable, variant: &str, what: String) -> Result<()> {
    let of_name = executable.variants().into_iter().find(|v| v.name() == variant);
    match of_name.is_some_and(|v| v.objects().is_ok_and(|o| !o.is_empty())) {
        true => Err(Error::usage(format!("{what}, with objects; there is no code to write"))
            .hint("`--tuning=` writes the code that `hal-translate` generates")),
        false => Ok(()),
    }
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
    let Some(name) = name else {
        return match executables.as_slice() {
            [only] => Ok(*only),
            [] => Err(Error::input("the program has no executables").code("no-executable")),
            several => {
                Err(Error::usage(format!("the program has {} executables", several.len())).code("no-executable").hint(
                    format!("choose one with `--executable=NAME`, for example `--executable={}`", several[0].name()),
                ))
            }
        };
    };
    ExecutableSelector::new(&executables).one(name)
}
