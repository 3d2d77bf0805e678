//! The instructions of code in memory, by LLVM's disassembler.
use halyard_targets::CpuTarget;
use inkwell::llvm_sys::{
    disassembler::{LLVMCreateDisasmCPU, LLVMDisasmDispose, LLVMDisasmInstruction},
    target,
};
use std::{
    collections::BTreeSet,
    ffi::{CStr, CString, c_char, c_void},
    ptr,
    sync::Once,
};

/// The text of no instruction is longer.
const LONGEST: usize = 256;
/// LLVM's number for what a branch refers to.
const BRANCH: u64 = 1;

/// An instruction.
pub(super) struct Instruction {
    pub(super) offset: u64,
    pub(super) text: String,
    /// Whether something jumps to it, or a jump comes before it.
    pub(super) begins_block: bool,
}

/// Where branches go to, and whether the present instruction is one.
#[derive(Default)]
struct Branches {
    targets: BTreeSet<u64>,
    is_branch: bool,
}

/// The instructions of a function of this process, at these bytes; what is none ends them.
pub(super) fn instructions(address: usize, size: usize) -> Vec<Instruction> {
    initialize();
    let host = CpuTarget::host();
    let (Ok(triple), Ok(chip)) = (CString::new(host.triple.as_str()), CString::new(host.chip.as_str())) else {
        return Vec::new();
    };
    let mut branches = Branches::default();
    let mut found = Vec::new();
    let mut after_branch = true;
    // SAFETY: the bytes are code that is loaded, the texts end with a zero, and the callback is given what it expects.
    unsafe {
        let info = (&raw mut branches).cast::<c_void>();
        let context = LLVMCreateDisasmCPU(triple.as_ptr(), chip.as_ptr(), info, 0, None, Some(look_up));
        if context.is_null() {
            return Vec::new();
        }
        let mut offset = 0;
        while offset < size {
            let mut text: [c_char; LONGEST] = [0; LONGEST];
            branches.is_branch = false;
            let bytes = (address + offset) as *mut u8;
            let rest = (size - offset) as u64;
            let length = LLVMDisasmInstruction(context, bytes, rest, offset as u64, text.as_mut_ptr(), LONGEST);
            if length == 0 {
                break;
            }
            let text = CStr::from_ptr(text.as_ptr()).to_string_lossy().trim().replace('\t', " ");
            let ends = branches.is_branch || text.starts_with("ret");
            found.push(Instruction { offset: offset as u64, text, begins_block: after_branch });
            after_branch = ends;
            offset += length;
        }
        LLVMDisasmDispose(context);
    }
    for instruction in &mut found {
        instruction.begins_block |= branches.targets.contains(&instruction.offset);
    }
    found
}

extern "C" fn look_up(
    info: *mut c_void,
    value: u64,
    kind: *mut u64,
    _: u64,
    name: *mut *const c_char,
) -> *const c_char {
    // SAFETY: LLVM hands on what `instructions` gave, and places to write to.
    unsafe {
        if *kind == BRANCH {
            let branches = &mut *info.cast::<Branches>();
            branches.targets.insert(value);
            branches.is_branch = true;
        }
        *kind = 0;
        *name = ptr::null();
    }
    ptr::null()
}

fn initialize() {
    static ONCE: Once = Once::new();
    halyard_targets::initialize();
    // SAFETY: called once; registration is not thread-safe, `Once` is.
    ONCE.call_once(|| unsafe {
        #[cfg(target_arch = "x86_64")]
        target::LLVMInitializeX86Disassembler();
        #[cfg(target_arch = "aarch64")]
        target::LLVMInitializeAArch64Disassembler();
        #[cfg(target_arch = "riscv64")]
        target::LLVMInitializeRISCVDisassembler();
    });
}
