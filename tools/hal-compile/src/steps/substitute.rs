//! Substitutes in the driver: `hal-substitute` in this process, for sources before and for objects after translation.
use super::Work;
use crate::{
    plan::{Plan, Step},
    substitute::SubstitutionArgs,
};
use hal_substitute::{Before, Folder, Only, Substitution, SubstitutionReport, substitute, tell};
use halyard_diag::{Error, Result};
use halyard_ir::form::verify;
use std::path::{Path, PathBuf};

impl SubstitutionArgs {
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
}

/// Runs the substitution.
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
