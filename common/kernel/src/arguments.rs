//! The arguments of a kernel: pointers or buffers, and constants as the machine passes them.
//!
//! CPUs and CUDA: a pointer for each binding, then every constant in 64 bits. Vulkan: a flat buffer for each binding, then
//! one block of push constants in words of 32 bits.
use super::ir_builder::{IrBuilder, Supported};
use super::machine::Backend;
use halyard_ir::{Attr, Block, Op, Type, Value, form::kernel_abi};

/// The block of a kernel and its arguments.
pub(crate) struct Arguments {
    /// The kernel's entry.
    pub(crate) entry: Block,
    /// The types of all arguments.
    pub(crate) types: Vec<Type>,
    /// What stands for the bindings, in order.
    pub(crate) bindings: Vec<Value>,
    /// On a CPU: the pointer to the workgroup's number and count.
    pub(crate) workgroup: Option<Value>,
    constants: Vec<Constant>,
}

/// Where a constant is.
#[derive(Clone, Copy)]
enum Constant {
    /// An argument of 64 bits.
    Argument(Value),
    /// This word of the block, and the next one if it has 64 bits.
    Word(Value, usize),
}

impl Arguments {
    /// The arguments for an export: bindings of these element types and so many constants.
    pub(crate) fn new(backend: Backend, func: Op, elements: &[Type], constants: usize) -> Supported<Arguments> {
        if backend == Backend::Vulkan {
            return Self::pushed(func, elements, constants);
        }
        let (context, loc) = (func.context(), func.loc());
        let (ptr, i64) =
            (Type::parse(context, "!llvm.ptr").expect("a type of LLVM's dialect"), Type::integer(context, 64));
        let mut types = vec![ptr; elements.len()];
        types.extend(std::iter::repeat_n(i64, constants));
        if backend == Backend::Cpu {
            types.push(ptr);
        }
        let entry = Block::create(&types, loc);
        let args = entry.args();
        let end = elements.len() + constants;
        Ok(Arguments {
            entry,
            types,
            bindings: args[..elements.len()].to_vec(),
            workgroup: args.get(end).copied(),
            constants: args[elements.len()..end].iter().map(|&v| Constant::Argument(v)).collect(),
        })
    }

    fn pushed(func: Op, elements: &[Type], constants: usize) -> Supported<Arguments> {
        let (context, loc) = (func.context(), func.loc());
        let abi = kernel_abi(func);
        let layout = abi.push_constants()?;
        // What the device gives follows in words of its own, which become specialisation constants.
        let pushed = layout.size as usize / 4;
        let words = pushed + abi.load_constants.len();
        let places: Vec<usize> = layout.places.iter().map(|&(at, _)| at as usize / 4).chain(pushed..words).collect();
        if places.len() != constants {
            return Err("constants in an unknown order".into());
        }
        let buffer = |length: &str, element: Type, class: &str| {
            let element = if element.is_index() {
                Type::integer(context, 64)
            } else if element.is_integer() {
                Type::integer(context, 8 * element.byte_width() as u32)
            } else {
                element
            };
            Type::parse(context, &format!("memref<{length}x{element}, #spirv.storage_class<{class}>>"))
                .ok_or_else(|| format!("a buffer of `{element}`").into())
        };
        let mut types = elements.iter().map(|&e| buffer("?", e, "StorageBuffer")).collect::<Supported<Vec<_>>>()?;
        if words > 0 {
            types.push(buffer(&words.to_string(), Type::integer(context, 32), "PushConstant")?);
        }
        let entry = Block::create(&types, loc);
        let args = entry.args();
        let constants = places.into_iter().map(|word| Constant::Word(args[elements.len()], word)).collect();
        Ok(Arguments { entry, types, bindings: args[..elements.len()].to_vec(), workgroup: None, constants })
    }

    /// The bits of a constant and how the function that counts workgroups must see it: a size, in the type of index
    /// arithmetic.
    pub(crate) fn size(&self, code: &mut IrBuilder, at: usize) -> Value {
        match self.constants[at] {
            Constant::Argument(value) if value.ty() == code.index_type() => value,
            Constant::Argument(value) => code.pure("arith.trunci", &[value], code.index_type(), None),
            Constant::Word(block, word) => code.word(block, word),
        }
    }

    /// A scalar.
    pub(crate) fn scalar(&self, code: &mut IrBuilder, at: usize, ty: Type) -> Value {
        let bits = match self.constants[at] {
            Constant::Argument(value) => value,
            Constant::Word(block, word) if !ty.is_index() && ty.bits() == 64 => {
                let i64 = code.i64();
                let [low, high] = [word, word + 1].map(|w| {
                    let word = code.word(block, w);
                    code.pure("arith.extui", &[word], i64, None)
                });
                let up = code.i64_constant(32);
                let high = code.math("arith.shli", &[high, up]);
                code.math("arith.ori", &[high, low])
            }
            Constant::Word(block, word) => code.word(block, word),
        };
        if ty.is_index() {
            return code.pure("arith.index_cast", &[bits], ty, None);
        }
        let integer = code.int(ty.bits());
        let narrow = if bits.ty() == integer { bits } else { code.pure("arith.trunci", &[bits], integer, None) };
        if ty.is_float() { code.pure("arith.bitcast", &[narrow], ty, None) } else { narrow }
    }

    /// The argument of 64 bits that holds a constant, if one does.
    pub(crate) fn argument(&self, at: usize) -> Option<Value> {
        match self.constants[at] {
            Constant::Argument(value) => Some(value),
            Constant::Word(..) => None,
        }
    }
}

impl IrBuilder {
    /// A word of the block of push constants.
    fn word(&mut self, block: Value, word: usize) -> Value {
        let index = Type::index(self.at.context());
        let at = self.constant(Attr::integer(index, word as i64));
        let i32 = self.int(32);
        self.pure("memref.load", &[block, at], i32, None)
    }
}
