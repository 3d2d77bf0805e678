//! Loaded programs.
use crate::{
    AlignedBytes, FunctionInfo, KernelInfo,
    commands::{self, HostProgram, KernelCode},
    constants::{ArchiveSource, Constants},
    container,
    crash::{Label, doing, label},
    device::{
        Adapter,
        choose::{self},
        info::DeviceOptions,
    },
    device_modules::DeviceModules,
    file::{ProgramContents, ProgramFile},
    host::{Bound, Modules},
    plugin::{self, Plugin},
    property::{USER_PREFIX, property},
    variant::Chooser,
};
use halyard_diag::{Error, Result};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

/// A linked program, checked and mapped. Cheap to clone; instances share it.
#[derive(Debug, Clone)]
pub struct LoadedProgram {
    pub(crate) inner: Arc<Loaded>,
}

#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) host_program: HostProgram,
    pub(crate) constants: Arc<Constants>,
    /// The device; `None` for the CPU.
    pub(crate) adapter: Option<Arc<dyn Adapter>>,
    /// The code for the device.
    pub(crate) modules: DeviceModules,
    /// For each kernel, the address of the chosen variant if it is for the CPU.
    pub(crate) addresses: Vec<Option<usize>>,
    /// For each kernel, the index of the chosen variant.
    pub(crate) chosen: Vec<usize>,
    functions: Vec<FunctionInfo>,
    kernels: Vec<KernelInfo>,
    path: PathBuf,
    /// Plugins that were given, but have nothing that the program needs.
    idle_plugins: Vec<PathBuf>,
    /// The binding of each host function.
    pub(crate) host: Vec<Bound>,
    /// Modules that were given, but have nothing that the program calls.
    idle_modules: Vec<String>,
    /// The value of [`LoadOptions::constants`].
    given_constants: BTreeMap<String, i64>,
    /// Whether all functions that the program calls were found.
    pub(crate) complete: bool,
    /// Keeps the kernels loaded.
    _library: Image,
    /// Keeps the functions loaded that kernels call.
    _plugins: Vec<Plugin>,
}

/// Options for loading a program.
#[derive(Debug, Clone, Default)]
pub struct LoadOptions {
    /// Shared libraries with the functions that kernels take from plugins.
    pub plugins: Vec<PathBuf>,
    /// The functions that the host program may call.
    pub modules: Modules,
    /// The values of load-time constants that are no properties of a device, by name (`tile` of `user.tile`).
    pub constants: BTreeMap<String, i64>,
    /// The device to run on.
    pub device: DeviceOptions,
    /// Load a program that lacks functions of plugins or modules, or is of another machine, to be looked at: it must not be run.
    pub incomplete: bool,
}

impl LoadedProgram {
    /// Loads a shared object that `hal-link` made. Its weights are looked for beside it. Errors: not a linked program,
    /// damaged, of another version or machine, a missing or different weight archive, a CPU that lacks what every
    /// variant of a kernel needs.
    pub fn load(path: &Path) -> Result<Self> {
        Self::load_with(path, &LoadOptions::default())
    }

    /// Loads a program like `load`, with kernel libraries and host libraries. Also fails if a library cannot be
    /// loaded, or if functions are missing, defined twice, or have another signature.
    pub fn load_with(path: &Path, options: &LoadOptions) -> Result<Self> {
        let plugins = options.plugins.iter().map(|p| Plugin::load(p)).collect::<Result<Vec<_>>>()?;
        let adapter = match choose::open(&options.device) {
            Err(_) if options.incomplete => None,
            opened => opened?,
        };
        Self::load_file(path, plugins, adapter, options).map_err(|e| {
            if e.diagnostics.iter().all(|d| d.origin.is_none()) { e.in_file(path.display().to_string()) } else { e }
        })
    }

    /// Checks what a linked program's file says by itself: without its weights, and without running or mapping any of its
    /// code. Errors: those of [`LoadedProgram::load`] that come from the file alone.
    pub fn check(file: &[u8]) -> Result<()> {
        container::check_machine(&ProgramContents::parse(file)?.container)
    }

    fn load_file(
        path: &Path,
        plugins: Vec<Plugin>,
        adapter: Option<Arc<dyn Adapter>>,
        options: &LoadOptions,
    ) -> Result<Self> {
        let ProgramFile { map: file, written, contents } = ProgramFile::open(path)?;
        let ProgramContents { container, mut host_program, modules } = contents;
        let foreign = container::check_machine(&container);
        // Of another machine, a program can be looked at without its code.
        let is_here = match foreign {
            Err(_) if options.incomplete => false,
            checked => checked.map(|()| true)?,
        };
        let chooser = Chooser {
            kernels: &host_program.kernels,
            modules: &modules,
            options: &options.device,
            adapter: adapter.as_deref(),
        };
        let (chosen, complete) = match chooser.choose() {
            Err(_) if options.incomplete => (vec![0; host_program.kernels.len()], false),
            chosen => (chosen?, true),
        };
        host_program.bind_weights(&chosen);
        let used = host_program.used_constants();
        let inline = AlignedBytes::copy_of(&file[container.constants.clone()]);
        let source = ArchiveSource { path, file: &file, embedded: container.embedded.start, linked: written };
        let constants = Constants::load((&host_program, &used), inline, &source)?;
        for (kernel, &variant) in host_program.kernels.iter().zip(&chosen) {
            let KernelCode::Host { symbol } = &kernel.variants[variant].code else { continue };
            if !container.symbols.contains(symbol) {
                return Err(Error::input(format!(
                    "kernel `{symbol}` of executable `{}` is missing from the program",
                    kernel.executable
                ))
                .code("missing-kernel"));
            }
        }
        let library = is_here.then(|| open_library(path)).transpose()?;
        let address = |symbol: &str| library.as_ref().and_then(|library| address(library, symbol));
        let same_file = !is_here
            || address(container::CHECKSUM_SYMBOL).is_some_and(|at| {
                // SAFETY: the symbol names 32 bytes that the linker placed (see `container`).
                let loaded = unsafe { std::slice::from_raw_parts(at as *const u8, 32) };
                loaded == &file[container.checksum.clone()]
            });
        if !same_file {
            // The dynamic loader returns the library that it has already loaded from that path.
            return Err(Error::input("another version of this file is loaded in this process")
                .hint("load it under another name, or drop the older program first"));
        }
        let addresses = host_program
            .kernels
            .iter()
            .zip(&chosen)
            .map(|(kernel, &variant)| {
                let KernelCode::Host { symbol } = &kernel.variants[variant].code else { return Ok(None) };
                if !is_here {
                    return Ok(None);
                }
                let found = address(symbol);
                found.map(Some).ok_or_else(|| {
                    Error::input(format!("kernel `{symbol}` of executable `{}` cannot be found", kernel.executable))
                        .code("missing-kernel")
                })
            })
            .collect::<Result<Vec<_>>>()?;
        let (idle_plugins, complete) = match plugin::resolve(&host_program, &plugins, address) {
            Err(_) if options.incomplete => (Vec::new(), false),
            resolved => (resolved?, complete && is_here),
        };
        let (host, idle_modules, complete) = match options.modules.bind(&host_program.host_functions) {
            Err(_) if options.incomplete => (Vec::new(), Vec::new(), false),
            bound => {
                let (host, idle) = bound?;
                (host, idle, complete)
            }
        };
        let complete = match check_constants(&host_program, &chosen, &options.constants) {
            Err(_) if options.incomplete => false,
            checked => checked.map(|()| complete)?,
        };
        let functions = host_program.functions.iter().map(|f| f.info.clone()).collect();
        let kernels =
            host_program.kernels.iter().zip(&chosen).map(|(k, &v)| KernelInfo::of(k, &k.variants[v])).collect();
        Ok(Self {
            inner: Arc::new(Loaded {
                constants: Arc::new(constants),
                adapter,
                modules,
                addresses,
                chosen,
                functions,
                kernels,
                path: path.to_owned(),
                idle_plugins,
                host,
                idle_modules,
                given_constants: options.constants.clone(),
                complete,
                _library: Image {
                    label: label(&format!("code that runs when `{}` is unloaded", path.display())),
                    library,
                },
                _plugins: plugins,
                host_program,
            }),
        })
    }

    /// The functions that can be called, in the order of the source.
    pub fn functions(&self) -> &[FunctionInfo] {
        &self.inner.functions
    }

    /// The function of that name; if no name is given the only one, or `main`. Errors: no such function (with the names
    /// that there are).
    pub fn function(&self, name: Option<&str>) -> Result<&FunctionInfo> {
        let functions = self.functions();
        let find = |name: &str| functions.iter().find(|f| f.name == name);
        let found = match name {
            Some(name) => find(name),
            None if functions.len() == 1 => functions.first(),
            None => find("main"),
        };
        found.ok_or_else(|| {
            let known: Vec<_> = functions.iter().map(|f| format!("`{}`", f.name)).collect();
            let message = match name {
                Some(name) => format!("`{}` has no function `{name}`", self.inner.path.display()),
                None => format!(
                    "`{}` has {} functions and none is called `main`; name one",
                    self.inner.path.display(),
                    functions.len()
                ),
            };
            let error = Error::usage(message).code("unknown-function");
            if known.is_empty() { error } else { error.hint(format!("it has {}", known.join(", "))) }
        })
    }

    /// Compares all weights with those that the program was linked with; loading compares sizes, names and shapes only.
    /// Errors: they differ.
    pub fn verify_weights(&self) -> Result<()> {
        self.inner.constants.verify(&self.inner.host_program)
    }

    /// The functions that do not check indices and divisors that are data.
    pub fn trusting(&self) -> &[String] {
        &self.inner.host_program.trusting
    }

    /// The functions that kernels import, each with the executables that call it.
    pub fn imports(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.inner.host_program.imports.iter().map(|i| (i.name.as_str(), i.needed_by.as_slice()))
    }

    /// Plugins that were given, but have nothing that the program needs.
    pub fn idle_plugins(&self) -> &[PathBuf] {
        &self.inner.idle_plugins
    }

    /// The host functions that the host program calls.
    pub fn host_functions(&self) -> &[commands::HostFunction] {
        &self.inner.host_program.host_functions
    }

    /// Modules that were given, but have nothing that the program calls.
    pub fn idle_modules(&self) -> &[String] {
        &self.inner.idle_modules
    }

    /// Values that were given ([`LoadOptions::constants`]), and that no kernel takes.
    pub fn idle_constants(&self) -> Vec<&str> {
        let taken = |name: &str| {
            self.kernels().iter().any(|k| k.load_constants.iter().any(|c| c.strip_prefix(USER_PREFIX) == Some(name)))
        };
        self.inner.given_constants.keys().map(String::as_str).filter(|name| !taken(name)).collect()
    }

    /// Returns the device for messages if it is not the CPU: ``device `vulkan:0` (llvmpipe)``.
    pub fn device_title(&self) -> Option<String> {
        self.inner.adapter.as_ref().map(|a| a.title())
    }

    /// The executables that run on the CPU although the program runs on another device, each once.
    pub fn fallen_back(&self) -> Vec<&str> {
        let on_cpu = self.inner.host_program.kernels.iter().zip(&self.inner.addresses).filter(|(_, a)| a.is_some());
        let mut list: Vec<&str> =
            on_cpu.filter(|_| self.inner.adapter.is_some()).map(|(k, _)| &*k.executable).collect();
        list.dedup();
        list
    }

    /// The host program, with its constants bound.
    pub fn host_program(&self) -> &HostProgram {
        &self.inner.host_program
    }

    /// The kernels, in the order of the source.
    pub fn kernels(&self) -> &[KernelInfo] {
        &self.inner.kernels
    }
}

/// Fails if a kernel takes a load-time constant that is to be given, and is not.
fn check_constants(host_program: &HostProgram, chosen: &[usize], given: &BTreeMap<String, i64>) -> Result<()> {
    let mut missing: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (kernel, &variant) in host_program.kernels.iter().zip(chosen) {
        let names = kernel.variants[variant].load_constants.iter().filter_map(|n| n.strip_prefix(USER_PREFIX));
        for name in names.filter(|n| !given.contains_key(*n)) {
            missing.entry(name).or_default().push(format!("`{}`", kernel.export));
        }
    }
    let Some(first) = missing.keys().next() else { return Ok(()) };
    let list: Vec<_> = missing.keys().map(|n| format!("`{n}`")).collect();
    let what = if list.len() == 1 { "a value" } else { "values" };
    let mut error = Error::usage(format!("the program needs {what} for {}", list.join(", "))).code("missing-constant");
    for (name, kernels) in &missing {
        error = error.note(format!("`{name}` is taken by kernel {}", kernels.join(", ")));
    }
    Err(error.hint(format!("`--constant={first}=NUMBER`")))
}

impl Loaded {
    /// Returns for each kernel the values of its load-time constants on its device; on CPUs, for an instance with that
    /// many threads.
    pub(crate) fn load_constants(&self, threads: usize) -> Vec<Vec<i64>> {
        let value = |on: Option<&Arc<dyn Adapter>>, name: &str| match on {
            Some(adapter) if !name.starts_with(USER_PREFIX) => Some(adapter.property(name).unwrap_or(0)),
            _ => property(name, threads, &self.given_constants),
        };
        let variants = self.host_program.kernels.iter().zip(&self.chosen).map(|(k, &v)| &k.variants[v]);
        variants
            .zip(&self.addresses)
            .map(|(variant, address)| {
                let on = self.adapter.as_ref().filter(|_| address.is_none());
                variant.load_constants.iter().filter_map(|name| value(on, name)).collect()
            })
            .collect()
    }
}

/// A loaded library. When it is given back its destructors run.
#[derive(Debug)]
struct Image {
    label: Label,
    library: Option<Library>,
}

impl Drop for Image {
    fn drop(&mut self) {
        let _doing = doing(self.label);
        drop(self.library.take());
    }
}

fn open_library(path: &Path) -> Result<Library> {
    // A path without a slash would be searched for like a system library.
    let shown = path.display().to_string();
    let path = std::path::absolute(path).map_err(|e| Error::io("load", path, &e))?;
    let _doing = doing(label(&format!("code that runs when `{shown}` is loaded")));
    // SAFETY: the file is what `hal-link` wrote (checksum); its code is as trustworthy as its author.
    unsafe { Library::open(Some(&path), RTLD_NOW | RTLD_LOCAL) }.map_err(|e| {
        let why = std::error::Error::source(&e).map_or_else(|| e.to_string(), ToString::to_string);
        let sanitizer = [("__asan_", "address", "asan"), ("__ubsan_", "undefined", "ubsan_standalone")];
        match sanitizer.into_iter().find(|(prefix, ..)| why.contains(prefix)) {
            Some((_, flag, library)) => {
                let arch = std::env::consts::ARCH;
                Error::environment(format!("kernels of the program were compiled with `-fsanitize={flag}`, and its runtime is not loaded"))
                    .code("missing-sanitizer")
                    .note(why)
                    .hint(format!("load it first: `LD_PRELOAD=$(clang -print-file-name=libclang_rt.{library}-{arch}.so)` before the command"))
            }
            None => Error::environment(format!("the program cannot be loaded: {why}")).code("cannot-load"),
        }
    })
}

fn address(library: &Library, symbol: &str) -> Option<usize> {
    // SAFETY: only the address is taken here.
    unsafe { library.get::<*const ()>(symbol) }.ok().map(|s| s.as_raw_ptr() as usize).filter(|&a| a != 0)
}
