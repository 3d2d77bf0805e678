//! Tile registers (AMX): Linux saves them only for processes that ask for it.
//!
//! Linux, Documentation/arch/x86/xstate.rst; Intel, Software Developer's Manual, volume 2, CPUID, leaf 7.
use std::arch::x86_64::__cpuid_count;
use std::sync::OnceLock;

/// `ARCH_REQ_XCOMP_PERM` of `arch_prctl`, and the number of the registers' state.
const REQUEST_PERMISSION: i32 = 0x1023;
const TILE_DATA: i32 = 18;

/// Whether this process may use tile registers, for which it asks the first time. Linux refuses if a thread has a stack for signals that is too
/// small for them.
pub(crate) fn permitted() -> bool {
    static PERMITTED: OnceLock<bool> = OnceLock::new();
    *PERMITTED.get_or_init(|| {
        // SAFETY: it has no effect on memory.
        let asked = || unsafe { libc::syscall(libc::SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) };
        cfg!(target_os = "linux") && instructions() & 1 << 24 != 0 && asked() == 0
    })
}

/// Whether the CPU has an extension by LLVM's name, and this process may use it; `None` if it is no extension of tile registers.
pub(super) fn has(feature: &str) -> Option<bool> {
    let bit = match feature {
        "amx-bf16" => 22,
        "amx-tile" => 24,
        "amx-int8" => 25,
        _ => return None,
    };
    Some(instructions() & 1 << bit != 0 && permitted())
}

/// What the CPU says of its extensions, in the register with those of tiles.
fn instructions() -> u32 {
    if __cpuid_count(0, 0).eax < 7 { 0 } else { __cpuid_count(7, 0).edx }
}
