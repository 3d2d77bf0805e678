//! What a kernel takes, whatever it is written in: see docs/kernel-abi.md.

/// The buffers and numbers of a kernel, in the order of the kernel ABI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelAbi {
    /// The export: the symbol or entry point.
    pub name: String,
    /// The buffers.
    pub bindings: Vec<AbiBinding>,
    /// The numbers: dynamic sizes, then scalars.
    pub constants: Vec<AbiConstant>,
    /// The properties of the device, filled in when the program is loaded.
    pub load_constants: Vec<String>,
}

/// A buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AbiBinding {
    /// The element type, as MLIR prints it.
    pub element: String,
    /// Whether the kernel writes it; it may be read, too.
    pub written: bool,
    /// What it is, for messages: `argument 0`.
    pub what: String,
}

/// A number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AbiConstant {
    /// Its type, as MLIR prints it.
    pub element: String,
    /// What it is, for messages: `size 1 of argument 0`.
    pub what: String,
}

/// The most bytes of push constants that every Vulkan device takes.
pub const PUSH_CONSTANT_BYTES: u32 = 128;

/// Where the constants of a kernel are among Vulkan's push constants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushConstants {
    /// For each constant, its offset and its width, 4 or 8, in bytes.
    pub places: Vec<(u32, u32)>,
    /// The end of the last one, in bytes.
    pub size: u32,
}

impl KernelAbi {
    /// The layout of the push constants: in order, as std430 has it. `index` and what is at most 32 bits wide take 4 bytes
    /// each, 64-bit numbers 8, aligned to 8. Errors: a type that cannot be passed, more bytes than every device takes.
    pub fn push_constants(&self) -> Result<PushConstants, String> {
        let mut layout = PushConstants { places: Vec::new(), size: 0 };
        for constant in &self.constants {
            let width = match &*constant.element {
                "i64" | "f64" => 8,
                "index" | "i1" | "i8" | "i16" | "i32" | "f16" | "bf16" | "f32" => 4,
                other => return Err(format!("{} is `{other}`, which cannot be a push constant", constant.what)),
            };
            let offset = layout.size.next_multiple_of(width);
            layout.places.push((offset, width));
            layout.size = offset + width;
        }
        if layout.size > PUSH_CONSTANT_BYTES {
            return Err(format!(
                "kernel `{}` takes {} constants, {} bytes; a Vulkan device need not take more than {PUSH_CONSTANT_BYTES}",
                self.name,
                self.constants.len(),
                layout.size
            ));
        }
        Ok(layout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn push_constants_are_laid_out_like_std430() {
        let abi = |elements: &[&str]| KernelAbi {
            name: "k".into(),
            bindings: Vec::new(),
            constants: elements.iter().map(|e| AbiConstant { element: (*e).into(), what: "a number".into() }).collect(),
            load_constants: Vec::new(),
        };
        let layout = abi(&["index", "f64", "f16", "i64", "i1"]).push_constants().unwrap();
        assert_eq!(layout.places, [(0, 4), (8, 8), (16, 4), (24, 8), (32, 4)]);
        assert_eq!(layout.size, 36);
        assert_eq!(abi(&["index"; 32]).push_constants().unwrap().size, 128);
        assert!(abi(&["index"; 33]).push_constants().unwrap_err().contains("33 constants, 132 bytes"));
        assert_eq!(abi(&["i4"]).push_constants().unwrap_err(), "a number is `i4`, which cannot be a push constant");
    }
}
