//! Stubs of the C library for linking.
//!
//! A linked program needs `libm.so.6` and `libc.so.6`, which need not be installed for its target when it is linked:
//! the linker gets stubs that define only the required symbols.
pub(crate) use halyard_objects::clib::{is_provided, library_of};
use object::Architecture;

/// The number of an architecture in ELF, if programs can be linked for it: 64 bits, little-endian.
pub(crate) fn machine(architecture: Architecture) -> Option<u16> {
    Some(match architecture {
        Architecture::X86_64 => 62,
        Architecture::Aarch64 => 183,
        Architecture::Riscv64 => 243,
        Architecture::PowerPc64 => 21,
        _ => return None,
    })
}

/// A shared library that defines names: the least that a linker reads of one, the sections `.dynsym`, `.dynstr` and
/// `.dynamic` (System V ABI, "Dynamic Linking").
pub(crate) fn stub(machine: u16, soname: &str, names: &[&str]) -> Vec<u8> {
    const HEADER: usize = 64;
    const SYMBOL: usize = 24;
    const ABSOLUTE: u16 = 0xfff1;
    const GLOBAL_FUNCTION: u8 = 0x12;
    let mut strings = vec![0];
    let mut string = |text: &str| {
        let at = strings.len() as u32;
        strings.extend_from_slice(text.as_bytes());
        strings.push(0);
        at
    };
    let mut symbols = vec![0; SYMBOL];
    for name in names {
        symbols.extend_from_slice(&string(name).to_le_bytes());
        symbols.extend_from_slice(&[GLOBAL_FUNCTION, 0]);
        symbols.extend_from_slice(&ABSOLUTE.to_le_bytes());
        // An address that is not 0, and a size.
        symbols.extend_from_slice(&[16u64.to_le_bytes(), 1u64.to_le_bytes()].concat());
    }
    // DT_SONAME, DT_NULL.
    let dynamic: Vec<u8> = [14, u64::from(string(soname)), 0, 0].into_iter().flat_map(u64::to_le_bytes).collect();
    let section_names = [".dynsym", ".dynstr", ".dynamic"].map(&mut string);
    let symbols_at = HEADER;
    let dynamic_at = symbols_at + symbols.len();
    let strings_at = dynamic_at + dynamic.len();
    let headers_at = (strings_at + strings.len()).next_multiple_of(8);
    let mut file = b"\x7fELF\x02\x01\x01".to_vec();
    file.resize(16, 0);
    for half in [3, machine] {
        file.extend_from_slice(&half.to_le_bytes());
    }
    file.extend_from_slice(&1u32.to_le_bytes());
    for word in [0, 0, headers_at as u64] {
        file.extend_from_slice(&word.to_le_bytes());
    }
    file.extend_from_slice(&0u32.to_le_bytes());
    for half in [HEADER as u16, 56, 0, 64, 4, 2] {
        file.extend_from_slice(&half.to_le_bytes());
    }
    file.extend_from_slice(&[symbols, dynamic.clone(), strings.clone()].concat());
    file.resize(headers_at + 64, 0);
    // Type, flags, offset, size, link, info, alignment, entry size; the strings are section 2.
    let sections = [
        (11, 2, symbols_at, dynamic_at - symbols_at, 2, 1, 8, SYMBOL),
        (3, 2, strings_at, strings.len(), 0, 0, 1, 0),
        (6, 3, dynamic_at, dynamic.len(), 2, 0, 8, 16),
    ];
    for (name, (kind, flags, offset, size, link, info, alignment, entry)) in section_names.into_iter().zip(sections) {
        for word in [name, kind] {
            file.extend_from_slice(&u32::to_le_bytes(word));
        }
        for word in [flags, offset as u64, offset as u64, size as u64] {
            file.extend_from_slice(&u64::to_le_bytes(word));
        }
        for word in [link, info] {
            file.extend_from_slice(&u32::to_le_bytes(word));
        }
        for word in [alignment, entry as u64] {
            file.extend_from_slice(&u64::to_le_bytes(word));
        }
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;
    use object::{Object, ObjectSymbol};

    #[test]
    fn the_stub_is_a_library_with_these_names() {
        let bytes = stub(62, "libm.so.6", &["expf", "tanhf"]);
        let elf = object::File::parse(&*bytes).unwrap();
        assert_eq!((elf.kind(), elf.architecture()), (object::ObjectKind::Dynamic, Architecture::X86_64));
        let names: Vec<_> =
            elf.dynamic_symbols().filter(|s| !s.is_undefined()).map(|s| s.name().unwrap().to_owned()).collect();
        assert_eq!(names, ["expf", "tanhf"]);
    }
}
