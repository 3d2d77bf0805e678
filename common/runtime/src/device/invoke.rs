//! Calls a C function with a number of 64-bit arguments that is known only at run time.
//!
//! A kernel's parameters are pointers and `int64_t` (see `include/halyard/kernel.h`). The C calling conventions pass
//! all of these in the same way: the first ones in registers, the rest on the stack in order.

/// The number of registers that carry arguments.
#[cfg(target_arch = "x86_64")]
const IN_REGISTERS: usize = 6;
#[cfg(any(target_arch = "aarch64", target_arch = "riscv64"))]
const IN_REGISTERS: usize = 8;

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
compile_error!("the runtime calls kernels through a few lines of assembly; add those of this architecture");

/// The least length of an argument array given to [`invoke`]: all argument registers are loaded always.
pub const LEAST_ARGUMENTS: usize = IN_REGISTERS;

// System V ABI. r11: function, r10: arguments, rax: how many go to the stack.
#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(
    ".globl halyard_invoke",
    ".hidden halyard_invoke",
    ".type halyard_invoke, @function",
    "halyard_invoke:",
    ".cfi_startproc",
    "push rbp",
    ".cfi_def_cfa_offset 16",
    ".cfi_offset rbp, -16",
    "mov rbp, rsp",
    ".cfi_def_cfa_register rbp",
    "mov r11, rdi",
    "mov r10, rsi",
    "mov rax, rdx",
    "lea rcx, [rax + 1]",
    "and rcx, -2",
    "shl rcx, 3",
    "sub rsp, rcx",
    "xor ecx, ecx",
    "2: cmp rcx, rax",
    "jae 3f",
    "mov rdx, [r10 + 8*rcx + 48]",
    "mov [rsp + 8*rcx], rdx",
    "inc rcx",
    "jmp 2b",
    "3: mov rdi, [r10]",
    "mov rsi, [r10 + 8]",
    "mov rdx, [r10 + 16]",
    "mov rcx, [r10 + 24]",
    "mov r8, [r10 + 32]",
    "mov r9, [r10 + 40]",
    "xor eax, eax",
    "call r11",
    "leave",
    ".cfi_def_cfa rsp, 8",
    "ret",
    ".cfi_endproc",
    ".size halyard_invoke, . - halyard_invoke",
);

// AAPCS64. x16: function, x17: arguments, x2: how many go to the stack.
#[cfg(target_arch = "aarch64")]
std::arch::global_asm!(
    ".globl halyard_invoke",
    ".hidden halyard_invoke",
    ".type halyard_invoke, @function",
    "halyard_invoke:",
    ".cfi_startproc",
    "stp x29, x30, [sp, #-16]!",
    ".cfi_def_cfa_offset 16",
    ".cfi_offset x29, -16",
    ".cfi_offset x30, -8",
    "mov x29, sp",
    ".cfi_def_cfa_register x29",
    "mov x16, x0",
    "mov x17, x1",
    "add x3, x2, #1",
    "and x3, x3, #-2",
    "lsl x3, x3, #3",
    "sub sp, sp, x3",
    "mov x4, #0",
    "add x5, x17, #64",
    "2: cmp x4, x2",
    "b.hs 3f",
    "ldr x6, [x5, x4, lsl #3]",
    "mov x7, sp",
    "str x6, [x7, x4, lsl #3]",
    "add x4, x4, #1",
    "b 2b",
    "3: ldp x0, x1, [x17]",
    "ldp x2, x3, [x17, #16]",
    "ldp x4, x5, [x17, #32]",
    "ldp x6, x7, [x17, #48]",
    "blr x16",
    "mov sp, x29",
    ".cfi_def_cfa_register sp",
    "ldp x29, x30, [sp], #16",
    ".cfi_def_cfa_offset 0",
    "ret",
    ".cfi_endproc",
    ".size halyard_invoke, . - halyard_invoke",
);

// LP64D. t1: arguments, t2: function (t0 would look like a return to the processor), a2: how many go to the stack.
#[cfg(target_arch = "riscv64")]
std::arch::global_asm!(
    ".globl halyard_invoke",
    ".hidden halyard_invoke",
    ".type halyard_invoke, @function",
    "halyard_invoke:",
    ".cfi_startproc",
    "addi sp, sp, -16",
    ".cfi_def_cfa_offset 16",
    "sd ra, 8(sp)",
    "sd s0, 0(sp)",
    ".cfi_offset ra, -8",
    ".cfi_offset s0, -16",
    "addi s0, sp, 16",
    ".cfi_def_cfa s0, 0",
    "mv t1, a1",
    "mv t2, a0",
    "addi t3, a2, 1",
    "andi t3, t3, -2",
    "slli t3, t3, 3",
    "sub sp, sp, t3",
    "addi t3, t1, 64",
    "mv t4, sp",
    "slli t5, a2, 3",
    "add t5, t4, t5",
    "2: bgeu t4, t5, 3f",
    "ld t6, 0(t3)",
    "sd t6, 0(t4)",
    "addi t3, t3, 8",
    "addi t4, t4, 8",
    "j 2b",
    "3: ld a0, 0(t1)",
    "ld a1, 8(t1)",
    "ld a2, 16(t1)",
    "ld a3, 24(t1)",
    "ld a4, 32(t1)",
    "ld a5, 40(t1)",
    "ld a6, 48(t1)",
    "ld a7, 56(t1)",
    "jalr t2",
    "addi sp, s0, -16",
    ".cfi_def_cfa sp, 16",
    "ld ra, 8(sp)",
    "ld s0, 0(sp)",
    "addi sp, sp, 16",
    ".cfi_restore ra",
    ".cfi_restore s0",
    ".cfi_def_cfa_offset 0",
    "ret",
    ".cfi_endproc",
    ".size halyard_invoke, . - halyard_invoke",
);

unsafe extern "C" {
    fn halyard_invoke(function: usize, arguments: *const u64, on_stack: usize);
}

/// Calls the C function at an address with `count` arguments.
///
/// # Safety
/// The function must take that many pointers and 64-bit integers, which must be what it expects. There are at least
/// `count` and [`LEAST_ARGUMENTS`] words in `arguments`.
#[inline]
pub unsafe fn invoke(function: usize, arguments: &[u64], count: usize) {
    debug_assert!(arguments.len() >= count.max(LEAST_ARGUMENTS));
    // SAFETY: the caller's promise; the array is long enough for the registers and the stack words.
    unsafe { halyard_invoke(function, arguments.as_ptr(), count.saturating_sub(IN_REGISTERS)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    extern "C" fn two(to: *mut u64, value: u64) {
        // SAFETY: the test passes a pointer to a word.
        unsafe { *to = value };
    }

    #[rustfmt::skip]
    #[allow(clippy::too_many_arguments, reason = "that is the point")]
    extern "C" fn thirteen(to: *mut u64, a: u64, b: u64, c: u64, d: u64, e: u64, f: u64, g: u64, h: u64, i: u64, j: u64, k: u64, l: u64) {
        let digits = [a, b, c, d, e, f, g, h, i, j, k, l].iter().fold(0, |n, d| n * 13 + d);
        // An aligned vector on the stack faults if the stack is not.
        let block = std::hint::black_box([0u128; 4]);
        assert_eq!(block.as_ptr() as usize % 16, 0);
        // SAFETY: the test passes a pointer to a word.
        unsafe { *to = digits };
    }

    #[test]
    fn passes_arguments_in_registers_and_on_the_stack() {
        let mut result = 0u64;
        let mut arguments = vec![0u64; 16];
        arguments[0] = &raw mut result as u64;
        arguments[1] = 42;
        // SAFETY: the arguments are those of the function.
        unsafe { invoke(two as *const () as usize, &arguments, 2) };
        assert_eq!(result, 42);
        for (i, a) in arguments.iter_mut().enumerate().skip(1) {
            *a = i as u64;
        }
        arguments[0] = &raw mut result as u64;
        // SAFETY: the arguments are those of the function.
        unsafe { invoke(thirteen as *const () as usize, &arguments, 13) };
        assert_eq!(result, (1..13).fold(0, |n, d| n * 13 + d));
    }
}
