//! Weights in the different layouts of a kernel's variants, until the loader has chosen the variants.
use super::{Base, HostProgram, Inst, Operand};
use serde::{Deserialize, Serialize};

/// A weight, in the forms that variants of kernels take. Dispatches bind it as [`Base::Weight`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WeightForms {
    /// At least one, each of another layout.
    pub forms: Vec<WeightForm>,
}

/// A weight in one layout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WeightForm {
    /// The name of the layout; `None` is the form in the model.
    pub layout: Option<String>,
    /// An index in [`HostProgram::constants`].
    pub constant: u32,
}

/// A binding that a variant takes in another layout than the model's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackedBinding {
    /// The position of the binding.
    pub binding: u32,
    /// The name of the layout.
    pub layout: String,
}

impl WeightForms {
    /// The constant that is the weight in a layout.
    pub fn constant(&self, layout: Option<&str>) -> Option<u32> {
        self.forms.iter().find(|f| f.layout.as_deref() == layout).map(|f| f.constant)
    }
}

impl HostProgram {
    /// Binds weights in the form that the chosen variant of each kernel takes. The program is valid; no [`Base::Weight`] is left.
    pub(crate) fn bind_weights(&mut self, chosen: &[usize]) {
        let Self { functions, kernels, weights, constants, .. } = self;
        for function in functions {
            Inst::walk(&mut function.body, &mut |inst| {
                let Inst::Dispatch { kernel, bindings, .. } = inst else { return };
                let variant = &kernels[*kernel as usize].variants[chosen[*kernel as usize]];
                for (i, buffer) in bindings.iter_mut().enumerate() {
                    let Base::Weight(weight) = buffer.base else { continue };
                    let constant = weights[weight as usize].constant(variant.layout(i));
                    let constant = constant.expect("programs are valid");
                    let bytes = constants[constant as usize].byte_count().expect("programs are valid");
                    (buffer.base, buffer.bytes) = (Base::Constant(constant), Operand::Immediate(bytes));
                }
            });
        }
    }

    /// For each constant, returns whether commands or states use it. Layouts of weights that no command binds are not
    /// used.
    pub fn used_constants(&mut self) -> Vec<bool> {
        let mut used = vec![false; self.constants.len()];
        self.each_constant(&mut |constant| used[*constant as usize] = true);
        used
    }

    /// Calls a function for every index of a constant in commands, outputs and states; the function may change it.
    pub fn each_constant(&mut self, visit: &mut dyn FnMut(&mut u32)) {
        for function in &mut self.functions {
            let mut see = |base: &mut Base| {
                if let Base::Constant(constant) = base {
                    visit(constant);
                }
            };
            Inst::walk(&mut function.body, &mut |inst| inst.buffers_mut().into_iter().for_each(|b| see(&mut b.base)));
            for output in &mut function.outputs {
                if let super::OutputSource::Copied { source, .. } = output {
                    see(&mut source.base);
                }
            }
        }
        for state in &mut self.states {
            if let super::Initial::Constant(constant) = &mut state.initial {
                visit(constant);
            }
        }
    }
}
