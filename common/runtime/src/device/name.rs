//! Names of devices.
use halyard_diag::{either, nearest};
use std::{fmt, str::FromStr};

/// A kind of device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum DeviceKind {
    /// The processor of this machine.
    #[default]
    Cpu,
    /// A device with a Vulkan driver.
    Vulkan,
    /// NVIDIA GPUs with their driver.
    Cuda,
}

impl DeviceKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Cpu, Self::Vulkan, Self::Cuda];

    /// Returns all kinds except the CPU.
    pub fn gpus() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|kind| *kind != Self::Cpu)
    }

    /// `cpu`, `vulkan`, `cuda`: as in `--device` and in `--target`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Vulkan => "vulkan",
            Self::Cuda => "cuda",
        }
    }
}

/// A device: `cpu`, `vulkan`, `cuda:1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct DeviceName {
    /// The kind of device.
    pub kind: DeviceKind,
    /// The number of the device; `None` selects the best: the first discrete GPU, or else the first device.
    pub index: Option<u32>,
}

impl fmt::Display for DeviceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name())?;
        self.index.map_or(Ok(()), |i| write!(f, ":{i}"))
    }
}

impl FromStr for DeviceName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, index) = text.split_once(':').map_or((text, None), |(kind, index)| (kind, Some(index)));
        let names = DeviceKind::ALL.map(DeviceKind::name);
        let kind = DeviceKind::ALL.into_iter().find(|k| k.name() == kind).ok_or_else(|| {
            let gpus = || DeviceKind::ALL.into_iter().filter(|k| *k != DeviceKind::Cpu).map(DeviceKind::name);
            let near = if kind.eq_ignore_ascii_case("gpu") { gpus().collect() } else { nearest(kind, names) };
            let meant = if near.is_empty() { String::new() } else { format!("; did you mean {}?", either(&near)) };
            format!("there are `cpu`, `vulkan`, `vulkan:N`, `cuda` and `cuda:N`{meant}")
        })?;
        let index = match index {
            None => None,
            Some(_) if kind == DeviceKind::Cpu => {
                return Err("there is one `cpu`; `--threads` says how much of it".into());
            }
            Some(n) => {
                Some(n.parse().map_err(|_| format!("`{n}` is no number of a device; `--list-devices` lists them"))?)
            }
        };
        Ok(Self { kind, index })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        let name = |text: &str| text.parse::<DeviceName>();
        for text in ["cpu", "vulkan", "vulkan:0", "cuda:12"] {
            assert_eq!(name(text).unwrap().to_string(), text);
        }
        assert_eq!(name("cpu"), Ok(DeviceName::default()));
        assert!(name("gpu").unwrap_err().contains("did you mean `vulkan` or `cuda`?"));
        assert!(name("vulcan").unwrap_err().contains("did you mean `vulkan`?"));
        assert!(name("cpu:0").is_err() && name("vulkan:x").is_err() && name("vulkan:").is_err() && name("").is_err());
    }
}
