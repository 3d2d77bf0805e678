//! Lowers calls: of entries, which dispatch kernels, and of other functions, which are inlined.
use super::{
    FunctionLowering,
    values::{TensorVal, Val, imm, known},
};
use halyard_diag::Result;
use halyard_ir::{
    Op,
    form::{Check, ExportDeclaration, HostFunctionDeclaration, Interface, call_values},
};
use halyard_runtime::commands::{Inst, MessageValue, Operand, ScalarType};
use halyard_scalars::scalar_of;

/// Inlining more than this many calls deep can only be a recursion in disguise; more instructions than this are a
/// program that doubles itself.
const MAX_STEPS: u32 = 20_000_000;

impl FunctionLowering<'_, '_> {
    pub(crate) fn lower_call(&mut self, op: Op) -> Result<()> {
        let name = op.callee().unwrap_or_default();
        let Some(&callee) = self.unit.functions.get(&name) else {
            return Err(self.unit.fail(op, format!("function `@{name}` does not exist")));
        };
        if let Some(entry) = ExportDeclaration::view(callee) {
            return self.dispatch(op, entry);
        }
        if let Some(callee) = HostFunctionDeclaration::view(callee) {
            return self.host_call(op, callee);
        }
        if let Some(check) = Check::view(callee) {
            let value = |i, ty| {
                Ok(MessageValue {
                    value: self.operand(op, i)?,
                    ty: scalar_of(ty).expect("the form was verified"),
                    unsigned: check.is_unsigned(i),
                })
            };
            let values =
                check.inputs().into_iter().enumerate().skip(1).map(|(i, ty)| value(i, ty)).collect::<Result<_>>()?;
            let condition = self.operand(op, 0)?;
            self.check(condition, check.message(), values);
            return Ok(());
        }
        let blocks = callee.regions().first().map(|r| r.blocks()).unwrap_or_default();
        if blocks.is_empty() {
            return Err(self
                .unit
                .fail(op, format!("function `@{name}` has no body and is no kernel"))
                .hint("give it `hal.entry`, `hal.host_function` or `hal.check`, or link the program that defines it"));
        }
        if self.inlining.contains(&name) {
            return Err(self
                .unit
                .fail(op, format!("function `@{name}` calls itself, which is not supported"))
                .hint("write it as a loop (`scf.while`)"));
        }
        if self.now > MAX_STEPS {
            return Err(self.unit.fail(op, "the program has too many steps once its functions are inlined".into()));
        }
        self.unit.check_function(callee)?;
        self.inlining.push(name);
        let values = op.operands().into_iter().map(|v| self.value(op, v)).collect::<Result<Vec<_>>>()?;
        for (arg, value) in blocks[0].args().into_iter().zip(values) {
            self.bind(arg, value);
        }
        if let Some(end) = blocks[0].terminator() {
            let bases: Vec<_> = op.results().iter().map(|r| self.wanted.get(r).copied()).collect();
            self.want_operands(end, &bases);
        }
        self.lower_block(blocks[0], &mut |this, end| {
            for (i, result) in op.results().into_iter().enumerate() {
                match this.value(end, end.operand(i))? {
                    // The slot of the callee's value is released when the callee ends.
                    Val::Tensor(t) => this.alias(result, t),
                    scalar => this.bind(result, scalar),
                }
            }
            Ok(())
        })?;
        self.inlining.pop();
        Ok(())
    }

    fn dispatch(&mut self, op: Op, entry: ExportDeclaration) -> Result<()> {
        let kernel = self.unit.kernel_of(entry)?;
        let interface = Interface::of(entry.op);
        let inputs = op.operands().into_iter().map(|v| self.value(op, v)).collect::<Result<Vec<_>>>()?;
        let tensor = |i: usize| match &inputs[i] {
            Val::Tensor(t) => t.clone(),
            Val::Scalar(_) => unreachable!("the types of calls are verified"),
        };
        let scalar = |i: usize| match inputs[i] {
            Val::Scalar(o) => o,
            Val::Tensor(_) => unreachable!("the types of calls are verified"),
        };
        let mut results: Vec<Option<TensorVal>> = vec![None; interface.results.len()];
        let mut bindings = Vec::new();
        for i in interface.tensor_inputs() {
            let mut binding = tensor(i);
            if let Some(r) = interface.tied.iter().position(|&t| t == Some(i)) {
                binding = self.writable(op, i, &binding, op.result(r));
                binding.undefined = false;
                results[r] = Some(binding.clone());
            }
            bindings.push(binding);
        }
        for r in interface.untied_results() {
            let sizes: Vec<Operand> = interface.dims[r].iter().map(|&i| scalar(i)).collect();
            let dims = Self::shape(interface.results[r], &sizes);
            let tensor = self.fresh(op.result(r), dims);
            bindings.push(tensor.clone());
            results[r] = Some(tensor);
        }
        let mut constants = Vec::new();
        let shapes = interface.tensor_inputs().into_iter().map(|i| (interface.inputs[i], tensor(i).dims));
        let produced = interface
            .results
            .iter()
            .zip(&results)
            .map(|(ty, r)| (*ty, r.as_ref().map(|r| r.dims.clone()).unwrap_or_default()));
        for (ty, dims) in shapes.chain(produced) {
            constants.extend(ty.shape().iter().zip(dims).filter(|(d, _)| d.is_none()).map(|(_, o)| o));
        }
        for i in interface.scalar_inputs() {
            let ty = scalar_of(interface.inputs[i]).unwrap_or(ScalarType::INDEX);
            let value = scalar(i);
            constants.push(match ty {
                // `i1` is 0 or 1; wider integers are sign-extended; floats are their bits.
                ScalarType::Int(width) if (2..64).contains(&width) => self.convert(ty, ScalarType::INDEX, true, value),
                _ => value,
            });
        }
        let bindings = bindings.iter().map(|t| self.buffer(t)).collect::<Vec<_>>();
        // A kernel whose every result is empty has nothing to do.
        let written = &self.unit.kernels[kernel as usize].bindings;
        let empty = bindings.iter().zip(written).filter(|(_, w)| **w).all(|(b, _)| known(b.bytes) == Some(0));
        if !empty || !written.contains(&true) {
            let values = binding_names(op, &interface);
            self.emit(Inst::Dispatch { kernel, bindings, constants, values });
        }
        for (value, result) in op.results().into_iter().zip(results) {
            let result = result.expect("tied or not, each result has memory");
            debug_assert!(result.offset == imm(0) || value.ty().is_static());
            self.bind(value, Val::Tensor(result));
        }
        Ok(())
    }
}

/// Returns the model's names of the results of a call, for each binding; empty if there are none.
fn binding_names(call: Op, interface: &Interface) -> Vec<String> {
    let names = call_values(call);
    if names.is_empty() {
        return names;
    }
    let name = |r: usize| names.get(r).cloned().unwrap_or_default();
    let tied = |i: usize| interface.tied.iter().position(|&t| t == Some(i)).map_or_else(String::new, name);
    let untied = interface.untied_results();
    interface.tensor_inputs().into_iter().map(tied).chain(untied.into_iter().map(name)).collect()
}
