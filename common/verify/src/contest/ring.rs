//! A worker in which contestants are judged: it loads the reference and the incumbent once, and takes one contestant after the other.
use super::{
    ContestOptions, ContestTimes, Effort, Verdict,
    conduct::Conduct,
    entrant::{Entrant, EntrantCode, EntrantKernel},
    place::weighted,
    prepared::{Prepared, sources},
    rejected,
    stand::Stand,
    timing::{PairedTiming, TimingInputs, Violation},
};
use crate::{
    Case, Difference, State,
    device_export::DeviceExport,
    jit::Loaded,
    kernel::Kernel,
    machine::Machine,
    reference::{self, DIALECTS},
    trial::{Count, Subject},
    worker::{Stop, load},
};
use halyard_diag::{Error, ErrorKind, Result};
use halyard_ir::{
    Attr, Op, Session,
    form::{Export, ObjectData, PackedWeight, Variant, load_constants},
};
use halyard_runtime::LoneDevice;
use halyard_targets::{CpuTarget, Target};
use object::{Object, ObjectSymbol};

pub(super) struct Ring<'a> {
    session: &'a Session,
    options: &'a ContestOptions,
    incumbent: &'a Case,
    prepared: &'a Prepared,
    ready: Option<Ready>,
}

/// What a worker keeps between contestants.
struct Ready {
    sources: Vec<Export>,
    /// For each export, the functions of the reference.
    functions: Vec<Vec<usize>>,
    /// What contestants run on, if it is not the CPU.
    device: Option<LoneDevice>,
    incumbent: Entrant,
    _reference: Loaded,
}

impl<'a> Ring<'a> {
    pub(super) fn new(
        session: &'a Session,
        incumbent: &'a Case,
        prepared: &'a Prepared,
        options: &'a ContestOptions,
    ) -> Self {
        session.load_dialects(DIALECTS);
        Self { session, options, incumbent, prepared, ready: None }
    }

    pub(super) fn judge(&mut self, contestant: &Case) -> Verdict {
        match self.try_judge(contestant) {
            Ok(verdict) => verdict,
            Err(Stop::Skip(why)) => Verdict::Skipped(why),
            Err(Stop::Fail(error)) => {
                if self.options.device.is_some() && error.kind == ErrorKind::Environment {
                    // The device may be lost. The next contestant finds it opened anew.
                    self.ready = None;
                    if error.diagnostics.first().is_some_and(|d| d.code == Some("out-of-memory")) {
                        return Verdict::Skipped(error.to_string());
                    }
                }
                rejected(&error)
            }
        }
    }

    /// Loads the reference and the incumbent.
    fn prepare(&self) -> Result<Ready, Stop> {
        let sources = sources(self.incumbent).map_err(Stop::Skip)?;
        let code = Loaded::new().map_err(Stop::skip)?;
        code.add(&self.prepared.reference.object).map_err(Stop::skip)?;
        let mut functions = Vec::new();
        for pieces in &self.prepared.reference.pieces {
            let found = pieces.iter().map(|p| code.find(&p.name)).collect::<Result<Vec<_>, _>>();
            functions.push(found.map_err(Stop::skip)?);
        }
        let device = self.options.device.map(LoneDevice::open).transpose().map_err(Stop::skip)?;
        let incumbent = self.enter(self.incumbent, &sources)?;
        Ok(Ready { sources, functions, device, incumbent, _reference: code })
    }

    fn try_judge(&mut self, contestant: &Case) -> Result<Verdict, Stop> {
        if self.ready.is_none() {
            self.ready = Some(self.prepare()?);
        }
        let Ready { sources, functions, device, incumbent, .. } = self.ready.as_ref().expect("it was made above");
        let device = device.as_ref();
        // Drivers start threads, which are not the contestant's.
        let conduct = device.is_none().then(Conduct::observe);
        let entrant = self.enter(contestant, sources).map_err(|stop| match stop {
            // What does not load is no kernel.
            Stop::Skip(why) => Stop::Fail(Error::input(why).code("bad-object")),
            fail => fail,
        })?;
        let twin = match self.options.effort.twin {
            true => Some(self.enter(self.incumbent, sources)?),
            false => None,
        };
        let mut stands = Vec::new();
        for (e, source) in sources.iter().enumerate() {
            let all: Vec<&EntrantKernel> = [Some(incumbent), Some(&entrant), twin.as_ref()]
                .into_iter()
                .flatten()
                .map(|who| &who.kernels[e])
                .collect();
            stands.push((Stand::new(&source.name(), device, &all).map_err(Stop::Fail)?, all));
        }
        let kernels: Vec<[Box<dyn Kernel + '_>; 2]> = (sources.iter().zip(&stands))
            .map(|(source, (stand, all))| [0, 1].map(|which| stand.kernel(&source.name(), which, all[which])))
            .collect();
        let mut pairs = Vec::new();
        for (e, source) in sources.iter().enumerate() {
            let subject = |who: &Entrant, which: usize| {
                let own = &who.kernels[e];
                let pieces = (self.prepared.reference.pieces[e].as_slice(), functions[e].clone(), own.count);
                let kernel = (&*kernels[e][which], own.takes.as_slice(), own.packed.clone());
                let subject = Subject::new(*source, self.incumbent.source, self.options.fast, pieces, kernel);
                Ok(subject.map_err(Stop::skip)?.expecting(&self.prepared.expected[e]))
            };
            pairs.push([subject(incumbent, 0)?, subject(&entrant, 1)?]);
        }
        for [_, subject] in &pairs {
            let mut states = vec![subject.verify(self.options.checks, self.options.seed).map_err(Stop::Fail)?];
            // Without further words, devices may take infinities and NaN as they like.
            if self.options.foreign && device.is_none() {
                states.push(subject.verify_special(self.options.seed).map_err(Stop::Fail)?);
            }
            for state in states {
                match state {
                    State::Differs(difference) => {
                        return Ok(Verdict::Rejected("wrong-kernel".into(), wrong(&difference)));
                    }
                    State::Skipped(why) => return Err(Stop::Skip(why)),
                    State::Agrees { .. } => {}
                }
            }
        }
        if let Some((code, why)) = conduct.as_ref().and_then(Conduct::broken) {
            return Ok(Verdict::Rejected(code.into(), why));
        }
        let time = |effort: Effort| -> Result<Result<ContestTimes, Violation>, Stop> {
            let mut times: Vec<(f64, ContestTimes)> = Vec::new();
            for (place, &tries) in self.options.places.iter().zip(&self.prepared.tries) {
                let at = sources.iter().position(|s| s.name() == place.export);
                let at = at.ok_or_else(|| Stop::Skip(format!("its export `@{}` is not there", place.export)))?;
                let (stand, all) = &stands[at];
                let mut inputs = TimingInputs::new(&pairs[at][0], &place.sizes, self.options.seed)?;
                inputs.begin(&pairs[at][0], Some(tries))?;
                let mut timing = PairedTiming::new(&pairs[at], (stand, all), inputs, self.options)?;
                match timing.measure(effort)? {
                    Ok(found) => times.push((place.weight, found)),
                    Err(violation) => return Ok(Err(violation)),
                }
            }
            Ok(Ok(weighted(&times)))
        };
        let mut found = time(self.options.effort)?;
        if let (Ok(times), Some((below, effort))) = (&found, self.options.again)
            && times.ratio() < below
        {
            found = time(effort)?;
        }
        Ok(match (found, conduct.as_ref().and_then(Conduct::broken_modes)) {
            (Err((code, why)), _) | (Ok(_), Some((code, why))) => Verdict::Rejected(code.into(), why),
            (Ok(times), None) => Verdict::Timed(times),
        })
    }

    /// Loads a variant. Errors: it is not for this machine, or cannot be loaded.
    fn enter(&self, case: &Case, sources: &[Export]) -> Result<Entrant, Stop> {
        let target = case.variant.target().and_then(Target::of_attr);
        let fits = match (&target, self.options.device) {
            (Some(Target::Cpu(cpu)), None) => cpu.arch() == CpuTarget::host().arch(),
            (Some(gpu), Some(device)) => gpu.device() == device.kind.name(),
            _ => false,
        };
        if !fits {
            let device = self.options.device.map_or_else(|| "the CPU of this machine".into(), |d| format!("`{d}`"));
            return Err(Stop::Skip(format!("only code for {device} is measured")));
        }
        if let Some(import) = case.variant.imports().first() {
            return Err(Stop::Skip(format!("it calls `{import}` of a plugin, which only programs load")));
        }
        let loaded = Loaded::new().map_err(Stop::skip)?;
        let code = load(case.variant, &loaded)?;
        if code.module.is_some() != self.options.device.is_some() {
            return Err(Stop::Skip("its objects are not of the device that its target names".into()));
        }
        let all = case.variant.exports();
        let mut kernels = Vec::new();
        for (number, source) in sources.iter().enumerate() {
            let kernel = all.iter().copied().find(|e| e.name() == source.name());
            let kernel = kernel.ok_or_else(|| Stop::Skip(format!("it lacks the export `@{}`", source.name())))?;
            let count = case.variant.workgroups(kernel);
            let count = count.ok_or_else(|| Stop::Skip("it does not say how many workgroups there are".into()))?;
            let count = match constant(count) {
                Some(numbers) => Count::Constant(numbers),
                None => {
                    let machine = Machine::new().map_err(Stop::skip)?;
                    let (object, name) = reference::count(self.session, &machine, count, number).map_err(Stop::skip)?;
                    loaded.add(&object).map_err(Stop::skip)?;
                    Count::Function(loaded.find(&name).map_err(Stop::skip)?)
                }
            };
            let packed = PackedWeight::of(kernel.op).map_err(Stop::Skip)?;
            let what = match &code.module {
                None => EntrantCode::Cpu {
                    address: loaded.find(&kernel.name()).map_err(Stop::skip)?,
                    size: code_size(case.variant, &kernel.name()),
                },
                Some((format, module)) => {
                    EntrantCode::Device(DeviceExport::of(case, kernel, *format, module).map_err(Stop::skip)?)
                }
            };
            kernels.push(EntrantKernel { code: what, count, takes: load_constants(kernel.op), packed });
        }
        Ok(Entrant { kernels, _loaded: (loaded, code) })
    }
}

/// The size of a function in the objects of a variant; 0 if they do not say it.
fn code_size(variant: Variant, name: &str) -> usize {
    let objects = variant.objects().unwrap_or_default();
    let sizes = objects.into_iter().filter_map(|o| {
        let ObjectData::Embedded(bytes) = o.data else { return None };
        let file = object::File::parse(&*bytes).ok()?;
        let symbol = file.symbols().find(|s| s.is_definition() && s.name() == Ok(name))?;
        usize::try_from(symbol.size()).ok()
    });
    sizes.max().unwrap_or(0)
}

/// What is wrong with a result, in words.
fn wrong(d: &Difference) -> String {
    let element: Vec<String> = d.element.iter().map(ToString::to_string).collect();
    let far = if d.ulp.is_finite() { format!("{:.2e} ulp", d.ulp) } else { "not comparable".into() };
    let place = element.join(", ");
    format!(
        "element [{place}] of result {} is {}, not {} ({far}, the tolerance is {:.0})",
        d.result, d.got, d.wanted, d.tolerance
    )
}

/// The numbers that a count of workgroups always gives, if it is plain.
fn constant(count: Op) -> Option<[i64; 3]> {
    let end = count.body()?.terminator()?;
    if end.operand_count() != 3 {
        return None;
    }
    let number =
        |i: usize| end.operand(i).constant().or_else(|| end.operand(i).def()?.attr("value").and_then(Attr::as_int));
    Some([number(0)?, number(1)?, number(2)?])
}
