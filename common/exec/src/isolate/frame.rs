//! Frames on pipes: a length (8 bytes, little-endian), then that many bytes.
use std::io::{self, Read, Write};

/// A length beyond this is no length but garbage.
const LONGEST: u64 = 1 << 36;

/// Writes a frame.
pub(super) fn write(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(&(bytes.len() as u64).to_le_bytes())?;
    to.write_all(bytes)
}

/// Reads a frame; `None` at the end of the pipe, also in the middle of a frame.
pub(super) fn read(from: &mut impl Read) -> Option<Vec<u8>> {
    let mut length = [0; 8];
    from.read_exact(&mut length).ok()?;
    let length = u64::from_le_bytes(length);
    let mut bytes = Vec::new();
    (length <= LONGEST && from.take(length).read_to_end(&mut bytes).is_ok() && bytes.len() as u64 == length)
        .then_some(bytes)
}

/// Removes a frame from the front of the received bytes; `None` if it is incomplete. Fails if the length is invalid.
pub(super) fn take(arrived: &mut Vec<u8>) -> Result<Option<Vec<u8>>, ()> {
    let Some(length) = arrived.first_chunk::<8>() else { return Ok(None) };
    let length = u64::from_le_bytes(*length);
    if length > LONGEST {
        return Err(());
    }
    let end = 8 + length as usize;
    if arrived.len() < end {
        return Ok(None);
    }
    let rest = arrived.split_off(end);
    let mut frame = std::mem::replace(arrived, rest);
    frame.drain(..8);
    Ok(Some(frame))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_whole_or_not_at_all() {
        let mut bytes = Vec::new();
        write(&mut bytes, b"abc").unwrap();
        write(&mut bytes, b"").unwrap();
        assert_eq!(read(&mut &bytes[..]).as_deref(), Some(&b"abc"[..]));
        for cut in 0..11 {
            let mut part = bytes[..cut].to_vec();
            assert_eq!(read(&mut &part[..]), None);
            assert_eq!(take(&mut part), Ok(None));
        }
        assert_eq!(take(&mut bytes), Ok(Some(b"abc".to_vec())));
        assert_eq!(take(&mut bytes), Ok(Some(Vec::new())));
        assert!(bytes.is_empty());
        assert_eq!(take(&mut vec![0xff; 9]), Err(()));
    }
}
