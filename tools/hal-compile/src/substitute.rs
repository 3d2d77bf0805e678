//! The driver's substitutions, and the equivalent arguments of `hal-substitute`.
use hal_substitute::{ArgumentsArg, GpuArgs, Only, Rule, SharedMemory, SpecConstantArg, Workgroups};
use halyard_diag::{Error, Result, may_be_file, may_exist};
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
    /// List the arguments of a substituted GPU kernel, in order, if they differ from the kernel ABI
    #[arg(long, value_name = "NAME=ITEM[,…]")]
    pub substitute_executable_arguments: Vec<ArgumentsArg>,
}

impl SubstitutionArgs {
    pub(crate) fn rules(&self, only: Only) -> (&[Rule], &[PathBuf]) {
        match only {
            Only::Sources => (&self.substitute_executable_source, &self.substitute_executable_sources_from),
            _ => (&self.substitute_executable_object, &self.substitute_executable_objects_from),
        }
    }

    /// Whether there are substitutions of sources, or of objects.
    pub(crate) fn any(&self, only: Only) -> bool {
        let (rules, folders) = self.rules(only);
        !rules.is_empty() || !folders.is_empty()
    }

    /// Whether a file is an input of a substitution.
    pub(crate) fn names(&self, file: &Path) -> bool {
        [Only::Sources, Only::Objects].into_iter().any(|only| {
            let (rules, folders) = self.rules(only);
            rules.iter().any(|r| file.ends_with(&r.file)) || folders.iter().any(|f| file.starts_with(f))
        })
    }

    pub(crate) fn workgroups(&self, only: Only) -> &[Workgroups] {
        if only == Only::Objects { &self.substitute_executable_workgroups } else { &[] }
    }

    /// Returns the settings of GPU kernels.
    pub(crate) fn gpu(&self, only: Only) -> GpuArgs {
        if only != Only::Objects {
            return GpuArgs::default();
        }
        GpuArgs {
            workgroup_size: self.substitute_executable_workgroup_size.clone(),
            shared_memory: self.substitute_executable_shared_memory.clone(),
            spec_constant: self.substitute_executable_spec_constant.clone(),
            arguments: self.substitute_executable_arguments.clone(),
        }
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
                let found =
                    search_path.iter().map(|f| f.join(&rule.file)).find(|p| !may_exist(&rule.file) && may_exist(p));
                files.push((name.clone(), read(&found.unwrap_or_else(|| rule.file.clone()))?));
                words.push(format!("--substitute-executable-{kind}={}", Rule { file: name.into(), ..rule.clone() }));
            }
            for from in folders {
                let name = format!("{folder}/{}-{}", files.len(), base_name(from));
                let entries = fs::read_dir(from).map_err(|e| Error::io("read the folder", from, &e))?;
                let mut paths: Vec<PathBuf> =
                    entries.filter_map(|e| Some(e.ok()?.path())).filter(|p| may_be_file(p)).collect();
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
