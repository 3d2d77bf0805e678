//! What only the compiler knows of an executable, from the files that it wrote: MLIR, stages, LLVM IR, schedule.
use crate::{
    data::Texts,
    stages::{StageTexts, fitted_import},
};
use halyard_diag::{Error, Result};
use halyard_runtime::KernelInfo;
use std::{fs, io::ErrorKind, path::Path};

/// The longest text that is shown of a file: a report stays small.
const LONGEST: usize = 200_000;

/// The files of the program's executables in a folder: `mlir:E`, `stages:E`, `lowered:E`, `llvm:E` and `optimized:E`; and
/// `import`, what became of the program until there were executables. Errors: none is there; one is of an
/// executable that computes something else.
pub(crate) fn files(folder: &Path, kernels: &[KernelInfo]) -> Result<Texts> {
    let (mut texts, mut stages) = (Texts::new(), StageTexts::default());
    for kernel in kernels {
        let name = &kernel.executable;
        let file = folder.join(format!("{name}.mlir"));
        let Some(source) = read(&file)? else { continue };
        let key = format!("hal.key = \"{}\"", kernel.identity.key);
        if !kernel.identity.key.is_empty() && !source.contains(&key) {
            let error = Error::input(format!("`{}` is not executable `{name}` of the program", file.display()));
            return Err(error
                .code("other-files")
                .note(format!("the program's has key {}, which the file does not have", kernel.identity.key))
                .hint("compile the program again with `--dump-executable-files-to`"));
        }
        texts.insert(format!("mlir:{name}"), shortened(source));
        let lowered = folder.join(format!("{name}.{}.stages.diff", kernel.variant));
        stages.add(name, read(&folder.join(format!("{name}.stages.diff")))?, read(&lowered)?);
        for (what, suffix) in [("llvm", "ll"), ("optimized", "optimized.ll")] {
            if let Some(text) = read(&folder.join(format!("{name}.{}.{suffix}", kernel.variant)))? {
                texts.insert(format!("{what}:{name}"), shortened(text));
            }
        }
    }
    if texts.is_empty() {
        let what = format!("`{}` has no file of an executable of the program", folder.display());
        return Err(Error::input(what).hint("`hal-compile … --dump-executable-files-to=FOLDER` writes them"));
    }
    texts.extend(stages.fitted());
    let import = read(&folder.join("hal-import.stages.diff"))?;
    texts.extend(import.map(|text| ("import".into(), fitted_import(&text))));
    Ok(texts)
}

/// The schedules in the output of `--explain=schedule`, by kernel: `schedule:EXPORT`. Errors: there is none for the program.
pub(crate) fn schedules(file: &Path, kernels: &[KernelInfo]) -> Result<Texts> {
    let text = fs::read_to_string(file).map_err(|e| Error::io("read", file, &e))?;
    let mut texts = Texts::new();
    let mut current: Option<String> = None;
    for line in text.lines() {
        if let Some(export) = heading(line) {
            let known = kernels.iter().any(|k| k.export == export.1 && k.executable == export.0);
            current = known.then(|| format!("schedule:{}", export.1));
        } else if !line.starts_with(' ') {
            current = None;
        }
        if let Some(name) = &current {
            let to = texts.entry(name.clone()).or_default();
            *to += line;
            to.push('\n');
        }
    }
    if texts.is_empty() {
        let what = format!("`{}` has no schedule of a kernel of the program", file.display());
        return Err(Error::input(what).hint("`hal-compile … --explain=schedule 2> FILE` writes them"));
    }
    Ok(texts)
}

/// Executable and export in `@main_dispatch_0::@main_dispatch_0_matmul for cpu:…:`.
fn heading(line: &str) -> Option<(&str, &str)> {
    let (executable, rest) = line.strip_prefix('@')?.split_once("::@")?;
    let (export, _) = rest.split_once(" for ")?;
    Some((executable, export))
}

/// A file's text; `None` if there is no such file.
fn read(path: &Path) -> Result<Option<String>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        Err(e) => Err(Error::io("read", path, &e)),
    }
}

fn shortened(mut text: String) -> String {
    if let Some(end) = text.match_indices('\n').map(|(at, _)| at).take_while(|at| *at < LONGEST).last()
        && text.len() > LONGEST
    {
        let left = text[end + 1..].lines().count();
        text.truncate(end + 1);
        text += &format!("// … {left} more lines in the file\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, heading, shortened};

    #[test]
    fn headings_of_schedules() {
        assert_eq!(heading("@d_0::@d_0_matmul for cpu:znver5:"), Some(("d_0", "d_0_matmul")));
        assert_eq!(heading("  hal.schedule = {}"), None);
    }

    #[test]
    fn long_texts_end_with_a_line() {
        let text = shortened("0123456789\n".repeat(LONGEST / 10));
        assert!(text.len() < LONGEST + 50 && text.ends_with("more lines in the file\n"));
        assert_eq!(shortened("a\n".into()), "a\n");
    }
}
