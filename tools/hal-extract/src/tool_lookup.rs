//! Finds the other tools as commands: beside this one, or on `PATH`.
use crate::{
    request::{Generated, Inputs, ObjectGenerator, Scheduled},
    schedules::scheduled,
};
use halyard_diag::{Error, Result};
use halyard_exec::{Scratch, Tool};
use halyard_ir::{
    Op, Session,
    form::{Phase, Program, file_name},
};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// Suffixes of the files that `hal-translate --save-code` writes.
const CODE: [&str; 4] = ["ll", "optimized.ll", "s", "o"];

/// Calls Halyard's other tools.
#[derive(Debug)]
pub struct SiblingTools {
    /// The targets that were requested.
    pub target: Vec<String>,
    /// The optimisation level, as in hal-translate.
    pub opt_level: u8,
    /// The fast-math options, as in hal-translate.
    pub fast_math: Vec<String>,
    /// The number of runs that verify the kernels that compute a benchmark's expected outputs; `None` for no
    /// verification.
    pub verify: Option<u32>,
}

impl SiblingTools {
    fn translate_flags(&self, targets: &[String]) -> Vec<String> {
        let targets = if self.target.is_empty() { targets } else { &self.target };
        let mut flags: Vec<String> = targets.iter().map(|t| format!("--target={t}")).collect();
        flags.push(format!("-O{}", self.opt_level));
        flags.extend(self.fast_math.iter().map(|what| format!("--fast-math={what}")));
        flags.extend(halyard_ir::plugin_words());
        flags
    }
}

impl ObjectGenerator for SiblingTools {
    fn code(&self, program: &[u8], targets: &[String]) -> Result<Vec<Generated>> {
        let scratch = Scratch::new("extract")?;
        let mut args = self.translate_flags(targets);
        args.extend(["--save-code=code".into(), "--emit=bytecode".into(), "-o".into(), "program.mlirbc".into()]);
        Tool::of_halyard("hal-translate")?.call(&args).stdin(program).folder(scratch.path()).run()?;
        // The translated program has the names of the variants, in order.
        let session = Session::new();
        let path = scratch.path().join("program.mlirbc");
        let bytes = fs::read(&path).map_err(|e| Error::io("read", &path, &e))?;
        let module = session.parse(&bytes, "program")?;
        let mut all = Vec::new();
        for executable in (Program { op: Op::from(&module) }).executables() {
            for variant in executable.variants() {
                let mut files = BTreeMap::new();
                for suffix in CODE {
                    let name = file_name(&executable.name(), Some(&variant.name()), suffix);
                    let path = scratch.path().join("code").join(name);
                    files.insert(suffix.to_owned(), fs::read(&path).map_err(|e| Error::io("read", &path, &e))?);
                }
                all.push(Generated { executable: executable.name(), variant: variant.name(), files });
            }
        }
        Ok(all)
    }

    fn schedules(&self, program: &[u8], targets: &[String]) -> Result<Vec<Scheduled>> {
        let scratch = Scratch::new("extract")?;
        let mut args = self.translate_flags(targets);
        args.extend(["--schedules-json=schedules.json".into(), "-o".into(), "program.mlirbc".into()]);
        Tool::of_halyard("hal-translate")?.call(&args).stdin(program).folder(scratch.path()).run()?;
        let path = scratch.path().join("schedules.json");
        let bytes = fs::read(&path).map_err(|e| Error::io("read", &path, &e))?;
        let json = serde_json::from_slice(&bytes)
            .map_err(|e| Error::tool(format!("what `hal-translate --schedules-json` wrote is no JSON: {e}")))?;
        Ok(scheduled(&json))
    }

    fn link(&self, program: &[u8], weights: &[PathBuf], objects: &[PathBuf], output: &Path) -> Result<()> {
        let session = Session::new();
        let module = session.parse(program, "program")?;
        let phase = (Program { op: Op::from(&module) }).phase()?;
        let translated = if phase == Phase::Objects {
            program.to_vec()
        } else {
            // For this machine: it is run here.
            let verify = self.verify.map(|n| format!("--verify={n}"));
            let args = ["--emit=bytecode".to_owned()].into_iter().chain(verify);
            Tool::of_halyard("hal-translate")?.call(args).stdin(program).run()?.stdout
        };
        let mut args: Vec<std::ffi::OsString> = vec!["-o".into(), output.into()];
        for (flag, folders) in [("--weights-path", weights), ("--object-path", objects)] {
            for folder in folders {
                args.extend([flag.into(), folder.into()]);
            }
        }
        Tool::of_halyard("hal-link")?.call(&args).stdin(translated).run().map(drop)
    }

    fn record(&self, program: &Path, function: &str, inputs: &Inputs, output: &Path) -> Result<()> {
        record(program, function, inputs, output)
    }
}

/// Runs a program with `hal-run --record` in a separate process, since a wrong kernel may do anything. Fails with the
/// error of that process.
pub fn record(program: &Path, function: &str, inputs: &Inputs, output: &Path) -> Result<()> {
    let mut args: Vec<std::ffi::OsString> = vec![program.into(), format!("--function={function}").into()];
    args.extend(inputs.tensors.iter().map(|t| format!("--input={t}").into()));
    args.extend(inputs.size.map(|n| format!("--size={n}").into()));
    for (flag, files) in [("--module", &inputs.modules), ("--executable-plugin", &inputs.plugins)] {
        for file in files {
            args.extend([flag.into(), file.into()]);
        }
    }
    args.extend(inputs.constants.iter().map(|c| format!("--constant={c}").into()));
    args.extend(["--record".into(), output.into()]);
    Tool::of_halyard("hal-run")?.call(&args).run().map(drop)
}
