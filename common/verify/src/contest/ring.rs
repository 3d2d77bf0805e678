//! A worker in which contestants are judged: it has the reference and the incumbent, and takes one contestant after the other.
use super::{ContestOptions, ContestTimes, Verdict, conduct::Conduct, entrant::Entrant, rejected, timing::Duel};
use crate::{
    Case, Difference, State,
    jit::Loaded,
    kernel::{CpuKernel, Kernel},
    machine::Machine,
    reference::{self, DIALECTS, Reference},
    trial::{Count, Subject},
    worker::{Stop, load},
};
use halyard_diag::{Error, Result};
use halyard_ir::{
    Attr, Op, Session,
    form::{Export, PackedWeight, load_constants},
};
use halyard_targets::{CpuTarget, Target};

pub(super) struct Ring<'a> {
    session: &'a Session,
    options: &'a ContestOptions,
    incumbent: &'a Case,
    ready: Option<Result<(Machine, Export, Reference), String>>,
}

impl<'a> Ring<'a> {
    pub(super) fn new(session: &'a Session, incumbent: &'a Case, options: &'a ContestOptions) -> Self {
        session.load_dialects(DIALECTS);
        Self { session, options, incumbent, ready: None }
    }

    pub(super) fn judge(&mut self, contestant: &Case) -> Verdict {
        match self.try_judge(contestant) {
            Ok(verdict) => verdict,
            Err(Stop::Skip(why)) => Verdict::Skipped(why),
            Err(Stop::Fail(error)) => rejected(&error),
        }
    }

    fn try_judge(&mut self, contestant: &Case) -> Result<Verdict, Stop> {
        if self.ready.is_none() {
            self.ready = Some(self.prepare());
        }
        let (machine, source, reference) = match self.ready.as_ref().expect("it was made above") {
            Ok((machine, source, reference)) => (machine, *source, reference),
            Err(why) => return Err(Stop::Skip(why.clone())),
        };
        let conduct = Conduct::observe();
        let code = Loaded::new().map_err(Stop::skip)?;
        code.add(&reference.object).map_err(Stop::skip)?;
        let find = |name: &str| code.find(name).map_err(Stop::skip);
        let pieces = &reference.pieces[0];
        let functions = pieces.iter().map(|p| find(&p.name)).collect::<Result<Vec<_>, _>>()?;
        let incumbent = self.enter(machine, self.incumbent, &source)?;
        let entrant = self.enter(machine, contestant, &source).map_err(|stop| match stop {
            // What does not load is no kernel.
            Stop::Skip(why) => Stop::Fail(Error::input(why).code("bad-object")),
            fail => fail,
        })?;
        let kernels = [CpuKernel::new(incumbent.address), CpuKernel::new(entrant.address)];
        let subject = |entrant: &Entrant, which: usize| {
            let pieces = (pieces.as_slice(), functions.clone(), entrant.count);
            let kernel = (&kernels[which] as &dyn Kernel, entrant.takes.as_slice(), entrant.packed.clone());
            Subject::new(source, self.incumbent.source, self.options.fast, pieces, kernel).map_err(Stop::skip)
        };
        let subjects = [subject(&incumbent, 0)?, subject(&entrant, 1)?];
        if subjects[0].is_dynamic() {
            return Err(Stop::Skip("its sizes are not known: there is nothing to measure it at".into()));
        }
        let mut states = vec![subjects[1].verify(self.options.checks, self.options.seed).map_err(Stop::Fail)?];
        if self.options.foreign {
            states.push(subjects[1].verify_special(self.options.seed).map_err(Stop::Fail)?);
        }
        for state in states {
            match state {
                State::Differs(difference) => return Ok(Verdict::Rejected("wrong-kernel".into(), wrong(&difference))),
                State::Skipped(why) => return Err(Stop::Skip(why)),
                State::Agrees { .. } => {}
            }
        }
        if let Some((code, why)) = conduct.broken() {
            return Ok(Verdict::Rejected(code.into(), why));
        }
        let twin = match self.options.effort.twin {
            true => Some(self.enter(machine, self.incumbent, &source)?),
            false => None,
        };
        let mut duel = Duel::new(&subjects, [&incumbent, &entrant], twin.as_ref(), self.options)?;
        let times: ContestTimes = match duel.fight()? {
            Ok(times) => times,
            Err((code, why)) => return Ok(Verdict::Rejected(code.into(), why)),
        };
        Ok(match conduct.broken_modes() {
            Some((code, why)) => Verdict::Rejected(code.into(), why),
            None => Verdict::Timed(times),
        })
    }

    /// The reference, once for all contestants. Errors: why there is none.
    fn prepare(&self) -> Result<(Machine, Export, Reference), String> {
        let case = self.incumbent;
        let machine = Machine::new().map_err(|e| e.to_string())?;
        let exports = case.variant.exports();
        let [kernel] = exports.as_slice() else {
            return Err(format!("it has {} exports, and executables with one are measured", exports.len()));
        };
        let sources = case.source.body().map(|b| b.ops()).unwrap_or_default();
        let source = sources
            .into_iter()
            .filter_map(Export::view)
            .find(|e| e.name() == kernel.name() && e.op.body().is_some())
            .ok_or("its source is not there")?;
        let reference = reference::build(self.session, &machine, case.source, &[source], &[])
            .map_err(|e| format!("there is no plain lowering of its source: {e}"))?;
        Ok((machine, source, reference))
    }

    /// Loads a variant. Errors: it is not for this machine, or cannot be loaded.
    fn enter(&self, machine: &Machine, case: &Case, source: &Export) -> Result<Entrant, Stop> {
        match case.variant.target().and_then(Target::of_attr) {
            Some(Target::Cpu(cpu)) if cpu.arch() == CpuTarget::host().arch() => {}
            _ => return Err(Stop::Skip("only code for the CPU of this machine is measured".into())),
        }
        if let Some(import) = case.variant.imports().first() {
            return Err(Stop::Skip(format!("it calls `{import}` of a plugin, which only programs load")));
        }
        let kernel = case.variant.exports().into_iter().find(|e| e.name() == source.name());
        let kernel = kernel.ok_or_else(|| Stop::Skip("it lacks the export".into()))?;
        let count = case.variant.workgroups(kernel);
        let count = count.ok_or_else(|| Stop::Skip("it does not say how many workgroups there are".into()))?;
        let loaded = Loaded::new().map_err(Stop::skip)?;
        let code = load(case.variant, &loaded)?;
        if code.module.is_some() {
            return Err(Stop::Skip("only code for the CPU of this machine is measured".into()));
        }
        let count = match constant(count) {
            Some(numbers) => Count::Constant(numbers),
            None => {
                let (object, name) = reference::count(self.session, machine, count).map_err(Stop::skip)?;
                loaded.add(&object).map_err(Stop::skip)?;
                Count::Function(loaded.find(&name).map_err(Stop::skip)?)
            }
        };
        let address = loaded.find(&kernel.name()).map_err(Stop::skip)?;
        let packed = PackedWeight::of(kernel.op).map_err(Stop::Skip)?;
        Ok(Entrant { address, count, takes: load_constants(kernel.op), packed, _loaded: (loaded, code) })
    }
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
    let number = |i: usize| end.operand(i).def().filter(|d| d.is("arith.constant"))?.attr("value")?.as_int();
    if end.operand_count() != 3 {
        return None;
    }
    let number = |i| number(i).or_else(|| end.operand(i).def()?.attr("value").and_then(Attr::as_int));
    Some([number(0)?, number(1)?, number(2)?])
}
