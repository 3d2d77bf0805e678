//! Constants on Vulkan: arrays that the kernel holds, reached by pointers of SPIR-V.
use crate::{emit::index::Index, emit::ir_builder::IrBuilder};
use halyard_ir::{Attr, Type, Value};

/// An array of the numbers of a dense constant. Numbers below 32 bits are held in 32, so that they need no more of the device than
/// what computes with them does. `None` if the numbers cannot be written.
pub(super) fn constant_array(code: &mut IrBuilder, attr: Attr, elem: Type) -> Option<Value> {
    let context = code.at.context();
    let stored = code.stored(elem);
    let wide = if stored.bits() >= 32 {
        stored
    } else if stored.is_float() {
        Type::f32(context)
    } else {
        code.int(32)
    };
    let (bytes, splat) = halyard_ir::dense_bytes(attr)?;
    let width = if elem.is_index() { 8 } else { elem.byte_width() as usize };
    let numbers: Vec<String> = bytes.chunks(width).map(|b| number(b, elem)).collect::<Option<_>>()?;
    if splat || numbers.is_empty() {
        return None;
    }
    let count = numbers.len();
    let array = format!("!spirv.array<{count} x {wide}>");
    let value = Attr::parse(context, &format!("dense<[{}]> : tensor<{count}x{wide}>", numbers.join(", ")))?;
    let (array, pointer) =
        (Type::parse(context, &array)?, Type::parse(context, &format!("!spirv.ptr<{array}, Function>"))?);
    let class = Attr::parse(context, "#spirv.storage_class<Function>")?;
    let at = code.entry();
    let constant = at.value("spirv.Constant", &[], array, &[("value", value)]);
    Some(at.value("spirv.Variable", &[constant], pointer, &[("storage_class", class)]))
}

/// Loads an element of such an array as the type that would stand in memory; `None` for other memory.
pub(super) fn read_array(code: &mut IrBuilder, place: Value, at: Index, stored: Type) -> Option<Value> {
    let array = SpirvArray::of(place)?;
    let at = code.ix(at);
    let element = code.at.value("spirv.AccessChain", &[place, at], array.pointer(code), &[]);
    let value = code.at.value("spirv.Load", &[element], array.element, &[]);
    if array.element == stored {
        return Some(value);
    }
    let name = if stored.is_float() { "arith.truncf" } else { "arith.trunci" };
    Some(code.at.value(name, &[value], stored, &[]))
}

/// A number as MLIR reads it back exactly.
fn number(bytes: &[u8], elem: Type) -> Option<String> {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    let bits = u64::from_le_bytes(word);
    if !elem.is_float() {
        let unused = 64 - 8 * bytes.len() as u32;
        return Some(((bits << unused) as i64 >> unused).to_string());
    }
    match (elem.to_string().as_str(), bytes.len()) {
        // What is held wider is written as the bits of that.
        ("f16", _) => Some(format!("0x{:08X}", half_to_single(bits as u16))),
        ("f32", _) => Some(format!("0x{bits:08X}")),
        ("f64", _) => Some(format!("0x{bits:016X}")),
        _ => None,
    }
}

/// The bits of the `f32` that an `f16` is.
fn half_to_single(bits: u16) -> u32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let (exponent, mantissa) = (u32::from(bits >> 10 & 0x1F), u32::from(bits & 0x3FF));
    sign | match exponent {
        0 => (mantissa as f32 * 2f32.powi(-24)).to_bits(),
        31 => 0x7F80_0000 | mantissa << 13,
        _ => (exponent + 112) << 23 | mantissa << 13,
    }
}

/// The type `!spirv.ptr<!spirv.array<N x T>, Function>`.
struct SpirvArray {
    element: Type,
}

impl SpirvArray {
    fn of(place: Value) -> Option<SpirvArray> {
        let text = place.ty().to_string();
        let inside = text.strip_prefix("!spirv.ptr<!spirv.array<")?.split_once(" x ")?.1;
        let element = inside.split([',', '>']).next()?.trim();
        Some(SpirvArray { element: Type::parse(place.ty().context(), element)? })
    }

    fn pointer(&self, code: &IrBuilder) -> Type {
        Type::parse(code.at.context(), &format!("!spirv.ptr<{}, Function>", self.element)).expect("a type of SPIR-V")
    }
}

#[cfg(test)]
mod tests {
    use super::half_to_single;

    #[test]
    fn halves_are_widened_exactly() {
        assert_eq!(f32::from_bits(half_to_single(0x3C00)), 1.0);
        assert_eq!(f32::from_bits(half_to_single(0xC000)), -2.0);
        assert_eq!(f32::from_bits(half_to_single(0x0001)), 2f32.powi(-24));
        assert_eq!(f32::from_bits(half_to_single(0x7C00)), f32::INFINITY);
        assert!(f32::from_bits(half_to_single(0x7E00)).is_nan());
    }
}
