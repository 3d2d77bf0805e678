//! Names of files that hold one executable, so that one tool finds what another one wrote.
//!
//! | file | holds |
//! |---|---|
//! | `E.mlir`, `E.mlirbc` | executable `E` alone |
//! | `E.c` | its kernels as C |
//! | `E.benchmark.mlir` | a program that measures it |
//! | `E.stages.diff`, `E.V.stages.diff` | what stages changed in it before it was translated, and for variant `V` |
//! | `E.V.o`, `E.V.s`, `E.V.ll`, `E.V.optimized.ll` | an object, assembly, LLVM IR of variant `V` |
//!
//! Characters of symbols other than `A-Z a-z 0-9 _ $ -` and inner dots are written `%XX`, byte by byte.

/// A symbol as a part of a file name. A dot at the start would hide the file, and is escaped, too.
pub fn escape_symbol(symbol: &str) -> String {
    let mut name = String::new();
    for (i, byte) in symbol.bytes().enumerate() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_' | b'$' | b'-' => name.push(byte as char),
            b'.' if i > 0 => name.push('.'),
            _ => name += &format!("%{byte:02X}"),
        }
    }
    name
}

/// Returns the symbol that a part of a file name encodes; `None` if [`escape_symbol`] does not write it.
pub fn unescape_symbol(name: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = name.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        if first == b'%' {
            let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(first);
        }
    }
    String::from_utf8(bytes).ok().filter(|symbol| escape_symbol(symbol) == name)
}

/// The file name of an executable or, with the name of a variant, of something that belongs to that variant.
/// `suffix` comes without a dot in front.
pub fn file_name(executable: &str, variant: Option<&str>, suffix: &str) -> String {
    let mut name = escape_symbol(executable);
    if let Some(variant) = variant {
        name.push('.');
        name += &escape_symbol(variant);
    }
    format!("{name}.{suffix}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for symbol in ["main_dispatch_0", "a/b c", "a$b-1.2", ".hidden", "100%", "größe", "..", "\u{1}"] {
            let name = escape_symbol(symbol);
            assert!(!name.contains('/') && !name.starts_with('.'), "{name}");
            assert_eq!(unescape_symbol(&name).as_deref(), Some(symbol));
        }
        for foreign in ["%", "%4", "%zz", "%41", "a b", "%ff"] {
            assert_eq!(unescape_symbol(foreign), None, "{foreign}");
        }
    }

    #[test]
    fn files_of_variants() {
        assert_eq!(file_name("a/b", None, "mlir"), "a%2Fb.mlir");
        assert_eq!(file_name("e", Some("cpu_x86_64_v4"), "optimized.ll"), "e.cpu_x86_64_v4.optimized.ll");
    }
}
