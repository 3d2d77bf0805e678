//! Dumps executables during compilation: `hal-extract` in this process.
use super::Work;
use crate::{
    CompileArgs,
    args::CompilePhase,
    dump_args::{Dump, DumpArgs},
    plan::{Plan, Step},
};
use hal_extract::{Extract, ExtractKind, File, Generated, Inputs, ObjectGenerator, Scheduled, extract, write_files};
use hal_link::{Link, Linker, ProgramInput, WeightsHome};
use hal_translate::Translation;
use halyard_cli::Printer;
use halyard_diag::{Error, Result};
use halyard_ir::{
    Op, Session,
    form::{Phase, Program},
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

impl DumpArgs {
    /// Fails where what is to be dumped is never made, or has nowhere to go.
    pub(crate) fn check(&self, plan: &Plan<'_>) -> Result<()> {
        let own = [
            (&self.dump_executable_intermediates_to, "intermediates"),
            (&self.dump_executable_binaries_to, "binaries"),
            (&self.dump_executable_benchmarks_to, "benchmarks"),
        ];
        let early = |to: CompilePhase| plan.args.to.is_some_and(|t| t <= to);
        let late = own.into_iter().find(|(f, _)| f.is_some() && early(CompilePhase::Executables));
        if let Some((_, kind)) = late {
            return Err(Error::usage(format!(
                "`--dump-executable-{kind}-to` needs objects, but `--to` stops before they are made"
            )));
        }
        if early(CompilePhase::Input) && (self.any(Dump::Formed) || self.any(Dump::Translated)) {
            return Err(Error::usage("there are no executables to dump: `--to=input` stops before they are formed"));
        }
        if self.dump_executable_stages_to.is_some() && !plan.steps.contains(&Step::Translate) {
            return Err(Error::usage("`--dump-executable-stages-to` needs a translation, and no code is generated")
                .hint("compile a program that has no objects yet, without `--to=executables`"));
        }
        let folders = self.at(Dump::Formed).into_iter().chain(self.at(Dump::Translated)).map(|(folder, _)| folder);
        for folder in folders.chain(self.stage_folders()) {
            if folder == Path::new("-") {
                return Err(Error::usage("executables are dumped to a folder, not to standard output"));
            }
        }
        Ok(())
    }

    fn inputs(&self, args: &CompileArgs) -> Inputs {
        Inputs {
            functions: args.function.clone(),
            tensors: self.dump_executable_benchmarks_input.clone(),
            size: self.dump_executable_benchmarks_size,
            modules: self.dump_executable_benchmarks_module.clone(),
            plugins: self.dump_executable_benchmarks_plugin.clone(),
            constants: self.dump_executable_benchmarks_constant.clone(),
        }
    }

    /// The commands that do the same in a pipe, without input and output.
    pub(crate) fn commands(&self, plan: &Plan<'_>, dump: Dump) -> Vec<Vec<String>> {
        let args = plan.args;
        let one = |(folder, kinds): (&Path, Vec<ExtractKind>)| {
            let names = kinds.iter().filter_map(|k| Some(clap::ValueEnum::to_possible_value(k)?.get_name().to_owned()));
            let mut words = vec![format!("--to={}", folder.display())];
            words.push(format!("--as={}", names.collect::<Vec<_>>().join(",")));
            if dump == Dump::Translated {
                words.push("--lenient".into());
                words.extend((args.opt_level != 3).then(|| format!("-O{}", args.opt_level)));
                words.extend(args.translation().fast_words());
                words.extend(args.kernels.object_words());
            }
            if kinds.contains(&ExtractKind::Benchmark) {
                let inputs = self.inputs(args);
                words.extend(inputs.functions.iter().map(|f| format!("--function={f}")));
                words.extend(inputs.tensors.iter().map(|t| format!("--input={t}")));
                words.extend(inputs.size.map(|n| format!("--size={n}")));
                words.extend(inputs.modules.iter().map(|f| format!("--module={}", f.display())));
                words.extend(inputs.constants.iter().map(|c| format!("--constant={c}")));
                words.extend(inputs.plugins.iter().map(|f| format!("--executable-plugin={}", f.display())));
                words.extend(plan.weights_path().iter().map(|f| format!("--weights-path={}", f.display())));
            }
            words
        };
        self.at(dump).into_iter().map(one).collect()
    }
}

/// Writes the files of a time. Errors: a folder that cannot be written; nothing else is worth the compilation.
pub(crate) fn dump(work: &Work<'_, '_>, dump: Dump) -> Result<()> {
    let plan = work.plan;
    let args = &plan.args.dump;
    let program = work.program();
    let inputs = args.inputs(plan.args);
    let generator = Own { translation: &work.translation, printer: work.printer };
    for (folder, kinds) in args.at(dump) {
        let executables = program.executables();
        let what = Extract {
            program,
            executables: &executables,
            kinds: &kinds,
            generator: &generator,
            inputs: &inputs,
            reference: None,
            record: None,
            weights_path: &plan.weights_path(),
            object_path: &work.object_path(),
            lenient: dump == Dump::Translated,
        };
        let (files, remarks): (Vec<File>, _) = extract(work.session, &what)?;
        write_files(work.session, folder, (&executables, &files), false, work.printer)?;
        remarks.iter().for_each(|r| work.printer.diagnostic(r));
    }
    Ok(())
}

/// The tools' libraries, in sessions of their own: what is dumped leaves no trace in the program.
struct Own<'a> {
    translation: &'a Translation,
    printer: &'a Printer,
}

impl ObjectGenerator for Own<'_> {
    fn code(&self, program: &[u8], targets: &[String]) -> Result<Vec<Generated>> {
        let session = Session::new();
        let module = session.parse(program, "program")?;
        let program = Program { op: Op::from(&module) };
        let mut translation = self.translation.clone();
        if !targets.is_empty() {
            translation.targets = hal_translate::parse_targets(targets)?;
        }
        let missing = hal_translate::missing(&session, &program.executables(), &translation);
        hal_translate::translate(&session, program, &translation)?;
        let files = hal_translate::code(&session, &program.executables(), &missing, &translation)?;
        let mut all = Vec::new();
        for executable in program.executables() {
            for variant in executable.variants() {
                let (executable, variant) = (executable.name(), variant.name());
                let own = files.iter().filter(|f| f.executable == executable && f.variant == variant);
                let files: BTreeMap<_, _> = own.map(|f| (f.suffix.to_owned(), f.bytes.clone())).collect();
                all.push(Generated { executable, variant, files });
            }
        }
        Ok(all)
    }

    fn schedules(&self, program: &[u8], targets: &[String]) -> Result<Vec<Scheduled>> {
        let session = Session::new();
        let module = session.parse(program, "program")?;
        let mut translation = self.translation.clone();
        if !targets.is_empty() {
            translation.targets = hal_translate::parse_targets(targets)?;
        }
        let report = hal_translate::translate(&session, Program { op: Op::from(&module) }, &translation)?;
        Ok(hal_extract::scheduled(&report.schedules_json()))
    }

    fn link(&self, program: &[u8], weights: &[PathBuf], objects: &[PathBuf], output: &Path) -> Result<()> {
        let session = Session::new();
        let module = session.parse(program, "program")?;
        let program = Program { op: Op::from(&module) };
        if program.phase()? == Phase::Executables {
            // For this machine: it is run here.
            let translation =
                Translation { targets: hal_translate::parse_targets(&["cpu".into()])?, ..self.translation.clone() };
            hal_translate::translate(&session, program, &translation)?;
        }
        let linked = hal_link::link(
            &session,
            Link {
                linker: Linker::start()?,
                programs: vec![ProgramInput { program, name: "the program".into(), folder: ".".into() }],
                objects: Vec::new(),
                output,
                weights_path: weights,
                object_path: objects,
                weights_home: WeightsHome::Beside,
            },
        )?;
        hal_link::write_linked(&linked, output, self.printer)
    }

    fn record(&self, program: &Path, function: &str, inputs: &Inputs, output: &Path) -> Result<()> {
        hal_extract::record(program, function, inputs, output)
    }
}
