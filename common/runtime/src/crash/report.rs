//! Describes crashes.
use super::texts::Label;
use std::fmt;

/// A crash. Plain data: a signal handler writes it, and another process reads it.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Crash {
    pub(super) signal: i32,
    pub(super) label: u32,
    /// 1 if it is a kernel, which has a workgroup.
    pub(super) workgroup: u32,
    pub(super) id: [u32; 3],
    pub(super) count: [u32; 3],
    pub(super) touch: Touch,
    pub(super) place: Place,
    /// Its number, 1 if it is written, its bytes.
    pub(super) binding: (u32, u32, u64),
    /// The offset of the instruction in the kernel's function, plus 1; 0 if unknown.
    pub(super) instruction: u64,
}

/// The kind of access that faulted.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Touch {
    Unknown,
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only x86 tells the handler"))]
    Read,
    Write,
}

/// The position of an address relative to the kernel's bindings.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The position is unknown.
    Unknown,
    Null,
    /// This many bytes before a binding.
    Before(u64),
    /// This many bytes after the end of a binding.
    After(u64),
    /// At this byte of a binding.
    Inside(u64),
    /// Just below the stack.
    Stack,
    /// An address that cannot exist.
    Nowhere,
    Elsewhere(u64),
}

impl Crash {
    /// No crash: all zeros, so that a board takes no space in a file.
    pub(super) const NONE: Self = Self {
        signal: 0,
        label: 0,
        workgroup: 0,
        id: [0; 3],
        count: [0; 3],
        touch: Touch::Unknown,
        place: Place::Unknown,
        binding: (0, 0, 0),
        instruction: 0,
    };

    /// Names what crashed: ``kernel `add` ``, ``host function `f` ``.
    pub fn what(&self) -> &'static str {
        Label(self.label).text()
    }

    /// Whether it was a kernel.
    pub fn is_kernel(&self) -> bool {
        self.workgroup == 1
    }

    /// Returns the signal's number.
    pub fn signal(&self) -> i32 {
        self.signal
    }

    /// Returns the cause, if it is known: `it writes 16 bytes past the end of binding 2, …`.
    pub fn cause(&self) -> Option<impl fmt::Display> {
        let known = self.place != Place::Unknown || self.signal != libc::SIGSEGV && self.signal != libc::SIGBUS;
        known.then_some(Cause(*self))
    }

    /// Returns the offset in the kernel's code, for `at byte 28 of its code`.
    pub fn instruction(&self) -> Option<u64> {
        self.instruction.checked_sub(1)
    }
}

/// ``kernel `add` crashed in workgroup 3,0,0 of 8,1,1 (SIGSEGV)``.
impl fmt::Display for Crash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} crashed", self.what())?;
        if self.workgroup == 1 {
            let ([x, y, z], [of_x, of_y, of_z]) = (self.id, self.count);
            write!(f, " in workgroup {x},{y},{z} of {of_x},{of_y},{of_z}")?;
        }
        write!(f, " ({})", signal_name(self.signal))?;
        // On one line, unless more is requested.
        if f.alternate() {
            return Ok(());
        }
        if let Some(cause) = self.cause() {
            write!(f, ": {cause}")?;
        }
        match self.instruction() {
            Some(at) => write!(f, " (at byte {at} of its code)"),
            None => Ok(()),
        }
    }
}

struct Cause(Crash);

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (number, written, bytes) = self.0.binding;
        let touches = match self.0.touch {
            Touch::Unknown => "touches",
            Touch::Read => "reads",
            Touch::Write => "writes",
        };
        let binding = Binding { number, written: written == 1, bytes };
        match (self.0.signal, self.0.place) {
            (_, Place::Null) => write!(f, "it {touches} memory through a null pointer"),
            (_, Place::Before(n)) => write!(f, "it {touches} {} before {binding}", Bytes(n)),
            (_, Place::After(0)) => write!(f, "it {touches} right behind the end of {binding}"),
            (_, Place::After(n)) => write!(f, "it {touches} {} past the end of {binding}", Bytes(n)),
            (_, Place::Inside(n)) if written == 0 && self.0.touch == Touch::Write => {
                write!(f, "it writes byte {n} of {binding}")
            }
            (_, Place::Inside(n)) => write!(f, "it {touches} byte {n} of {binding}"),
            (_, Place::Stack) => f.write_str("its stack is full"),
            (_, Place::Nowhere) => write!(f, "it {touches} an invalid (non-canonical) address"),
            (_, Place::Elsewhere(at)) => write!(f, "it {touches} address {at:#x}, which is near none of its bindings"),
            (libc::SIGFPE, _) => f.write_str("it divides an integer by zero, or the result is too large"),
            (libc::SIGILL, _) => f.write_str("it executed an instruction that the CPU lacks, or a trap"),
            (libc::SIGTRAP, _) => f.write_str("it came to a trap"),
            (libc::SIGABRT, _) => {
                f.write_str("it called `abort`, or the C library did: a failed `assert`, memory that is damaged")
            }
            _ => f.write_str("it does what it must not"),
        }
    }
}

/// Describes a write outside a binding, or into one that must not be written.
pub(crate) fn overrun(place: Place, binding: usize, written: bool, bytes: u64) -> String {
    let binding = (binding as u32, u32::from(written), bytes);
    Cause(Crash { touch: Touch::Write, place, binding, ..Crash::NONE }).to_string()
}

/// `binding 2, which it writes and which has 4096 bytes`.
pub(crate) struct Binding {
    pub(crate) number: u32,
    pub(crate) written: bool,
    pub(crate) bytes: u64,
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let does = if self.written { "writes" } else { "only reads" };
        write!(f, "binding {}, which it {does} and which has {}", self.number, Bytes(self.bytes))
    }
}

/// Prints as `1 byte`, `2 bytes`.
pub(crate) struct Bytes(pub(crate) u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} byte{}", self.0, if self.0 == 1 { "" } else { "s" })
    }
}

fn signal_name(signal: i32) -> &'static str {
    match signal {
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGILL => "SIGILL",
        libc::SIGABRT => "SIGABRT",
        libc::SIGTRAP => "SIGTRAP",
        _ => "a signal",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crashes_in_words() {
        let label = super::super::label("kernel `add`").0;
        let crash = Crash {
            signal: libc::SIGSEGV,
            label,
            workgroup: 1,
            id: [3, 0, 0],
            count: [8, 1, 1],
            instruction: 29,
            ..Crash::NONE
        };
        let (touch, binding) = (Touch::Write, (2, 1, 4096));
        insta::assert_snapshot!(crash, @"kernel `add` crashed in workgroup 3,0,0 of 8,1,1 (SIGSEGV) (at byte 28 of its code)");
        let after = Crash { place: Place::After(16), touch, binding, ..crash };
        insta::assert_snapshot!(after, @"kernel `add` crashed in workgroup 3,0,0 of 8,1,1 (SIGSEGV): it writes 16 bytes past the end of binding 2, which it writes and which has 4096 bytes (at byte 28 of its code)");
        insta::assert_snapshot!(format!("{after:#}"), @"kernel `add` crashed in workgroup 3,0,0 of 8,1,1 (SIGSEGV)");
        let cause = |place, touch, binding| Cause(Crash { place, touch, binding, ..crash }).to_string();
        insta::assert_snapshot!(cause(Place::Before(1), Touch::Read, (0, 0, 1)), @"it reads 1 byte before binding 0, which it only reads and which has 1 byte");
        insta::assert_snapshot!(cause(Place::Inside(12), Touch::Write, (0, 0, 64)), @"it writes byte 12 of binding 0, which it only reads and which has 64 bytes");
        insta::assert_snapshot!(cause(Place::Null, Touch::Unknown, (0, 0, 0)), @"it touches memory through a null pointer");
        assert!(crash.cause().is_none());
        let division = Crash { signal: libc::SIGFPE, ..crash };
        insta::assert_snapshot!(division.cause().unwrap(), @"it divides an integer by zero, or the result is too large");
    }
}
