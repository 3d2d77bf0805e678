//! Plugins in a translation: stages before and after it, and targets whose code generators are commands.
use crate::{CpuTarget, Target, Translation, TranslationReport, parse_targets, translate};
use halyard_cli::Printer;
use halyard_diag::{Error, Result};
use halyard_ir::{
    Module, Op, Session,
    form::{Executable, Program, Variant, VariantSpec, count_function},
};
use halyard_plugins::{Active, ExternalGenerator, PluginArgs, declared_targets};
use halyard_preprocess::{Generation, Hook, Preprocess, generate};
use halyard_runtime::TESTED_FEATURES;
use std::collections::BTreeSet;

/// A target of a plugin.
#[derive(Debug)]
pub struct PluginTarget {
    generator: ExternalGenerator,
    /// The CPU that its objects run on.
    cpu: CpuTarget,
}

impl PluginTarget {
    /// Returns the name, as in `--target`.
    pub fn name(&self) -> &str {
        &self.generator.name
    }
}

/// The values of `--target`: what code is generated for here, and by plugins.
#[derive(Debug, Default)]
pub struct Targets {
    /// The built-in targets.
    pub own: Vec<Target>,
    /// The targets of plugins, in order.
    pub vendors: Vec<PluginTarget>,
}

impl Targets {
    /// Reads the values of `--target`; without any it is this machine's CPU. `all` says where plugins are found that are not
    /// enabled. Errors: as [`parse_targets`].
    pub fn parse(lists: &[String], plugins: &Active, all: &PluginArgs) -> Result<Self> {
        let mut targets = Self::default();
        let mut own: Vec<String> = Vec::new();
        for list in lists {
            let mut rest: Vec<&str> = Vec::new();
            for item in list.split(',') {
                let Some(generator) = plugins.generator(item.trim())? else {
                    rest.push(item);
                    continue;
                };
                if targets.vendors.iter().any(|v| v.generator.name == generator.name) {
                    return Err(Error::usage(format!("target `{}` is given twice", generator.name)).code("bad-target"));
                }
                let of_plugin = |e: Error| e.note(format!("`cpu` of the target in plugin `{}`", generator.plugin));
                let cpu = parse_targets(std::slice::from_ref(&generator.cpu)).map_err(of_plugin)?;
                let [Target::Cpu(cpu)] = cpu.as_slice() else {
                    return Err(of_plugin(Error::input(format!("`{}` is not one CPU", generator.cpu))));
                };
                targets.vendors.push(PluginTarget { cpu: cpu.clone(), generator });
            }
            own.extend((!rest.is_empty()).then(|| rest.join(",")));
        }
        if own.is_empty() && targets.vendors.is_empty() {
            own.push("cpu".into());
        }
        let known = plugins.targets();
        let items = || own.iter().flat_map(|list| list.split(',')).map(str::trim);
        let off = |(_, target, _): &(String, String, String)| items().any(|item| item == target);
        // For a known target, a chip or a feature is wrong, which no plugin can correct.
        let of_no_plugin = |e: &Error| e.diagnostics.iter().all(|d| !d.message.starts_with("unknown target"));
        targets.own = parse_targets(&own).map_err(|e| {
            if of_no_plugin(&e) {
                return e;
            }
            if let Some((plugin, target, _)) = declared_targets(all).unwrap_or_default().into_iter().find(off) {
                return Error::usage(format!("target `{target}` needs plugin `{plugin}`, which is not enabled"))
                    .code("bad-target")
                    .hint(format!("add `--plugin={plugin}`"));
            }
            match known.is_empty() {
                true => e.note("a plugin's target needs the plugin: `--plugin=NAME`"),
                false => e.note(format!("enabled plugins have `{}`", known.join("`, `"))),
            }
        })?;
        Ok(targets)
    }
}

/// The plugins of a translation.
#[derive(Debug, Clone, Copy)]
pub struct Plugged<'a> {
    /// At the hooks `executable` and `object`.
    pub hooks: &'a Preprocess,
    /// The targets that they declare.
    pub vendors: &'a [PluginTarget],
    /// Prints messages of commands.
    pub printer: &'a Printer,
}

/// Translates like [`translate`], with plugins: their stages on executables first, then their targets, then code for
/// CPUs where it is still missing, then their stages on objects. Fails with the plugins' errors, or if no target
/// generated code for an executable.
pub fn translate_plugged<'s>(
    session: &'s Session,
    module: Module<'s>,
    translation: &Translation,
    plugged: Plugged<'_>,
) -> Result<(Module<'s>, TranslationReport)> {
    let module = plugged.run(Hook::Executable, session, module)?;
    let program = Program { op: Op::from(&module) };
    program.expect_phase("hal-translate", halyard_ir::form::Phase::Executables)?;
    plugged.generate(session, program.op, &program.executables(), translation)?;
    let report = translate(session, program, translation)?;
    plugged.check_complete(session, &program.executables())?;
    let module = plugged.run(Hook::Object, session, module)?;
    Ok((module, report))
}

impl Plugged<'_> {
    fn run<'s>(self, hook: Hook, session: &'s Session, module: Module<'s>) -> Result<Module<'s>> {
        let module = self.hooks.run_at(hook, session, self.printer, module.into())?;
        session.take_diagnostics().iter().for_each(|d| self.printer.diagnostic(d));
        Ok(module)
    }

    /// Adds variants for the targets of plugins to executables. Executables without a source, or with a variant for
    /// the CPU of the target, stay unchanged. Fails with the commands' errors.
    pub(crate) fn generate(
        self,
        session: &Session,
        module: Op,
        executables: &[Executable],
        translation: &Translation,
    ) -> Result<()> {
        for PluginTarget { generator, cpu } in self.vendors {
            let attr = Target::from(cpu.clone()).attr(session);
            let open = |e: &&Executable| {
                let exports = e.exports();
                let has_source = !exports.is_empty() && exports.iter().all(|e| e.op.body().is_some());
                has_source && e.variants().iter().all(|v| v.target() != Some(attr))
            };
            let todo: Vec<Executable> = executables.iter().filter(open).copied().collect();
            let what = Generation {
                command: &generator.command,
                target: &generator.name,
                architecture: cpu.arch(),
                jobs: translation.jobs,
                timeout: translation.containment.executable_timeout.or(generator.timeout),
                memory: translation.containment.executable_memory.or(generator.memory),
                failures_to: translation.containment.reproducers_to.as_deref(),
            };
            let objects = generate(session, module, &todo, &what, self.printer)
                .map_err(|e| e.note(format!("it is target `{}` of plugin `{}`", generator.name, generator.plugin)))?;
            let mut made = 0;
            for (executable, object) in todo.iter().zip(objects) {
                if let Some(object) = object {
                    add(session, *executable, generator, cpu, object);
                    made += 1;
                }
            }
            let left = todo.len() - made;
            self.printer.verbose(format!("target `{}`: {made} objects, {left} left to others", generator.name));
        }
        Ok(())
    }

    /// Errors: an executable that has no variant, because a target left it to others and there are none.
    pub(crate) fn check_complete(self, session: &Session, executables: &[Executable]) -> Result<()> {
        let Some(bare) = executables.iter().find(|e| e.variants().is_empty()) else { return Ok(()) };
        let names: Vec<_> = self.vendors.iter().map(|v| format!("`{}`", v.generator.name)).collect();
        let e = Error::input(format!("no target made code for executable `@{}`", bare.name())).code("no-code");
        let e = e.at(session.span(bare.op));
        Err(e.note(format!("{} left it to others", names.join(", "))).hint("add another target: `--target=NAME,cpu`"))
    }
}

fn add(session: &Session, executable: Executable, generator: &ExternalGenerator, cpu: &CpuTarget, object: Vec<u8>) {
    let taken: BTreeSet<String> = executable.body().ops().into_iter().filter_map(|op| op.symbol()).collect();
    let base = &generator.name;
    let mut names = std::iter::once(base.clone()).chain((2..).map(|i| format!("{base}_{i}")));
    let name = names.find(|name| !taken.contains(name)).expect("numbers do not end");
    let exports = executable.exports();
    let count =
        |e: &halyard_ir::form::Export| count_function(*e, &format!("{}_workgroups", e.name()), generator.workgroups);
    let counts: Vec<Op> = exports.iter().map(count).collect();
    let data = Variant::embed(session.raw(), &format!("{}_{name}", executable.name()), &object);
    let spec = VariantSpec {
        name: &name,
        target: Target::from(cpu.clone()).attr(session),
        objects: vec![("elf".into(), data)],
        launches: Vec::new(),
    };
    let variant = Variant::create(executable, &spec, &counts);
    // The features that the loader checks before it runs the object.
    variant.set_features(cpu.enabled().filter(|f| TESTED_FEATURES.contains(f)));
}
