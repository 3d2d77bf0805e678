use super::*;
use crate::{rename, weaken};
use object::{
    Endianness, SymbolScope,
    write::{self, SymbolSection},
};
use proptest::prelude::*;

/// An object that defines the function `k`, the datum `d` and the local function `l`, and needs `n`.
fn sample() -> Vec<u8> {
    let mut object = write::Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
    let text = object.section_id(write::StandardSection::Text);
    let data = object.section_id(write::StandardSection::Data);
    object.append_section_data(text, &[0xc3; 16], 16);
    object.append_section_data(data, &[0; 16], 16);
    let mut add = |name: &str, kind, scope, section| {
        object.add_symbol(write::Symbol {
            name: name.into(),
            value: 0,
            size: 1,
            kind,
            scope,
            weak: false,
            section,
            flags: SymbolFlags::None,
        });
    };
    add("k", SymbolKind::Text, SymbolScope::Dynamic, SymbolSection::Section(text));
    add("d", SymbolKind::Data, SymbolScope::Dynamic, SymbolSection::Section(data));
    add("h", SymbolKind::Text, SymbolScope::Linkage, SymbolSection::Section(text));
    add("l", SymbolKind::Text, SymbolScope::Compilation, SymbolSection::Section(text));
    add("n", SymbolKind::Text, SymbolScope::Unknown, SymbolSection::Undefined);
    object.write().unwrap()
}

fn look(bytes: Vec<u8>) -> Result<ObjectFile> {
    inspect(bytes, "k.o".into(), "`k.o`".into())
}

#[test]
fn symbols_are_told_apart() {
    let object = look(sample()).unwrap();
    assert_eq!(object.architecture, "x86_64");
    let symbol = |names, hidden| Symbol { names, weak: false, hidden, indirect: false };
    assert_eq!(object.defined["k"], symbol(SymbolUse::Function, false));
    assert_eq!(object.defined["d"], symbol(SymbolUse::Data, false));
    assert_eq!(object.defined["h"], symbol(SymbolUse::Function, true));
    assert!(object.local.contains("l") && object.undefined.contains("n"));
    assert_eq!(object.functions().collect::<Vec<_>>(), ["k"]);
}

#[test]
fn symbols_can_be_renamed_and_weakened() {
    let object = look(sample()).unwrap();
    let names = [("k".to_owned(), "k__2".to_owned()), ("n".to_owned(), "needed".to_owned())];
    let renamed = rename(object.clone(), &names.into_iter().collect()).unwrap();
    assert!(renamed.defined.contains_key("k__2") && renamed.undefined.contains("needed"));
    let weak = weaken(renamed, &["k__2".to_owned()]).unwrap();
    assert!(weak.defined["k__2"].weak && !weak.defined["d"].weak);
    assert_eq!(weak.defined["k__2"].names, SymbolUse::Function);
}

#[test]
fn other_files_are_named() {
    let message = |bytes: &[u8]| look(bytes.to_vec()).unwrap_err().to_string();
    assert_eq!(message(b"BC\xc0\xde"), "`k.o`: this is LLVM bitcode, not an ELF object");
    assert_eq!(message(b""), "`k.o`: this is an empty file, not an ELF object");
    assert!(message(&sample()[..100]).starts_with("`k.o`: the object is damaged: "));
}

proptest! {
    /// Damage is an error or another object, never a crash.
    #[test]
    fn damage_is_survived(at in 0usize..4096, byte: u8, keep in 0usize..4096) {
        let mut bytes = sample();
        let length = bytes.len();
        bytes[at % length] = byte;
        bytes.truncate(length - keep.min(length) / 8);
        if let Ok(object) = look(bytes) {
            let _ = weaken(object.clone(), &["k".to_owned()]);
            let _ = rename(object, &[("k".to_owned(), "z".to_owned())].into_iter().collect());
        }
    }
}
