//! The order of effects: whatever runs at the same time, the result is that of sequential execution.
use super::*;
use crate::crash::{Workgroup, label};
use proptest::prelude::*;
use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    sync::atomic::{AtomicU32, AtomicUsize, Ordering},
    time::{Duration, Instant},
};

fn call<'a>(kernel: usize, bindings: &'a [DeviceRange], constants: &'a [i64], workgroups: [u32; 3]) -> KernelCall<'a> {
    KernelCall { kernel, bindings, constants, workgroups }
}

/// A kernel that counts its workgroup in a table.
extern "C" fn count(table: *mut u32, width: i64, group: *const Workgroup) {
    // SAFETY: the test passes a table of as many words as there are workgroups.
    unsafe {
        let g = *group;
        let index = (g.id[2] * g.count[1] + g.id[1]) * g.count[0] + g.id[0];
        assert_eq!(width, i64::from(g.count[0]));
        *table.add(index as usize) += 1;
    }
}

/// Each workgroup has a part of `out`: `out = 3 * out + in`, slowly.
extern "C" fn mix(input: *const u64, out: *mut u64, words: i64, group: *const Workgroup) {
    // SAFETY: the test passes as many words as it says.
    unsafe {
        let (id, count) = (u64::from((*group).id[0]), u64::from((*group).count[0]));
        let words = words as u64;
        for i in words * id / count..words * (id + 1) / count {
            std::hint::spin_loop();
            let out = out.add(i as usize);
            *out = out.read().wrapping_mul(3).wrapping_add(*input.add(i as usize));
        }
    }
}

fn kernel(address: *const (), written: &[bool], flops: Option<u64>) -> CpuKernel {
    CpuKernel { address: address as usize, label: label("kernel `test`"), written: written.into(), flops }
}

#[test]
fn every_workgroup_runs_once() {
    // The estimated cost of the kernel decides whether other threads are woken.
    for (threads, flops) in [(1, None), (2, None), (2, Some(1 << 30)), (5, Some(1 << 30))] {
        let mut cpu = Cpu::new(vec![kernel(count as *const (), &[true], flops)], threads).unwrap();
        for workgroups in [[1, 1, 1], [7, 1, 1], [3, 5, 2], [1, 1, 100], [64, 3, 1], [0, 4, 4]] {
            let total: u32 = workgroups.iter().product();
            let table = cpu.allocate(u64::from(total) * 4).unwrap();
            cpu.dispatch(call(0, &[table], &[i64::from(workgroups[0])], workgroups)).unwrap();
            let mut counts = vec![0u8; total as usize * 4];
            cpu.read(table, &mut counts).unwrap();
            assert!(counts.chunks(4).all(|c| c == [1, 0, 0, 0]), "{threads} threads, {workgroups:?}");
            cpu.free(table);
        }
        assert!(cpu.dispatch(call(0, &[], &[], [u32::MAX; 3])).is_err());
    }
}

/// Something that a device does with a buffer of some words; all lie in one piece of memory, some share parts of it.
#[derive(Debug, Clone)]
enum Step {
    Mix { kernel: usize, input: usize, out: usize, workgroups: u32 },
    Copy { from: usize, to: usize },
    Fill { to: usize, value: u64 },
    Write { to: usize, value: u64 },
    Read { from: usize },
}

const WORDS: u64 = 96;
/// Starts of buffers in words; neighbours overlap, others do not.
const STARTS: [u64; 6] = [0, 96, 144, 300, 396, 420];

fn step() -> impl Strategy<Value = Step> {
    let buffer = || 0..STARTS.len();
    prop_oneof![
        8 => (0..3usize, buffer(), buffer(), 1..9u32).prop_map(|(kernel, input, out, workgroups)| Step::Mix { kernel, input, out, workgroups }),
        1 => (buffer(), buffer()).prop_map(|(from, to)| Step::Copy { from, to }),
        1 => (buffer(), any::<u64>()).prop_map(|(to, value)| Step::Fill { to, value }),
        1 => (buffer(), any::<u64>()).prop_map(|(to, value)| Step::Write { to, value }),
        1 => buffer().prop_map(|from| Step::Read { from }),
    ]
}

/// Returns the memory after the steps, and the values read meanwhile.
fn result(steps: &[Step], threads: usize) -> Vec<u64> {
    // The same work: too small to be shared, large, and in between.
    let kernels =
        [None, Some(1 << 40), Some(FLOPS * SMALL)].map(|flops| kernel(mix as *const (), &[false, true], flops));
    let mut cpu = Cpu::new(kernels.into(), threads).unwrap();
    let memory = cpu.allocate(8 * 600).unwrap();
    let words: Vec<u8> = (0..600u64).flat_map(|i| (i * i + 1).to_le_bytes()).collect();
    cpu.write(memory, &words).unwrap();
    let span = |i: usize| memory.part(8 * STARTS[i], 8 * WORDS).unwrap();
    let mut seen = Vec::new();
    let mut see = |bytes: &[u8]| seen.extend(bytes.chunks(8).map(|c| u64::from_le_bytes(c.try_into().unwrap())));
    for step in steps {
        match *step {
            // Input and output of a kernel do not share parts: its workgroups would disturb each other.
            Step::Mix { input, out, .. } if input != out && STARTS[input].abs_diff(STARTS[out]) < WORDS => {}
            // Only the workgroup itself writes the data that it reads.
            Step::Mix { kernel, input, out, workgroups } => {
                cpu.dispatch(call(kernel, &[span(input), span(out)], &[WORDS as i64], [workgroups, 1, 1])).unwrap();
            }
            Step::Copy { from, to } => cpu.copy(span(from), span(to)).unwrap(),
            Step::Fill { to, value } => cpu.fill(span(to), &value.to_le_bytes()).unwrap(),
            Step::Write { to, value } => cpu.write(span(to).part(40, 8).unwrap(), &value.to_le_bytes()).unwrap(),
            Step::Read { from } => {
                let mut bytes = [0; 8 * WORDS as usize];
                cpu.read(span(from), &mut bytes).unwrap();
                see(&bytes);
            }
        }
    }
    cpu.finish().unwrap();
    let mut bytes = vec![0; 8 * 600];
    cpu.read(memory, &mut bytes).unwrap();
    see(&bytes);
    seen
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn threads_change_nothing(steps in prop::collection::vec(step(), 1..40)) {
        let expected = result(&steps, 1);
        for threads in [2, 3, 9] {
            prop_assert_eq!(&result(&steps, threads), &expected, "{} threads", threads);
        }
    }
}

/// Two dispatches that do not touch each other's memory overlap: each waits until the other has begun.
#[test]
fn independent_dispatches_run_at_the_same_time() {
    static BEGUN: AtomicU32 = AtomicU32::new(0);
    extern "C" fn meet(met: *mut u64, _group: *const Workgroup) {
        BEGUN.fetch_add(1, Ordering::SeqCst);
        let since = Instant::now();
        while BEGUN.load(Ordering::SeqCst) < 2 && since.elapsed() < Duration::from_secs(10) {
            std::thread::yield_now();
        }
        // SAFETY: the test passes a word.
        unsafe { *met = u64::from(BEGUN.load(Ordering::SeqCst)) };
    }
    let mut cpu = Cpu::new(vec![kernel(meet as *const (), &[true], Some(1 << 40))], 2).unwrap();
    let words = cpu.allocate(128).unwrap();
    for start in [0, 64] {
        cpu.dispatch(call(0, &[words.part(start, 8).unwrap()], &[], [1; 3])).unwrap();
    }
    for start in [0, 64] {
        let mut met = [0; 8];
        cpu.read(words.part(start, 8).unwrap(), &mut met).unwrap();
        assert_eq!(u64::from_le_bytes(met), 2);
    }
}

/// Counts what marked threads allocate.
struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static MARKED: Cell<bool> = const { Cell::new(false) };
}

// SAFETY: passes everything on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if MARKED.try_with(Cell::get).unwrap_or(false) {
            ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        }
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Marks the thread that it runs on, and is slow enough for others to come.
extern "C" fn mark(out: *mut u64, _words: i64, group: *const Workgroup) {
    MARKED.set(true);
    (0..300).for_each(|_| std::hint::spin_loop());
    // SAFETY: the test passes a word for each workgroup.
    unsafe { *out.add((*group).id[0] as usize) += 1 };
}

#[test]
fn dispatches_in_steady_state_allocate_nothing() {
    let kernels = [None, Some(1 << 30)].map(|flops| kernel(mark as *const (), &[true], flops));
    let mut cpu = Cpu::new(kernels.into(), 3).unwrap();
    let memory = cpu.allocate(8 * 640).unwrap();
    let round = |cpu: &mut Cpu| {
        // Some that overlap, some that wait for others, some that stay here.
        for i in 0..30 {
            let buffer = memory.part(512 * (i % 10), 512).unwrap();
            cpu.dispatch(call(usize::from(i % 3 != 0), &[buffer], &[64], [1 + i as u32, 1, 1])).unwrap();
        }
        cpu.finish().unwrap();
    };
    (0..50).for_each(|_| round(&mut cpu));
    ALLOCATIONS.store(0, Ordering::Relaxed);
    (0..100).for_each(|_| round(&mut cpu));
    assert_eq!(ALLOCATIONS.load(Ordering::Relaxed), 0);
}

/// Wants scratch memory, and counts in `out` how often it had none, and how often it found what it had left there.
extern "C" fn scratch(out: *mut u64, bytes: i64, group: *const Workgroup) {
    #[repr(C)]
    struct Lent {
        data: *mut u64,
        bytes: u64,
        wanted: u64,
        held: u64,
    }
    // SAFETY: the test passes three words; the record is as in `kernel.h`, and large enough where it says so.
    unsafe {
        let lent = &mut *(*group).scratch.cast::<Lent>();
        if lent.bytes < bytes as u64 {
            lent.wanted = lent.wanted.max(bytes as u64);
            *out += 1;
            return;
        }
        assert_eq!(lent.data as usize % 64, 0);
        let last = lent.data.add(bytes as usize / 8 - 1);
        if lent.held == 7 {
            assert_eq!(*last, 42);
            *out.add(1) += 1;
        } else {
            assert_eq!(lent.held, 0);
            (*last, lent.held) = (42, 7);
            *out.add(2) += 1;
        }
    }
}

#[test]
fn scratch_memory_is_there_the_next_time_and_stays_as_it_is_within_a_dispatch() {
    let mut cpu = Cpu::new(vec![kernel(scratch as *const (), &[true], None)], 1).unwrap();
    let out = cpu.allocate(24).unwrap();
    for (bytes, expected) in [(1 << 10, [0, 4, 1]), (1 << 25, [5, 4, 1]), (1 << 25, [5, 8, 2]), (1 << 10, [5, 12, 3])] {
        cpu.dispatch(call(0, &[out], &[bytes], [5, 1, 1])).unwrap();
        let mut words = [0; 24];
        cpu.read(out, &mut words).unwrap();
        let counts: Vec<u64> = words.chunks(8).map(|w| u64::from_le_bytes(w.try_into().unwrap())).collect();
        assert!(counts == expected, "{bytes} bytes: {counts:?}");
    }
}
