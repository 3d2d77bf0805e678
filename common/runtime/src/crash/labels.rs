//! Stores texts on the board.
use super::{
    board::board,
    texts::{BYTES, FULL, Label},
};
use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError, atomic::Ordering::*},
};

/// Stores a text on the board, once.
pub(crate) fn label(text: &str) -> Label {
    static KNOWN: Mutex<Option<HashMap<String, u32>>> = Mutex::new(None);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    if let Some(&number) = known.get(text) {
        return Label(number);
    }
    let texts = &board().texts;
    let kept = &text.as_bytes()[..text.floor_char_boundary(u16::MAX.into())];
    let start = texts.used.load(Relaxed);
    if start + 2 + kept.len() > BYTES {
        return Label(FULL);
    }
    let length = (kept.len() as u16).to_le_bytes();
    for (to, byte) in texts.bytes[start..].iter().zip(length.iter().chain(kept)) {
        to.store(*byte, Relaxed);
    }
    texts.used.store(start + 2 + kept.len(), Relaxed);
    known.insert(text.to_owned(), start as u32 + 2);
    Label(start as u32 + 2)
}

impl Label {
    /// Returns the text.
    pub(super) fn text(self) -> &'static str {
        let (bytes, at) = (&board().texts.bytes, self.0 as usize);
        if self.0 == FULL || !(2..=BYTES).contains(&at) {
            return "one of too many kernels";
        }
        let length = usize::from(u16::from_le_bytes([bytes[at - 2].load(Relaxed), bytes[at - 1].load(Relaxed)]));
        let Some(text) = bytes.get(at..at + length) else { return "?" };
        // SAFETY: the bytes are initialised, and no longer written once there is a label for them.
        let text = unsafe { std::slice::from_raw_parts(text.as_ptr().cast::<u8>(), length) };
        std::str::from_utf8(text).unwrap_or("?")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stand_once() {
        let (a, b) = (label("kernel `a`"), label("kernel `ä`"));
        assert_eq!((a.text(), b.text()), ("kernel `a`", "kernel `ä`"));
        assert!(label("kernel `a`") == a && a != b);
        let long = "ä".repeat(40_000);
        assert_eq!(label(&long).text().len(), usize::from(u16::MAX) - 1);
        assert_eq!(Label(FULL).text(), "one of too many kernels");
    }
}
