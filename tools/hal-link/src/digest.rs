//! Hashes code, to detect kernels with identical code.
use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionKind};

/// The hash of the code and constant data in objects, with the names of what they refer to. Names of files, and what debuggers read,
/// are not in it: they do not get into the linked program.
pub(crate) fn digest(objects: &[Vec<u8>]) -> String {
    let mut hasher = blake3::Hasher::new();
    for bytes in objects {
        let mut add = |part: &[u8]| {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        };
        let Ok(file) = object::File::parse(&**bytes) else {
            // Code for other devices, archives.
            add(bytes);
            continue;
        };
        let runs = |kind: SectionKind| {
            matches!(
                kind,
                SectionKind::Text | SectionKind::Data | SectionKind::ReadOnlyData | SectionKind::ReadOnlyString
            )
        };
        for section in file.sections().filter(|s| runs(s.kind()) && s.size() > 0) {
            // What unwinds the stack tells sizes of code, which is there itself.
            if section.name().is_ok_and(|name| name.starts_with(".eh_frame")) {
                continue;
            }
            add(section.data().unwrap_or_default());
            for (offset, relocation) in section.relocations() {
                add(&offset.to_le_bytes());
                if let RelocationTarget::Symbol(index) = relocation.target()
                    && let Ok(name) = file.symbol_by_index(index).and_then(|symbol| symbol.name())
                {
                    add(name.as_bytes());
                }
            }
        }
    }
    hasher.finalize().to_hex()[..16].to_owned()
}
