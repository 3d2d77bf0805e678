//! Lowers one public function.
use super::{
    FunctionLowering, Unit,
    signature::spec,
    values::{TensorVal, Val, dtype_of, element_of, imm},
};
use crate::plan::{ALIGNMENT, DEVICE_ALIGNMENT, Interval, plan};
use halyard_diag::Result;
use halyard_ir::{Attr, Block, Op, Type, Value};
use halyard_runtime::{
    FunctionInfo, TensorSpec,
    commands::{Base, Function, Inst, Kernel, KernelCode, Operand, OutputSource, Transient},
};

/// Lowers a public function with all that it calls.
pub(crate) fn lower(unit: &mut Unit<'_>, op: Op) -> Result<Function> {
    let ty = op.attr("function_type").and_then(Attr::as_type).expect("func.func has a type");
    unit.check_function(op)?;
    let info = FunctionInfo {
        name: op.symbol().unwrap_or_default(),
        inputs: specs(op, &ty.inputs(), "arg_attrs"),
        outputs: specs(op, &ty.results(), "res_attrs"),
    };
    let block = op.body().expect("checked");
    let mut lowering = FunctionLowering::new(unit);
    lowering.inlining.push(info.name.clone());
    let input_dims = lowering.inputs(block);
    let end = block.terminator().expect("a function returns");
    let bases: Vec<_> = (0..end.operand_count()).map(|i| Some(Base::Output(i as u32))).collect();
    lowering.want_operands(end, &bases);
    let mut outputs = Vec::new();
    lowering.lower_block(block, &mut |this, end| {
        for (i, value) in end.operands().into_iter().enumerate() {
            outputs.push(this.output(end, i, value)?);
        }
        Ok(())
    })?;
    let (transients, arena) = lowering.place();
    let body = lowering.code.pop().expect("the function's own block");
    Ok(Function {
        info,
        registers: lowering.registers,
        slots: lowering.slots,
        arena,
        transients,
        input_dims,
        body,
        outputs,
    })
}

/// The tensors of a signature; a scalar is a tensor of rank 0.
fn specs(op: Op, types: &[Type], attrs: &str) -> Vec<TensorSpec> {
    let attrs = op.attr(attrs).and_then(Attr::as_array).unwrap_or_default();
    types.iter().enumerate().map(|(i, ty)| spec(*ty, |key| attrs.get(i)?.get(key))).collect()
}

impl FunctionLowering<'_, '_> {
    /// Binds the arguments; says which registers hold their dynamic dimensions.
    fn inputs(&mut self, block: Block) -> Vec<(u32, u32, u32)> {
        let mut input_dims = Vec::new();
        for (i, arg) in block.args().into_iter().enumerate() {
            let (ty, base) = (arg.ty(), Base::Input(i as u32));
            let dtype = dtype_of(ty.element()).expect("types were checked");
            if !ty.is_tensor() {
                let target = self.register();
                let tensor = TensorVal { base, offset: imm(0), dims: Vec::new(), dtype, undefined: false };
                let source = self.buffer(&tensor);
                self.emit(Inst::Load { ty: element_of(dtype), target, source, index: imm(0) });
                self.bind(arg, Val::Scalar(Operand::Register(target)));
                continue;
            }
            let mut dims = Vec::new();
            for (j, dim) in ty.shape().into_iter().enumerate() {
                dims.push(dim.map_or_else(
                    || {
                        let register = self.register();
                        input_dims.push((i as u32, j as u32, register));
                        Operand::Register(register)
                    },
                    |d| imm(d as u64),
                ));
            }
            self.bind(arg, Val::Tensor(TensorVal { base, offset: imm(0), dims, dtype, undefined: false }));
        }
        input_dims
    }

    fn output(&mut self, end: Op, index: usize, value: Value) -> Result<OutputSource> {
        let base = Base::Output(index as u32);
        match self.value(end, value)? {
            Val::Scalar(scalar) => {
                let dtype = dtype_of(value.ty()).expect("types were checked");
                let tensor = TensorVal { base, offset: imm(0), dims: Vec::new(), dtype, undefined: false };
                self.store(&tensor, imm(0), scalar);
                Ok(OutputSource::Written)
            }
            Val::Tensor(tensor) if value.ty().is_static() => {
                let output = TensorVal { base, offset: imm(0), ..tensor.clone() };
                if !output.same_place(&tensor) {
                    let (source, target) = (self.buffer(&tensor), self.buffer(&output));
                    self.emit(Inst::Copy { source, target });
                }
                Ok(OutputSource::Written)
            }
            Val::Tensor(tensor) => {
                // Read when everything else is done; the slot must hold until then.
                let mut source = self.buffer(&tensor);
                if let Base::Slot(_) = source.base {
                    let slot = self.slot();
                    self.emit(Inst::View { slot, source });
                    source = halyard_runtime::commands::Buffer {
                        base: Base::Slot(slot),
                        offset: imm(0),
                        bytes: source.bytes,
                    };
                }
                self.returned.push(source.base);
                Ok(OutputSource::Copied { source, dims: tensor.dims })
            }
        }
    }

    /// Places the transients in the arena.
    fn place(&mut self) -> (Vec<Transient>, u64) {
        self.now += 1;
        for base in std::mem::take(&mut self.returned) {
            self.touch(base);
        }
        let intervals: Vec<_> = self
            .storages
            .iter()
            .map(|s| Interval { first: s.first, last: s.last, bytes: if s.used { s.bytes } else { 0 } })
            .collect();
        let on_gpu = |k: &Kernel| k.variants.iter().any(|v| matches!(v.code, KernelCode::Device(_)));
        let alignment = if self.unit.kernels.iter().any(on_gpu) { DEVICE_ALIGNMENT } else { ALIGNMENT };
        let (offsets, arena) = plan(&intervals, alignment);
        let transients =
            offsets.iter().zip(&intervals).map(|(&offset, i)| Transient { offset, bytes: i.bytes }).collect();
        (transients, arena)
    }
}
