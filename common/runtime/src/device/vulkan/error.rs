//! Describes errors of Vulkan drivers.
use ash::vk;
use halyard_diag::Error;

/// A call of the driver failed: ``device `vulkan:0` (llvmpipe) was lost while the program ran``.
pub(super) fn failed(title: &str, what: &str, result: vk::Result) -> Error {
    match result {
        vk::Result::ERROR_DEVICE_LOST => Error::environment(format!("{title} was lost: it could not {what}"))
            .code("device-lost")
            .hint("run it again; if it happens each time, a kernel may take too long or reach outside its buffers: `--device-debug` checks more"),
        vk::Result::ERROR_OUT_OF_DEVICE_MEMORY => out_of_memory(title, None),
        vk::Result::ERROR_OUT_OF_HOST_MEMORY => {
            Error::environment(format!("the driver of {title} is out of memory of the host")).code("out-of-memory")
        }
        other => Error::environment(format!("{title} cannot {what}: {}", name(other))).code("device-failed"),
    }
}

/// The memory of a device is exhausted.
pub(super) fn out_of_memory(title: &str, bytes: Option<u64>) -> Error {
    let what = bytes.map_or("the memory that this takes".into(), |bytes| format!("{bytes} bytes left"));
    Error::environment(format!("{title} does not have {what}"))
        .code("out-of-memory")
        .hint("use a smaller batch, or a device with more memory (`--list-devices`)")
}

/// `ERROR_INITIALIZATION_FAILED`, as the specification names it.
pub(super) fn name(result: vk::Result) -> String {
    format!("VK_{result:?}")
}
