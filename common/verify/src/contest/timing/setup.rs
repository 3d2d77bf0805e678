//! Prepares what kernels are timed with: calls on the same buffers, and threads.
use super::{PairedTiming, TimingInputs};
use crate::{
    contest::{ContestOptions, entrant::EntrantKernel},
    trial::Subject,
    worker::Stop,
};
use halyard_diag::Error;
use halyard_peaks::CacheEviction;
use halyard_runtime::{LoneCall, LoneCpu, LoneCpuKernel};

impl<'a, 'r> PairedTiming<'a, 'r> {
    /// `on` has numbers that the source has a meaning for.
    pub(in crate::contest) fn new(
        subjects: &'a [Subject<'r>; 2],
        entrants: [&EntrantKernel; 2],
        (twin, on): (Option<&EntrantKernel>, TimingInputs),
        options: &'a ContestOptions,
    ) -> Result<Self, Stop> {
        let subject = &subjects[0];
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
        let caches = options.cold.then(CacheEviction::new);
        let code = (entrants[1].address, entrants[1].size);
        let mut timing = Self { subjects, options, cpu, caches, calls: Vec::new(), packed: Vec::new(), on, code };
        for (k, entrant) in all.into_iter().enumerate() {
            let subject = &subjects[k % 2];
            let on = &timing.on;
            let packed = subject.packed(&on.arguments).map_err(Stop::Fail)?;
            let own = |i: &usize| packed.iter().find(|(p, _)| p == i).map_or(&on.arguments[*i], |(_, buffer)| buffer);
            let buffers = of_arguments.iter().map(own).chain(of_results.iter().map(|&r| &on.results[r]));
            let bindings: Vec<(u64, u64)> = buffers.map(|b| (b.address(), b.bytes().len() as u64)).collect();
            let mut constants = subject.constants(&on.arguments, &on.shapes.0, &on.shapes.1);
            timing.packed.push(packed);
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
        let legal = self.on.refill(&self.subjects[0]);
        for (k, packed) in self.packed.iter_mut().enumerate() {
            let Ok(new) = self.subjects[k % 2].packed(&self.on.arguments) else { return false };
            for ((_, old), (_, new)) in packed.iter_mut().zip(new) {
                old.protect(false);
                old.bytes_mut().copy_from_slice(new.bytes());
                old.protect(true);
            }
        }
        legal
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
