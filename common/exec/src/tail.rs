//! Keeps the end of a stream that may be long.
use std::fmt::Write;

/// The number of bytes that are kept.
const KEEP: usize = 1 << 20;
/// The most characters of a line that are shown.
const WIDTH: usize = 400;

/// The last part of a stream; the rest is counted.
#[derive(Debug, Clone, Default)]
pub struct Tail {
    bytes: Vec<u8>,
    dropped: u64,
}

impl Tail {
    /// Appends bytes, and drops the oldest.
    pub(crate) fn push(&mut self, more: &[u8]) {
        self.bytes.extend_from_slice(more);
        // Rarely, so that each byte is moved once on average.
        if self.bytes.len() > 2 * KEEP {
            self.drop_to(KEEP);
        }
    }

    /// Cuts down to what is kept, at the start of a line where there is one.
    pub(crate) fn finish(mut self) -> Self {
        if self.bytes.len() > KEEP {
            self.drop_to(KEEP);
        }
        if self.dropped > 0
            && let Some(end) = self.bytes.iter().position(|&b| b == b'\n')
        {
            let keep = self.bytes.len() - end - 1;
            self.drop_to(keep);
        }
        self
    }

    fn drop_to(&mut self, keep: usize) {
        let cut = self.bytes.len() - keep;
        self.bytes.drain(..cut);
        self.dropped += cut as u64;
    }

    /// A stream of which these bytes were kept, and so many before them dropped.
    pub fn of(bytes: Vec<u8>, dropped: u64) -> Self {
        Self { bytes, dropped }
    }

    /// Returns the bytes that were kept.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the number of bytes that were dropped before them.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Whether only white space was written.
    pub fn is_blank(&self) -> bool {
        self.dropped == 0 && self.bytes.iter().all(u8::is_ascii_whitespace)
    }

    /// The last lines as text for people, indented by two blanks, with no newline at the end. Control characters, which
    /// could do things to a terminal, are shown as `�`.
    pub fn lines(&self, most: usize) -> String {
        let text = String::from_utf8_lossy(&self.bytes);
        let lines: Vec<&str> = text.trim_end().lines().collect();
        let skipped = lines.len().saturating_sub(most);
        let mut shown = String::new();
        match (skipped, self.dropped) {
            (0, 0) => {}
            (_, 0) => {
                let _ = writeln!(shown, "  … {skipped} lines before …");
            }
            (_, dropped) => {
                let more: usize = lines[..skipped].iter().map(|l| l.len() + 1).sum();
                let _ = writeln!(shown, "  … {} bytes before …", dropped + more as u64);
            }
        }
        for line in &lines[skipped..] {
            let visible = |c: char| if c.is_control() && c != '\t' { '\u{fffd}' } else { c };
            let short: String = line.chars().take(WIDTH).map(visible).collect();
            let cut = if line.chars().nth(WIDTH).is_some() { " …" } else { "" };
            let _ = writeln!(shown, "  {short}{cut}");
        }
        shown.truncate(shown.trim_end().len());
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_end_and_counts_the_rest() {
        let mut tail = Tail::default();
        for i in 0..600_000 {
            tail.push(format!("line {i}\n").as_bytes());
        }
        let tail = tail.finish();
        assert!(tail.bytes().len() <= KEEP && tail.bytes().starts_with(b"line "));
        assert_eq!(
            tail.dropped() + tail.bytes().len() as u64,
            (0..600_000).map(|i| format!("line {i}\n").len() as u64).sum::<u64>()
        );
        let lines = tail.lines(2);
        assert!(lines.ends_with("bytes before …\n  line 599998\n  line 599999"), "{lines}");
    }

    #[test]
    fn text_for_people() {
        let mut tail = Tail::default();
        tail.push("a\x1b[31mb\r\nlong ".as_bytes());
        tail.push("x".repeat(1000).as_bytes());
        let lines = tail.finish().lines(10);
        assert!(lines.starts_with("  a\u{fffd}[31mb\n  long xxx") && lines.ends_with("x …"), "{lines}");
        assert!(Tail::default().is_blank());
    }
}
