//! How build caches keep an entry: an `ActionResult` under the key, which names a blob, which lies under its SHA-256.
use crate::{fault::Fault, grpc::digest};
use bazel_remote_apis::build::bazel::remote::execution::v2::{ActionResult, Digest, OutputFile};
use halyard_cache::LARGEST;
use prost::Message;

/// The output that is the entry.
const OUTPUT: &str = "entry";

/// The result that names an entry.
pub(super) fn result(entry: &[u8]) -> ActionResult {
    let file = OutputFile { path: OUTPUT.into(), digest: Some(digest(entry)), ..OutputFile::default() };
    ActionResult { output_files: vec![file], ..ActionResult::default() }
}

/// Reads a result.
pub(super) fn decode(bytes: &[u8]) -> Result<ActionResult, Fault> {
    ActionResult::decode(bytes).map_err(|_| Fault::wrong("what lies under the key is no action result"))
}

/// The digest of the entry that a result names.
pub(super) fn entry_of(result: &ActionResult) -> Result<&Digest, Fault> {
    let output = result.output_files.iter().find(|f| f.path == OUTPUT).and_then(|f| f.digest.as_ref());
    let digest = output.ok_or_else(|| Fault::wrong("the action result under the key has no entry of ours"))?;
    let is_hash = digest.hash.len() == 64 && digest.hash.bytes().all(|b| b.is_ascii_hexdigit());
    if !is_hash || digest.size_bytes < 0 || digest.size_bytes as u64 > LARGEST as u64 {
        return Err(Fault::wrong("the action result under the key has an impossible digest"));
    }
    Ok(digest)
}

/// Checks that a blob is the one that was asked for.
pub(super) fn check(blob: &[u8], wanted: &Digest) -> Result<(), Fault> {
    if digest(blob) == *wanted { Ok(()) } else { Err(Fault::wrong("the blob is another one than its hash says")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_by_results() {
        let written = result(b"abc");
        let read = decode(&written.encode_to_vec()).unwrap();
        let found = entry_of(&read).unwrap();
        assert_eq!(found.hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert!(check(b"abc", found).is_ok() && check(b"abd", found).is_err() && check(b"ab", found).is_err());
        assert!(entry_of(&ActionResult::default()).is_err());
        let mut bad = written;
        bad.output_files[0].digest = Some(Digest { hash: "../../x".into(), size_bytes: 3 });
        assert!(entry_of(&bad).is_err());
    }
}
