//! Reads the load-time constants that kernels in an object declare with `HAL_LOAD_CONSTANTS` of `halyard/kernel.h`.
use object::{Object, ObjectSection};
use std::collections::BTreeMap;

/// The section that holds it: strings, each with its last zero, like `kernel=device.threads,device.l2_bytes`.
pub const LOAD_CONSTANTS_SECTION: &str = ".hal.load_constants";

/// The load-time constants of kernels, by symbol.
pub type LoadConstants = BTreeMap<String, Vec<String>>;

/// Reads the contents of the section. Errors: a malformed string; a kernel that is named twice.
pub fn parse_load_constants(data: &[u8], found: &mut LoadConstants) -> Result<(), String> {
    // The compiler may put zeros between strings.
    for bytes in data.split(|&b| b == 0).filter(|s| !s.is_empty()) {
        let text = String::from_utf8_lossy(bytes);
        let parts = text.split_once('=').filter(|(kernel, list)| !kernel.is_empty() && !list.is_empty());
        let (kernel, list) = parts.ok_or_else(|| {
            let like = "kernel=device.threads,device.cores";
            format!("section `{LOAD_CONSTANTS_SECTION}` holds `{text}`, which is not like `{like}`")
        })?;
        let names = list.split(',').map(|name| name.trim().to_owned()).collect();
        if found.insert(kernel.to_owned(), names).is_some() {
            return Err(format!("section `{LOAD_CONSTANTS_SECTION}` names `{kernel}` twice"));
        }
    }
    Ok(())
}

/// Reads the section of an object.
pub(crate) fn read(elf: &object::File<'_>) -> Result<LoadConstants, String> {
    let mut found = LoadConstants::new();
    for section in elf.sections().filter(|s| s.name() == Ok(LOAD_CONSTANTS_SECTION)) {
        let data = section.data().map_err(|e| e.to_string().to_lowercase())?;
        parse_load_constants(data, &mut found)?;
    }
    Ok(found)
}
