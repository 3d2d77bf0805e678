//! Compares `halyard.h` with the functions of this crate: clang reads both, and refuses declarations that differ.
use std::{collections::BTreeSet, fs, path::Path, process::Command};

/// The Rust types of the interface, and their names in C.
const TYPES: [(&str, &str); 8] = [
    ("CTensor", "halyard_tensor_t"),
    ("CBuffer", "halyard_buffer_t"),
    ("CSpec", "halyard_spec_t"),
    ("CProgram", "halyard_program_t"),
    ("CInstance", "halyard_instance_t"),
    ("CLoader", "halyard_loader_t"),
    ("CModule", "hal_module_t"),
    ("CHostFunction", "hal_function_t"),
];

/// The declarations of this crate's functions, in C.
fn declarations(sources: &Path) -> String {
    let mut config = cbindgen::Config {
        language: cbindgen::Language::C,
        style: cbindgen::Style::Tag,
        no_includes: true,
        usize_is_size_t: true,
        ..cbindgen::Config::default()
    };
    config.export.item_types = vec![cbindgen::ItemType::Functions];
    config.export.rename =
        TYPES.iter().map(|(ours, c)| ((*ours).to_owned(), c.trim_start_matches("").to_owned())).collect();
    let builder = cbindgen::Builder::new().with_config(config).with_src(sources.join("lib.rs"));
    let mut text = Vec::new();
    builder.generate().expect("the sources are parsed").write(&mut text);
    // An alias in an option is not resolved.
    String::from_utf8(text).expect("C is text").replace("Option<hal_function_t>", "hal_function_t")
}

/// The names that a text declares as functions of the library.
fn functions(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '(');
    words.filter_map(|w| w.split_once('(')).map(|(name, _)| name).filter(|n| n.starts_with("halyard_")).collect()
}

#[test]
fn the_header_declares_what_the_library_has() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let include = top.join("../runtime/include");
    let header = fs::read_to_string(include.join("halyard/halyard.h")).expect("the header");
    let ours = declarations(&top.join("src"));
    let code: String = header.split("/*").map(|part| part.split_once("*/").map_or(part, |(_, code)| code)).collect();
    assert_eq!(functions(&code), functions(&ours));
    let llvm = std::env::var("MLIR_SYS_220_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-22".into());
    let file = tempfile::NamedTempFile::with_suffix(".c").expect("a file");
    fs::write(file.path(), format!("#include <halyard/halyard.h>\n#include <stdbool.h>\n{ours}"))
        .expect("can be written");
    let clang = Command::new(format!("{llvm}/bin/clang"))
        .arg("-I")
        .arg(&include)
        .args(["-fsyntax-only", "-Werror"])
        .arg(file.path())
        .output();
    let clang = clang.expect("clang");
    assert!(clang.status.success(), "{}\n{ours}", String::from_utf8_lossy(&clang.stderr));
}
