//! Finds the floating-point types of a module, and the passes that convert narrow ones to types that the CPU supports.
use crate::code_target::CodeTarget;
use halyard_ir::{Op, Type};
use std::collections::BTreeSet;

/// The arithmetic of a module that needs expansion.
#[derive(Debug, Default)]
pub(super) struct Floats {
    /// The float types narrower than 32 bits, by name.
    narrow: BTreeSet<String>,
    /// Whether there are operations that only `arith-expand` lowers.
    expand: bool,
}

impl Floats {
    /// Analyses a module.
    pub(super) fn of(module: Op) -> Self {
        let mut found = Self::default();
        module.walk(&mut |op| {
            let name = op.name();
            if matches!(&*name, "arith.ceildivsi" | "arith.ceildivui" | "arith.floordivsi") {
                found.expand = true;
            }
            for value in op.operands().into_iter().chain(op.results()) {
                let ty: Type = value.ty().element();
                if ty.is_float() && ty.bits() < 32 {
                    found.narrow.insert(ty.to_string());
                }
            }
        });
        found
    }

    /// Adds the findings of another analysis.
    pub(super) fn add(&mut self, other: Self) {
        self.narrow.extend(other.narrow);
        self.expand |= other.expand;
    }

    /// Whether there are floats narrower than 32 bits.
    pub(super) fn narrow(&self) -> bool {
        !self.narrow.is_empty()
    }

    /// The passes, each with a trailing comma; empty for most modules. Functions of `math` and arithmetic on narrow
    /// floats are done in `f32`, unless the CPU computes with `f16`; conversions that it lacks become integer code, which
    /// LLVM vectorises (calls of library functions it does not).
    pub(super) fn passes(&self, code: &dyn CodeTarget) -> String {
        let (has_f16, has_bf16) = code.llvm().map_or((true, false), |llvm| llvm.narrow_floats());
        let mut passes = String::new();
        if !self.narrow.is_empty() {
            passes += "math-extend-to-supported-types{target-type=f32},";
            let emulated: Vec<&str> =
                self.narrow.iter().map(String::as_str).filter(|&ty| !(ty == "f16" && has_f16)).collect();
            if !emulated.is_empty() {
                passes += &format!(
                    "func.func(arith-emulate-unsupported-floats{{source-types={} target-type=f32}}),canonicalize,",
                    emulated.join(",")
                );
            }
        }
        let bf16 = self.narrow.contains("bf16") && !has_bf16;
        let f8 = self.narrow.contains("f8E8M0FNU");
        let f4 = self.narrow.contains("f4E2M1FN");
        if self.expand || bf16 || f8 || f4 {
            passes += &format!("arith-expand{{include-bf16={bf16} include-f8e8m0={f8} include-f4e2m1={f4}}},");
        }
        passes
    }
}
