//! The constants of a Vulkan kernel: a block of push constants.
use crate::{KernelAbi, PUSH_CONSTANT_BYTES, PushConstants};

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
    use crate::AbiConstant;

    #[test]
    fn push_constants_are_laid_out_like_std430() {
        let abi = |elements: &[&str]| KernelAbi {
            name: "k".into(),
            bindings: Vec::new(),
            constants: elements.iter().map(|e| AbiConstant { element: (*e).into(), what: "a number".into() }).collect(),
            load_constants: Vec::new(),
            arguments: None,
        };
        let layout = abi(&["index", "f64", "f16", "i64", "i1"]).push_constants().unwrap();
        assert_eq!(layout.places, [(0, 4), (8, 8), (16, 4), (24, 8), (32, 4)]);
        assert_eq!(layout.size, 36);
        assert_eq!(abi(&["index"; 32]).push_constants().unwrap().size, 128);
        assert!(abi(&["index"; 33]).push_constants().unwrap_err().contains("33 constants, 132 bytes"));
        assert_eq!(abi(&["i4"]).push_constants().unwrap_err(), "a number is `i4`, which cannot be a push constant");
    }
}
