//! Validates modules from outside: drivers assume that modules are valid, and crash otherwise.
//!
//! Covers what compute shaders over buffers consist of: types, constants, the types of operands, blocks and branches,
//! definitions before uses. Features that kernels do not need (images, geometry, rays, OpenCL) are refused.
//! `spirv-val` checks more rules; those that drivers rely on are here, so that nothing has to be installed.

mod constructs;
mod decorations;
mod entries;
mod flow;
mod globals;
mod instructions;
mod library;
mod memory;
mod placement;
mod required;

use super::layout::id;
use rspirv::{
    dr::{Instruction, Module, Operand},
    spirv::{Capability, Op, StorageClass},
};
use std::collections::{HashMap, HashSet};

/// Identifiers up to which every implementation goes ("Universal Limits" of SPIR-V).
const MOST_IDS: u32 = 0x3f_ffff;

type Checked = Result<(), String>;

/// Fails with a reason unless a condition holds.
fn require(holds: bool, why: &str) -> Checked {
    if holds { Ok(()) } else { Err(why.to_owned()) }
}

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
    let shader = Operand::Capability(Capability::Shader);
    let implied = [Capability::Matrix].map(Operand::Capability);
    let known = |c: &Instruction| c.operands.first().is_some_and(|o| *o == shader || !implied.contains(o));
    if !module.capabilities.iter().any(known) {
        return Err("it does not declare the capability `Shader`".into());
    }
    if model.operands.first() != Some(&logical) {
        return Err("its addressing is not `Logical`".into());
    }
    required::check(module)?;
    let values = Values::new(module);
    names(module, &values)?;
    globals::check(module, &values)?;
    decorations::check(module, &values)?;
    entries::check(module, &values)?;
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

/// Names of sets of functions are known, and names of members are for members that there are.
fn names(module: &Module, values: &Values<'_>) -> Checked {
    for import in &module.ext_inst_imports {
        let Some(Operand::LiteralString(name)) = import.operands.first() else { continue };
        if name != "GLSL.std.450" && !name.starts_with("NonSemantic.") {
            return Err(format!("it imports `{name}`; kernels call functions of `GLSL.std.450`"));
        }
    }
    if module.debug_names.iter().any(|n| id(n.operands.first()) == Some(0)) {
        return Err("it names %0, which nothing is".into());
    }
    for name in module.debug_names.iter().filter(|n| n.class.opcode == Op::MemberName) {
        let members = match id(name.operands.first()).and_then(|ty| values.types.get(&ty)) {
            Some(Type::Struct(members)) => members.len(),
            _ => 0,
        };
        if super::layout::number(name.operands.get(1)).is_none_or(|m| m as usize >= members) {
            return Err("it names a member that a structure does not have".into());
        }
    }
    Ok(())
}

/// Checks that no function calls itself, directly or indirectly: drivers inline all calls.
fn no_recursion(module: &Module) -> Checked {
    let calls = |f: &rspirv::dr::Function| -> Vec<u32> {
        let calls = f.all_inst_iter().filter(|i| i.class.opcode == Op::FunctionCall);
        calls.filter_map(|i| id(i.operands.first())).collect()
    };
    let mut left: HashMap<u32, Vec<u32>> =
        module.functions.iter().filter_map(|f| Some((f.def.as_ref()?.result_id?, calls(f)))).collect();
    // Removes functions that call no remaining one, until none can be removed.
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
    /// Component type and count.
    Vector(u32, u32),
    /// Column type and count.
    Matrix(u32, u32),
    /// Element and, where it is known, length.
    Array(u32, Option<u64>),
    RuntimeArray(u32),
    Struct(Vec<u32>),
    Pointer(StorageClass, u32),
    /// Result type and parameter types.
    Function(u32, Vec<u32>),
    /// A type whose values only some instructions take, such as cooperative matrices.
    Other,
}

/// What identifiers denote.
struct Values<'m> {
    /// The instruction that defines each identifier.
    defined: HashMap<u32, &'m Instruction>,
    types: HashMap<u32, Type>,
    /// The identifiers outside functions, and the functions themselves.
    globals: HashSet<u32>,
    /// Whether the module uses the Vulkan memory model.
    vulkan_memory: bool,
}

impl<'m> Values<'m> {
    fn new(module: &'m Module) -> Self {
        let all = module.all_inst_iter();
        let defined: HashMap<u32, &Instruction> = all.filter_map(|i| Some((i.result_id?, i))).collect();
        let functions = module.functions.iter().filter_map(|f| f.def.as_ref()?.result_id);
        let globals = module.global_inst_iter().filter_map(|i| i.result_id).chain(functions).collect();
        let vulkan = Operand::Capability(Capability::VulkanMemoryModel);
        let vulkan_memory = module.capabilities.iter().any(|c| c.operands.contains(&vulkan));
        let mut values = Self { defined, types: HashMap::new(), globals, vulkan_memory };
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

    /// Returns a type. Fails if the identifier is not a type.
    fn ty(&self, id: u32) -> Result<&Type, String> {
        self.types.get(&id).ok_or_else(|| format!("%{id} is no type"))
    }

    /// The identifier of the type of a value. Errors: the identifier is no value.
    fn type_of(&self, value: u32) -> Result<u32, String> {
        let defined = self.defined.get(&value).ok_or_else(|| format!("%{value} is not defined"))?;
        let is_value = !matches!(defined.class.opcode, Op::Function);
        defined.result_type.filter(|_| is_value).ok_or_else(|| format!("%{value} is no value"))
    }

    /// Returns the type of a value.
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

    /// Whether a type is a signed integer, or a vector of them.
    fn is_signed(&self, ty: u32) -> bool {
        let integer = self.defined.get(&ty).filter(|i| i.class.opcode == Op::TypeInt);
        integer.is_some_and(|i| super::layout::number(i.operands.get(1)) == Some(1))
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
            // Elementwise operations on matrices apply to cooperative matrices, too.
            _ => Err(format!("%{ty} is no type of numbers")),
        }
    }
}
