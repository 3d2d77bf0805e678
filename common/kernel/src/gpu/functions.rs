//! Functions of `math` that SPIR-V lacks, or that Vulkan lets a device compute to a few digits, and whose forms in [`crate::math`]
//! are not for such devices; 16-bit floats go by `f32`.
use crate::Emitter;
use crate::math::float_builder::FloatBuilder;
use halyard_ir::Value;

impl Emitter<'_> {
    /// A function as code; `None` if it is not one of these.
    pub(super) fn gpu_function(&mut self, name: &str, operands: &[Value]) -> Option<Value> {
        let ty = operands[0].ty();
        if !ty.is_float() || ty.bits() > 32 {
            return None;
        }
        if matches!(name, "math.sin" | "math.cos" | "math.tan") {
            return self.trigonometric(name, operands[0]);
        }
        if name != "math.erfc" {
            return None;
        }
        let mut builder = FloatBuilder::new(&mut self.code, ty, self.target);
        let x = builder.widened(operands[0]);
        let (one, erf) = (builder.c(1.0), builder.erf(x));
        let y = builder.sub(one, erf);
        Some(builder.narrowed(y, ty))
    }
}
