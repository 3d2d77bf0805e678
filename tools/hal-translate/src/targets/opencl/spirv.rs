//! Sets up LLVM's code generator for SPIR-V, and calls the mathematical functions that OpenCL has.
use crate::llvm::missing_functions;
use halyard_diag::{Error, Result};
use inkwell::{
    OptimizationLevel,
    module::Module,
    targets::{CodeModel, RelocMode, Target, TargetMachine, TargetTriple},
    types::BasicMetadataTypeEnum,
};

/// The triple of modules for OpenCL 2.2: SPIR-V 1.2 with 64-bit addresses.
const TRIPLE: &str = "spirv64v1.2-unknown-unknown";

/// Functions of the C library that OpenCL has under the same names. Source: "OpenCL Extended Instruction Set".
const FUNCTIONS: &[&str] = &[
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp", "exp10",
    "exp2", "expm1", "fmod", "log", "log10", "log1p", "log2", "pow", "sin", "sinh", "sqrt", "tan", "tanh",
];

/// Returns LLVM's code generator. It does not optimise: LLVM has done so before, a driver does so after it, and what LLVM 22's
/// combiner of instructions makes is not always valid (`and` of words with 64 bits as of 32).
pub(super) fn machine() -> Result<TargetMachine> {
    let triple = TargetTriple::create(TRIPLE);
    Target::from_triple(&triple)
        .ok()
        .and_then(|t| {
            t.create_target_machine(&triple, "", "", OptimizationLevel::None, RelocMode::Default, CodeModel::Default)
        })
        .ok_or_else(|| Error::usage("LLVM cannot generate code for `opencl`").code("bad-target"))
}

/// Turns calls of the C library into those of OpenCL, by the names that its functions have in C++: `erff(float)` is
/// `_Z3erff`. Errors: calls of functions that OpenCL lacks, naming all of them.
pub(super) fn complete(module: &Module<'_>) -> Result<()> {
    let mut missing = Vec::new();
    for name in missing_functions(module) {
        let Some(function) = module.get_function(&name).filter(|_| !name.starts_with("_Z")) else { continue };
        let plain =
            FUNCTIONS.iter().find(|known| name.strip_suffix('f').unwrap_or(&name) == **known || name == **known);
        let types = function.get_type().get_param_types();
        let letters: Option<String> = types.iter().map(letter).collect();
        match plain.zip(letters) {
            Some((plain, letters)) => {
                function.as_global_value().set_name(&format!("_Z{}{plain}{letters}", plain.len()));
            }
            None => missing.push(format!("`{name}`")),
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    let text = format!("it calls {}, which an OpenCL device does not have", missing.join(", "));
    Err(Error::input(text).code("unsupported-op"))
}

/// The letter of a type in names of C++.
fn letter(ty: &BasicMetadataTypeEnum<'_>) -> Option<char> {
    match ty {
        BasicMetadataTypeEnum::FloatType(float) if float.get_bit_width() == 32 => Some('f'),
        BasicMetadataTypeEnum::FloatType(float) if float.get_bit_width() == 64 => Some('d'),
        _ => None,
    }
}
