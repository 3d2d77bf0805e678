//! Prints a plan as the equivalent pipe of commands, for `--dry-run`.
use crate::{
    hook::Hook,
    plan::{Plan, Step},
    preprocess,
};
use hal_import::WeightsPlace;
use hal_link::WeightsHome;
use halyard_cli::folder_of;
use halyard_diag::quote;
use std::path::Path;

impl Plan<'_> {
    /// The pipe, as a shell command; a command a line.
    pub(crate) fn pipe(&self) -> String {
        let mut commands: Vec<Vec<String>> = Vec::new();
        // A dump passes the program through: the previous step determines text or bytecode.
        let last = self.steps.iter().rposition(|s| !matches!(s, Step::Dump(_))).unwrap_or(0);
        let dumps_last = last + 1 < self.steps.len();
        for (i, step) in self.steps.iter().enumerate() {
            if let Step::Dump(dump) = step {
                let dialects = || self.args.libraries.dialects.words().collect();
                let named = |words| [vec!["hal-extract".to_owned()], dialects(), words].concat();
                commands.extend(self.args.dump.commands(self, *dump).into_iter().map(named));
                continue;
            }
            let mut words = vec![
                match step {
                    Step::Import { .. } => "hal-import",
                    Step::Stages(_) | Step::Preprocess(_) => "hal-opt",
                    Step::Dump(_) => "hal-extract",
                    Step::Substitute(_) => "hal-substitute",
                    Step::Translate => "hal-translate",
                    Step::Link => "hal-link",
                }
                .to_owned(),
            ];
            let imports = self.steps[..i].iter().any(|s| matches!(s, Step::Import { .. }));
            words.extend(self.flags(step, !imports, i == last));
            if i == last {
                if *step != Step::Link && (self.args.module_format().is_some() || (dumps_last && self.bytecode())) {
                    words.push(format!("--emit={}", if self.bytecode() { "bytecode" } else { "text" }));
                }
                if self.args.force && !dumps_last {
                    words.push("-f".into());
                }
            } else {
                // Bytecode keeps weights in binary; a copy for people is text.
                let text = self.temps[i].is_some();
                words.extend((!text).then(|| "--emit=bytecode".to_owned()));
            }
            commands.push(words);
            if let Some(temp) = self.temps[i].as_ref().filter(|_| i != last) {
                commands.push(vec!["tee".into(), temp.display().to_string()]);
            }
        }
        if self.args.input != Path::new("-") {
            commands[0].insert(1, self.args.input.display().to_string());
        }
        if self.output != Path::new("-") {
            let end = commands.last_mut().expect("a plan has steps");
            end.extend(["-o".into(), self.output.display().to_string()]);
        }
        let commands: Vec<String> =
            commands.iter().map(|words| words.iter().map(|w| quote(w)).collect::<Vec<_>>().join(" ")).collect();
        let folder = self.temps.iter().flatten().map(|t| folder_of(t)).find(|f| *f != Path::new("."));
        let make = folder.map(|f| format!("mkdir -p {}\n", quote(&f.display().to_string()))).unwrap_or_default();
        make + &commands.join(" |\n  ") + "\n"
    }

    /// Returns the flags that watch the stages of a hook. A stage's name is passed only to hooks that have it, as far
    /// as the command line shows.
    fn watch_words(&self, hook: Hook) -> Vec<String> {
        let here = self.stages(hook);
        let has = |stages: &[String], name: &str| stages.iter().any(|s| s.contains(name));
        let elsewhere = |name: &str| Hook::ALL.into_iter().any(|h| has(&self.stages(h), name));
        let mut watch = self.args.watch.clone();
        watch.print_after_stage.retain(|name| has(&here, name) || !elsewhere(name));
        // Alone it is for all stages; not where those that are named are elsewhere.
        watch.print_diff &= self.args.watch.print_after_stage.is_empty() || !watch.print_after_stage.is_empty();
        let mut words = watch.words(Some(&hook.to_string()));
        words.extend(self.args.containment.reproducers_to.iter().map(|f| format!("--reproducers-to={}", f.display())));
        words
    }

    /// Returns the arguments for pipelines that replace the default ones.
    fn pipeline_words(&self, names: &[&str]) -> Vec<String> {
        let pipeline_choices: Vec<String> = self.args.pipeline_choices.words(names).collect();
        let files = (!pipeline_choices.is_empty()).then(|| self.args.stage_args.words());
        pipeline_choices.into_iter().chain(files.into_iter().flatten()).collect()
    }

    /// The arguments of `hal-translate`.
    pub(crate) fn translation_words(&self) -> Vec<String> {
        self.flags(&Step::Translate, false, false)
    }

    fn flags(&self, step: &Step, first: bool, last: bool) -> Vec<String> {
        let args = self.args;
        let mut words: Vec<String> = match step {
            Step::Dump(_) | Step::Substitute(_) | Step::Link => args.libraries.dialects.words().collect(),
            _ => args.libraries.words().collect(),
        };
        match step {
            Step::Import { to_input } => {
                words.extend(to_input.then(|| "--to=input".to_owned()));
                words.extend(args.plugins.words());
                let names = [(first && self.is_model).then_some("import"), (!to_input).then_some("dispatch")];
                words.extend(self.pipeline_words(&names.into_iter().flatten().collect::<Vec<_>>()));
                if first {
                    words.extend(args.sizes.words());
                    words.extend(args.function.iter().map(|f| format!("--function={f}")));
                    words.extend(args.inputs.words());
                    words.extend(args.states.words());
                }
                words.extend((!to_input).then(|| args.kernels.object_words()).into_iter().flatten());
                words.extend(args.bounds.words());
                words.extend(args.cache.local().words());
                words.extend(first.then(|| args.onnx.words()).into_iter().flatten());
                words.extend(first.then(|| args.weights.source_words()).into_iter().flatten());
                match self.weights_place().filter(|_| first) {
                    Some(WeightsPlace::File(file)) => words.push(format!("--weights-to={}", file.display())),
                    Some(WeightsPlace::External) => words.push("--weights-to=external".into()),
                    _ if last && self.output != Path::new("-") => words.push("--weights-to=embed".into()),
                    _ => {}
                }
            }
            Step::Stages(hook) => {
                words.extend(self.stages(*hook).into_iter().map(|s| format!("--stage={s}")));
                words.extend(args.stage_args.words());
                words.extend(self.watch_words(*hook));
                words.extend(args.kernels.match_words());
            }
            Step::Preprocess(hook) => words.extend(preprocess::words(args, *hook)),
            Step::Dump(_) => {}
            Step::Substitute(only) => {
                words.extend(
                    args.verify
                        .verify
                        .filter(|_| *only == hal_substitute::Only::Objects)
                        .map(|n| format!("--verify={n}")),
                );
                words.extend(args.substitute.words(*only, &args.kernels.executable_object_search_path, &args.target));
            }
            Step::Translate => {
                words.extend(self.pipeline_words(&hal_translate::pipeline_names()));
                words.extend(args.plugins.words());
                words.extend(args.target.iter().map(|t| format!("--target={t}")));
                words.extend((args.opt_level != 3).then(|| format!("-O{}", args.opt_level)));
                words.extend(args.translation().fast_words());
                words.extend(args.debug.words(self.output));
                words.extend(
                    args.dump.dump_executable_stages_to.iter().map(|f| format!("--save-stages={}", f.display())),
                );
                words.extend(args.explain.words());
                words.extend(args.times.words());
                words.extend(args.tuning.words());
                words.extend(args.cache.words());
                words.extend(args.launcher.words());
                words.extend(args.verify.verify.map(|n| format!("--verify={n}")));
                words.extend(args.kernels.object_words());
                words.extend(args.containment.flags());
                words.extend(args.jobs.jobs.map(|n| format!("-j{n}")));
            }
            Step::Link => {
                words.extend(args.plugins.words());
                words.extend(self.weights_path().iter().map(|f| format!("--weights-path={}", f.display())));
                words.extend(args.kernels.object_words());
                words.extend(args.merge.words());
                words.extend(match self.weights_home() {
                    WeightsHome::External => Some("--external-weights".to_owned()),
                    WeightsHome::Embedded => Some("--embed-weights".to_owned()),
                    WeightsHome::Beside => None,
                });
            }
        }
        words
    }
}

#[cfg(test)]
mod tests;
