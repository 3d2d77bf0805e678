//! The subject of tuning.
use halyard_runtime::{DeviceKind, devices};
use serde::{Deserialize, Serialize};

/// A kernel, target and machine: the best schedule depends on all three.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Subject {
    /// The content key of the executable: the same for the same computation, whatever its name.
    pub key: String,
    /// The target, as `--target` has it: `cpu:znver4@x86_64-unknown-linux-gnu,+avx512f`.
    pub target: String,
    /// The machine that ran it, see [`machine`].
    pub machine: String,
}

/// The fingerprint of this machine for programs of a kind of device (`cpu` and so on): what the first usable device
/// calls itself, for a CPU its model and its number of threads. `None` if there is none.
pub fn machine(device: &str) -> Option<String> {
    let kind = DeviceKind::ALL.into_iter().find(|kind| kind.name() == device)?;
    let found = devices(kind).ok()?;
    found.into_iter().find(|d| d.problem.is_none()).map(|d| d.title)
}

/// The fingerprints of this machine for all kinds of devices that it has.
pub fn machines() -> Vec<String> {
    DeviceKind::ALL.into_iter().filter_map(|kind| machine(kind.name())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_a_cpu() {
        let cpu = machine("cpu").unwrap();
        assert!(cpu.contains(" thread"), "{cpu}");
        assert_eq!(machine("cpu"), Some(cpu));
        assert_eq!(machine("toaster"), None);
    }
}
