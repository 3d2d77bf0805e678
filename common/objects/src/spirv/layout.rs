//! The types, decorations and names of a module's identifiers.
use super::{Elements, PushConstantBlock, Scalar};
use rspirv::{
    dr::{Instruction, Module, Operand},
    spirv::{Decoration, Op},
};
use std::collections::HashMap;

/// Types nest no deeper in a module that is not damaged.
const DEPTH: u32 = 16;
/// More numbers than this are no block of push constants that a device takes.
const SLOTS: usize = 256;

/// Properties of a module's identifiers.
pub(super) struct Ids<'m> {
    defined: HashMap<u32, &'m Instruction>,
    decorations: HashMap<u32, Vec<(Decoration, Option<&'m Operand>)>>,
    members: HashMap<(u32, u32), Vec<(Decoration, Option<&'m Operand>)>>,
    names: HashMap<u32, &'m str>,
    member_names: HashMap<(u32, u32), &'m str>,
}

/// Returns the operand if it is an identifier.
pub(super) fn id(operand: Option<&Operand>) -> Option<u32> {
    match operand? {
        Operand::IdRef(id) | Operand::IdScope(id) | Operand::IdMemorySemantics(id) => Some(*id),
        _ => None,
    }
}

/// Returns the operand if it is a literal integer.
pub(super) fn number(operand: Option<&Operand>) -> Option<u32> {
    match operand? {
        Operand::LiteralBit32(n) => Some(*n),
        _ => None,
    }
}

/// Returns the operand if it is a literal string.
pub(super) fn text(operand: Option<&Operand>) -> Option<&str> {
    match operand? {
        Operand::LiteralString(text) => Some(text),
        _ => None,
    }
}

impl<'m> Ids<'m> {
    pub(super) fn new(module: &'m Module) -> Self {
        let mut ids = Self {
            defined: HashMap::new(),
            decorations: HashMap::new(),
            members: HashMap::new(),
            names: HashMap::new(),
            member_names: HashMap::new(),
        };
        for instruction in module.global_inst_iter() {
            let operands = &instruction.operands;
            if let Some(result) = instruction.result_id {
                ids.defined.insert(result, instruction);
            }
            let (first, second) = (id(operands.first()), number(operands.get(1)));
            match (instruction.class.opcode, first) {
                (Op::Decorate | Op::DecorateId, Some(of)) => {
                    if let Some(Operand::Decoration(d)) = operands.get(1) {
                        ids.decorations.entry(of).or_default().push((*d, operands.get(2)));
                    }
                }
                (Op::MemberDecorate, Some(of)) => {
                    if let (Some(member), Some(Operand::Decoration(d))) = (second, operands.get(2)) {
                        ids.members.entry((of, member)).or_default().push((*d, operands.get(3)));
                    }
                }
                (Op::Name, Some(of)) => {
                    if let Some(name) = text(operands.get(1)).filter(|n| !n.is_empty()) {
                        ids.names.insert(of, name);
                    }
                }
                (Op::MemberName, Some(of)) => {
                    if let (Some(member), Some(name)) = (second, text(operands.get(2)).filter(|n| !n.is_empty())) {
                        ids.member_names.insert((of, member), name);
                    }
                }
                _ => {}
            }
        }
        ids
    }

    /// The type, constant or variable of a module that an identifier names.
    pub(super) fn get(&self, id: u32) -> Option<&'m Instruction> {
        self.defined.get(&id).copied()
    }

    pub(super) fn name(&self, id: u32) -> Option<&'m str> {
        self.names.get(&id).copied()
    }

    pub(super) fn decorated(&self, id: u32, with: Decoration) -> bool {
        self.decorations.get(&id).is_some_and(|list| list.iter().any(|(d, _)| *d == with))
    }

    /// The number that stands with a decoration.
    pub(super) fn decoration(&self, id: u32, with: Decoration) -> Option<u32> {
        self.decorations.get(&id)?.iter().find(|(d, _)| *d == with).and_then(|(_, n)| number(*n))
    }

    fn member_decoration(&self, id: u32, member: u32, with: Decoration) -> Option<u32> {
        self.members.get(&(id, member))?.iter().find(|(d, _)| *d == with).and_then(|(_, n)| number(*n))
    }

    /// Returns the type that the pointer type of a variable points to.
    pub(super) fn pointee(&self, variable: &Instruction) -> Option<u32> {
        let pointer = self.get(variable.result_type?)?;
        (pointer.class.opcode == Op::TypePointer).then(|| id(pointer.operands.get(1))).flatten()
    }

    /// The value of an integer constant; the default of a specialisation constant.
    pub(super) fn integer(&self, id: u32) -> Option<u32> {
        let constant = self.get(id)?;
        matches!(constant.class.opcode, Op::Constant | Op::SpecConstant).then(|| number(constant.operands.first()))?
    }

    pub(super) fn scalar(&self, ty: u32) -> Option<Scalar> {
        let ty = self.get(ty)?;
        let float = match ty.class.opcode {
            Op::TypeFloat => true,
            Op::TypeInt => false,
            _ => return None,
        };
        Some(Scalar { float, bits: number(ty.operands.first())? })
    }

    /// The elements of a buffer: of the one array of a structure, however deep.
    pub(super) fn elements(&self, structure: u32) -> Option<Elements> {
        let members = &self.get(structure).filter(|t| t.class.opcode == Op::TypeStruct)?.operands;
        let [only] = members.as_slice() else { return None };
        let mut ty = id(Some(only))?;
        let mut stride = None;
        for _ in 0..DEPTH {
            let instruction = self.get(ty)?;
            match instruction.class.opcode {
                Op::TypeArray | Op::TypeRuntimeArray => {
                    stride = self.decoration(ty, Decoration::ArrayStride);
                    ty = id(instruction.operands.first())?;
                }
                Op::TypeVector => {
                    let scalar = self.scalar(id(instruction.operands.first())?)?;
                    return Some(Elements { scalar, lanes: number(instruction.operands.get(1))?, stride: stride? });
                }
                _ => return Some(Elements { scalar: self.scalar(ty)?, lanes: 1, stride: stride? }),
            }
        }
        None
    }

    /// The numbers of a block, a structure with offsets. Errors: a member that is no number, vector or array.
    pub(super) fn block(&self, structure: u32) -> Result<PushConstantBlock, String> {
        let mut slots = Vec::new();
        self.slots(structure, 0, None, 0, &mut slots)?;
        let size = slots.iter().map(|(offset, scalar, _)| offset.saturating_add(scalar.bits / 8)).max().unwrap_or(0);
        slots.sort_by_key(|(offset, ..)| *offset);
        Ok(PushConstantBlock { slots, size })
    }

    fn slots(
        &self,
        ty: u32,
        at: u32,
        name: Option<&str>,
        depth: u32,
        slots: &mut Vec<(u32, Scalar, Option<String>)>,
    ) -> Result<(), String> {
        let damaged = || "a type of it is not defined".to_owned();
        if depth > DEPTH || slots.len() > SLOTS {
            return Err("it is larger than any device takes".into());
        }
        if let Some(scalar) = self.scalar(ty) {
            slots.push((at, scalar, name.map(str::to_owned)));
            return Ok(());
        }
        let instruction = self.get(ty).ok_or_else(damaged)?;
        let first = || id(instruction.operands.first()).ok_or_else(damaged);
        match instruction.class.opcode {
            Op::TypeVector => {
                let width = self.scalar(first()?).ok_or("it holds truth values")?.bits / 8;
                for lane in 0..number(instruction.operands.get(1)).unwrap_or(0) {
                    self.slots(first()?, at.saturating_add(lane.saturating_mul(width)), name, depth + 1, slots)?;
                }
                Ok(())
            }
            Op::TypeArray => {
                let stride = self.decoration(ty, Decoration::ArrayStride).ok_or("an array of it has no stride")?;
                let count = id(instruction.operands.get(1)).and_then(|n| self.integer(n)).unwrap_or(0);
                for i in 0..count {
                    self.slots(first()?, at.saturating_add(i.saturating_mul(stride)), name, depth + 1, slots)?;
                }
                Ok(())
            }
            Op::TypeStruct => {
                for (member, operand) in (0u32..).zip(&instruction.operands) {
                    let offset =
                        self.member_decoration(ty, member, Decoration::Offset).ok_or("a member of it has no offset")?;
                    let name = self.member_names.get(&(ty, member)).copied().or(name);
                    let member = id(Some(operand)).ok_or_else(damaged)?;
                    self.slots(member, at.saturating_add(offset), name, depth + 1, slots)?;
                }
                Ok(())
            }
            other => Err(format!("a member of it is neither number, vector nor array (Op{other:?})")),
        }
    }

    /// Bytes of a type in memory that a workgroup shares; 0 where that is not known.
    pub(super) fn bytes(&self, ty: u32, depth: u32) -> u64 {
        let Some(instruction) = self.get(ty).filter(|_| depth < DEPTH) else { return 0 };
        let of = |i: usize| id(instruction.operands.get(i));
        let part = || of(0).map_or(0, |t| self.bytes(t, depth + 1));
        match instruction.class.opcode {
            Op::TypeInt | Op::TypeFloat => u64::from(number(instruction.operands.first()).unwrap_or(0) / 8),
            Op::TypeBool => 4,
            Op::TypeVector | Op::TypeMatrix => {
                part().saturating_mul(number(instruction.operands.get(1)).unwrap_or(0).into())
            }
            Op::TypeArray => part().saturating_mul(of(1).and_then(|n| self.integer(n)).unwrap_or(0).into()),
            Op::TypeStruct => instruction
                .operands
                .iter()
                .filter_map(|o| id(Some(o)))
                .fold(0, |sum, t| sum.saturating_add(self.bytes(t, depth + 1))),
            _ => 0,
        }
    }
}
