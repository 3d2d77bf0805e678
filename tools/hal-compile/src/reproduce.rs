//! Packs everything that is needed to repeat a compilation elsewhere.
//!
//! A folder or tar archive of
//! - `run.sh`: the command line, with the input and the target of this machine made explicit;
//! - `pipe.sh`: the same as a pipe;
//! - `versions.txt`;
//! - `inputs/`: the model, replacements of executables, winners of a tuning database, and plugins;
//! - files that the compilation read from paths below the working folder, under the same paths: stages, objects.
use crate::{CompileArgs, plan::Plan};
use hal_import::frontend::{InputKind, kind_of};
use halyard_cli::{Input, write_atomically};
use halyard_diag::{Error, Result, quote};
use halyard_plugins::Active;
use std::{
    fs,
    io::Read,
    path::{Component, Path, PathBuf},
};

/// Writes them. Errors: a folder or file that cannot be written.
pub(crate) fn write(path: &Path, plan: &Plan<'_>, input: &Input, active: &Active) -> Result<()> {
    write_with(path, plan, input, active, Vec::new())
}

fn write_with(path: &Path, plan: &Plan<'_>, input: &Input, active: &Active, more: Vec<File>) -> Result<()> {
    let mut files = files(plan, input, active)?;
    files.extend(more);
    if path.extension().is_some_and(|e| e == "tar") {
        return write_atomically(path, &archive(&files)?);
    }
    for (name, bytes, executable) in &files {
        let file = path.join(name);
        let folder = file.parent().unwrap_or(path);
        fs::create_dir_all(folder).map_err(|e| Error::io("make", folder, &e))?;
        write_atomically(&file, bytes)?;
        if *executable {
            set_executable(&file)?;
        }
    }
    Ok(())
}

/// Whether a model names files beside it: archives of MLIR programs, external data of ONNX (whose entries have the key
/// `location`).
pub(crate) fn has_data_elsewhere(input: &Input) -> bool {
    let mark: &[u8] = match kind_of(&input.bytes) {
        InputKind::Mlir => halyard_ir::names::PARAMETER.as_bytes(),
        InputKind::Onnx => b"\x08location",
    };
    halyard_cli::contains(&input.bytes, mark)
}

/// Adds the stage files and objects that the compilation has read from paths in its inputs, under the same paths.
/// Returns those that are not below the working folder. Fails if a file cannot be read or written.
pub(crate) fn add_read(path: &Path, plan: &Plan<'_>, input: &Input, active: &Active) -> Result<Vec<PathBuf>> {
    let plugins = active.folders();
    let packed = |p: &PathBuf| {
        let of_plugin = plugins.iter().any(|(_, folder)| p.starts_with(folder));
        of_plugin || Some(p.as_path()) == input.path.as_deref() || plan.args.substitute.names(p)
    };
    let (below, outside): (Vec<PathBuf>, Vec<PathBuf>) =
        halyard_cli::files_read().into_iter().filter(|p| !packed(p) && comes_along(p)).partition(|p| is_below(p));
    let read = |p: &PathBuf| -> Result<File> {
        let bytes = fs::read(p).map_err(|e| Error::io("read", p, &e))?;
        Ok((p.display().to_string(), bytes, false))
    };
    let files = below.iter().map(read).collect::<Result<Vec<_>>>()?;
    if !files.is_empty() {
        write_with(path, plan, input, active, files)?;
    }
    Ok(outside)
}

/// Whether a file is a stage or an object: files that a compilation names by path and that are small enough to pack.
fn comes_along(path: &Path) -> bool {
    let is_stage = path.extension().is_some_and(|e| ["mlir", "mlirbc", "py", "yaml", "yml"].iter().any(|s| e == *s));
    let mut magic = [0; 4];
    let mut is_object = || {
        fs::File::open(path)
            .is_ok_and(|mut f| f.read_exact(&mut magic).is_ok() && [*b"\x7fELF", *b"!<ar"].contains(&magic))
    };
    path.is_file() && (is_stage || is_object())
}

fn is_below(path: &Path) -> bool {
    path.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir))
}

fn set_executable(file: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).map_err(|e| Error::io("make executable", file, &e))
}

/// Name, contents, and whether it is a program.
type File = (String, Vec<u8>, bool);

fn files(plan: &Plan<'_>, input: &Input, active: &Active) -> Result<Vec<File>> {
    let name = input.path.as_deref().and_then(Path::file_name).map_or("stdin".into(), |n| n.to_string_lossy());
    let inside = format!("inputs/{name}");
    let (substitutions, files) =
        plan.args.substitute.packed(&plan.args.kernels.executable_object_search_path, "inputs/substitutes")?;
    let mut words = vec!["hal-compile".to_owned(), inside.clone()];
    words.extend(substitutions);
    let (plugins, libraries) = plugins(plan)?;
    words.extend(plugins);
    let (switched_on, folders) = crate::plugins::packed(active)?;
    words.extend(switched_on);
    let tuning = plan.args.tuning.tuning()?.map(|tuning| tuning.pack()).transpose()?;
    if tuning.is_some() {
        words.extend(["--tuning=inputs/tuning.jsonl".to_owned(), "--tuning-machine=any".to_owned()]);
    }
    words.extend(flags(plan, active)?);
    let command = words.iter().map(|w| quote(w)).collect::<Vec<_>>().join(" ");
    let args = <CompileArgs as clap::Parser>::try_parse_from(&words).map_err(|e| Error::usage(e.to_string()))?;
    let temps = vec![None; plan.steps.len()];
    let same =
        Plan { args: &args, output: Path::new(&words[words.len() - 1]), steps: plan.steps.clone(), temps, ..*plan };
    let version = halyard_cli::command::<CompileArgs>().render_version();
    let script = |body: &str| format!("#!/bin/sh\nset -e\ncd \"$(dirname \"$0\")\"\n{body}").into_bytes();
    let mut list = vec![
        ("run.sh".into(), script(&format!("{command}\n")), true),
        ("pipe.sh".into(), script(&same.pipe()), true),
        ("versions.txt".into(), version.into_bytes(), false),
        (inside, input.bytes.to_vec(), false),
    ];
    list.extend(files.into_iter().chain(libraries).map(|(name, bytes)| (name, bytes, false)));
    list.extend(tuning.map(|lines| ("inputs/tuning.jsonl".to_owned(), lines, false)));
    list.extend(folders);
    Ok(list)
}

/// Flags for the libraries with passes and dialects as they lie in the package, and the libraries. A number before the name
/// tells two of one name apart.
#[expect(clippy::type_complexity, reason = "flags and files, as in the caller")]
fn plugins(plan: &Plan<'_>) -> Result<(Vec<String>, Vec<(String, Vec<u8>)>)> {
    let libraries = &plan.args.libraries;
    let all = [("--load-pass-plugin", libraries.passes()), ("--load-dialect-plugin", libraries.dialects())];
    let (mut words, mut files) = (Vec::new(), Vec::new());
    for (flag, path) in all.into_iter().flat_map(|(flag, paths)| paths.iter().map(move |p| (flag, p))) {
        let bytes = fs::read(path).map_err(|e| Error::io("read", path, &e))?;
        let known = files.iter().find(|(_, other)| *other == bytes).map(|(name, _): &(String, _)| name.clone());
        let name = known.unwrap_or_else(|| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let name = format!("inputs/plugins/{}-{name}", files.len());
            files.push((name.clone(), bytes));
            name
        });
        words.push(format!("{flag}={name}"));
    }
    Ok((words, files))
}

/// The flags that the result depends on; the output last.
fn flags(plan: &Plan<'_>, active: &Active) -> Result<Vec<String>> {
    let args = plan.args;
    let mut words: Vec<String> = args.stages.iter().map(|s| format!("--stage={}:{}", s.hook, s.stage)).collect();
    words.extend(args.stage_args.words());
    words.extend(args.kernels.match_words());
    let folders = args.kernels.executable_object_search_path.iter();
    words.extend(folders.map(|f| format!("--executable-object-search-path={}", f.display())));
    words.extend(args.pipeline_choices.words(&plan.pipelines()));
    words.extend(crate::preprocess::own_words(args));
    words.extend(args.function.iter().map(|f| format!("--function={f}")));
    words.extend(args.inputs.words());
    words.extend(args.states.words());
    // They are too large to be packed.
    for file in args.weights.files() {
        let file = std::path::absolute(file).map_err(|e| Error::io("find", file, &e))?;
        words.push(format!("--weights={}", file.display()));
    }
    words.extend(args.weights.weights_map.iter().map(|m| format!("--weights-map={}", m.text)));
    let targets = hal_translate::Targets::parse(&args.target, active, &args.plugins.chosen)?;
    words.extend(targets.vendors.iter().map(|v| format!("--target={}", v.name())));
    for target in targets.own {
        words.push(format!("--target={target}"));
    }
    words.push(format!("-O{}", args.opt_level));
    words.extend(args.bounds.words());
    words.extend(args.sizes.words());
    words.extend(args.onnx.words());
    words.extend(args.translation().fast_words());
    if let Some(to) = args.to {
        let name = clap::ValueEnum::to_possible_value(&to).map(|v| v.get_name().to_owned());
        words.push(format!("--to={}", name.unwrap_or_default()));
    }
    let output = plan.output.file_name().map_or("out.mlir".into(), |n| n.to_string_lossy());
    words.extend(["-o".into(), output.into_owned()]);
    Ok(words)
}

/// The files as a tar archive, dated 1970: the same command has the same archive.
fn archive(files: &[File]) -> Result<Vec<u8>> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, bytes, executable) in files {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(if *executable { 0o755 } else { 0o644 });
        header.set_mtime(0);
        let done = builder.append_data(&mut header, format!("reproduce/{name}"), &bytes[..]);
        done.map_err(|e| Error::io("archive", name, &e))?;
    }
    builder.into_inner().map_err(|e| Error::environment(format!("cannot make the archive: {e}")))
}
