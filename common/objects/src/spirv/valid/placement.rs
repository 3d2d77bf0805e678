//! Checks the layout of buffers: offsets, strides, sets and bindings.
use super::{Checked, Type, Values};
use rspirv::{
    dr::Module,
    spirv::{Op, StorageClass},
};
use std::collections::{HashMap, HashSet};

/// The decorations of buffers.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Bytes from an element to the next, by array type.
    pub strides: HashMap<u32, u32>,
    /// Bytes from the start, by structure and member.
    pub offsets: HashMap<(u32, u32), u32>,
    /// Structures decorated as `Block`.
    pub blocks: HashSet<u32>,
    /// Storage buffers as in SPIR-V 1.0: structures of class `Uniform` decorated as `BufferBlock`.
    pub buffer_blocks: HashSet<u32>,
    /// Variables with a `DescriptorSet`.
    pub sets: HashSet<u32>,
    /// Variables with a `Binding`.
    pub bindings: HashSet<u32>,
}

/// Checks the variables that are buffers. Errors: the first whose data has no place, or one that others have.
pub(super) fn check(module: &Module, values: &Values<'_>, places: &Places) -> Checked {
    let layout = Layout { values, places };
    for variable in module.types_global_values.iter().filter(|i| i.class.opcode == Op::Variable) {
        let (Some(result), Some(Type::Pointer(class, pointee))) =
            (variable.result_id, variable.result_type.and_then(|t| values.types.get(&t)))
        else {
            continue;
        };
        let bound =
            matches!(class, StorageClass::StorageBuffer | StorageClass::Uniform | StorageClass::UniformConstant);
        if bound && !(places.sets.contains(&result) && places.bindings.contains(&result)) {
            return Err(format!("the buffer %{result} has no descriptor set or no binding"));
        }
        if matches!(class, StorageClass::StorageBuffer | StorageClass::Uniform | StorageClass::PushConstant) {
            layout.buffer(*pointee, *class)?;
        }
    }
    Ok(())
}

struct Layout<'a> {
    values: &'a Values<'a>,
    places: &'a Places,
}

impl Layout<'_> {
    /// A buffer, or an array of buffers (which has no stride).
    fn buffer(&self, ty: u32, class: StorageClass) -> Checked {
        match self.values.ty(ty)? {
            Type::Array(element, _) | Type::RuntimeArray(element) => self.buffer(*element, class),
            Type::Struct(members) if !self.is_block(ty, class, members)? => {
                Err(format!("%{ty}, a buffer, is no `Block` of its storage class"))
            }
            _ => self.placed(ty).map(|_| ()),
        }
    }

    /// Checks that a structure has the decoration of its storage class. Uniform blocks have a fixed size.
    fn is_block(&self, ty: u32, class: StorageClass, members: &[u32]) -> Result<bool, String> {
        let uniform = class == StorageClass::Uniform;
        let ends = match members.last() {
            Some(&last) => !matches!(self.values.ty(last)?, Type::RuntimeArray(_)),
            None => true,
        };
        let (block, old) = (self.places.blocks.contains(&ty), self.places.buffer_blocks.contains(&ty));
        Ok((block && (ends || !uniform)) || (old && uniform))
    }

    /// The size and alignment of a type in bytes, by the rules of scalar block layout; the last array of a buffer counts as
    /// one element. Errors: a part without a place, or with one that others have.
    fn placed(&self, ty: u32) -> Result<(u64, u64), String> {
        match self.values.ty(ty)? {
            Type::Struct(members) => self.structure(ty, members),
            Type::Array(element, _) | Type::RuntimeArray(element) => {
                let Some(&stride) = self.places.strides.get(&ty) else {
                    return Err(format!("the array %{ty}, which lies in a buffer, has no stride"));
                };
                let (size, align) = self.placed(*element)?;
                let stride = u64::from(stride);
                if stride % align != 0 || stride < size {
                    return Err(format!(
                        "elements of the array %{ty}, which lies in a buffer, overlap or are not aligned"
                    ));
                }
                let count = match self.values.ty(ty)? {
                    Type::Array(_, Some(count)) => *count,
                    _ => 1,
                };
                Ok((stride.saturating_mul(count.saturating_sub(1)).saturating_add(size), align))
            }
            Type::Vector(component, count) | Type::Matrix(component, count) => {
                let (size, align) = self.placed(*component)?;
                Ok((size * u64::from(*count), align))
            }
            Type::Int(bits) | Type::Float(bits) => Ok((u64::from(bits / 8), u64::from(bits / 8))),
            // Their elements are written by instructions of their own.
            Type::Other => Ok((1, 1)),
            Type::Bool | Type::Pointer(..) | Type::Void | Type::Function(..) => {
                Err(format!("%{ty} cannot lie in a buffer"))
            }
        }
    }

    fn structure(&self, ty: u32, members: &[u32]) -> Result<(u64, u64), String> {
        let (mut ranges, mut most) = (Vec::new(), 1);
        for (i, &member) in members.iter().enumerate() {
            let Some(&offset) = self.places.offsets.get(&(ty, i as u32)) else {
                return Err(format!("member {i} of %{ty}, which lies in a buffer, has no offset"));
            };
            let ((size, align), offset) = (self.placed(member)?, u64::from(offset));
            if offset % align != 0 {
                return Err(format!("member {i} of %{ty} lies at {offset}, which is no multiple of {align}"));
            }
            most = most.max(align);
            ranges.push((offset, offset.saturating_add(size)));
        }
        ranges.sort_unstable();
        if ranges.windows(2).any(|w| w[0].1 > w[1].0) {
            return Err(format!("members of %{ty}, which lies in a buffer, overlap"));
        }
        Ok((ranges.last().map_or(0, |r| r.1), most))
    }
}
