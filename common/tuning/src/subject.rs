//! The subject of tuning.
use halyard_runtime::{DeviceKind, DeviceName, device_info};
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

/// The fingerprint of this machine for programs of a kind of device (`cpu` and so on): for a CPU its model and its number of threads, else
/// the name of the device that programs run on, its driver with the version, and the numbers of vendor and device. `None` if there is none.
pub fn machine(device: &str) -> Option<String> {
    let kind = DeviceKind::ALL.into_iter().find(|kind| kind.name() == device)?;
    let found = device_info(DeviceName { kind, index: None }).ok()?;
    found.problem.is_none().then_some(found.identity)
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
