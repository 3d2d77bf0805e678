//! Detects the kind of a file from its content.
use crate::{FileFormat, text};
use halyard_diag::looks_like;

impl FileFormat {
    /// Detects the kind of a file.
    pub fn of(bytes: &[u8]) -> Self {
        match bytes {
            [0x7f, b'E', b'L', b'F', ..] => elf(bytes),
            [b'M', b'L', 0xef, b'R', ..] => Self::MlirBytecode,
            // The second one is bitcode in Apple's wrapper.
            [b'B', b'C', 0xc0, 0xde, ..] | [0xde, 0xc0, 0x17, 0x0b, ..] => Self::Bitcode,
            [0x03, 0x02, 0x23, 0x07, ..] | [0x07, 0x23, 0x02, 0x03, ..] => Self::SpirV,
            [0x50, 0xed, 0x55, 0xba, ..] => Self::Fatbin,
            [0xcf | 0xce, 0xfa, 0xed, 0xfe, ..]
            | [0xfe, 0xed, 0xfa, 0xce | 0xcf, ..]
            | [0xca, 0xfe, 0xba, 0xbe, ..] => Self::MachO,
            [0, b'a', b's', b'm', ..] => Self::Wasm,
            [b'M', b'Z', ..] | [0x64, 0x86, _, 0, ..] | [0x64, 0xaa, _, 0, ..] => Self::Coff,
            _ if bytes.starts_with(b"!<arch>\n") => Self::Archive,
            _ if bytes.starts_with(b"!<thin>\n") => Self::ThinArchive,
            _ => std::str::from_utf8(bytes).map_or(Self::Unknown, text::kind),
        }
    }

    /// Returns a description of these bytes for messages, also of kinds that [`FileFormat`] does not have.
    pub fn describe(bytes: &[u8]) -> String {
        match Self::of(bytes) {
            Self::Unknown => match looks_like(bytes) {
                Some(known) => known.to_owned(),
                None if std::str::from_utf8(bytes).is_ok() => "text of an unknown kind".to_owned(),
                None => Self::Unknown.name().to_owned(),
            },
            kind => kind.name().to_owned(),
        }
    }
}

/// ELF-64 and ELF-32 alike: byte order at 5, type at 16, machine at 18.
fn elf(bytes: &[u8]) -> FileFormat {
    const CUDA: u16 = 190;
    const AMDGPU: u16 = 224;
    let half = |at: usize| -> Option<u16> {
        let pair: [u8; 2] = bytes.get(at..at + 2)?.try_into().ok()?;
        Some(if bytes.get(5) == Some(&2) { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) })
    };
    match (half(16), half(18)) {
        (_, Some(CUDA)) => FileFormat::Cubin,
        (_, Some(AMDGPU)) => FileFormat::AmdObject,
        // A file of a few bytes: the reader of this format reports that it is damaged.
        (Some(1) | None, _) => FileFormat::Object,
        (Some(2), _) => FileFormat::Executable,
        (Some(3), _) => FileFormat::Shared,
        _ => FileFormat::OtherElf,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_by_their_first_bytes() {
        let cases: &[(&[u8], FileFormat)] = &[
            (b"", FileFormat::Empty),
            (b" \n\t\n", FileFormat::Empty),
            (b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x01\0\x3e\0", FileFormat::Object),
            (b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0", FileFormat::Shared),
            (b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\xbe\0", FileFormat::Cubin),
            (b"\x7fELF", FileFormat::Object),
            (b"ML\xefR\x06", FileFormat::MlirBytecode),
            (b"BC\xc0\xde5\x14", FileFormat::Bitcode),
            (b"!<arch>\n", FileFormat::Archive),
            (b"!<thin>\n", FileFormat::ThinArchive),
            (b"\x03\x02\x23\x07\0\x05\x01\0", FileFormat::SpirV),
            (b"\x50\xed\x55\xba\x01\0", FileFormat::Fatbin),
            (b"\xcf\xfa\xed\xfe\x07", FileFormat::MachO),
            (b"\x64\x86\x05\0\0\0", FileFormat::Coff),
            (b"\xff\xfe\0\x01", FileFormat::Unknown),
        ];
        for (bytes, kind) in cases {
            assert_eq!(FileFormat::of(bytes), *kind, "{bytes:?}");
        }
    }

    #[test]
    fn what_is_unknown_is_described_all_the_same() {
        assert_eq!(FileFormat::describe(b"hello, world"), "text of an unknown kind");
        assert_eq!(FileFormat::describe(b"\x1f\x8b\x08\0"), "compressed by gzip");
    }
}
