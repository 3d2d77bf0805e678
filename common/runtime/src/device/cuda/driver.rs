//! The CUDA driver: loads it, and describes its errors.
use cudarc::driver::sys;
use halyard_diag::{Error, Result};
use std::{ffi::CStr, sync::OnceLock};
use sys::CUresult;

/// Loads and starts the driver, once; gives the number of devices. Errors: no driver, one that does not start, no device.
pub(super) fn start() -> Result<u32> {
    static STARTED: OnceLock<Result<u32>> = OnceLock::new();
    STARTED.get_or_init(first_start).as_ref().copied().map_err(again)
}

fn first_start() -> Result<u32> {
    // SAFETY: it opens the library and closes it again. Everything else would panic without the library.
    if !unsafe { sys::is_culib_present() } {
        return Err(Error::environment("there is no CUDA driver: `libcuda.so.1` cannot be loaded")
            .code("no-driver")
            .hint("install the driver of the GPU, or run on another device: `--device=cpu`"));
    }
    let no_device = || {
        Error::environment("the CUDA driver finds no device")
            .code("no-device")
            .hint("`nvidia-smi` shows what the driver sees; `CUDA_VISIBLE_DEVICES` hides devices")
    };
    // SAFETY: the first call of the driver.
    match unsafe { sys::cuInit(0) } {
        CUresult::CUDA_SUCCESS => {}
        CUresult::CUDA_ERROR_NO_DEVICE => return Err(no_device()),
        CUresult::CUDA_ERROR_STUB_LIBRARY => {
            return Err(Error::environment(
                "there is no CUDA driver: the `libcuda.so` that was found is a stub for linking",
            )
            .code("no-driver")
            .hint("take the folder `stubs` out of LD_LIBRARY_PATH"));
        }
        code => {
            return Err(Error::environment(format!("the CUDA driver does not start: {}", describe(code)))
                .code("no-driver")
                .hint("does the driver match its kernel module? `nvidia-smi` shows it"));
        }
    }
    let mut count = 0;
    // SAFETY: the driver was started.
    check(unsafe { sys::cuDeviceGetCount(&mut count) }, "count the devices")?;
    if count < 1 { Err(no_device()) } else { Ok(count.unsigned_abs()) }
}

/// The version of CUDA that the driver was made for, as `12.4`. The driver must be started.
pub(super) fn version() -> String {
    let mut number = 0;
    // SAFETY: the driver was started; it writes a number.
    let code = unsafe { sys::cuDriverGetVersion(&mut number) };
    if code == CUresult::CUDA_SUCCESS { format!("{}.{}", number / 1000, number % 1000 / 10) } else { "?".into() }
}

/// An error once more: it is reported whenever a device is asked for.
fn again(error: &Error) -> Error {
    Error { kind: error.kind, diagnostics: error.diagnostics.clone() }
}

/// Returns the name and text of an error: ``CUDA_ERROR_ILLEGAL_ADDRESS, an illegal memory access was encountered``.
pub(super) fn describe(code: CUresult) -> String {
    let text = |get: unsafe fn(CUresult, *mut *const std::ffi::c_char) -> CUresult| {
        let mut text = std::ptr::null();
        // SAFETY: the driver writes a pointer to a text that lives for ever, or null.
        unsafe {
            get(code, &mut text);
            (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
        }
    };
    let parts: Vec<String> = [text(sys::cuGetErrorName), text(sys::cuGetErrorString)].into_iter().flatten().collect();
    if parts.is_empty() { format!("error {}", code as u32) } else { parts.join(", ") }
}

/// Whether the device is unusable after an error.
pub(super) fn is_final(code: CUresult) -> bool {
    use CUresult::*;
    matches!(
        code,
        CUDA_ERROR_ILLEGAL_ADDRESS
            | CUDA_ERROR_LAUNCH_FAILED
            | CUDA_ERROR_LAUNCH_TIMEOUT
            | CUDA_ERROR_ECC_UNCORRECTABLE
            | CUDA_ERROR_NVLINK_UNCORRECTABLE
            | CUDA_ERROR_HARDWARE_STACK_ERROR
            | CUDA_ERROR_ILLEGAL_INSTRUCTION
            | CUDA_ERROR_MISALIGNED_ADDRESS
            | CUDA_ERROR_INVALID_ADDRESS_SPACE
            | CUDA_ERROR_INVALID_PC
            | CUDA_ERROR_ASSERT
            | CUDA_ERROR_CONTEXT_IS_DESTROYED
            | CUDA_ERROR_DEINITIALIZED
            | CUDA_ERROR_UNKNOWN
    )
}

/// Fails if a call of the driver did; `doing` says what for: `cannot DOING: …`.
pub(super) fn check(code: CUresult, doing: &str) -> Result<()> {
    match code {
        CUresult::CUDA_SUCCESS => Ok(()),
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
            Err(Error::environment(format!("cannot {doing}: the device is out of memory")).code("out-of-memory"))
        }
        code if is_final(code) => Err(Error::environment(format!(
            "the device was lost while the program ran: {}",
            describe(code)
        ))
        .code("device-lost")
        .hint(
            "start again; a kernel by hand that reaches outside its buffers does this, `compute-sanitizer` finds it",
        )),
        code => Err(Error::environment(format!("cannot {doing}: {}", describe(code))).code("driver-failed")),
    }
}
