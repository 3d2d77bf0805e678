//! Prepares what both kernels run on: buffers, the numbers in them, threads.
use super::PairedTiming;
use crate::{
    contest::{ContestOptions, entrant::EntrantKernel},
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

/// As many inputs are tried until the source has a meaning for them.
const ATTEMPTS: u64 = 16;

impl<'a, 'r> PairedTiming<'a, 'r> {
    pub(in crate::contest) fn new(
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
        let mut timing = Self {
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
        let legal = (0..ATTEMPTS).any(|_| timing.refill());
        if !legal {
            return Err(Stop::Skip("no inputs were found that its source has a meaning for".into()));
        }
        for (k, entrant) in all.into_iter().enumerate() {
            let subject = &subjects[k % 2];
            let packed = subject.packed(&timing.arguments).map_err(Stop::Fail)?;
            let own =
                |i: &usize| packed.iter().find(|(p, _)| p == i).map_or(&timing.arguments[*i], |(_, buffer)| buffer);
            let buffers = of_arguments.iter().map(own).chain(of_results.iter().map(|&r| &timing.results[r]));
            let bindings: Vec<(u64, u64)> = buffers.map(|b| (b.address(), b.bytes().len() as u64)).collect();
            timing.packed.push(packed);
            let mut constants = subject.constants(&timing.arguments, &timing.inputs.0, &timing.inputs.1);
            let load_constants = entrant.load_constants();
            constants.truncate(constants.len() - load_constants.len());
            constants.extend(load_constants);
            let workgroups = subject.workgroups(&constants).map_err(Stop::Fail)?.ok_or_else(|| {
                Stop::Fail(Error::input("its number of workgroups is negative or too large").code("out-of-bounds"))
            })?;
            timing.calls.push(LoneCall { bindings, constants, workgroups });
        }
        Ok(timing)
    }

    /// Puts new numbers into the buffers. Says whether the source has a meaning for them.
    pub(super) fn refill(&mut self) -> bool {
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
