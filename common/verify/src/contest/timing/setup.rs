//! Prepares what kernels are timed with: calls on the same buffers, and threads.
use super::{
    PairedTiming, TimingInputs,
    runner::{DeviceRunner, Runner, Spot},
};
use crate::{
    contest::{
        ContestOptions,
        entrant::{EntrantCode, EntrantKernel},
        stand::Stand,
    },
    memory::Buffer,
    trial::Subject,
    worker::Stop,
};
use halyard_diag::Error;
use halyard_peaks::CacheEviction;
use halyard_runtime::{LoneBinding, LoneCall, LoneCpu, LoneCpuKernel, LoneDispatch};

/// The constants and the workgroups of a call.
type Launched = (Vec<i64>, [u32; 3]);

impl<'a, 'r> PairedTiming<'a, 'r> {
    /// `all` are the kernels on the stand: the incumbent, the contestant, and perhaps the incumbent's twin. `on` has numbers that the source
    /// has a meaning for.
    pub(in crate::contest) fn new(
        subjects: &'a [Subject<'r>; 2],
        (stand, all): (&'a Stand<'_>, &[&EntrantKernel]),
        on: TimingInputs,
        options: &'a ContestOptions,
    ) -> Result<Self, Stop> {
        let subject = &subjects[0];
        let of_arguments = subject.interface.tensor_inputs();
        let of_results = subject.interface.untied_results();
        let caches = options.cold.then(CacheEviction::new);
        let mut packed_of_all = Vec::new();
        let mut launched = Vec::new();
        for (k, entrant) in all.iter().enumerate() {
            packed_of_all.push(subjects[k % 2].packed(&on.arguments).map_err(Stop::Fail)?);
            launched.push(launch(&subjects[k % 2], stand, entrant, &on)?);
        }
        let (runner, code) = match stand {
            Stand::Cpu => {
                if options.threads == 1 {
                    stay_on_this_core();
                }
                let written = |i: &usize| subject.interface.tied.contains(&Some(*i));
                let written: Vec<bool> =
                    of_arguments.iter().map(written).chain(of_results.iter().map(|_| true)).collect();
                let places: Vec<(usize, usize)> = all
                    .iter()
                    .map(|entrant| match entrant.code {
                        EntrantCode::Cpu { address, size } => (address, size),
                        EntrantCode::Device(_) => unreachable!("code for devices enters where there is a device"),
                    })
                    .collect();
                let kernel = |&(address, _): &(usize, usize)| LoneCpuKernel {
                    name: "contestant",
                    address,
                    written: written.clone(),
                    operations: None,
                };
                let kernels: Vec<LoneCpuKernel<'_>> = places.iter().map(kernel).collect();
                let cpu = LoneCpu::new(&kernels, options.threads).map_err(Stop::Fail)?;
                let call = |((constants, workgroups), packed): (Launched, &Vec<(usize, Buffer)>)| {
                    let own =
                        |i: &usize| packed.iter().find(|(p, _)| p == i).map_or(&on.arguments[*i], |(_, buffer)| buffer);
                    let buffers = of_arguments.iter().map(own).chain(of_results.iter().map(|&r| &on.results[r]));
                    let bindings = buffers.map(|b| (b.address(), b.bytes().len() as u64)).collect();
                    LoneCall { bindings, constants, workgroups }
                };
                let calls = launched.into_iter().zip(&packed_of_all).map(call).collect();
                (Runner::Cpu { cpu: Box::new(cpu), calls }, places[1])
            }
            Stand::Device { kernels, .. } => {
                if packed_of_all.iter().any(|packed| !packed.is_empty()) {
                    return Err(Stop::Skip("it takes packed weights, which are measured on CPUs only".into()));
                }
                let mut buffers = Vec::new();
                let mut bindings = Vec::new();
                let arguments = of_arguments.iter().map(|&i| (Spot::Argument(i), on.arguments[i].bytes().len()));
                let results = of_results.iter().map(|&r| (Spot::Result(r), on.results[r].bytes().len()));
                for (spot, bytes) in arguments.chain(results) {
                    let buffer = kernels.borrow_mut().allocate(bytes as u64).map_err(Stop::Fail)?;
                    buffers.push((spot, buffer));
                    bindings.push(LoneBinding { buffer, offset: 0, bytes: bytes as u64 });
                }
                let call = |(constants, workgroups): Launched| LoneDispatch {
                    bindings: bindings.clone(),
                    constants,
                    workgroups,
                };
                let calls = launched.into_iter().map(call).collect();
                (Runner::Device(DeviceRunner { kernels, calls, buffers, changes: None }), (0, 0))
            }
        };
        Ok(Self { subjects, options, runner, caches, packed: packed_of_all, on, code })
    }

    /// Puts new numbers into the buffers. Says whether the source has a meaning for them.
    pub(super) fn refill(&mut self) -> bool {
        let legal = self.on.refill(&self.subjects[0]);
        self.runner.refilled();
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

/// The constants and the workgroups that a kernel is called with on these inputs.
fn launch(
    subject: &Subject<'_>,
    stand: &Stand<'_>,
    entrant: &EntrantKernel,
    on: &TimingInputs,
) -> Result<Launched, Stop> {
    let mut constants = subject.constants(&on.arguments, &on.shapes.0, &on.shapes.1);
    let load_constants = entrant.load_constants(stand.device());
    constants.truncate(constants.len() - load_constants.len());
    constants.extend(load_constants);
    let workgroups = subject.workgroups(&constants).map_err(Stop::Fail)?.ok_or_else(|| {
        Stop::Fail(Error::input("its number of workgroups is negative or too large").code("out-of-bounds"))
    })?;
    Ok((constants, workgroups))
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
