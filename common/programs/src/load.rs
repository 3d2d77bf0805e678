//! Loads programs as flags request.
use crate::{LoadArgs, device::Messages, list_devices};
use halyard_diag::{Diagnostic, Error, Result};
use halyard_manifest::RuntimeLibraries;
use halyard_runtime::{DeviceName, DeviceOptions, LoadOptions, LoadedProgram, Modules};
use std::path::{Path, PathBuf};

/// Loads programs as the command line says.
#[derive(Debug)]
pub struct Loader<'a> {
    args: &'a LoadArgs,
    of_plugins: RuntimeLibraries,
    messages: Messages,
}

/// Returns the list that a flag requests instead of any work. Fails if a plugin does.
pub fn listed(args: &LoadArgs) -> Result<Option<String>> {
    if args.plugins.list_plugins {
        return halyard_manifest::list(&args.plugins).map(Some);
    }
    Ok(args.device.list_devices.then(list_devices))
}

impl<'a> Loader<'a> {
    /// Switches plugins on, works, and says what the driver of the device had to say meanwhile (`--device-debug`). Errors:
    /// those of plugins and of the work.
    pub fn scope<R>(args: &'a LoadArgs, say: impl Fn(&Diagnostic), work: impl FnOnce(&Self) -> Result<R>) -> Result<R> {
        args.device.expect_used()?;
        let loader = Self { args, of_plugins: RuntimeLibraries::new(&args.plugins)?, messages: Messages::default() };
        let worked = work(&loader);
        loader.messages.take().iter().for_each(say);
        worked
    }

    /// Loads a program to run it. Errors: what loading says; a path that is no file's.
    pub fn load(&self, path: &Path) -> Result<LoadedProgram> {
        self.with(path, false)
    }

    /// Loads a program to look at it, whether or not all is there that it calls. Errors: as [`Loader::load`].
    pub fn inspect(&self, path: &Path) -> Result<LoadedProgram> {
        self.with(path, true)
    }

    /// Loads a program to run it on another device. Errors: as [`Loader::load`].
    pub fn load_on(&self, path: &Path, device: DeviceName) -> Result<LoadedProgram> {
        self.on(path, false, device)
    }

    fn with(&self, path: &Path, incomplete: bool) -> Result<LoadedProgram> {
        self.on(path, incomplete, self.args.device.device)
    }

    fn on(&self, path: &Path, incomplete: bool, on: DeviceName) -> Result<LoadedProgram> {
        if path == Path::new("-") {
            // The dynamic loader wants a file, and weights lie beside it.
            return Err(Error::usage("a linked program cannot be read from standard input")
                .hint("write it to a file, as `hal-link -o FILE` and `hal-compile -o FILE` do, and give its name"));
        }
        let both = |given: &[PathBuf], more: &[PathBuf]| [given, more].concat();
        let mut modules = Modules::of_libraries(&both(&self.args.module, &self.of_plugins.host))?;
        halyard_builtins::add(&mut modules)?;
        let plugins = both(&self.args.executable_plugin, &self.of_plugins.device);
        let constants = self.args.constant.iter().cloned().collect();
        let device = DeviceOptions { device: on, ..self.args.device.options(&self.messages) };
        LoadedProgram::load_with(path, &LoadOptions { plugins, modules, constants, device, incomplete })
    }

    /// Describes which executables run on the CPU because their device has no code for them; `None` if there are none.
    pub fn fallen_back(&self, program: &LoadedProgram) -> Option<String> {
        let list = program.fallen_back();
        let names: Vec<String> = list.iter().take(5).map(|name| format!("`{name}`")).collect();
        let more =
            if list.len() > names.len() { format!(" and {} more", list.len() - names.len()) } else { String::new() };
        let runs = if list.len() == 1 { "executable runs" } else { "executables run" };
        (!list.is_empty()).then(|| format!("{} {runs} on the CPU: {}{more}", list.len(), names.join(", ")))
    }

    /// Warnings: what was given on the command line, but has nothing that any of the programs needs. What plugins bring
    /// may be for other programs.
    pub fn idle(&self, programs: &[&LoadedProgram]) -> Vec<Diagnostic> {
        let of_plugins = |own: &[PathBuf]| own.iter().map(|p| format!("`{}`", p.display())).collect::<Vec<_>>();
        let plugins = in_all(programs, |p| p.idle_plugins().iter().map(|p| format!("`{}`", p.display())).collect());
        let modules = in_all(programs, |p| p.idle_modules().to_vec());
        let constants = in_all(programs, |p| p.idle_constants().iter().map(|name| format!("`user.{name}`")).collect());
        let (device, host) = (of_plugins(&self.of_plugins.device), of_plugins(&self.of_plugins.host));
        let plugins = plugins.into_iter().filter(|p| !device.contains(p)).map(|plugin| {
            let message = format!("plugin {plugin} defines no function that the program needs");
            Diagnostic::warning(message).code("idle-plugin")
        });
        let modules = modules.into_iter().filter(|m| !host.contains(m)).map(|module| {
            let message = format!("module {module} defines no function that the program calls");
            Diagnostic::warning(message).code("idle-module")
        });
        let constants = constants.into_iter().map(|constant| {
            Diagnostic::warning(format!("no kernel of the program takes {constant}")).code("idle-constant")
        });
        plugins.chain(modules).chain(constants).collect()
    }
}

/// Returns what is unused in all of the programs.
fn in_all(programs: &[&LoadedProgram], idle: impl Fn(&LoadedProgram) -> Vec<String>) -> Vec<String> {
    let mut lists = programs.iter().map(|program| idle(program));
    let first = lists.next().unwrap_or_default();
    let others: Vec<_> = lists.collect();
    first.into_iter().filter(|name| others.iter().all(|list| list.contains(name))).collect()
}
