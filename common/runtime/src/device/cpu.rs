//! The CPU: kernels are C functions. Each thread gets an equal share of consecutive workgroups, and helps others when it
//! is done.
use super::{
    Device, Span,
    invoke::{LEAST_ARGUMENTS, invoke},
    pool::Pool,
};
use crate::AlignedBytes;
use halyard_diag::{Error, Result};
use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicU64, Ordering},
};

/// Which workgroup a kernel executes; `hal_workgroup_t` of `include/halyard/kernel.h`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
struct Workgroup {
    id: [u32; 3],
    count: [u32; 3],
}

/// The CPU as a device.
#[derive(Debug)]
pub(crate) struct Cpu {
    /// The addresses of the kernels. They stay loaded as long as the program, which outlives its instances.
    kernels: Vec<usize>,
    pool: Pool,
    /// Argument arrays, one per thread, kept to save allocations.
    arguments: Vec<Vec<u64>>,
    /// The workgroups of each thread.
    shares: Vec<Share>,
    memory: BTreeMap<u64, AlignedBytes>,
}

impl Cpu {
    /// `threads` 0 is one per available core.
    pub(crate) fn new(kernels: Vec<usize>, threads: usize) -> Result<Self> {
        let threads = if threads == 0 { std::thread::available_parallelism().map_or(1, usize::from) } else { threads };
        let pool = Pool::new(threads).map_err(|e| Error::environment(format!("cannot start {threads} threads: {e}")).hint("use fewer `--threads`"))?;
        let shares = (0..threads).map(|_| Share::default()).collect();
        Ok(Self { kernels, arguments: vec![Vec::new(); threads], shares, pool, memory: BTreeMap::new() })
    }
}

impl Device for Cpu {
    fn threads(&self) -> usize {
        self.pool.threads()
    }

    fn allocate(&mut self, bytes: u64) -> Result<Span> {
        let too_large = || Error::environment(format!("cannot allocate {bytes} bytes")).code("out-of-memory");
        let size = usize::try_from(bytes).ok().filter(|&n| n < isize::MAX as usize - 64).ok_or_else(too_large)?;
        let memory = AlignedBytes::try_zeroed(size).ok_or_else(too_large)?;
        let address = memory.as_ptr() as u64;
        self.memory.insert(address, memory);
        Ok(Span { address, bytes })
    }

    fn free(&mut self, span: Span) {
        self.memory.remove(&span.address);
    }

    fn import(&mut self, bytes: &[u8]) -> Result<Span> {
        Ok(Span { address: bytes.as_ptr() as u64, bytes: bytes.len() as u64 })
    }

    fn import_mut(&mut self, bytes: &mut [u8]) -> Result<Span> {
        Ok(Span { address: bytes.as_mut_ptr() as u64, bytes: bytes.len() as u64 })
    }

    fn copy(&mut self, source: Span, target: Span) -> Result<()> {
        debug_assert_eq!(source.bytes, target.bytes);
        // SAFETY: both ranges are live (see the trait). `copy` allows them to overlap, should they.
        unsafe { std::ptr::copy(source.address as *const u8, target.address as *mut u8, source.bytes as usize) };
        Ok(())
    }

    fn fill(&mut self, target: Span, element: &[u8]) -> Result<()> {
        // SAFETY: the range is live and exclusively ours (see the trait).
        let bytes = unsafe { std::slice::from_raw_parts_mut(target.address as *mut u8, target.bytes as usize) };
        if element.iter().all(|&b| b == element[0]) {
            bytes.fill(element[0]);
        } else {
            bytes.chunks_exact_mut(element.len()).for_each(|e| e.copy_from_slice(element));
        }
        Ok(())
    }

    fn read(&mut self, source: Span, bytes: &mut [u8]) -> Result<()> {
        debug_assert_eq!(source.bytes, bytes.len() as u64);
        // SAFETY: the range is live (see the trait).
        unsafe { std::ptr::copy_nonoverlapping(source.address as *const u8, bytes.as_mut_ptr(), bytes.len()) };
        Ok(())
    }

    fn write(&mut self, target: Span, bytes: &[u8]) -> Result<()> {
        debug_assert_eq!(target.bytes, bytes.len() as u64);
        // SAFETY: the range is live and exclusively ours (see the trait).
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), target.address as *mut u8, bytes.len()) };
        Ok(())
    }

    fn dispatch(&mut self, kernel: usize, bindings: &[Span], constants: &[i64], workgroups: [u32; 3]) -> Result<()> {
        let total = workgroups.iter().try_fold(1u64, |n, &c| n.checked_mul(u64::from(c)));
        let Some(total) = total else {
            return Err(Error::input(format!("{workgroups:?} workgroups are too many")));
        };
        if total == 0 {
            return Ok(());
        }
        let function = self.kernels[kernel];
        let count = bindings.len() + constants.len() + 1;
        let threads = self.pool.threads().min(usize::try_from(total).unwrap_or(usize::MAX));
        for arguments in &mut self.arguments[..threads] {
            arguments.clear();
            arguments.extend(bindings.iter().map(|b| b.address));
            arguments.extend(constants.iter().map(|&c| c as u64));
            arguments.push(0);
            arguments.resize(count.max(LEAST_ARGUMENTS), 0);
        }
        for (thread, share) in self.shares[..threads].iter_mut().enumerate() {
            *share.next.get_mut() = total * thread as u64 / threads as u64;
            share.end = total * (thread as u64 + 1) / threads as u64;
        }
        let shares = &self.shares[..threads];
        // A thread that is held up hands on at most this much of its share late.
        let step = if threads == 1 { total } else { (total / threads as u64 / PIECES).max(1) };
        let lists = Lists(self.arguments.as_mut_ptr());
        let job = |thread: usize| {
            if thread >= threads {
                return;
            }
            // SAFETY: each thread takes its own list, and the lists outlive the job.
            let arguments = unsafe { &mut *lists.get().add(thread) };
            // First its own share, then what is left of the others'.
            for share in shares[thread..].iter().chain(&shares[..thread]) {
                loop {
                    let start = share.next.fetch_add(step, Ordering::Relaxed);
                    if start >= share.end {
                        break;
                    }
                    // SAFETY: the program was checked: the kernel has this interface, and the bindings are live ranges
                    // of the sizes that the schedule gave them.
                    unsafe { run(function, arguments, count, workgroups, start, share.end.min(start + step)) };
                }
            }
        };
        if threads == 1 { job(0) } else { self.pool.run(&job) }
        Ok(())
    }

    fn host(&mut self, span: Span) -> Result<Span> {
        Ok(span)
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

/// A share is taken in this many pieces, so that threads that are done can help with the rest.
const PIECES: u64 = 8;

/// Consecutive workgroups, on a cache line of their own.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Share {
    next: AtomicU64,
    end: u64,
}

/// Lets threads share the array of argument lists, of which each takes one.
struct Lists(*mut Vec<u64>);
// SAFETY: see the use.
unsafe impl Sync for Lists {}
impl Lists {
    fn get(&self) -> *mut Vec<u64> {
        self.0
    }
}

/// Executes workgroups `start..end`, counted with x fastest.
///
/// # Safety
/// See [`invoke`].
unsafe fn run(function: usize, arguments: &mut [u64], count: usize, workgroups: [u32; 3], start: u64, end: u64) {
    let [x, y, _] = workgroups.map(u64::from);
    let id = [(start % x) as u32, (start / x % y) as u32, (start / x / y) as u32];
    let mut group = Workgroup { id, count: workgroups };
    let pointer = &raw mut group;
    arguments[count - 1] = pointer as u64;
    for _ in start..end {
        // SAFETY: the caller's promise; `group` lives through the call.
        unsafe { invoke(function, arguments, count) };
        // SAFETY: the pointer is to our own variable; the kernel only reads it.
        let id = unsafe { &mut (*pointer).id };
        id[0] += 1;
        if id[0] == workgroups[0] {
            id[0] = 0;
            id[1] += 1;
            if id[1] == workgroups[1] {
                id[1] = 0;
                id[2] += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts its workgroup in a table.
    extern "C" fn count(table: *mut u32, width: i64, group: *const Workgroup) {
        // SAFETY: the test passes a table of as many words as there are workgroups.
        unsafe {
            let g = *group;
            let index = (g.id[2] * g.count[1] + g.id[1]) * g.count[0] + g.id[0];
            assert_eq!(width, i64::from(g.count[0]));
            *table.add(index as usize) += 1;
        }
    }

    #[test]
    fn every_workgroup_runs_once() {
        for threads in [1, 2, 5] {
            let mut cpu = Cpu::new(vec![count as *const () as usize], threads).unwrap();
            for workgroups in [[1, 1, 1], [7, 1, 1], [3, 5, 2], [1, 1, 100], [64, 3, 1], [0, 4, 4]] {
                let total: u32 = workgroups.iter().product();
                let table = cpu.allocate(u64::from(total) * 4).unwrap();
                cpu.dispatch(0, &[table], &[i64::from(workgroups[0])], workgroups).unwrap();
                let mut counts = vec![0u8; total as usize * 4];
                cpu.read(table, &mut counts).unwrap();
                assert!(counts.chunks(4).all(|c| c == [1, 0, 0, 0]), "{threads} threads, {workgroups:?}");
                cpu.free(table);
            }
            assert!(cpu.dispatch(0, &[], &[], [u32::MAX; 3]).is_err());
        }
    }
}
