//! Substitution in the driver: `hal-substitute` in this process, for sources before and for objects after translation.
use crate::{
    plan::{Plan, Step},
    steps::Work,
};
use hal_substitute::{
    ArgumentsArg, Before, Folder, GpuWishes, Only, Rule, SharedMemory, SpecConstantArg, Substitution,
    SubstitutionReport, Workgroups, substitute, tell,
};
use halyard_diag::{Error, Result};
use halyard_ir::form::verify;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Substitution.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Substituting executables")]
pub struct SubstitutionArgs {
    /// Replace the source of executable NAME by MLIR before code is generated; with /VARIANT, only that variant's code;
    /// repeatable
    #[arg(long, value_name = "NAME[/VARIANT]=FILE")]
    pub substitute_executable_source: Vec<Rule>,
    /// Replace sources by the files in FOLDER that are named like executables: NAME.mlir
    #[arg(long, value_name = "FOLDER")]
    pub substitute_executable_sources_from: Vec<PathBuf>,
    /// Replace the code of executable NAME by an object, archive, LLVM IR, assembly, SPIR-V, PTX or cubin; NAME+=FILE
    /// links a further one; repeatable
    #[arg(long, value_name = "NAME[/VARIANT]=FILE")]
    pub substitute_executable_object: Vec<Rule>,
    /// Replace objects by the files in FOLDER that are named like variants: NAME.VARIANT.o
    #[arg(long, value_name = "FOLDER")]
    pub substitute_executable_objects_from: Vec<PathBuf>,
    /// Ignore files in these folders that match no executable
    #[arg(long)]
    pub allow_unmatched: bool,
    /// Set the workgroup count of a substituted kernel [default: that of the replaced code]
    #[arg(long, value_name = "NAME=X[,Y[,Z]]")]
    pub substitute_executable_workgroups: Vec<Workgroups>,
    /// Set the threads per workgroup of a substituted GPU kernel [default: as its code declares, else that of the
    /// replaced code]
    #[arg(long, value_name = "NAME=X[,Y[,Z]]")]
    pub substitute_executable_workgroup_size: Vec<Workgroups>,
    /// Give each workgroup of a substituted CUDA kernel this much shared memory beyond what its code declares
    #[arg(long, value_name = "NAME=BYTES")]
    pub substitute_executable_shared_memory: Vec<SharedMemory>,
    /// Set a specialisation constant of substituted SPIR-V, by number or name
    #[arg(long, value_name = "NAME:CONSTANT=VALUE")]
    pub substitute_executable_spec_constant: Vec<SpecConstantArg>,
    /// Say what a substituted GPU kernel takes, in order, where that is not the kernel ABI
    #[arg(long, value_name = "NAME=ITEM[,…]")]
    pub substitute_executable_arguments: Vec<ArgumentsArg>,
}

impl SubstitutionArgs {
    fn rules(&self, only: Only) -> (&[Rule], &[PathBuf]) {
        match only {
            Only::Sources => (&self.substitute_executable_source, &self.substitute_executable_sources_from),
            _ => (&self.substitute_executable_object, &self.substitute_executable_objects_from),
        }
    }

    /// Whether there is anything to do for sources, or for objects.
    pub(crate) fn any(&self, only: Only) -> bool {
        let (rules, folders) = self.rules(only);
        !rules.is_empty() || !folders.is_empty()
    }

    /// Whether a file is one that is given to be substituted.
    pub(crate) fn names(&self, file: &Path) -> bool {
        [Only::Sources, Only::Objects].into_iter().any(|only| {
            let (rules, folders) = self.rules(only);
            rules.iter().any(|r| file.ends_with(&r.file)) || folders.iter().any(|f| file.starts_with(f))
        })
    }

    fn workgroups(&self, only: Only) -> &[Workgroups] {
        if only == Only::Objects { &self.substitute_executable_workgroups } else { &[] }
    }

    /// What is said of kernels for GPUs.
    fn gpu(&self, only: Only) -> GpuWishes {
        if only != Only::Objects {
            return GpuWishes::default();
        }
        GpuWishes {
            sizes: self.substitute_executable_workgroup_size.clone(),
            shared_memory: self.substitute_executable_shared_memory.clone(),
            spec_constants: self.substitute_executable_spec_constant.clone(),
            arguments: self.substitute_executable_arguments.clone(),
        }
    }

    /// Fails if something would never be substituted.
    pub(crate) fn check(&self, plan: &Plan<'_>) -> Result<()> {
        for (only, what) in [(Only::Sources, "source"), (Only::Objects, "object")] {
            if self.any(only) && !plan.steps.contains(&Step::Substitute(only)) {
                let error = Error::usage(format!(
                    "nothing would be substituted: the program has no {what}s to replace on its way"
                ));
                return Err(match only {
                    Only::Sources => error.hint("give a program in phase `executables`, or a model"),
                    _ => error.hint("leave out `--to`, or give `--to=objects`"),
                });
            }
        }
        let alone = [
            (self.substitute_executable_workgroups.is_empty(), "workgroups"),
            (self.substitute_executable_workgroup_size.is_empty(), "workgroup-size"),
            (self.substitute_executable_shared_memory.is_empty(), "shared-memory"),
            (self.substitute_executable_spec_constant.is_empty(), "spec-constant"),
            (self.substitute_executable_arguments.is_empty(), "arguments"),
        ];
        let folders = [&self.substitute_executable_sources_from, &self.substitute_executable_objects_from];
        if self.allow_unmatched && folders.iter().all(|f| f.is_empty()) {
            return Err(Error::usage("`--allow-unmatched` has no effect: no folder is given").hint(
                "it goes with `--substitute-executable-sources-from` and `--substitute-executable-objects-from`",
            ));
        }
        if let Some((_, flag)) = alone.iter().find(|(empty, _)| !empty && !self.any(Only::Objects)) {
            return Err(Error::usage(format!(
                "`--substitute-executable-{flag}` goes with an object, and none is given"
            ))
            .hint("`--substitute-executable-object=NAME=FILE` gives one"));
        }
        Ok(())
    }

    /// The arguments for `hal-substitute`.
    pub(crate) fn words(&self, only: Only, search_path: &[PathBuf], targets: &[String]) -> Vec<String> {
        let (rules, folders) = self.rules(only);
        let flag = if only == Only::Sources { "sources" } else { "objects" };
        let mut words: Vec<String> = rules.iter().map(Rule::to_string).collect();
        words.extend(folders.iter().map(|f| format!("--{flag}-from={}", f.display())));
        words.extend((self.allow_unmatched && !folders.is_empty()).then(|| "--allow-unmatched".to_owned()));
        words.extend(self.workgroups(only).iter().map(|w| format!("--workgroups={w}")));
        words.extend(self.gpu(only).words(""));
        // Code for one variant has to know which ones there will be.
        let targets = if only == Only::Sources { targets } else { &[] };
        words.extend(targets.iter().map(|t| format!("--target={t}")));
        words.extend(search_path.iter().map(|f| format!("--search-path={}", f.display())));
        words
    }

    /// The words for the driver itself with all files in a folder, and these files: name and contents.
    pub(crate) fn packed(
        &self,
        search_path: &[PathBuf],
        folder: &str,
    ) -> Result<(Vec<String>, Vec<(String, Vec<u8>)>)> {
        let (mut words, mut files) = (Vec::new(), Vec::new());
        for (only, kind) in [(Only::Sources, "source"), (Only::Objects, "object")] {
            let (rules, folders) = self.rules(only);
            for rule in rules {
                let name = format!("{folder}/{}-{}", files.len(), base_name(&rule.file));
                let found = search_path.iter().map(|f| f.join(&rule.file)).find(|p| !rule.file.exists() && p.exists());
                files.push((name.clone(), read(&found.unwrap_or_else(|| rule.file.clone()))?));
                words.push(format!("--substitute-executable-{kind}={}", Rule { file: name.into(), ..rule.clone() }));
            }
            for from in folders {
                let name = format!("{folder}/{}-{}", files.len(), base_name(from));
                let entries = fs::read_dir(from).map_err(|e| Error::io("read the folder", from, &e))?;
                let mut paths: Vec<PathBuf> =
                    entries.filter_map(|e| Some(e.ok()?.path())).filter(|p| p.is_file()).collect();
                paths.sort();
                for path in paths {
                    files.push((format!("{name}/{}", base_name(&path)), read(&path)?));
                }
                words.push(format!("--substitute-executable-{kind}s-from={name}"));
            }
        }
        words.extend(
            self.substitute_executable_workgroups.iter().map(|w| format!("--substitute-executable-workgroups={w}")),
        );
        words.extend(self.allow_unmatched.then(|| "--allow-unmatched".to_owned()));
        words.extend(self.gpu(Only::Objects).words("substitute-executable-"));
        Ok((words, files))
    }
}

fn base_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|e| Error::io("read", path, &e))
}

/// Does the step.
pub(crate) fn run(work: &Work<'_, '_>, only: Only) -> Result<()> {
    let args = work.plan.args;
    let (rules, folders) = args.substitute.rules(only);
    let (_, others) = args.substitute.rules(if only == Only::Sources { Only::Objects } else { Only::Sources });
    let folder = |path: &PathBuf| Folder { path: path.clone(), only, rest_is_taken: others.contains(path) };
    verify(work.session, work.program())?;
    let what = Substitution {
        rules: rules.to_vec(),
        folders: folders.iter().map(folder).collect(),
        search_path: args.kernels.executable_object_search_path.clone(),
        workgroups: args.substitute.workgroups(only).to_vec(),
        gpu: args.substitute.gpu(only),
        // Objects find their variants there.
        targets: if only == Only::Sources { work.translation.targets.clone() } else { Vec::new() },
        stdin: args.input != Path::new("-"),
        only,
        allow_unmatched: args.substitute.allow_unmatched,
    };
    // Sources that were replaced are verified with the code that is made of them.
    let verify = work.translation.verify.as_ref().filter(|_| only == Only::Objects);
    let before = verify.map(|v| (v.runs, Before::of(work.program()).with_sources(&v.originals)));
    let report: SubstitutionReport = substitute(work.session, work.program(), &what)?;
    if let Some((runs, before)) = before {
        before.verify(work.session, work.program(), runs)?.iter().for_each(|note| work.printer.diagnostic(note));
    }
    tell(&report, work.printer);
    Ok(())
}
