//! Packs weights: each weight once for each layout that variants use; layouts that no variant uses are omitted.
use crate::lower::{ConstantTable, TableData, TableEntry};
use halyard_diag::{Error, Result};
use halyard_ir::WeightLayout;
use halyard_runtime::commands::{Base, Buffer, HostProgram, Inst, Kernel, Operand, WeightForm, WeightForms};
use std::collections::BTreeMap;

/// Binds weights to dispatches in the forms that the variants of their kernels take, and drops constants that nothing uses then.
/// Errors: a variant takes something packed that is no weight, or a weight that its layout is not for.
pub(crate) fn pack(host_program: &mut HostProgram, table: &mut ConstantTable<'_>) -> Result<()> {
    let mut weights = Weights { table, list: Vec::new(), known: BTreeMap::new() };
    let HostProgram { functions, kernels, .. } = host_program;
    let mut result = Ok(());
    for function in functions {
        Inst::walk(&mut function.body, &mut |inst| {
            let Inst::Dispatch { kernel, bindings, .. } = inst else { return };
            let kernel = &kernels[*kernel as usize];
            for (i, buffer) in bindings.iter_mut().enumerate() {
                if result.is_ok() && kernel.variants.iter().any(|v| v.layout(i).is_some()) {
                    result = weights.bind(kernel, i, buffer);
                }
            }
        });
    }
    result?;
    host_program.weights = weights.list;
    drop_unused(host_program, table);
    Ok(())
}

struct Weights<'t, 's> {
    table: &'t mut ConstantTable<'s>,
    list: Vec<WeightForms>,
    /// The weight that is made of a constant in a shape.
    known: BTreeMap<(u32, Vec<usize>), u32>,
}

impl Weights<'_, '_> {
    /// Makes a binding a weight, and adds the forms that the variants of the kernel take.
    fn bind(&mut self, kernel: &Kernel, binding: usize, buffer: &mut Buffer) -> Result<()> {
        let fail = |why: String| {
            let message = format!(
                "executable `{}` takes binding {binding} of `{}` packed, {why}",
                kernel.executable, kernel.export
            );
            Error::input(message).code("bad-weight").hint("translate the program again")
        };
        let Base::Constant(model) = buffer.base else {
            return Err(fail("and a call passes what is no weight".into()));
        };
        if buffer.offset != Operand::Immediate(0) || buffer.bytes != Operand::Immediate(self.table.bytes(model)) {
            return Err(fail("and a call passes a part of a weight".into()));
        }
        let next = self.list.len() as u32;
        let shape = kernel.types[binding].shape(&[]).unwrap_or_default();
        let weight = *self.known.entry((model, shape.clone())).or_insert(next);
        if weight == next {
            self.list.push(WeightForms { forms: Vec::new() });
        }
        for variant in &kernel.variants {
            let layout = variant.layout(binding);
            if self.list[weight as usize].constant(layout).is_some() {
                continue;
            }
            let constant = match layout {
                None => model,
                Some(name) => {
                    let layout = WeightLayout::of_name(name).map_err(&fail)?;
                    let packed = self.table.pack(model, &shape, layout);
                    packed.ok_or_else(|| fail(format!("and `{name}` is not for its type")))?
                }
            };
            self.list[weight as usize].forms.push(WeightForm { layout: layout.map(str::to_owned), constant });
        }
        *buffer = Buffer { base: Base::Weight(weight), offset: Operand::Immediate(0), bytes: Operand::Immediate(0) };
        Ok(())
    }
}

/// Drops the constants that neither commands nor weights use.
fn drop_unused(host_program: &mut HostProgram, table: &mut ConstantTable<'_>) {
    let mut used = vec![false; table.entries.len()];
    let each = |host_program: &mut HostProgram, visit: &mut dyn FnMut(&mut u32)| {
        host_program.each_constant(visit);
        host_program.weights.iter_mut().flat_map(|w| &mut w.forms).for_each(|f| visit(&mut f.constant));
    };
    each(host_program, &mut |constant| used[*constant as usize] = true);
    let numbers: Vec<usize> =
        used.iter().scan(0, |next, used| Some(std::mem::replace(next, *next + usize::from(*used)))).collect();
    each(host_program, &mut |constant| *constant = numbers[*constant as usize] as u32);
    let mut used = used.into_iter();
    table.entries.retain(|_| used.next() == Some(true));
}

impl ConstantTable<'_> {
    /// Returns the size of a constant in bytes.
    fn bytes(&self, constant: u32) -> u64 {
        let entry = &self.entries[constant as usize];
        entry.shape.iter().product::<u64>() * entry.dtype.size() as u64
    }

    /// A constant, seen in a shape of as many elements, in a layout, once. `None` if the layout is not for it.
    fn pack(&mut self, constant: u32, seen: &[usize], layout: WeightLayout) -> Option<u32> {
        let model = self.entries[constant as usize].clone();
        let element = model.dtype.signless().name();
        let seen: Vec<u64> = seen.iter().map(|size| *size as u64).collect();
        if seen.iter().product::<u64>() != model.shape.iter().product::<u64>() {
            return None;
        }
        let shape = layout.packed_shape(&seen, element)?;
        let dtype = match layout.packed_element(element) {
            packed if packed == element => model.dtype,
            packed => packed.parse().ok()?,
        };
        Some(self.insert(TableEntry {
            dtype,
            shape,
            data: TableData::Packed { constant, model: Box::new(model), shape: seen, layout },
        }))
    }
}
