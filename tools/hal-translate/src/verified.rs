//! Verifies kernels, translated now or before, against the plain lowering of their sources.
use crate::{Translation, Verify, job::Job, nameless::nameless};
use halyard_diag::{Diagnostic, Result};
use halyard_ir::{Session, form::Executable};
use halyard_verify::{Case, KernelReproducer, VerifyOptions, cases, verify};
use std::collections::HashMap;

impl Verify {
    /// Verifies all variants that have objects. Executables that are the same but for names, and were translated together,
    /// are verified once. Errors: kernels that differ, crash or do not come to an end.
    pub(crate) fn run(
        &self,
        session: &Session,
        executables: &[Executable],
        jobs: &[Job],
        translation: &Translation,
    ) -> Result<Vec<Diagnostic>> {
        // Equal executables: the first one by the name of each other one.
        let mut first: HashMap<&str, &str> = HashMap::new();
        for job in jobs.iter().filter(|j| j.members[0].variant.is_none()) {
            first.extend(job.members[1..].iter().map(|m| (&*m.name, &*job.members[0].name)));
        }
        let original = |name: &str| self.originals.get(name).map(|&op| nameless(Executable { op }));
        let mut list: Vec<Case> = Vec::new();
        for case in cases(executables) {
            let name = case.executable.name();
            let made = jobs
                .iter()
                .flat_map(|j| &j.members)
                .any(|m| m.name == name && m.variant.as_ref().is_none_or(|v| *v == case.variant.name()));
            if let Some(&same) = first.get(&*name).filter(|same| original(same) == original(&name))
                && let Some(other) =
                    list.iter_mut().find(|c| c.executable.name() == same && c.variant.target() == case.variant.target())
            {
                other.alike.push(name);
                continue;
            }
            let source = self.originals.get(&name).copied().unwrap_or(case.source);
            list.push(Case { source, made, ..case });
        }
        let options = VerifyOptions {
            runs: self.runs,
            fast: translation.options.inexact(),
            jobs: translation.jobs,
            time: translation.containment.executable_timeout,
        };
        let words = |case: &Case| self.words(case, translation);
        let folder = translation.containment.reproducers_to.clone();
        let report = verify(session, &list, &options, &mut KernelReproducer::new(folder, &words, crate::version()))?;
        Ok(report.notes)
    }

    /// The command that verifies a case again.
    fn words(&self, case: &Case, translation: &Translation) -> Vec<String> {
        let mut words = vec![
            "hal-translate".to_owned(),
            "executable.mlir".into(),
            format!("--verify={}", self.runs),
            "--emit=bytecode".into(),
        ];
        words.extend(halyard_ir::plugin_words());
        if let Some(target) = case.variant.target().and_then(halyard_targets::Target::of_attr) {
            words.extend(translation.pipelines.of(&target).words().iter().cloned());
            words.push(format!("--target={target}"));
        }
        words.push(format!("-O{}", translation.options.opt_level));
        words.extend(translation.options.fast_words());
        words.extend(translation.containment.limits());
        words.extend(["--reproducers-to=replayed".into(), "-o".into(), "objects.mlirbc".into()]);
        words
    }
}
