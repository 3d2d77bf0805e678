//! The libFuzzer entry point for the reader that HALYARD_READER names.
#![no_main]
#[cfg(feature = "compiler")]
mod compiler;
mod readers;

use readers::{READERS, Reader};
use std::sync::OnceLock;

#[cfg(not(feature = "compiler"))]
const MORE: &[Reader] = &[];
#[cfg(feature = "compiler")]
const MORE: &[Reader] = compiler::COMPILER;

static READER: OnceLock<fn(&[u8]) -> bool> = OnceLock::new();

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let reader = READER.get_or_init(|| {
        let name = std::env::var("HALYARD_READER").unwrap_or_default();
        let known = READERS.iter().chain(MORE);
        let names = || known.clone().map(|r| r.0).collect::<Vec<_>>().join(" ");
        known.clone().find(|r| r.0 == name).unwrap_or_else(|| panic!("HALYARD_READER is one of {}", names())).1
    });
    let _ = reader(bytes);
});
