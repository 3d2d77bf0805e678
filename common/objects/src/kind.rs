//! Kinds of files.

/// The kind of a file, detected from its first bytes: it may still be damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileFormat {
    /// Empty, or white space only.
    Empty,
    /// MLIR as text.
    MlirText,
    /// MLIR bytecode.
    MlirBytecode,
    /// Schedules of kernels (`hal.schedule`).
    Schedule,
    /// A relocatable ELF object.
    Object,
    /// An ELF shared object, or an executable that is linked like one.
    Shared,
    /// An ELF executable.
    Executable,
    /// Another ELF file, such as a core dump.
    OtherElf,
    /// A static archive.
    Archive,
    /// A static archive that names its members by path.
    ThinArchive,
    /// LLVM bitcode.
    Bitcode,
    /// LLVM IR as text.
    LlvmText,
    /// Assembly for a CPU.
    Assembly,
    /// NVIDIA's PTX.
    Ptx,
    /// A device object of NVIDIA.
    Cubin,
    /// Several device objects of NVIDIA in one.
    Fatbin,
    /// A device object of AMD.
    AmdObject,
    /// A SPIR-V module.
    SpirV,
    /// The text of one, as `spirv-dis` writes it.
    SpirVText,
    /// An object or library of macOS.
    MachO,
    /// An object or library of Windows.
    Coff,
    /// A WebAssembly module.
    Wasm,
    /// C or C++.
    CSource,
    /// A shader.
    Glsl,
    /// Any other content.
    Unknown,
}

impl FileFormat {
    /// Returns the name for messages, with an article.
    pub fn name(self) -> &'static str {
        match self {
            Self::Empty => "an empty file",
            Self::MlirText => "MLIR text",
            Self::MlirBytecode => "MLIR bytecode",
            Self::Schedule => "a file of schedules",
            Self::Object => "an ELF object",
            Self::Shared => "a shared object",
            Self::Executable => "an ELF executable",
            Self::OtherElf => "an ELF file that is neither object nor library",
            Self::Archive => "a static archive",
            Self::ThinArchive => "a thin archive",
            Self::Bitcode => "LLVM bitcode",
            Self::LlvmText => "LLVM IR",
            Self::Assembly => "assembly",
            Self::Ptx => "PTX",
            Self::Cubin => "a cubin",
            Self::Fatbin => "a fatbin",
            Self::AmdObject => "an AMD device object",
            Self::SpirV => "a SPIR-V module",
            Self::SpirVText => "SPIR-V as text",
            Self::MachO => "a Mach-O file",
            Self::Coff => "a COFF file",
            Self::Wasm => "a WebAssembly module",
            Self::CSource => "C or C++",
            Self::Glsl => "a GLSL shader",
            Self::Unknown => "a file of an unknown kind",
        }
    }

    /// The suffix of files with objects of a format of the exchange form; `None` for formats of CPUs and unknown ones.
    pub fn suffix_of(format: &str) -> Option<&'static str> {
        match format {
            "spirv" => Some("spv"),
            "ptx" => Some("ptx"),
            "cubin" => Some("cubin"),
            "fatbin" => Some("fatbin"),
            _ => None,
        }
    }

    /// Whether it holds executables as MLIR.
    pub fn is_mlir(self) -> bool {
        matches!(self, Self::MlirText | Self::MlirBytecode)
    }

    /// Whether it replaces a source, or says how one is translated.
    pub fn is_source(self) -> bool {
        self.is_mlir() || self == Self::Schedule
    }
}
