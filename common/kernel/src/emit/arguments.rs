//! The arguments of a kernel: pointers or buffers, and constants as the machine passes them. Where there are pointers, they
//! come first, then every constant in 64 bits; other forms stand in [`crate::machine`].
use crate::emit::ir_builder::IrBuilder;
use halyard_ir::{Attr, Block, Op, Type, Value};

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
    /// Where the constants are, in order.
    pub(crate) constants: Vec<Constant>,
}

/// Where a constant is.
#[derive(Clone, Copy)]
pub(crate) enum Constant {
    /// An argument of 64 bits.
    Argument(Value),
    /// This word of the block, and the next one if it has 64 bits.
    Word(Value, usize),
}

impl Arguments {
    /// A pointer for each binding, constants in 64 bits, and on a CPU the pointer to the workgroup's number and count.
    pub(crate) fn pointers(func: Op, elements: &[Type], constants: usize, workgroup: bool) -> Arguments {
        let (context, loc) = (func.context(), func.loc());
        let (ptr, i64) =
            (Type::parse(context, "!llvm.ptr").expect("a type of LLVM's dialect"), Type::integer(context, 64));
        let mut types = vec![ptr; elements.len()];
        types.extend(std::iter::repeat_n(i64, constants));
        if workgroup {
            types.push(ptr);
        }
        let entry = Block::create(&types, loc);
        let args = entry.args();
        let end = elements.len() + constants;
        Arguments {
            entry,
            types,
            bindings: args[..elements.len()].to_vec(),
            workgroup: args.get(end).copied(),
            constants: args[elements.len()..end].iter().map(|&v| Constant::Argument(v)).collect(),
        }
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
