//! Objects loaded into this process, as they are: LLVM's in-process linker gives them memory and resolves what they call.
use crate::{arena, copy};
use half::{bf16, f16};
use halyard_diag::{Error, Result};
use inkwell::llvm_sys::{
    core::LLVMCreateMemoryBufferWithMemoryRangeCopy,
    error::{LLVMDisposeErrorMessage, LLVMErrorRef, LLVMGetErrorMessage},
    orc2::{
        LLVMJITEvaluatedSymbol, LLVMJITSymbolFlags, LLVMOrcAbsoluteSymbols, LLVMOrcCSymbolMapPair,
        LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess, LLVMOrcCreateStaticLibrarySearchGeneratorForPath,
        LLVMOrcJITDylibAddGenerator, LLVMOrcJITDylibDefine, LLVMOrcJITDylibRef,
        lljit::{
            LLVMOrcCreateLLJIT, LLVMOrcDisposeLLJIT, LLVMOrcLLJITAddObjectFile, LLVMOrcLLJITGetGlobalPrefix,
            LLVMOrcLLJITGetMainJITDylib, LLVMOrcLLJITGetObjLinkingLayer, LLVMOrcLLJITLookup,
            LLVMOrcLLJITMangleAndIntern, LLVMOrcLLJITRef,
        },
    },
};
use std::{
    ffi::{CStr, CString},
    path::Path,
    ptr,
};

/// Objects that call each other and the C library.
pub(crate) struct Loaded {
    raw: LLVMOrcLLJITRef,
}

// SAFETY of all blocks in this file: handles are live, results are given places to be written to, and texts end with a zero.
#[allow(clippy::undocumented_unsafe_blocks, reason = "stated once for the file")]
mod imp {
    use super::*;

    impl Loaded {
        /// Nothing yet, but the C library.
        pub(crate) fn new() -> Result<Self> {
            halyard_targets::initialize();
            halyard_cpu::permit_registers();
            unsafe {
                let mut raw = ptr::null_mut();
                check(LLVMOrcCreateLLJIT(&raw mut raw, ptr::null_mut()), "LLVM cannot load objects here")?;
                debug_assert!(!LLVMOrcLLJITGetObjLinkingLayer(raw).is_null());
                let loaded = Self { raw };
                loaded.define_conversions()?;
                let mut process = ptr::null_mut();
                let prefix = LLVMOrcLLJITGetGlobalPrefix(raw);
                let made = LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
                    &raw mut process,
                    prefix,
                    None,
                    ptr::null_mut(),
                );
                check(made, "the C library cannot be looked up")?;
                LLVMOrcJITDylibAddGenerator(loaded.library(), process);
                Ok(loaded)
            }
        }

        fn library(&self) -> LLVMOrcJITDylibRef {
            unsafe { LLVMOrcLLJITGetMainJITDylib(self.raw) }
        }

        /// Adds an object. Errors: one that cannot be read, or defines what is defined already.
        pub(crate) fn add(&self, object: &[u8]) -> Result<()> {
            unsafe {
                let copy =
                    LLVMCreateMemoryBufferWithMemoryRangeCopy(object.as_ptr().cast(), object.len(), c"object".as_ptr());
                check(LLVMOrcLLJITAddObjectFile(self.raw, self.library(), copy), "the object cannot be loaded")
            }
        }

        /// Adds a static archive, of which what is needed is taken. Errors: one that cannot be read.
        pub(crate) fn add_archive(&self, file: &Path) -> Result<()> {
            let path = CString::new(file.display().to_string()).unwrap_or_default();
            unsafe {
                let layer = LLVMOrcLLJITGetObjLinkingLayer(self.raw);
                let mut generator = ptr::null_mut();
                let made = LLVMOrcCreateStaticLibrarySearchGeneratorForPath(&raw mut generator, layer, path.as_ptr());
                check(made, "the archive cannot be loaded")?;
                LLVMOrcJITDylibAddGenerator(self.library(), generator);
            }
            Ok(())
        }

        /// The address of a function; what it needs is linked now. Errors: it is not there, or something that it needs.
        pub(crate) fn find(&self, name: &str) -> Result<usize> {
            let symbol = CString::new(name).unwrap_or_default();
            let mut address = 0;
            let found = unsafe { LLVMOrcLLJITLookup(self.raw, &raw mut address, symbol.as_ptr()) };
            check(found, "the code cannot be linked")?;
            Ok(address as usize)
        }

        /// What MLIR calls to copy between layouts, and compilers to convert narrow floats where the CPU has no instruction for it. They are passed in the low
        /// bits of the registers of `float`.
        fn define_conversions(&self) -> Result<()> {
            let functions = [
                ("__truncsfbf2", to_bf16 as *const () as u64),
                ("__truncdfbf2", double_to_bf16 as *const () as u64),
                ("__truncsfhf2", to_f16 as *const () as u64),
                ("__truncdfhf2", double_to_f16 as *const () as u64),
                ("__extendhfsf2", of_f16 as *const () as u64),
                ("__gnu_f2h_ieee", to_f16_bits as *const () as u64),
                ("__gnu_h2f_ieee", of_f16_bits as *const () as u64),
                ("_mlir_memref_to_llvm_alloc", arena::allocate as *const () as u64),
                ("_mlir_memref_to_llvm_free", arena::free as *const () as u64),
                ("memrefCopy", copy::memref_copy as *const () as u64),
            ];
            unsafe {
                let mut pairs: Vec<LLVMOrcCSymbolMapPair> = functions
                    .iter()
                    .map(|(name, address)| {
                        let name = CString::new(*name).expect("names of functions");
                        // Callable and exported.
                        let flags = LLVMJITSymbolFlags { GenericFlags: 1 | 4, TargetFlags: 0 };
                        let symbol = LLVMJITEvaluatedSymbol { Address: *address, Flags: flags };
                        LLVMOrcCSymbolMapPair {
                            Name: LLVMOrcLLJITMangleAndIntern(self.raw, name.as_ptr()),
                            Sym: symbol,
                        }
                    })
                    .collect();
                let unit = LLVMOrcAbsoluteSymbols(pairs.as_mut_ptr(), pairs.len());
                check(LLVMOrcJITDylibDefine(self.library(), unit), "functions that convert numbers cannot be defined")
            }
        }
    }

    impl Drop for Loaded {
        fn drop(&mut self) {
            unsafe { drop(check(LLVMOrcDisposeLLJIT(self.raw), "")) }
        }
    }

    fn check(error: LLVMErrorRef, what: &str) -> Result<()> {
        if error.is_null() {
            return Ok(());
        }
        let text = unsafe {
            let raw = LLVMGetErrorMessage(error);
            let text = CStr::from_ptr(raw).to_string_lossy().into_owned();
            LLVMDisposeErrorMessage(raw);
            text
        };
        Err(Error::input(format!("{what}: {}", text.trim())))
    }
}

extern "C" fn to_bf16(x: f32) -> f32 {
    f32::from_bits(bf16::from_f32(x).to_bits().into())
}

extern "C" fn double_to_bf16(x: f64) -> f32 {
    f32::from_bits(bf16::from_f64(x).to_bits().into())
}

extern "C" fn to_f16(x: f32) -> f32 {
    f32::from_bits(f16::from_f32(x).to_bits().into())
}

extern "C" fn double_to_f16(x: f64) -> f32 {
    f32::from_bits(f16::from_f64(x).to_bits().into())
}

extern "C" fn of_f16(x: f32) -> f32 {
    f16::from_bits((x.to_bits() & 0xffff) as u16).to_f32()
}

extern "C" fn to_f16_bits(x: f32) -> u16 {
    f16::from_f32(x).to_bits()
}

extern "C" fn of_f16_bits(x: u16) -> f32 {
    f16::from_bits(x).to_f32()
}
