//! Lowers calls of host functions, which are bound when the program is loaded.
use super::{
    FunctionLowering,
    signature::element,
    values::{TensorVal, Val, element_of, imm},
};
use halyard_diag::Result;
use halyard_ir::{Attr, Op, Type, form, names};
use halyard_runtime::commands::{Base, HostFunction, HostInput, HostPlace, HostResult, HostType, Inst, Operand};

impl FunctionLowering<'_, '_> {
    /// Calls a host function. Numbers are passed as tensors of rank 0. Results of static shape are written where they are
    /// wanted; for others the function asks for memory, and their sizes are known after the call.
    pub(crate) fn host_call(&mut self, op: Op, callee: form::HostFunctionDeclaration) -> Result<()> {
        let function = self.unit.host_function(callee, &self.inlining[0]);
        let ty = callee.ty();
        let mut inputs = Vec::new();
        for (i, value) in op.operands().into_iter().enumerate() {
            let tensor = match self.value(op, value)? {
                Val::Tensor(tensor) => tensor,
                Val::Scalar(scalar) => {
                    let tensor = self.cell(ty.inputs()[i]);
                    self.store(&tensor, imm(0), scalar);
                    tensor
                }
            };
            inputs.push(HostInput { buffer: self.buffer(&tensor), dims: tensor.dims });
        }
        let mut results = Vec::new();
        let mut values = Vec::new();
        for result in op.results() {
            let ty = result.ty();
            let tensor = if !ty.is_tensor() {
                self.cell(ty)
            } else if ty.is_static() {
                self.fresh(result, Self::shape(ty, &[]))
            } else {
                let Val::Tensor(tensor) = self.destination(ty, None) else { unreachable!("the type is a tensor") };
                tensor
            };
            let place = match tensor.base {
                Base::Slot(slot) if ty.is_tensor() && !ty.is_static() => HostPlace::Slot(slot),
                // Also the memory of a state to be.
                _ => HostPlace::Buffer(self.buffer(&tensor)),
            };
            results.push(HostResult { place, dims: tensor.dims.clone() });
            values.push(tensor);
        }
        self.emit(Inst::Host { function, inputs, results });
        for (value, tensor) in op.results().into_iter().zip(values) {
            if value.ty().is_tensor() && value.ty().is_static() {
                self.bind(value, Val::Tensor(tensor));
            } else if value.ty().is_tensor() {
                self.bind_destination(value, Val::Tensor(tensor));
            } else {
                let (target, from) = (self.register(), element_of(tensor.dtype));
                let source = self.buffer(&tensor);
                self.emit(Inst::Load { ty: from, target, source, index: imm(0) });
                self.bind(value, Val::Scalar(Operand::Register(target)));
            }
        }
        Ok(())
    }

    /// Allocates memory for a scalar.
    fn cell(&mut self, ty: Type) -> TensorVal {
        let dtype = element(ty, false);
        let base = self.storage(dtype.size() as u64);
        TensorVal { base, offset: imm(0), dims: Vec::new(), dtype, undefined: false }
    }
}

/// A host function as a program declares it.
pub(crate) fn describe(function: form::HostFunctionDeclaration, caller: &str) -> HostFunction {
    let ty = function.ty();
    HostFunction {
        name: function.name(),
        version: function.version(),
        inputs: types(function.op, &ty.inputs(), "arg_attrs"),
        results: types(function.op, &ty.results(), "res_attrs"),
        called_by: vec![caller.to_owned()],
    }
}

fn types(op: Op, types: &[Type], attrs: &str) -> Vec<HostType> {
    let attrs = op.attr(attrs).and_then(Attr::as_array).unwrap_or_default();
    let unsigned = |i: usize| attrs.get(i).is_some_and(|d| d.get(names::UNSIGNED).is_some());
    let one = |(i, ty): (usize, &Type)| HostType {
        dtype: element(*ty, unsigned(i)),
        shape: if ty.is_tensor() {
            ty.shape().into_iter().map(|d| d.map(|d| d as usize)).collect()
        } else {
            Vec::new()
        },
        scalar: !ty.is_tensor(),
    };
    types.iter().enumerate().map(one).collect()
}
