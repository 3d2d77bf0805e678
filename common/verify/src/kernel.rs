//! What runs kernels.
use crate::{fault::WORKGROUP, memory::Buffer};
use halyard_diag::{Error, Result};
use halyard_runtime::{LEAST_ARGUMENTS, LoneDevice, call_kernel, property};
use std::{cell::RefCell, collections::BTreeMap, ffi::c_void, sync::atomic::Ordering};

/// A dispatch.
pub(crate) struct Call<'a> {
    /// Arguments, then results.
    pub(crate) bindings: &'a [&'a Buffer],
    /// What messages call them.
    pub(crate) names: &'a [String],
    pub(crate) constants: &'a [i64],
    pub(crate) workgroups: [u32; 3],
}

/// A kernel on a device.
pub(crate) trait Kernel {
    /// Runs it. Errors: what the device says.
    fn run(&self, call: &Call<'_>) -> Result<()>;
    /// What a load-time constant is there.
    fn property(&self, name: &str) -> i64;
}

/// The value of load-time constants that who loads a program gives.
const GIVEN: i64 = 4;

/// What a load-time constant is on this CPU.
pub(crate) fn cpu_property(name: &str) -> i64 {
    property(name, 1, &BTreeMap::new()).unwrap_or(GIVEN)
}

/// A kernel that is a function of this process.
pub(crate) struct CpuKernel {
    pub(crate) address: usize,
    scratch: RefCell<Scratch>,
}

/// What stands for kernels that do not run: it says their load-time constants alone, on a device or else on this CPU.
pub(crate) struct AbsentKernel<'a>(pub(crate) Option<&'a LoneDevice>);

impl Kernel for AbsentKernel<'_> {
    fn run(&self, _call: &Call<'_>) -> Result<()> {
        Err(Error::input("there is no kernel to run"))
    }

    fn property(&self, name: &str) -> i64 {
        self.0.map_or_else(|| cpu_property(name), |device| device_property(device, name))
    }
}

/// What a load-time constant is on a device.
pub(crate) fn device_property(device: &LoneDevice, name: &str) -> i64 {
    device.property(name).unwrap_or(GIVEN)
}

/// `hal_scratch_t`.
#[repr(C)]
struct Scratch {
    data: *mut c_void,
    bytes: u64,
    wanted: u64,
    held: u64,
}

/// `hal_workgroup_t`.
#[repr(C)]
struct Workgroup {
    id: [u32; 3],
    count: [u32; 3],
    scratch: *mut Scratch,
}

impl CpuKernel {
    pub(crate) fn new(address: usize) -> Self {
        Self { address, scratch: RefCell::new(Scratch { data: std::ptr::null_mut(), bytes: 0, wanted: 0, held: 0 }) }
    }
}

impl Kernel for CpuKernel {
    fn run(&self, call: &Call<'_>) -> Result<()> {
        // As a program does it: the first run has no memory to lend, later ones what was wished for.
        let mut scratch = self.scratch.borrow_mut();
        let memory = Buffer::new(usize::try_from(scratch.wanted).unwrap_or(0))?;
        scratch.bytes = scratch.wanted;
        scratch.data = if scratch.wanted > 0 { memory.address() as *mut c_void } else { std::ptr::null_mut() };
        scratch.held = 0;
        let mut words: Vec<u64> = call.bindings.iter().map(|b| b.address()).collect();
        words.extend(call.constants.iter().map(|c| c.cast_unsigned()));
        let mut group = Workgroup { id: [0; 3], count: call.workgroups, scratch: &raw mut *scratch };
        let group = &raw mut group;
        words.push(group as u64);
        let count = words.len();
        words.resize(count.max(LEAST_ARGUMENTS), 0);
        let [nx, ny, nz] = call.workgroups;
        for z in 0..nz {
            for y in 0..ny {
                for x in 0..nx {
                    for (place, id) in WORKGROUP.iter().zip([x, y, z]) {
                        place.store(id.cast_signed(), Ordering::Relaxed);
                    }
                    // SAFETY: the workgroup is live; the interface was checked, and what the code does beyond it is what is looked for.
                    unsafe {
                        (*group).id = [x, y, z];
                        call_kernel(self.address, &words, count);
                    }
                }
            }
        }
        scratch.data = std::ptr::null_mut();
        scratch.bytes = 0;
        Ok(())
    }

    fn property(&self, name: &str) -> i64 {
        cpu_property(name)
    }
}
