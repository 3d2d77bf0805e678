//! The files that hold the data of a model, without reading the model.
use std::{
    collections::BTreeSet,
    path::{Component, Path, PathBuf},
};

/// The key of an entry of `TensorProto.external_data`, with its length.
const KEY: &[u8] = b"\x08location";

/// The files that the bytes of a model name as places of data, relative to its folder. A text that only looks like one may be
/// among them. `None`: some place is written as nobody writes it.
pub(crate) fn locations(bytes: &[u8]) -> Option<BTreeSet<PathBuf>> {
    let mut found = BTreeSet::new();
    for at in halyard_cli::places(bytes, KEY) {
        // Fields 1 and 2 of `StringStringEntryProto`, see the specification.
        let before = at.checked_sub(1).map(|before| bytes[before]);
        let value = value(&bytes[at + KEY.len()..]);
        match (before, value) {
            (Some(0x0a), Some(value)) => {
                let inside = |c: Component<'_>| matches!(c, Component::Normal(_) | Component::CurDir);
                // Import refuses others.
                found.extend(Path::new(value).components().all(inside).then(|| value.into()));
            }
            _ => return None,
        }
    }
    Some(found)
}

/// The text of the field 2 that comes next.
fn value(bytes: &[u8]) -> Option<&str> {
    let (tag, mut rest) = bytes.split_first()?;
    let (mut length, mut shift) = (0_usize, 0);
    loop {
        let (byte, after) = rest.split_first()?;
        rest = after;
        length |= usize::from(byte & 127) << shift;
        shift += 7;
        if byte & 128 == 0 || shift > 28 {
            break;
        }
    }
    (*tag == 0x12).then(|| std::str::from_utf8(rest.get(..length)?).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::super::proto::{Entry, TensorProto};
    use super::*;
    use prost::Message;

    fn tensor(entries: &[(&str, &str)]) -> Vec<u8> {
        let entry = |(key, value): &(&str, &str)| Entry { key: Some((*key).into()), value: Some((*value).into()) };
        TensorProto { external_data: entries.iter().map(entry).collect(), ..Default::default() }.encode_to_vec()
    }

    #[test]
    fn files_with_data() {
        let long = "d/".repeat(200);
        let model = [
            tensor(&[("location", "w.bin"), ("offset", "8")]),
            tensor(&[("offset", "8"), ("location", &long)]),
            tensor(&[("location", "../w.bin")]),
        ]
        .concat();
        assert_eq!(locations(&model), Some([PathBuf::from(&long), "w.bin".into()].into()));
        assert_eq!(locations(b"no model"), Some(BTreeSet::new()));
        // A name of something else, and a value that is not there.
        assert_eq!(locations(b"\x1a\x08location"), None);
        assert_eq!(locations(b"\x0a\x08location\x12\x09w.bin"), None);
    }
}
