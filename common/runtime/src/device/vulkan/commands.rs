//! Commands to submit, as plain data, so that they can be compared with earlier submissions.
use super::super::DeviceRange;

/// A command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Command {
    /// Runs a kernel: its bindings are the next ones in [`Commands::bindings`], its constants in [`Commands::constants`].
    Dispatch { kernel: u32, workgroups: [u32; 3] },
    /// Copies bytes.
    Copy { source: DeviceRange, target: DeviceRange },
    /// Repeats a word over a range, whose address and size are multiples of 4.
    Fill { target: DeviceRange, word: u32 },
    /// Writes the next bytes of [`Commands::data`], as often as they fit: once, or a pattern.
    Write { target: DeviceRange, unit: u64 },
}

/// Commands in order.
#[derive(Debug, Clone, Default)]
pub(super) struct Commands {
    pub(super) list: Vec<Command>,
    /// The bindings of all dispatches.
    pub(super) bindings: Vec<DeviceRange>,
    /// The packed constants of all dispatches.
    pub(super) constants: Vec<u8>,
    /// The bytes of all writes. They can be others when the commands are submitted again.
    pub(super) data: Vec<u8>,
}

impl Commands {
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.bindings.clear();
        self.constants.clear();
        self.data.clear();
    }

    /// Whether both lists are the same except for the bytes that they write.
    pub(super) fn alike(&self, other: &Self) -> bool {
        self.list == other.list
            && self.bindings == other.bindings
            && self.constants == other.constants
            && self.data.len() == other.data.len()
    }

    /// Adds a command that repeats an element over a range.
    pub(super) fn fill(&mut self, target: DeviceRange, element: &[u8]) {
        if target.bytes == 0 {
            return;
        }
        let at = |i: u64| element[(i % element.len() as u64) as usize];
        // Whole words between the first and the last multiple of 4; there is a command for words only.
        let head = (target.address.next_multiple_of(4) - target.address).min(target.bytes);
        let words = (target.bytes - head) / 4;
        let word: [u8; 4] = std::array::from_fn(|i| at(head + i as u64));
        let same = (0..8).all(|i| at(head + i) == word[(i % 4) as usize]);
        if !same && target.bytes > SMALL {
            return self.pattern(target, element);
        }
        if !same || words == 0 {
            let bytes: Vec<u8> = (0..target.bytes).map(at).collect();
            return self.write(target, &bytes);
        }
        let tail = head + words * 4;
        let part = |from: u64, to: u64| DeviceRange { address: target.address + from, bytes: to - from };
        for (from, to) in [(0, head), (tail, target.bytes)] {
            let bytes: Vec<u8> = (from..to).map(at).collect();
            self.write(part(from, to), &bytes);
        }
        self.list.push(Command::Fill { target: part(head, tail), word: u32::from_le_bytes(word) });
    }

    /// Adds a command that writes bytes.
    pub(super) fn write(&mut self, target: DeviceRange, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.data.extend_from_slice(bytes);
            self.list.push(Command::Write { target, unit: bytes.len() as u64 });
        }
    }

    /// Repeats what is no word: as copies of one long piece.
    fn pattern(&mut self, target: DeviceRange, element: &[u8]) {
        let count = (PIECE / element.len() as u64).min(target.bytes / element.len() as u64);
        let unit = count * element.len() as u64;
        (0..count).for_each(|_| self.data.extend_from_slice(element));
        self.list.push(Command::Write { target, unit });
    }
}

/// The most bytes that a command writes directly; larger writes use a staging buffer.
pub(super) const SMALL: u64 = 4096;
/// The size of the piece that a pattern is copied from, in bytes.
const PIECE: u64 = 1 << 16;

/// The ranges that commands since the last barrier access, and whether they write them.
#[derive(Debug, Default)]
pub(super) struct Hazards(Vec<(DeviceRange, bool)>);

impl Hazards {
    /// Adds what a command touches, and whether it writes it. Whether it must wait for those before: then it stands
    /// behind a barrier, and they are forgotten.
    pub(super) fn add(&mut self, touched: &[(DeviceRange, bool)]) -> bool {
        let waits =
            |(span, written): &(DeviceRange, bool)| self.0.iter().any(|(s, w)| (*written || *w) && s.overlaps(*span));
        let barrier = touched.iter().any(waits);
        if barrier {
            self.0.clear();
        }
        self.0.extend_from_slice(touched);
        barrier
    }
}

#[cfg(test)]
mod tests;
