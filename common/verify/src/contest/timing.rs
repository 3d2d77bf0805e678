//! Two kernels by turns, on the same buffers and on the threads that programs have.
use super::{
    ContestOptions, ContestTimes,
    entrant::EntrantKernel,
    hot::{HotSpot, Sampler, hottest},
};
use crate::{
    compare::compare,
    element::{Element, Style},
    memory::{Buffer, Side},
    random::Random,
    trial::{How, Plan, Subject},
    worker::Stop,
};
use halyard_diag::Error;
use halyard_ir::Type;
use halyard_peaks::CacheEviction;
use halyard_runtime::{LoneCall, LoneCpu, LoneCpuKernel};
use std::time::{Duration, Instant};

/// As many samples say where the time of a contestant goes; where other programs have the core, they take longer.
const SAMPLES: usize = 200;
const SAMPLED: Duration = Duration::from_millis(60);
/// A sample lasts at least this long: reading the clock takes some 50 ns.
const SAMPLE: Duration = Duration::from_micros(50);
/// Samples before the first look at whether a contestant is hopeless.
const FIRST_LOOK: usize = 4;
/// How often new inputs are put into the same buffers while a contestant from elsewhere is timed.
const FRESH: usize = 6;
/// Calls with changed elements before outputs are compared.
const CHANGES: usize = 16;
/// A contestant keeps results if more than this part of its elements is wrong on new inputs in the same buffers. Single elements may
/// differ where the last digit decides.
const STALE: u64 = 256;
/// As many inputs are tried until the source has a meaning for them.
const ATTEMPTS: u64 = 16;

/// What a contestant did that it must not: the code of the reason, and the reason.
type Foul = (&'static str, String);

/// The kernels and what they run on.
pub(super) struct Duel<'a, 'r> {
    subjects: &'a [Subject<'r>; 2],
    options: &'a ContestOptions,
    cpu: LoneCpu,
    /// What empties the caches before each call.
    caches: Option<CacheEviction>,
    /// Of the incumbent, the contestant, and the incumbent's twin.
    calls: Vec<LoneCall>,
    arguments: Vec<Buffer>,
    /// For each kernel: the weights that it takes in other layouts.
    packed: Vec<Vec<(usize, Buffer)>>,
    results: Vec<Buffer>,
    inputs: (Vec<Vec<i64>>, Vec<Vec<i64>>),
    chosen: crate::sizes::Chosen,
    seed: u64,
    random: Random,
    /// The address and the size of the contestant's code.
    code: (usize, usize),
}

impl<'a, 'r> Duel<'a, 'r> {
    pub(super) fn new(
        subjects: &'a [Subject<'r>; 2],
        entrants: [&EntrantKernel; 2],
        (twin, sizes): (Option<&EntrantKernel>, &[Vec<Option<i64>>]),
        options: &'a ContestOptions,
    ) -> Result<Self, Stop> {
        let subject = &subjects[0];
        let mut random = Random::new(options.seed ^ 0x7469_6d65);
        let chosen = if sizes.is_empty() {
            subject.choose(How::Any, 0, &mut random)
        } else {
            subject.choose_at(sizes, &mut random)
        };
        let chosen = chosen.ok_or_else(|| {
            Stop::Skip(match sizes.is_empty() {
                true => "no inputs were found that its source has a meaning for".into(),
                false => "its source has no meaning at the sizes that it is called with".into(),
            })
        })?;
        let inputs = subject.any_shapes(&chosen).ok_or_else(|| Stop::Skip("its sizes are not known".into()))?;
        let bytes = |ty: Type, shape: &[i64]| {
            let size = Element::of(ty.element()).expect("checked before").size();
            shape.iter().product::<i64>().cast_unsigned() as usize * size
        };
        let buffer = |length: usize| -> Result<Buffer, Stop> {
            let mut buffer = Buffer::new(length).map_err(Stop::Fail)?;
            buffer.lay_out(length, Side::Start);
            Ok(buffer)
        };
        let mut arguments = Vec::new();
        for (i, &ty) in subject.inputs.iter().enumerate() {
            let length =
                if ty.is_tensor() { bytes(ty, &inputs.0[i]) } else { Element::of(ty).expect("checked").size() };
            arguments.push(buffer(length)?);
        }
        let mut results = Vec::new();
        for (r, &ty) in subject.interface.results.iter().enumerate() {
            let length = if subject.interface.tied[r].is_some() { 0 } else { bytes(ty, &inputs.1[r]) };
            results.push(buffer(length)?);
        }
        let all: Vec<&EntrantKernel> = entrants.into_iter().chain(twin).collect();
        let of_arguments = subject.interface.tensor_inputs();
        let of_results = subject.interface.untied_results();
        let written = |i: &usize| subject.interface.tied.contains(&Some(*i));
        let kernels: Vec<LoneCpuKernel<'_>> = all
            .iter()
            .map(|entrant| LoneCpuKernel {
                name: "contestant",
                address: entrant.address,
                written: of_arguments.iter().map(written).chain(of_results.iter().map(|_| true)).collect(),
                operations: None,
            })
            .collect();
        if options.threads == 1 {
            stay_on_this_core();
        }
        let cpu = LoneCpu::new(&kernels, options.threads).map_err(Stop::Fail)?;
        let mut duel = Self {
            subjects,
            options,
            cpu,
            caches: options.cold.then(CacheEviction::new),
            calls: Vec::new(),
            arguments,
            packed: Vec::new(),
            results,
            inputs,
            chosen,
            seed: random.bits(),
            random,
            code: (entrants[1].address, entrants[1].size),
        };
        let legal = (0..ATTEMPTS).any(|_| duel.refill());
        if !legal {
            return Err(Stop::Skip("no inputs were found that its source has a meaning for".into()));
        }
        for (k, entrant) in all.into_iter().enumerate() {
            let subject = &subjects[k % 2];
            let packed = subject.packed(&duel.arguments).map_err(Stop::Fail)?;
            let own = |i: &usize| packed.iter().find(|(p, _)| p == i).map_or(&duel.arguments[*i], |(_, buffer)| buffer);
            let buffers = of_arguments.iter().map(own).chain(of_results.iter().map(|&r| &duel.results[r]));
            let bindings: Vec<(u64, u64)> = buffers.map(|b| (b.address(), b.bytes().len() as u64)).collect();
            duel.packed.push(packed);
            let mut constants = subject.constants(&duel.arguments, &duel.inputs.0, &duel.inputs.1);
            let load_constants = entrant.load_constants();
            constants.truncate(constants.len() - load_constants.len());
            constants.extend(load_constants);
            let workgroups = subject.workgroups(&constants).map_err(Stop::Fail)?.ok_or_else(|| {
                Stop::Fail(Error::input("its number of workgroups is negative or too large").code("out-of-bounds"))
            })?;
            duel.calls.push(LoneCall { bindings, constants, workgroups });
        }
        Ok(duel)
    }

    /// Puts new numbers into the buffers. Says whether the source has a meaning for them.
    fn refill(&mut self) -> bool {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let subject = &self.subjects[0];
        let plan = Plan { style: Style::Signed, how: How::Any, seed: self.seed };
        for (i, ty) in subject.inputs.iter().enumerate() {
            let bytes = self.arguments[i].bytes_mut();
            match self.inputs.0[i].first().filter(|_| !ty.is_tensor()) {
                Some(n) if ty.is_index() || ty.bits() >= 32 => bytes.copy_from_slice(&n.to_le_bytes()[..bytes.len()]),
                _ => subject.fill(plan, self.seed, &self.chosen, 100, i, bytes),
            }
        }
        for (k, packed) in self.packed.iter_mut().enumerate() {
            let Ok(new) = self.subjects[k % 2].packed(&self.arguments) else { return false };
            for ((_, old), (_, new)) in packed.iter_mut().zip(new) {
                old.protect(false);
                old.bytes_mut().copy_from_slice(new.bytes());
                old.protect(true);
            }
        }
        let places: Vec<Vec<Vec<i64>>> = subject
            .pieces
            .iter()
            .map(|p| p.samples.as_ref().map_or_else(Vec::new, |s| s.places(&mut Random::new(self.seed))))
            .collect();
        let mut wanted: Vec<Buffer> = Vec::new();
        for (r, shape) in self.inputs.1.iter().enumerate() {
            let element = Element::of(subject.interface.results[r].element()).expect("checked before");
            let length = shape.iter().product::<i64>().cast_unsigned() as usize * element.size();
            let Ok(mut buffer) = Buffer::new(length) else { return false };
            buffer.lay_out(length, Side::Start);
            wanted.push(buffer);
        }
        subject.reference(&self.arguments, &mut wanted, (&self.inputs.0, &self.inputs.1), &places)
    }

    fn run(&mut self, kernel: usize, times: usize) -> Result<Duration, Stop> {
        // SAFETY: both kernels were checked against the interface; the buffers are live, and nobody else has them.
        unsafe { self.cpu.time(kernel, &self.calls[kernel], times) }.map_err(Stop::Fail)
    }

    /// Measures. `Ok(Err(…))` is a contestant that is not what it seems.
    pub(super) fn fight(&mut self) -> Result<Result<ContestTimes, Foul>, Stop> {
        let effort = self.options.effort;
        let order: Vec<usize> = if effort.twin { vec![0, 2, 1] } else { vec![0, 1] };
        let mut fastest = Duration::MAX;
        for _ in 0..2 {
            for &kernel in &order {
                fastest = fastest.min(self.run(kernel, 1)?);
            }
        }
        // A second call in a sample would be warm.
        let most = if self.caches.is_some() { 1 } else { 10_000 };
        let calls = SAMPLE.as_nanos().div_ceil(fastest.as_nanos().max(1)).clamp(1, most) as usize;
        let mut samples = [Vec::new(), Vec::new(), Vec::new()];
        let mut spent = Duration::ZERO;
        let mut round = 0;
        // Of several places each gets its part of the time.
        let time = effort.time / self.options.places.len().max(1) as u32;
        while round < effort.samples || spent < time * order.len() as u32 {
            // By turns from both ends: whoever comes first meets colder caches.
            let turns: Vec<usize> = if round % 2 == 0 { order.clone() } else { order.iter().rev().copied().collect() };
            for kernel in turns {
                if let Some(caches) = &self.caches {
                    caches.evict();
                }
                let took =
                    if self.options.foreign { self.run_changing(kernel, calls)? } else { self.run(kernel, calls)? };
                spent += took;
                samples[kernel].push(took.as_secs_f64() / calls as f64);
            }
            round += 1;
            if round == FIRST_LOOK && least(&samples[1]) > effort.hopeless * least(&samples[0]) {
                break;
            }
        }
        let foul = match self.options.foreign {
            true => self.fresh()?,
            // Where sizes are open, it was checked at others.
            false if self.subjects[0].is_dynamic() => self.wrong_here()?,
            false => None,
        };
        if let Some(foul) = foul {
            return Ok(Err(foul));
        }
        let hot = self.hot(calls.min(16))?;
        let [incumbent, contestant, twin] = samples;
        Ok(Ok(ContestTimes { incumbent, twin, contestant, hot }))
    }

    /// Runs the contestant for a while under a sampler.
    fn hot(&mut self, calls: usize) -> Result<Vec<HotSpot>, Stop> {
        let Some(mut sampler) = Sampler::start() else { return Ok(Vec::new()) };
        let start = Instant::now();
        while sampler.count() < SAMPLES && start.elapsed() < SAMPLED {
            self.run(1, calls)?;
        }
        let places = sampler.stop();
        let (address, size) = self.code;
        Ok(hottest(&places, address, size))
    }

    /// Runs a kernel so many times, each time with a few elements of its inputs in other places and a few of its results spoiled: a
    /// kernel that recognises what it was called with before is wrong afterwards, see [`Self::fresh`].
    fn run_changing(&mut self, kernel: usize, times: usize) -> Result<Duration, Stop> {
        let mut total = Duration::ZERO;
        for _ in 0..times {
            let subject = &self.subjects[0];
            for (i, (argument, ty)) in self.arguments.iter_mut().zip(&subject.inputs).enumerate() {
                // Weights stay what they are in a program, too.
                if !subject.export.is_weight(i) {
                    swap(argument.bytes_mut(), ty, &mut self.random);
                }
            }
            for result in &mut self.results {
                let bytes = result.bytes_mut();
                if !bytes.is_empty() {
                    let at = self.random.below(bytes.len() as u64) as usize;
                    bytes[at] ^= self.random.bits() as u8 | 1;
                }
            }
            total += self.run(kernel, 1)?;
        }
        Ok(total)
    }

    /// Compares outputs after the buffers were changed element by element, as they were while it was timed, and after they were filled
    /// anew. What keeps results between calls is wrong then.
    fn fresh(&mut self) -> Result<Option<Foul>, Stop> {
        let in_place = self.subjects[0].interface.tied.iter().any(Option::is_some);
        for turn in 0..FRESH {
            let changed = turn % 2 == 0 && !in_place;
            if !changed && !self.refill() {
                continue;
            }
            if changed {
                self.run_changing(1, CHANGES)?;
            }
            let before: Vec<Vec<u8>> = self.arguments.iter().map(|a| a.bytes().to_vec()).collect();
            let mut got = self.outputs();
            if !changed {
                self.spoil();
                self.run(1, 1)?;
                got = self.outputs();
            }
            let subject = &self.subjects[0];
            let kept = |i: &usize| !subject.interface.tied.contains(&Some(*i));
            if (0..self.arguments.len()).filter(kept).any(|i| self.arguments[i].bytes() != before[i]) {
                return Ok(Some(("writes-inputs", "it writes to its inputs".to_owned())));
            }
            for (argument, bytes) in self.arguments.iter_mut().zip(&before) {
                argument.bytes_mut().copy_from_slice(bytes);
            }
            self.spoil();
            self.run(0, 1)?;
            if let Some(foul) = self.differs(&got, &self.outputs()) {
                return Ok(Some(foul));
            }
        }
        Ok(None)
    }

    /// Compares outputs at the sizes that are timed.
    fn wrong_here(&mut self) -> Result<Option<Foul>, Stop> {
        if self.subjects[0].interface.tied.iter().any(Option::is_some) {
            return Ok(None);
        }
        let mut outputs = Vec::new();
        for kernel in [1, 0] {
            self.spoil();
            self.run(kernel, 1)?;
            outputs.push(self.outputs());
        }
        let foul = self.differs(&outputs[0], &outputs[1]);
        Ok(foul.map(|_| ("wrong-kernel", "its results are wrong at the sizes that are timed".to_owned())))
    }

    /// Whether results are so far from those of the incumbent that they are others'.
    fn differs(&self, got: &[Vec<u8>], wanted: &[Vec<u8>]) -> Option<Foul> {
        let subject = &self.subjects[0];
        let longest = self.inputs.0.iter().flatten().copied().max().unwrap_or(1);
        wanted.iter().zip(got).enumerate().find_map(|(r, (wanted, got))| {
            let element = Element::of(subject.interface.results[r].element()).expect("checked before");
            let tolerance = 2.0 * subject.tolerance.ulp(element, longest);
            let found = compare(element, got, wanted, tolerance, None);
            (found.wrong_count * STALE > found.compared).then(|| {
                let (wrong, all) = (found.wrong_count, found.compared);
                let why = format!("{wrong} of {all} elements are wrong after other inputs came into the same buffers: it keeps results between calls");
                ("keeps-results", why)
            })
        })
    }

    /// Fills the results with random bytes.
    fn spoil(&mut self) {
        for result in &mut self.results {
            result.bytes_mut().iter_mut().for_each(|b| *b = self.random.bits() as u8);
        }
    }

    fn outputs(&self) -> Vec<Vec<u8>> {
        let tied = &self.subjects[0].interface.tied;
        let bytes = |(r, result): (usize, &Buffer)| match tied[r] {
            Some(i) => self.arguments[i].bytes().to_vec(),
            None => result.bytes().to_vec(),
        };
        self.results.iter().enumerate().map(bytes).collect()
    }
}

/// Swaps two elements.
fn swap(bytes: &mut [u8], ty: &Type, random: &mut Random) {
    let size = Element::of(ty.element()).expect("checked before").size();
    let count = (bytes.len() / size) as u64;
    if count > 1 {
        let (a, b) = (random.below(count) as usize * size, random.below(count) as usize * size);
        for i in 0..size {
            bytes.swap(a + i, b + i);
        }
    }
}

fn least(samples: &[f64]) -> f64 {
    samples.iter().copied().fold(f64::INFINITY, f64::min)
}

/// Keeps this thread on the core that it is on.
fn stay_on_this_core() {
    // SAFETY: system calls with a live set of their size.
    unsafe {
        let core = libc::sched_getcpu();
        if let Ok(core) = usize::try_from(core) {
            let mut set: libc::cpu_set_t = std::mem::zeroed();
            libc::CPU_SET(core, &mut set);
            libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set);
        }
    }
}
