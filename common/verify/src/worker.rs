//! What verifies cases in a worker process.
use crate::{
    Case, Finding, State, VerifyOptions,
    device_export::DeviceExport,
    device_kernel::DeviceKernel,
    jit::Loaded,
    kernel::{CpuKernel, Kernel},
    machine::Machine,
    reference::{self, DIALECTS},
    trial::{Count, Subject},
};
use halyard_diag::{Error, Result};
use halyard_ir::{
    Op, Session,
    form::{self, Export, ObjectData, PackedWeight, Variant, load_constants},
};
use halyard_runtime::{DeviceKind, DeviceName, LoneDevice, commands::CodeFormat};
use halyard_targets::{CpuTarget, Target};
use std::{cell::RefCell, collections::BTreeMap, io::Write, rc::Rc};

/// What a worker keeps between cases.
pub(crate) struct Worker<'a> {
    session: &'a Session,
    options: &'a VerifyOptions,
    machine: Option<Machine>,
    /// Devices that were looked for, by their kinds.
    devices: BTreeMap<&'static str, Result<LoneDevice, String>>,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(session: &'a Session, options: &'a VerifyOptions) -> Self {
        session.load_dialects(DIALECTS);
        Self { session, options, machine: None, devices: BTreeMap::new() }
    }

    /// Verifies the exports of a case. Errors: what the kernels did wrong beyond their results.
    pub(crate) fn run(&mut self, case: &Case) -> Result<Vec<Finding>> {
        let all = |why: String| vec![Finding { export: String::new(), state: State::Skipped(why) }];
        let target = case.variant.target().and_then(Target::of_attr);
        if let Some(why) = self.cannot_run(target.as_ref()) {
            return Ok(all(why));
        }
        let imports = case.variant.imports();
        if let Some(first) = imports.first() {
            return Ok(all(format!("it calls `{first}` of a plugin, which is there only when a program is loaded")));
        }
        match self.prepared(case) {
            Ok(findings) => Ok(findings),
            Err(Stop::Skip(why)) => Ok(all(why)),
            Err(Stop::Fail(error)) => Err(error),
        }
    }

    fn prepared(&mut self, case: &Case) -> Result<Vec<Finding>, Stop> {
        if self.machine.is_none() {
            self.machine = Some(Machine::new().map_err(Stop::skip)?);
        }
        let machine = self.machine.as_ref().expect("it was made above");
        let pairs: Vec<(Export, Export)> = case
            .variant
            .exports()
            .into_iter()
            .filter_map(|kernel| {
                let sources = case.source.body()?.ops().into_iter().filter_map(Export::view);
                Some((sources.into_iter().find(|e| e.name() == kernel.name() && e.op.body().is_some())?, kernel))
            })
            .collect();
        if pairs.is_empty() {
            return Err(Stop::Skip("its source is not there".into()));
        }
        if let Some((lowered, _)) = pairs.iter().find(|(source, _)| form::is_lowered(source.op)) {
            return Err(Stop::Skip(format!(
                "the source of `@{}` is not on tensors: there is no plainer lowering of it",
                lowered.name()
            )));
        }
        let counts: Vec<Op> = pairs.iter().filter_map(|(_, kernel)| case.variant.workgroups(*kernel)).collect();
        if counts.len() < pairs.len() {
            return Err(Stop::Skip("it does not say how many workgroups there are".into()));
        }
        let loaded = Loaded::new().map_err(Stop::skip)?;
        let CodeOfVariant { module, _archives } = load(case.variant, &loaded)?;
        let sources: Vec<Export> = pairs.iter().map(|(source, _)| *source).collect();
        let reference = reference::build(self.session, machine, case.source, &sources, &counts)
            .map_err(|e| Stop::Skip(format!("there is no plain lowering of its source: {e}")))?;
        loaded.add(&reference.object).map_err(Stop::skip)?;
        let mut findings = Vec::new();
        for (i, (source, kernel)) in pairs.iter().enumerate() {
            let find = |name: &str| loaded.find(name).map_err(Stop::skip);
            let functions = reference.pieces[i].iter().map(|p| find(&p.name)).collect::<Result<Vec<_>, _>>()?;
            let count = Count::Function(find(&reference.counts[i])?);
            let takes = load_constants(kernel.op);
            let packed = PackedWeight::of(kernel.op).map_err(Stop::Skip)?;
            let stand;
            let code: Box<dyn Kernel + '_> = match &module {
                None => Box::new(CpuKernel::new(find(&kernel.name())?)),
                Some((format, bytes)) => {
                    let Some(Ok(device)) = self.devices.get(format.device().name()) else {
                        unreachable!("the device was opened before")
                    };
                    let made = DeviceExport::of(case, *kernel, *format, bytes).and_then(|export| {
                        let kernels = device.kernels(vec![export.code(device)])?;
                        Ok((export, RefCell::new(kernels)))
                    });
                    match made {
                        Ok(made) => stand = made,
                        Err(error) => {
                            findings.push(Finding { export: source.name(), state: State::Skipped(error.to_string()) });
                            continue;
                        }
                    }
                    let (export, kernels) = (&stand.0, &stand.1);
                    Box::new(DeviceKernel { device, kernels, number: 0, export, name: kernel.name() })
                }
            };
            let subject = Subject::new(
                *source,
                case.source,
                self.options.fast,
                (&reference.pieces[i], functions, count),
                (&*code, &takes, packed),
            );
            let state = match subject {
                Ok(subject) => subject.verify(self.options.runs, 0).map_err(Stop::Fail)?,
                Err(error) => State::Skipped(error.to_string()),
            };
            findings.push(Finding { export: source.name(), state });
        }
        Ok(findings)
    }
}

/// Why a case is not verified, or fails at once.
pub(crate) enum Stop {
    Skip(String),
    Fail(Error),
}

impl Stop {
    pub(crate) fn skip(error: Error) -> Self {
        Self::Skip(error.to_string())
    }
}

/// What the objects of a variant are, once those for CPUs are loaded.
pub(crate) struct CodeOfVariant {
    /// A module for another device.
    pub(crate) module: Option<(CodeFormat, Rc<Vec<u8>>)>,
    /// Files that the loader reads later.
    _archives: Vec<tempfile::NamedTempFile>,
}

/// Loads the objects of a variant.
pub(crate) fn load(variant: Variant, loaded: &Loaded) -> Result<CodeOfVariant, Stop> {
    let (mut archives, mut module) = (Vec::new(), None);
    for object in variant.objects().map_err(Stop::Fail)? {
        let ObjectData::Embedded(bytes) = object.data else {
            return Err(Stop::Skip("its objects are not in the program".into()));
        };
        match &*object.format {
            "elf" => loaded.add(&bytes).map_err(Stop::skip)?,
            "archive" => {
                let mut file = tempfile::NamedTempFile::new().map_err(|e| Stop::Skip(e.to_string()))?;
                file.write_all(&bytes).map_err(|e| Stop::Skip(e.to_string()))?;
                loaded.add_archive(file.path()).map_err(Stop::skip)?;
                archives.push(file);
            }
            other => match CodeFormat::of(other) {
                Some(format) => module = Some((format, Rc::new(bytes.to_vec()))),
                None => return Err(Stop::Skip(format!("objects of format `{other}` do not run here"))),
            },
        }
    }
    Ok(CodeOfVariant { module, _archives: archives })
}

impl Worker<'_> {
    /// Why code for a target does not run here.
    fn cannot_run(&mut self, target: Option<&Target>) -> Option<String> {
        match target {
            Some(Target::Cpu(cpu)) => {
                let host = CpuTarget::host();
                if cpu.arch() != host.arch() {
                    return Some(format!("this machine is not `{}`", cpu.arch()));
                }
                let lacks = cpu.enabled().find(|f| halyard_runtime::TESTED_FEATURES.contains(f) && !host.has(f))?;
                Some(format!("this CPU lacks `{lacks}`"))
            }
            Some(gpu) => {
                let name = gpu.device();
                let Some(kind) = DeviceKind::ALL.into_iter().find(|kind| kind.name() == name) else {
                    return Some(format!("nothing runs code for `{name}` yet"));
                };
                let open = || LoneDevice::open(DeviceName { kind, index: None }).map_err(|e| e.to_string());
                let device = self.devices.entry(name).or_insert_with(open);
                device.as_ref().err().map(|why| format!("no device runs it here: {why}"))
            }
            None => Some("its target is not known here".into()),
        }
    }
}
