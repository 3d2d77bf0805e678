//! Runs the programs, and times calls and dispatches.
use halyard_diag::{Error, Result};
use halyard_runtime::{
    DispatchRecord, FunctionInfo, Instance, InstanceOptions, LoadedProgram, Tensor, TimeSample, TimeSampler, Timeline,
};
use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

/// How long a program is sampled.
const SAMPLED: Duration = Duration::from_millis(250);

/// What running a program showed.
#[derive(Debug, Default)]
pub(crate) struct Measured {
    /// Seconds of each call.
    pub(crate) calls: Vec<f64>,
    /// The dispatches of a call by kind, in order of their first one.
    pub(crate) kinds: Vec<Kind>,
    /// The last call.
    pub(crate) timeline: Timeline,
    /// The instructions that the threads were at, by timers.
    pub(crate) samples: Vec<TimeSample>,
}

/// Dispatches of one kernel with the same sizes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Kind {
    /// The index in [`LoadedProgram::kernels`].
    pub(crate) kernel: usize,
    pub(crate) workgroups: [u32; 3],
    pub(crate) constants: Vec<i64>,
    /// The bytes of its bindings.
    pub(crate) bytes: u64,
    /// How many there are in a call.
    pub(crate) calls: usize,
    /// Seconds of one dispatch, one sample for each call of the function.
    pub(crate) samples: Vec<f64>,
}

/// Runs programs by turns, so that what disturbs the machine disturbs all. `sampled` also samples the first one. Errors: a call that fails.
pub(crate) fn measure(
    programs: &[LoadedProgram],
    function: &FunctionInfo,
    inputs: &[Tensor],
    runs: u32,
    (threads, sampled): (usize, bool),
) -> Result<Vec<Measured>> {
    let name = &function.name;
    let mut instances =
        programs.iter().map(|p| Instance::new(p, InstanceOptions { threads })).collect::<Result<Vec<_>>>()?;
    let mut all: Vec<Measured> = programs.iter().map(|_| Measured::default()).collect();
    let mut outputs = Vec::new();
    for instance in &mut instances {
        instance.call_into(name, inputs, &mut outputs)?;
    }
    for _ in 0..runs {
        for (instance, measured) in instances.iter_mut().zip(&mut all) {
            instance.reset_states()?;
            let start = Instant::now();
            instance.call_into(name, inputs, &mut outputs)?;
            measured.calls.push(start.elapsed().as_secs_f64());
            instance.reset_states()?;
            add(&mut measured.kinds, instance.profile(name, inputs)?.1);
        }
    }
    for (instance, measured) in instances.iter_mut().zip(&mut all) {
        instance.reset_states()?;
        measured.timeline = instance.timeline(name, inputs, &mut outputs)?;
    }
    if sampled {
        all[0].samples = samples(&mut instances[0], name, inputs, &all[0].calls)?;
    }
    Ok(all)
}

/// Calls a function under a sampler of all threads, for a while and at least once.
fn samples(instance: &mut Instance, name: &str, inputs: &[Tensor], calls: &[f64]) -> Result<Vec<TimeSample>> {
    let call = Duration::from_secs_f64(halyard_statistics::median(calls));
    // All of a long call is sampled, more coarsely.
    let interval = TimeSampler::INTERVAL.max(call / 4000).min(Duration::from_millis(100));
    let mut outputs = Vec::new();
    let threads = instance.own_threads();
    let Some(mut sampler) = TimeSampler::start_with(interval, &threads) else { return Ok(Vec::new()) };
    let start = Instant::now();
    loop {
        instance.reset_states()?;
        instance.call_into(name, inputs, &mut outputs)?;
        if start.elapsed() >= SAMPLED {
            return Ok(sampler.stop());
        }
    }
}

/// Adds a sample to each kind of dispatch of a call.
fn add(kinds: &mut Vec<Kind>, records: Vec<DispatchRecord>) {
    let mut of_call: BTreeMap<usize, (usize, Duration)> = BTreeMap::new();
    for r in records {
        let bytes = r.bindings.iter().sum();
        let same =
            |k: &Kind| (k.kernel, k.workgroups, &k.constants, k.bytes) == (r.kernel, r.workgroups, &r.constants, bytes);
        let place = kinds.iter().position(same).unwrap_or_else(|| {
            let (workgroups, constants) = (r.workgroups, r.constants.clone());
            kinds.push(Kind { kernel: r.kernel, workgroups, constants, bytes, calls: 0, samples: Vec::new() });
            kinds.len() - 1
        });
        let entry = of_call.entry(place).or_default();
        *entry = (entry.0 + 1, entry.1 + Duration::from_nanos(r.nanos));
    }
    for (place, (calls, took)) in of_call {
        kinds[place].calls = calls;
        kinds[place].samples.push(took.as_secs_f64() / calls as f64);
    }
}

/// Refuses programs that cannot be compared. Errors: functions with other inputs.
pub(crate) fn comparable(a: &FunctionInfo, b: &FunctionInfo) -> Result<()> {
    let types = |f: &FunctionInfo| f.inputs.iter().map(|s| s.type_text()).collect::<Vec<_>>().join(", ");
    if types(a) == types(b) {
        return Ok(());
    }
    let what = format!("`{}` takes ({}) in one program, and ({}) in the other", a.name, types(a), types(b));
    Err(Error::input(what).code("other-inputs").hint("compare two compilations of one model"))
}
