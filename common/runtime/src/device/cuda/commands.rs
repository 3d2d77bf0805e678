//! Collects the commands of a call. A list that comes a second time becomes a CUDA graph, which is a single submission
//! from then on.
use super::{driver::check, modules::Kernel};
use crate::device::DeviceRange;
use cudarc::driver::sys;
use halyard_diag::Result;
use std::ffi::c_void;

/// The number of lists that are remembered.
const REMEMBERED: usize = 8;
/// The most commands that are collected.
pub(super) const MOST: usize = 8192;

/// A command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Command {
    /// Runs a kernel, whose arguments are `count` words from `first`.
    Launch { kernel: u32, first: u32, count: u32, grid: [u32; 3] },
    /// Copies bytes.
    Copy { source: u64, target: u64, bytes: u64 },
    /// Repeats an element of 1, 2, 4 or 8 bytes.
    Fill { target: DeviceRange, value: u64, width: u8 },
}

/// Steps in their order, with the arguments of kernels.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct List {
    pub(super) commands: Vec<Command>,
    pub(super) words: Vec<u64>,
}

impl List {
    pub(super) fn clear(&mut self) {
        self.commands.clear();
        self.words.clear();
    }

    /// Submits all commands to a stream.
    fn issue(&self, kernels: &[Option<Kernel>], stream: sys::CUstream) -> Result<()> {
        self.commands.iter().try_for_each(|command| match command {
            Command::Launch { kernel, first, count, grid } => {
                let kernel = kernels[*kernel as usize].as_ref().expect("dispatches are of kernels of the device");
                launch(kernel, &self.words[*first as usize..(*first + *count) as usize], *grid, stream)
            }
            Command::Copy { source, target, bytes } => {
                // SAFETY: both ranges are memory of the device that lives until it has finished (see the trait).
                check(unsafe { sys::cuMemcpyDtoDAsync_v2(*target, *source, *bytes as usize, stream) }, "copy memory")
            }
            Command::Fill { target, value, width } => fill(*target, *value, *width, stream),
        })
    }
}

/// Launches a kernel.
pub(super) fn launch(kernel: &Kernel, arguments: &[u64], grid: [u32; 3], stream: sys::CUstream) -> Result<()> {
    let mut pointers: Vec<*mut c_void> = arguments.iter().map(|a| std::ptr::from_ref(a).cast_mut().cast()).collect();
    let [x, y, z] = grid;
    let [bx, by, bz] = kernel.block;
    // SAFETY: the program was checked: the kernel takes as many arguments, each of 8 bytes, which the driver copies; what
    // they point to lives until the device has finished (see the trait).
    let code = unsafe {
        sys::cuLaunchKernel(
            kernel.function,
            x,
            y,
            z,
            bx,
            by,
            bz,
            kernel.shared,
            stream,
            pointers.as_mut_ptr(),
            std::ptr::null_mut(),
        )
    };
    check(code, &format!("run kernel `{}`", kernel.name))
}

fn fill(target: DeviceRange, value: u64, width: u8, stream: sys::CUstream) -> Result<()> {
    let count = (target.bytes / u64::from(width)) as usize;
    let (low, high) = (value as u32, (value >> 32) as u32);
    // SAFETY: the range is memory of the device that lives until it has finished (see the trait), at a multiple of the width.
    let code = unsafe {
        match width {
            1 => sys::cuMemsetD8Async(target.address, low as u8, count, stream),
            2 => sys::cuMemsetD16Async(target.address, low as u16, count, stream),
            4 => sys::cuMemsetD32Async(target.address, low, count, stream),
            _ if low == high => sys::cuMemsetD32Async(target.address, low, 2 * count, stream),
            _ => {
                // Two columns, each every other word.
                match sys::cuMemsetD2D32Async(target.address, 8, low, 1, count, stream) {
                    sys::CUresult::CUDA_SUCCESS => {
                        sys::cuMemsetD2D32Async(target.address + 4, 8, high, 1, count, stream)
                    }
                    code => code,
                }
            }
        }
    };
    check(code, "fill memory")
}

/// A list that was submitted before.
#[derive(Debug)]
struct Known {
    list: List,
    graph: Option<sys::CUgraphExec>,
    last: u64,
}

/// The lists that were submitted before.
#[derive(Debug, Default)]
pub(super) struct Graphs {
    known: Vec<Known>,
    now: u64,
}

impl Graphs {
    /// Submits the commands of a list to a stream.
    pub(super) fn run(&mut self, list: &List, kernels: &[Option<Kernel>], stream: sys::CUstream) -> Result<()> {
        self.now += 1;
        let Some(known) = self.known.iter_mut().find(|k| k.list == *list) else {
            self.remember(list);
            return list.issue(kernels, stream);
        };
        known.last = self.now;
        // A single command is one call of the driver with or without a graph.
        if list.commands.len() < 2 {
            return list.issue(kernels, stream);
        }
        let graph = match known.graph {
            Some(graph) => graph,
            None => *known.graph.insert(record(list, kernels, stream)?),
        };
        // SAFETY: the graph was made above and is not running on another stream.
        check(unsafe { sys::cuGraphLaunch(graph, stream) }, "run the graph of the program")
    }

    fn remember(&mut self, list: &List) {
        if self.known.len() >= REMEMBERED {
            let oldest = self.known.iter().enumerate().min_by_key(|(_, k)| k.last).map(|(i, _)| i);
            oldest.into_iter().for_each(|i| drop_graph(self.known.swap_remove(i)));
        }
        self.known.push(Known { list: list.clone(), graph: None, last: self.now });
    }

    /// Forgets everything: nothing runs any more.
    pub(super) fn clear(&mut self) {
        self.known.drain(..).for_each(drop_graph);
    }
}

fn drop_graph(known: Known) {
    if let Some(graph) = known.graph {
        // SAFETY: it was made by `record`; the driver waits for it where it still runs.
        unsafe { sys::cuGraphExecDestroy(graph) };
    }
}

/// Makes a graph of what a list gives to a stream.
fn record(list: &List, kernels: &[Option<Kernel>], stream: sys::CUstream) -> Result<sys::CUgraphExec> {
    let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
    // SAFETY: the stream is ours, and captures nothing yet.
    check(unsafe { sys::cuStreamBeginCapture_v2(stream, mode) }, "begin a graph")?;
    let issued = list.issue(kernels, stream);
    let mut graph = std::ptr::null_mut();
    // SAFETY: the stream captures.
    let ended = check(unsafe { sys::cuStreamEndCapture(stream, &mut graph) }, "end a graph");
    issued.and(ended)?;
    let mut ready = std::ptr::null_mut();
    // SAFETY: the graph was captured; what was made of it does not need it any more.
    let code = unsafe {
        let code = sys::cuGraphInstantiateWithFlags(&mut ready, graph, 0);
        sys::cuGraphDestroy(graph);
        code
    };
    check(code, "make a graph")?;
    Ok(ready)
}
