//! Reads which weights the kernels in an object take packed: from `HAL_PACKED_WEIGHTS` of `halyard/kernel.h`, and from
//! code that `hal-translate` generated.
use object::{Object, ObjectSection};
use std::collections::BTreeMap;

/// The section that holds it: strings, each with its last zero, like `kernel=1:winograd2,3:filter_blocks`. The numbers are
/// positions of arguments.
pub const PACKED_WEIGHTS_SECTION: &str = ".hal.packed_weights";

/// The packed weights of kernels, by symbol: the position of the argument and the name of the layout.
pub type PackedWeights = BTreeMap<String, Vec<(usize, String)>>;

/// The contents of the section for some kernels. Those without packed weights are left out.
pub fn packed_weights_section<'a>(kernels: impl IntoIterator<Item = (&'a str, &'a [(usize, String)])>) -> Vec<u8> {
    let mut text = String::new();
    for (kernel, list) in kernels.into_iter().filter(|(_, list)| !list.is_empty()) {
        let list: Vec<String> = list.iter().map(|(argument, layout)| format!("{argument}:{layout}")).collect();
        text += &format!("{kernel}={}\0", list.join(","));
    }
    text.into_bytes()
}

/// Reads the contents of the section. Errors: a malformed string; a kernel that is named twice.
pub fn parse_packed_weights(data: &[u8], found: &mut PackedWeights) -> Result<(), String> {
    // The compiler may put zeros between strings.
    for bytes in data.split(|&b| b == 0).filter(|s| !s.is_empty()) {
        let text = String::from_utf8_lossy(bytes);
        let item = |item: &str| {
            let (argument, layout) = item.trim().split_once(':')?;
            let plain = layout.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') && !layout.is_empty();
            Some((argument.parse().ok()?, layout.to_owned())).filter(|_| plain)
        };
        let parts = text.split_once('=').filter(|(kernel, _)| !kernel.is_empty());
        let list =
            parts.and_then(|(kernel, list)| Some((kernel, list.split(',').map(item).collect::<Option<Vec<_>>>()?)));
        let (kernel, list) = list.ok_or_else(|| {
            format!("section `{PACKED_WEIGHTS_SECTION}` holds `{text}`, which is not like `kernel=1:winograd2`")
        })?;
        if found.insert(kernel.to_owned(), list).is_some() {
            return Err(format!("section `{PACKED_WEIGHTS_SECTION}` names `{kernel}` twice"));
        }
    }
    Ok(())
}

/// Reads the section of an object.
pub(crate) fn read(elf: &object::File<'_>) -> Result<PackedWeights, String> {
    let mut found = PackedWeights::new();
    for section in elf.sections().filter(|s| s.name() == Ok(PACKED_WEIGHTS_SECTION)) {
        let data = section.data().map_err(|e| e.to_string().to_lowercase())?;
        parse_packed_weights(data, &mut found)?;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let list = [(1, "winograd2".to_owned()), (3, "filter_blocks".to_owned())];
        let bytes = packed_weights_section([("conv", &list[..]), ("add", &[][..])]);
        assert_eq!(bytes, b"conv=1:winograd2,3:filter_blocks\0");
        let mut found = PackedWeights::new();
        parse_packed_weights(&bytes, &mut found).unwrap();
        assert_eq!(found, PackedWeights::from([("conv".to_owned(), list.to_vec())]));
        assert!(parse_packed_weights(&bytes, &mut found).unwrap_err().contains("twice"));
        for wrong in ["conv", "=1:a", "conv=", "conv=a:b", "conv=1", "conv=1:", "conv=1:a b", "conv=-1:a"] {
            let error = parse_packed_weights(wrong.as_bytes(), &mut PackedWeights::new()).unwrap_err();
            assert!(error.contains(wrong), "{error}");
        }
    }
}
