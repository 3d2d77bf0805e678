//! Runs kernels on the CPU without a program, with the threads and scratch memory that programs provide.
use crate::{
    crash,
    device::{Cpu, CpuKernel, Device, DeviceRange, KernelCall},
};
use halyard_diag::Result;
use std::time::Duration;

/// Kernels of this process, ready to run on a pool of threads.
#[derive(Debug)]
pub struct LoneCpu {
    cpu: Cpu,
}

/// A kernel that is loaded into this process.
#[derive(Debug, Clone)]
pub struct LoneCpuKernel<'a> {
    /// The name in crash reports.
    pub name: &'a str,
    /// The address of its function.
    pub address: usize,
    /// For each binding, whether the kernel writes it.
    pub written: Vec<bool>,
    /// The arithmetic operations of a dispatch, if known; with the bytes of the bindings they decide whether threads share the work.
    pub operations: Option<u64>,
}

/// The arguments of a kernel call.
#[derive(Debug, Clone)]
pub struct LoneCall {
    /// The address and the length in bytes of each binding.
    pub bindings: Vec<(u64, u64)>,
    /// The constants of the kernel ABI, load-time constants at the end.
    pub constants: Vec<i64>,
    /// The workgroup counts.
    pub workgroups: [u32; 3],
}

impl LoneCpu {
    /// Prepares kernels, by their positions in the list, with a number of threads; 0 is one per available core. Fails
    /// if threads cannot be started.
    pub fn new(kernels: &[LoneCpuKernel<'_>], threads: usize) -> Result<Self> {
        let kernels = kernels
            .iter()
            .map(|k| CpuKernel {
                address: k.address,
                label: crash::label(k.name),
                written: k.written.clone(),
                flops: k.operations,
            })
            .collect();
        Ok(Self { cpu: Cpu::new(kernels, threads)? })
    }

    /// Returns the number of threads.
    pub fn threads(&self) -> usize {
        self.cpu.threads()
    }

    /// Runs a kernel a number of times in sequence, and returns the time that this took.
    ///
    /// # Safety
    ///
    /// The kernel must have the interface that the call assumes, and the bindings must be live memory that nothing
    /// else uses meanwhile.
    pub unsafe fn time(&mut self, kernel: usize, call: &LoneCall, times: usize) -> Result<Duration> {
        let bindings: Vec<DeviceRange> =
            call.bindings.iter().map(|&(address, bytes)| DeviceRange { address, bytes }).collect();
        let LoneCall { constants, workgroups, .. } = call;
        self.cpu.time(KernelCall { kernel, bindings: &bindings, constants, workgroups: *workgroups }, times)
    }
}
