//! Whether a module from outside is one: drivers take it for granted, and crash otherwise.
//!
//! This looks at what compute shaders over buffers are made of: types, constants, the types of operands, blocks and branches,
//! definitions before uses. What kernels have no use for (images, geometry, rays, OpenCL) is refused. `spirv-val` knows more
//! rules; those that drivers rely on are here, so that nothing has to be installed.

mod flow;
mod globals;
mod instructions;
mod library;
mod memory;

use super::layout::id;
use rspirv::{
    dr::{Instruction, Module, Operand},
    spirv::{Op, StorageClass},
};
use std::collections::{HashMap, HashSet};

/// Identifiers up to which every implementation goes ("Universal Limits" of SPIR-V).
const MOST_IDS: u32 = 0x3f_ffff;

type Checked = Result<(), String>;

/// Checks a module whose identifiers are known to be defined, once. Errors: the first thing that is wrong, in words.
pub(super) fn check(module: &Module) -> Checked {
    let header = module.header.as_ref().ok_or("it has no header")?;
    let (major, minor) = header.version();
    if major != 1 || minor > 6 {
        return Err(format!("version {major}.{minor} is unknown"));
    }
    if header.bound > MOST_IDS {
        return Err(format!("its bound, {}, is beyond what devices take", header.bound));
    }
    let model = module.memory_model.as_ref().ok_or("it has no memory model")?;
    let logical = Operand::AddressingModel(rspirv::spirv::AddressingModel::Logical);
    let shader = Operand::Capability(rspirv::spirv::Capability::Shader);
    let implied = [rspirv::spirv::Capability::Matrix].map(Operand::Capability);
    let known = |c: &Instruction| c.operands.first().is_some_and(|o| *o == shader || !implied.contains(o));
    if !module.capabilities.iter().any(known) {
        return Err("it does not declare the capability `Shader`".into());
    }
    if model.operands.first() != Some(&logical) {
        return Err("its addressing is not `Logical`".into());
    }
    let values = Values::new(module);
    globals::check(module, &values)?;
    no_recursion(module)?;
    for function in &module.functions {
        flow::check(function, &values)?;
        for instruction in function.blocks.iter().flat_map(|b| &b.instructions) {
            let place = || match instruction.result_id {
                Some(result) => format!("Op{} %{result}", instruction.class.opname),
                None => format!("an Op{}", instruction.class.opname),
            };
            instructions::check(instruction, &values).map_err(|why| format!("{}: {why}", place()))?;
        }
    }
    Ok(())
}

/// Functions do not call themselves, on whatever way: drivers put them into each other.
fn no_recursion(module: &Module) -> Checked {
    let calls = |f: &rspirv::dr::Function| -> Vec<u32> {
        let calls = f.all_inst_iter().filter(|i| i.class.opcode == Op::FunctionCall);
        calls.filter_map(|i| id(i.operands.first())).collect()
    };
    let mut left: HashMap<u32, Vec<u32>> =
        module.functions.iter().filter_map(|f| Some((f.def.as_ref()?.result_id?, calls(f)))).collect();
    // What calls nothing that is left goes, until nothing goes any more.
    loop {
        let done: Vec<u32> =
            left.iter().filter(|(_, c)| !c.iter().any(|c| left.contains_key(c))).map(|(f, _)| *f).collect();
        match (done.is_empty(), left.is_empty()) {
            (_, true) => return Ok(()),
            (true, _) => return Err("functions call themselves".into()),
            _ => done.iter().for_each(|f| drop(left.remove(f))),
        }
    }
}

/// A type, as far as its uses depend on it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Type {
    Void,
    Bool,
    Int(u32),
    Float(u32),
    /// Component and count.
    Vector(u32, u32),
    /// Column and count.
    Matrix(u32, u32),
    /// Element and, where it is known, length.
    Array(u32, Option<u64>),
    RuntimeArray(u32),
    Struct(Vec<u32>),
    Pointer(StorageClass, u32),
    /// What it returns and takes.
    Function(u32, Vec<u32>),
    /// A type whose values only some instructions take, such as cooperative matrices.
    Other,
}

/// What identifiers stand for.
struct Values<'m> {
    /// What defines them.
    defined: HashMap<u32, &'m Instruction>,
    types: HashMap<u32, Type>,
    /// Those of no function, and the functions themselves.
    globals: HashSet<u32>,
}

impl<'m> Values<'m> {
    fn new(module: &'m Module) -> Self {
        let all = module.all_inst_iter();
        let defined: HashMap<u32, &Instruction> = all.filter_map(|i| Some((i.result_id?, i))).collect();
        let functions = module.functions.iter().filter_map(|f| f.def.as_ref()?.result_id);
        let globals = module.global_inst_iter().filter_map(|i| i.result_id).chain(functions).collect();
        let mut values = Self { defined, types: HashMap::new(), globals };
        for instruction in &module.types_global_values {
            if let (Some(result), Some(ty)) = (instruction.result_id, values.read_type(instruction)) {
                values.types.insert(result, ty);
            }
        }
        values
    }

    /// The type that an instruction declares; `None` for other instructions, and for types that are wrong.
    fn read_type(&self, instruction: &Instruction) -> Option<Type> {
        let operand = |i: usize| id(instruction.operands.get(i));
        let literal = |i: usize| super::layout::number(instruction.operands.get(i));
        let ids = |from: usize| instruction.operands.iter().skip(from).map(|o| id(Some(o))).collect::<Option<Vec<_>>>();
        Some(match instruction.class.opcode {
            Op::TypeVoid => Type::Void,
            Op::TypeBool => Type::Bool,
            Op::TypeInt => Type::Int(literal(0)?),
            Op::TypeFloat => Type::Float(literal(0)?),
            Op::TypeVector => Type::Vector(operand(0)?, literal(1)?),
            Op::TypeMatrix => Type::Matrix(operand(0)?, literal(1)?),
            Op::TypeArray => Type::Array(operand(0)?, self.constant(operand(1)?)),
            Op::TypeRuntimeArray => Type::RuntimeArray(operand(0)?),
            Op::TypeStruct => Type::Struct(ids(0)?),
            Op::TypePointer => match instruction.operands.first()? {
                Operand::StorageClass(class) => Type::Pointer(*class, operand(1)?),
                _ => return None,
            },
            Op::TypeFunction => Type::Function(operand(0)?, ids(1)?),
            Op::TypeCooperativeMatrixKHR => Type::Other,
            _ => return None,
        })
    }

    /// What a type is. Errors: the identifier is no type.
    fn ty(&self, id: u32) -> Result<&Type, String> {
        self.types.get(&id).ok_or_else(|| format!("%{id} is no type"))
    }

    /// The identifier of the type of a value. Errors: the identifier is no value.
    fn type_of(&self, value: u32) -> Result<u32, String> {
        let defined = self.defined.get(&value).ok_or_else(|| format!("%{value} is not defined"))?;
        let is_value = !matches!(defined.class.opcode, Op::Function);
        defined.result_type.filter(|_| is_value).ok_or_else(|| format!("%{value} is no value"))
    }

    /// What the type of a value is.
    fn of(&self, value: u32) -> Result<&Type, String> {
        self.ty(self.type_of(value)?)
    }

    /// The value of an integer constant; `None` for one that is not fixed.
    fn constant(&self, value: u32) -> Option<u64> {
        let constant = self.defined.get(&value).filter(|i| i.class.opcode == Op::Constant)?;
        match constant.operands.first()? {
            Operand::LiteralBit32(n) => Some(u64::from(*n)),
            Operand::LiteralBit64(n) => Some(*n),
            _ => None,
        }
    }

    fn is_constant(&self, value: u32) -> bool {
        self.defined.get(&value).is_some_and(|i| {
            let name = i.class.opname;
            name.starts_with("Constant") || name.starts_with("SpecConstant") || i.class.opcode == Op::Undef
        })
    }

    /// The numbers (or truth values) that a value of a type consists of, and how many.
    fn lanes(&self, ty: u32) -> Result<(Type, u32), String> {
        match self.ty(ty)? {
            Type::Vector(component, count) => Ok((self.ty(*component)?.clone(), *count)),
            scalar @ (Type::Bool | Type::Int(_) | Type::Float(_)) => Ok((scalar.clone(), 1)),
            // What is done with matrices of numbers by their elements is done with those of a device, too.
            _ => Err(format!("%{ty} is no type of numbers")),
        }
    }
}
