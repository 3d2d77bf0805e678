//! A board with notes of what each thread does, in memory that other processes can read.
use super::texts::{Label, Texts};
use crate::device::{DeviceRange, Record};
use std::{
    cell::UnsafeCell,
    io, ptr,
    sync::atomic::{AtomicI32, AtomicPtr, AtomicU32, AtomicUsize, Ordering::*},
};

/// The number of threads that reports can name; further threads run kernels, too.
const SLOTS: usize = 512;

/// The workgroup that a kernel executes; `hal_workgroup_t` of `include/halyard/kernel.h`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Workgroup {
    pub(crate) id: [u32; 3],
    pub(crate) count: [u32; 3],
    /// The thread's scratch memory.
    pub(crate) scratch: *mut Record,
}

/// Memory that a kernel accesses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Access {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) written: bool,
}

impl Access {
    pub(crate) fn new(span: DeviceRange, written: bool) -> Self {
        Self { start: span.address, end: span.address + span.bytes, written }
    }

    pub(crate) fn conflicts(&self, other: &Self) -> bool {
        self.start < other.end && other.start < self.end && (self.written || other.written)
    }
}

/// The activity of a thread, on separate cache lines. Only the thread writes it. Its signal handler reads all of it;
/// other processes read the fields that are not pointers.
#[repr(C, align(128))]
#[derive(Debug)]
pub(crate) struct Slot {
    /// The thread's number; 0 for an unused slot.
    thread: AtomicI32,
    /// The label of its activity; 0 for none.
    doing: AtomicU32,
    /// 1 if the activity is a kernel.
    kernel: AtomicU32,
    group: UnsafeCell<Workgroup>,
    function: AtomicUsize,
    accesses: AtomicPtr<Access>,
    count: AtomicUsize,
}

/// The notes of all threads. All zeros is an empty board, and only fields of [`Slot`] are pointers.
#[repr(C)]
pub(super) struct Board {
    pub(super) crash: super::handler::Left,
    /// The exit code and 1, once all is done.
    ended: AtomicU32,
    slots: [Slot; SLOTS],
    pub(super) texts: Texts,
}

// SAFETY: a workgroup is written by the thread of its slot only, and read by others in a process that has ended or hangs.
unsafe impl Sync for Board {}

static OWN: Board = Board {
    crash: super::handler::Left::NONE,
    ended: AtomicU32::new(0),
    slots: [const { Slot::EMPTY }; SLOTS],
    texts: Texts::EMPTY,
};
/// The board in use; null means [`OWN`].
static SHARED: AtomicPtr<Board> = AtomicPtr::new(ptr::null_mut());

pub(super) fn board() -> &'static Board {
    // SAFETY: null, or a board that is never given back.
    unsafe { SHARED.load(Acquire).as_ref() }.unwrap_or(&OWN)
}

/// Moves the board into memory that processes forked from now on share with this one. Must be called before any other
/// function of this crate.
pub fn share() -> io::Result<()> {
    // SAFETY: new memory of the system, zeroed, and aligned to pages.
    let memory = unsafe {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        libc::mmap(ptr::null_mut(), size_of::<Board>(), access, libc::MAP_SHARED | libc::MAP_ANONYMOUS, -1, 0)
    };
    if memory == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    SHARED.store(memory.cast(), Release);
    Ok(())
}

/// Notes that the process has done all that it was to do, and ends with that exit code.
pub fn finished(code: u8) {
    board().ended.store(u32::from(code) + 1, Release);
}

/// The exit code that [`finished`] noted.
pub fn ended() -> Option<u8> {
    board().ended.load(Acquire).checked_sub(1).map(|code| code as u8)
}

impl Slot {
    #[allow(clippy::declare_interior_mutable_const, reason = "an initialiser of statics only")]
    const EMPTY: Self = Self {
        thread: AtomicI32::new(0),
        doing: AtomicU32::new(0),
        kernel: AtomicU32::new(0),
        group: UnsafeCell::new(Workgroup { id: [0; 3], count: [0; 3], scratch: ptr::null_mut() }),
        function: AtomicUsize::new(0),
        accesses: AtomicPtr::new(ptr::null_mut()),
        count: AtomicUsize::new(0),
    };

    /// Notes a kernel, and returns the place for the workgroup that the kernel receives.
    pub(crate) fn enter(&self, label: Label, function: usize, accesses: &[Access], group: Workgroup) -> *mut Workgroup {
        // SAFETY: only this thread writes it, and it runs no kernel now.
        unsafe { *self.group.get() = group };
        self.function.store(function, Relaxed);
        self.accesses.store(accesses.as_ptr().cast_mut(), Relaxed);
        self.count.store(accesses.len(), Relaxed);
        self.kernel.store(1, Relaxed);
        self.doing.store(label.0, Release);
        self.group.get()
    }

    /// Notes that the kernel has ended.
    pub(crate) fn leave(&self) {
        self.doing.store(0, Release);
    }

    /// Returns the thread's activity, and the kernel's function and memory if it is a kernel.
    pub(super) fn read(&self) -> Option<(Label, Option<Kernel>)> {
        let doing = self.doing.load(Acquire);
        let kernel = (self.kernel.load(Relaxed) == 1).then(|| Kernel {
            // SAFETY: it belongs to this thread, or to a process that does not go on.
            group: unsafe { self.group.get().read_volatile() },
            function: self.function.load(Relaxed),
            accesses: (self.accesses.load(Relaxed), self.count.load(Relaxed)),
        });
        (doing != 0).then_some((Label(doing), kernel))
    }
}

/// A kernel on the board.
pub(super) struct Kernel {
    pub(super) group: Workgroup,
    pub(super) function: usize,
    accesses: (*const Access, usize),
}

impl Kernel {
    /// The memory of its bindings.
    ///
    /// # Safety
    /// This is the thread that runs it: others may see the list change, other processes have none.
    pub(super) unsafe fn accesses(&self) -> &[Access] {
        let (list, count) = self.accesses;
        // SAFETY: the list outlives the kernel (see `Slot::enter`).
        if list.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(list, count) } }
    }
}

/// The number of this thread in the system.
fn thread() -> i32 {
    // SAFETY: a system call without arguments.
    unsafe { libc::syscall(libc::SYS_gettid) as i32 }
}

/// The slot of this thread, if it has one. Does nothing that a handler of signals may not.
pub(super) fn slot_here() -> Option<&'static Slot> {
    let here = thread();
    board().slots.iter().find(|slot| slot.thread.load(Relaxed) == here)
}

/// A thread's slot on the board, and its stack for signal handlers.
struct Mine {
    slot: *const Slot,
    /// The slot of a thread that has none on the board.
    _own: Option<Box<Slot>>,
    _stack: Option<super::handler::Stack>,
}

impl Mine {
    fn new() -> Self {
        let here = thread();
        let free = board().slots.iter().find(|s| s.thread.compare_exchange(0, here, AcqRel, Relaxed).is_ok());
        let own = free.is_none().then(|| Box::new(Slot::EMPTY));
        let slot = free.map_or_else(|| own.as_deref().map_or(ptr::null(), ptr::from_ref), ptr::from_ref);
        Self { slot, _own: own, _stack: super::handler::Stack::new() }
    }
}

impl Drop for Mine {
    fn drop(&mut self) {
        // SAFETY: it is on the board, or its own.
        let slot = unsafe { &*self.slot };
        slot.doing.store(0, Relaxed);
        slot.thread.store(0, Release);
    }
}

thread_local! {
    static MINE: Mine = Mine::new();
}

/// Works with the slot of this thread.
pub(crate) fn with_slot<R>(work: impl FnOnce(&Slot) -> R) -> R {
    let mut work = Some(work);
    // SAFETY: the slot lives as long as the thread's `MINE`.
    let done = MINE.try_with(|mine| work.take().map(|work| work(unsafe { &*mine.slot })));
    match (done, work) {
        (Ok(Some(done)), _) => done,
        // The thread ends, and a destructor calls.
        (_, Some(work)) => {
            let own = Slot::EMPTY;
            work(&own)
        }
        (_, None) => unreachable!("either it was done, or it is still there"),
    }
}

/// Something other than a kernel that this thread does until this is dropped.
#[derive(Debug)]
pub(crate) struct Doing {
    before: (u32, u32),
}

/// Notes what the thread does, such as ``while `p.so` was loaded`` or ``in host function `f` ``.
pub(crate) fn doing(text: Label) -> Doing {
    with_slot(|slot| {
        let before = (slot.doing.load(Relaxed), slot.kernel.swap(0, Relaxed));
        slot.doing.store(text.0, Release);
        Doing { before }
    })
}

impl Drop for Doing {
    fn drop(&mut self) {
        with_slot(|slot| {
            slot.kernel.store(self.before.1, Relaxed);
            slot.doing.store(self.before.0, Release);
        });
    }
}

/// The activity of a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadActivity {
    /// The activity, such as ``kernel `add` ``, ``host function `f` ``.
    pub what: String,
    /// The workgroup of a kernel, and how many there are.
    pub workgroup: Option<([u32; 3], [u32; 3])>,
}

/// Returns the activities of threads, now or when their process ended; each once.
pub fn running() -> Vec<ThreadActivity> {
    let mut list: Vec<ThreadActivity> = Vec::new();
    for (label, kernel) in board().slots.iter().filter_map(Slot::read) {
        let what = label.text();
        if !list.iter().any(|r| r.what == what) {
            list.push(ThreadActivity { what: what.to_owned(), workgroup: kernel.map(|k| (k.group.id, k.group.count)) });
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crash::label;

    /// More threads than there are places: those without one work, too.
    #[test]
    fn each_thread_tells_what_it_does() {
        let text = label("in a test of threads");
        let all = std::sync::Arc::new(std::sync::Barrier::new(SLOTS + 9));
        let told = || running().iter().any(|r| r.what == "in a test of threads" && r.workgroup.is_none());
        let thread = |all: std::sync::Arc<std::sync::Barrier>| {
            std::thread::spawn(move || {
                let doing = doing(text);
                all.wait();
                all.wait();
                drop(doing);
            })
        };
        let threads: Vec<_> = (0..SLOTS + 8).map(|_| thread(all.clone())).collect();
        all.wait();
        assert!(told());
        all.wait();
        threads.into_iter().for_each(|t| t.join().unwrap());
        assert!(!told());
    }
}
