//! The kinds of devices that have objects. All that the exchange form knows about a kind is in this file.
use crate::Attr;

/// A kind of device that runs objects.
#[derive(Debug)]
pub(super) struct ObjectDevice {
    /// Its name, as `--target` and `--device` have it.
    pub(super) name: &'static str,
    /// The name in messages.
    pub(super) title: &'static str,
    /// The prefix of its target attribute.
    pub(super) target: &'static str,
    /// The formats of its objects.
    pub(super) formats: &'static [&'static str],
    /// Whether its exports have a workgroup size, as on GPUs.
    pub(super) has_threads: bool,
    /// Whether a launch can add shared memory to what the code declares.
    pub(super) has_launch_memory: bool,
    /// Whether its code has numbered buffers, with unique numbers.
    pub(super) numbers_buffers: bool,
    /// The default width of sizes that code receives, in bits.
    pub(super) size_bits: u32,
}

/// All kinds.
pub(super) const DEVICES: [ObjectDevice; 3] = [
    ObjectDevice {
        name: "cpu",
        title: "CPUs",
        target: "#llvm.target",
        formats: &["elf", "archive"],
        has_threads: false,
        has_launch_memory: false,
        numbers_buffers: false,
        size_bits: 64,
    },
    ObjectDevice {
        name: "vulkan",
        title: "Vulkan",
        target: "#spirv.target_env",
        formats: &["spirv"],
        has_threads: true,
        has_launch_memory: false,
        numbers_buffers: true,
        size_bits: 32,
    },
    ObjectDevice {
        name: "cuda",
        title: "CUDA",
        target: "#nvvm.target",
        formats: &["ptx", "cubin", "fatbin"],
        has_threads: true,
        has_launch_memory: true,
        numbers_buffers: false,
        size_bits: 64,
    },
];

/// Returns the device of that name.
pub(super) fn device_named(name: &str) -> Option<&'static ObjectDevice> {
    DEVICES.iter().find(|device| device.name == name)
}

/// The device that a target attribute names.
pub(super) fn device_of(target: Attr) -> Option<&'static ObjectDevice> {
    let text = target.to_string();
    // OpenCL's modules have the attribute of Vulkan's and another interface. No device runs them.
    DEVICES.iter().find(|device| text.starts_with(device.target) && !text.contains("api=OpenCL"))
}

/// The kind of device that a target attribute names: `cpu`, `vulkan` or `cuda`.
pub fn device_of_target(target: Attr) -> Option<&'static str> {
    device_of(target).map(|device| device.name)
}

/// The target attributes of devices that run objects, for messages: "`#a`, `#b` and `#c`", with the last two joined by a word.
pub fn known_target_attributes(last: &str) -> String {
    let mut names: Vec<String> = DEVICES.iter().map(|device| format!("`{}`", device.target)).collect();
    let end = names.pop().unwrap_or_default();
    format!("{} {last} {end}", names.join(", "))
}
