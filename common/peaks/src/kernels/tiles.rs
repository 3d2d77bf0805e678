//! Products of matrices of bytes in tile registers (AMX).
use std::arch::asm;

/// Registers with sums that do not wait for each other; two more have the factors.
const SUMS: u64 = 6;

/// The sizes of all registers, as `ldtilecfg` reads them: a palette, then the bytes of their rows and their rows.
#[repr(align(64))]
struct Sizes([u8; 64]);

/// Multiplies bytes of zeros; returns the number of operations.
///
/// # Safety
/// The processor has the instructions, and this process may use them.
pub(super) unsafe fn i8_tiles(rounds: u64) -> f64 {
    let mut sizes = Sizes([0; 64]);
    sizes.0[0] = 1;
    for register in 0..8 {
        sizes.0[16 + 2 * register] = 64;
        sizes.0[48 + register] = 16;
    }
    // SAFETY: it reads `sizes` alone.
    unsafe {
        asm!(
            "ldtilecfg [{sizes}]",
            "2:",
            "tdpbusd tmm0, tmm6, tmm7",
            "tdpbusd tmm1, tmm6, tmm7",
            "tdpbusd tmm2, tmm6, tmm7",
            "tdpbusd tmm3, tmm6, tmm7",
            "tdpbusd tmm4, tmm6, tmm7",
            "tdpbusd tmm5, tmm6, tmm7",
            "sub {rounds}, 1",
            "jnz 2b",
            "tilerelease",
            sizes = in(reg) &raw const sizes,
            rounds = inout(reg) rounds.max(1) => _,
            out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
            out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
            options(nostack, readonly)
        );
    }
    (2 * SUMS * 16 * 16 * 64) as f64 * rounds as f64
}
