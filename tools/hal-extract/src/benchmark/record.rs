//! Reads the records of `hal-run --record`: a safetensors archive. Its metadata `halyard.dispatches` is a JSON list;
//! dispatch `i` has tensors `i.before.B` and, for bindings that are written, `i.after.B`: the bytes of its binding
//! `B`.
use halyard_diag::{Error, Result};
use safetensors::SafeTensors;
use serde::Deserialize;

/// A recorded dispatch.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Use {
    pub(super) executable: String,
    pub(super) export: String,
    pub(super) constants: Vec<i64>,
    /// The number of such dispatches in the call.
    pub(super) calls: usize,
    /// The size of each binding in bytes.
    pub(super) bindings: Vec<usize>,
    /// For each binding, whether it is written.
    pub(super) written: Vec<bool>,
    #[serde(skip)]
    pub(super) before: Vec<Vec<u8>>,
    #[serde(skip)]
    pub(super) after: Vec<Vec<u8>>,
}

impl Use {
    /// Whether another use is the same work, regardless of the contents of buffers.
    pub(super) fn is_like(&self, other: &Use) -> bool {
        (&self.executable, &self.export, &self.constants, &self.bindings)
            == (&other.executable, &other.export, &other.constants, &other.bindings)
    }
}

/// Reads a record. Errors: it is not one.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<Use>> {
    let bad = |why: &str| Error::tool(format!("what `hal-run --record` wrote cannot be read: {why}"));
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(|e| bad(&e.to_string()))?;
    let list = metadata
        .metadata()
        .as_ref()
        .and_then(|m| m.get("halyard.dispatches"))
        .ok_or_else(|| bad("it has no list of dispatches"))?;
    let mut uses: Vec<Use> = serde_json::from_str(list).map_err(|e| bad(&e.to_string()))?;
    let tensors = SafeTensors::deserialize(bytes).map_err(|e| bad(&e.to_string()))?;
    for (i, u) in uses.iter_mut().enumerate() {
        for b in 0..u.bindings.len() {
            let get = |when: &str| -> Result<Vec<u8>> {
                let tensor = tensors.tensor(&format!("{i}.{when}.{b}")).map_err(|e| bad(&e.to_string()))?;
                Ok(tensor.data().to_vec())
            };
            u.before.push(get("before")?);
            // The contents of read-only bindings are not stored twice.
            u.after.push(if u.written[b] { get("after")? } else { Vec::new() });
        }
    }
    Ok(uses)
}
