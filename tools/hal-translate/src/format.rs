//! `--emit`: the output formats.
use crate::{
    code_target::DeviceFormat,
    llvm::Code,
    targets::{FORMATS, GPU_CODE},
};
use clap::{ValueEnum, builder::PossibleValue};
use std::sync::LazyLock;

/// An output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TranslationFormat {
    /// The program as MLIR text.
    Text,
    /// The program as MLIR bytecode; the default if the output ends in `.mlirbc`.
    Bytecode,
    /// One executable as LLVM IR.
    Llvm,
    /// One executable as assembly, or what comes closest for a GPU.
    Asm,
    /// One executable as an object, or what a driver takes.
    Obj,
    /// A format that only one kind of device has.
    Device(&'static DeviceFormat),
}

static ALL: LazyLock<Vec<TranslationFormat>> = LazyLock::new(|| {
    use TranslationFormat::{Asm, Bytecode, Device, Llvm, Obj, Text};
    [Text, Bytecode, Llvm, Asm, Obj].into_iter().chain(FORMATS.iter().map(Device)).collect()
});

impl ValueEnum for TranslationFormat {
    fn value_variants<'a>() -> &'a [Self] {
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            Self::Text => "The program as MLIR text".to_owned(),
            Self::Bytecode => "The program as MLIR bytecode; the default if FILE ends in .mlirbc".to_owned(),
            Self::Llvm => "One executable as LLVM IR".to_owned(),
            Self::Asm => format!("One executable as assembly; {} for a GPU", GPU_CODE[0]),
            Self::Obj => format!("One executable as an object; {} for a GPU", GPU_CODE[1]),
            Self::Device(format) => format.help.to_owned(),
        };
        Some(PossibleValue::new(self.name()).help(help))
    }
}

impl TranslationFormat {
    /// Returns the value of the flag.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Bytecode => "bytecode",
            Self::Llvm => "llvm",
            Self::Asm => "asm",
            Self::Obj => "obj",
            Self::Device(format) => format.name,
        }
    }

    /// The values that are the code of one executable: "llvm, asm or obj".
    pub(crate) fn names_of_code() -> String {
        let names: Vec<&str> = ALL.iter().filter(|kind| kind.is_code()).map(|kind| kind.name()).collect();
        let (last, others) = names.split_last().expect("some are code");
        format!("{} or {last}", others.join(", "))
    }

    /// Whether it is the code of one executable, not a program.
    pub(crate) fn is_code(self) -> bool {
        !matches!(self, Self::Text | Self::Bytecode)
    }

    /// Returns the kind of code to generate, if it is code.
    pub(crate) fn code(self) -> Code {
        match self {
            Self::Llvm => Code::Llvm,
            Self::Asm => Code::Asm,
            Self::Device(format) => format.code,
            _ => Code::Obj,
        }
    }

    /// Whether the format is binary, which is not written to terminals.
    pub(crate) fn is_binary(self) -> bool {
        match self {
            Self::Device(format) => format.is_binary,
            _ => matches!(self, Self::Bytecode | Self::Obj),
        }
    }

    /// Whether the vendor's assembler makes it.
    pub(crate) fn is_assembled(self) -> bool {
        matches!(self, Self::Device(format) if format.is_assembled)
    }

    /// The kind of target that it is for, if it is for one alone.
    pub(crate) fn device(self) -> Option<&'static str> {
        match self {
            Self::Device(format) => Some(format.device),
            _ => None,
        }
    }
}
