//! Edits a module and leaves everything else unchanged.
use super::{
    SpirvModule,
    layout::{id, number},
};
use halyard_diag::{Error, Result, either, nearest};
use rspirv::{
    dr::Operand,
    spirv::{Decoration, Op},
};

impl SpirvModule {
    /// Renames an entry point.
    pub fn rename_entry(&mut self, old: &str, new: &str) {
        self.rename_entries(&[(old.to_owned(), new.to_owned())]);
    }

    /// Renames entry points, all at once: each old name and its new one. Also renames their functions, and arguments
    /// that begin with their names.
    pub fn rename_entries(&mut self, names: &[(String, String)]) {
        let renamed = |old: &str| names.iter().find(|(name, _)| name == old).map(|(_, new)| new.clone());
        let argument = |text: &str| {
            let rest_of = |(old, new): &(String, String)| {
                let rest = text.strip_prefix(old.as_str()).filter(|rest| rest.starts_with("_arg_"))?;
                Some(format!("{new}{rest}"))
            };
            names.iter().find_map(rest_of)
        };
        let replace = |operand: Option<&mut Operand>, new: &dyn Fn(&str) -> Option<String>| {
            if let Some(Operand::LiteralString(text)) = operand
                && let Some(new) = new(text)
            {
                *text = new;
            }
        };
        let functions: Vec<u32> = self.entries.iter().map(|e| e.function).collect();
        self.module.entry_points.iter_mut().for_each(|entry| replace(entry.operands.get_mut(2), &renamed));
        for name in self.module.debug_names.iter_mut().filter(|i| i.class.opcode == Op::Name) {
            let is_entry = id(name.operands.first()).is_some_and(|of| functions.contains(&of));
            replace(name.operands.get_mut(1), if is_entry { &renamed } else { &argument });
        }
        for entry in &mut self.entries {
            if let Some(new) = renamed(&entry.name) {
                entry.name = new;
            }
        }
    }

    /// Changes the default of the specialisation constant that `key` numbers or names. Fails if there is none, or if
    /// the value does not fit its type.
    pub fn set_spec_constant(&mut self, key: &str, value: i64) -> Result<()> {
        let Some(constant) = self.spec_constants.iter().find(|c| c.is_called(key)).cloned() else {
            return Err(self.no_spec_constant(key));
        };
        let Some(bits) = bits(value, constant.scalar.map(|s| (s.float, s.bits))) else {
            let ty = constant.scalar.map_or_else(|| "a truth value".into(), |s| format!("an `{s}`"));
            let text = format!("{}: specialisation constant `{key}` is {ty}, {value} does not fit", self.owner);
            return Err(Error::input(text).code("bad-constant"));
        };
        let numbered = |n: u32| {
            self.module.annotations.iter().find_map(|a| {
                let is = a.operands.get(1) == Some(&Operand::Decoration(Decoration::SpecId))
                    && number(a.operands.get(2)) == Some(n);
                is.then(|| id(a.operands.first())).flatten()
            })
        };
        let target = numbered(constant.id);
        let found = self.module.types_global_values.iter_mut().find(|i| i.result_id == target);
        if let Some(instruction) = found {
            match instruction.class.opcode {
                Op::SpecConstantTrue | Op::SpecConstantFalse => {
                    let opcode = if bits == 1 { Op::SpecConstantTrue } else { Op::SpecConstantFalse };
                    let (ty, result) = (instruction.result_type, instruction.result_id);
                    *instruction = rspirv::dr::Instruction::new(opcode, ty, result, Vec::new());
                }
                _ if matches!(instruction.operands.first(), Some(Operand::LiteralBit64(_))) => {
                    instruction.operands[0] = Operand::LiteralBit64(bits);
                }
                _ => instruction.operands[0] = Operand::LiteralBit32(bits as u32),
            }
        }
        for size in self.entries.iter_mut().flat_map(|e| &mut e.local_size) {
            if size.spec_id == Some(constant.id) {
                size.value = bits as u32;
            }
        }
        self.spec_constants.iter_mut().filter(|c| c.id == constant.id).for_each(|c| c.default = bits);
        Ok(())
    }

    fn no_spec_constant(&self, key: &str) -> Error {
        let text = format!("{}: there is no specialisation constant `{key}`", self.owner);
        let error = Error::input(text).code("unknown-constant");
        let names: Vec<String> = self.spec_constants.iter().map(super::SpecConstant::describe).collect();
        let known = self.spec_constants.iter().filter_map(|c| c.name.as_deref());
        let near = nearest(key, known);
        match (near.is_empty(), names.is_empty()) {
            (false, _) => error.hint(format!("did you mean {}?", either(&near))),
            (true, false) => error.note(format!("it has {}", names.join(", "))),
            (true, true) => error.note("it has none: `layout(constant_id = 0) const uint name = 1;` makes one"),
        }
    }
}

impl super::SpecConstant {
    /// Whether this is its number or its name.
    pub fn is_called(&self, key: &str) -> bool {
        key.parse() == Ok(self.id) || self.name.as_deref() == Some(key)
    }

    /// Returns its number, and its name if it has one, for messages.
    pub fn describe(&self) -> String {
        match &self.name {
            Some(name) => format!("{} (`{name}`)", self.id),
            None => self.id.to_string(),
        }
    }
}

/// The bits of a number as a type (whether it is a float, and its width) has it; `None` is a truth value.
fn bits(value: i64, ty: Option<(bool, u32)>) -> Option<u64> {
    match ty {
        None => (value == 0 || value == 1).then_some(value as u64),
        Some((true, 32)) => Some((value as f32).to_bits().into()),
        Some((true, 64)) => Some((value as f64).to_bits()),
        Some((false, 32)) => {
            (i64::from(i32::MIN)..=i64::from(u32::MAX)).contains(&value).then_some(u64::from(value as u32))
        }
        Some((false, 64)) => Some(value as u64),
        Some((false, width @ (8 | 16))) => {
            let (low, high) = (-(1i64 << (width - 1)), (1i64 << width) - 1);
            // Narrow numbers are sign-extended to a word.
            (low..=high).contains(&value).then_some(u64::from(value as u32))
        }
        Some(_) => None,
    }
}
