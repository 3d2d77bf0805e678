//! Lowers operations on tensors that need no kernel: shapes, elements, constants.
use super::{
    FunctionLowering,
    values::{TensorVal, Val, dtype_of, element_of, imm, known},
};
use halyard_diag::Result;
use halyard_ir::{Attr, Op, Type};
use halyard_runtime::commands::{Base, Compare, Inst, Operand, ScalarType};

/// MLIR's marker of a dynamic size in a static list.
const DYNAMIC: i64 = i64::MIN;

impl FunctionLowering<'_, '_> {
    /// Lowers an operation on tensors; `false` if it is none that is known.
    pub(crate) fn lower_tensor(&mut self, op: Op, name: &str) -> Result<bool> {
        match name {
            "arith.constant" => {
                let value = op.attr("value").expect("arith.constant has a value");
                let index = self.unit.constants.add(self.unit.session, op, value)?;
                self.bind_constant(op, index);
            }
            "tensor.empty" => {
                let dims = self.result_shape(op, 0)?;
                let mut tensor = self.fresh(op.result(0), dims);
                tensor.undefined = true;
                self.bind(op.result(0), Val::Tensor(tensor));
            }
            "tensor.dim" => self.dim(op)?,
            "tensor.rank" => {
                let rank = op.operand(0).ty().rank();
                self.bind(op.result(0), Val::Scalar(imm(rank as u64)));
            }
            "tensor.cast" => self.cast(op)?,
            "tensor.collapse_shape" | "tensor.expand_shape" => self.reshape(op, name)?,
            "tensor.reshape" => self.reshape_like(op)?,
            "tensor.bitcast" => {
                let source = self.tensor(op, 0)?;
                let dtype = dtype_of(op.result(0).ty().element()).unwrap_or(source.dtype);
                self.alias(op.result(0), TensorVal { dtype, ..source });
            }
            "tensor.extract" => {
                let source = self.tensor(op, 0)?;
                let index = self.linear_index(op, 1, &source)?;
                let target = self.register();
                let ty = element_of(source.dtype);
                let source = self.buffer(&source);
                self.emit(Inst::Load { ty, target, source, index });
                self.bind(op.result(0), Val::Scalar(Operand::Register(target)));
            }
            "tensor.insert" => {
                let value = self.operand(op, 0)?;
                let target = self.tensor(op, 1)?;
                let index = self.linear_index(op, 2, &target)?;
                let result = self.writable(op, 1, &target, op.result(0));
                self.store(&result, index, value);
                self.bind(op.result(0), Val::Tensor(TensorVal { undefined: false, ..result }));
            }
            "tensor.from_elements" => {
                let dims = Self::shape(op.result(0).ty(), &[]);
                let tensor = self.fresh(op.result(0), dims);
                for i in 0..op.operand_count() {
                    let value = self.operand(op, i)?;
                    self.store(&tensor, imm(i as u64), value);
                }
                self.bind(op.result(0), Val::Tensor(tensor));
            }
            "tensor.splat" => {
                let value = self.operand(op, 0)?;
                let dims = self.result_shape(op, 1)?;
                let tensor = self.fresh(op.result(0), dims);
                self.fill(&tensor, value);
                self.bind(op.result(0), Val::Tensor(tensor));
            }
            "linalg.fill" => {
                let value = self.operand(op, 0)?;
                let target = self.tensor(op, 1)?;
                let tensor = self.fresh(op.result(0), target.dims);
                self.fill(&tensor, value);
                self.bind(op.result(0), Val::Tensor(tensor));
            }
            "tensor.generate" => self.generate(op)?,
            "tensor.extract_slice" => self.extract_slice(op)?,
            "tensor.insert_slice" => self.insert_slice(op)?,
            "tensor.concat" => self.concat(op)?,
            "arith.select" => self.select_tensor(op)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn bind_constant(&mut self, op: Op, index: u32) {
        let ty = op.result(0).ty();
        let dtype = dtype_of(ty.element()).expect("the constant was added");
        let tensor = TensorVal {
            base: Base::Constant(index),
            offset: imm(0),
            dims: Self::shape(ty, &[]),
            dtype,
            undefined: false,
        };
        self.bind(op.result(0), Val::Tensor(tensor));
    }

    /// The shape of the result, its dynamic sizes being the operands from `first` on.
    pub(crate) fn result_shape(&mut self, op: Op, first: usize) -> Result<Vec<Operand>> {
        let sizes = (first..op.operand_count()).map(|i| self.operand(op, i)).collect::<Result<Vec<_>>>()?;
        Ok(Self::shape(op.result(0).ty(), &sizes))
    }

    pub(crate) fn store(&mut self, tensor: &TensorVal, index: Operand, value: Operand) {
        let target = self.buffer(tensor);
        self.emit(Inst::Store { ty: element_of(tensor.dtype), value, target, index });
    }

    pub(crate) fn fill(&mut self, tensor: &TensorVal, value: Operand) {
        let target = self.buffer(tensor);
        self.emit(Inst::Fill { target, value, width: tensor.dtype.size() as u8 });
    }

    fn dim(&mut self, op: Op) -> Result<()> {
        let source = self.tensor(op, 0)?;
        let index = self.operand(op, 1)?;
        let size = match known(index) {
            Some(i) => match source.dims.get(i as usize) {
                Some(&d) => d,
                None => {
                    return Err(self.unit.fail(
                        op,
                        format!("`tensor.dim` asks for dimension {i} of a tensor of rank {}", source.dims.len()),
                    ));
                }
            },
            None => {
                let mut size = imm(0);
                for (i, &d) in source.dims.iter().enumerate() {
                    let here = self.compare(Compare::Eq, ScalarType::INDEX, index, imm(i as u64));
                    size = self.select(here, d, size);
                }
                size
            }
        };
        self.bind(op.result(0), Val::Scalar(size));
        Ok(())
    }

    /// Sizes that the result's type fixes must be what the source has.
    fn cast(&mut self, op: Op) -> Result<()> {
        let mut tensor = self.tensor(op, 0)?;
        let ty = op.result(0).ty();
        for (i, (dim, want)) in tensor.dims.iter_mut().zip(ty.shape()).enumerate() {
            if let Some(want) = want {
                let same = self.compare(Compare::Eq, ScalarType::INDEX, *dim, imm(want as u64));
                self.assert(
                    same,
                    format!("dimension {i} of a tensor is not {want}, as `tensor.cast` to `{ty}` expects"),
                );
                *dim = imm(want as u64);
            }
        }
        self.alias(op.result(0), tensor);
        Ok(())
    }

    fn reshape(&mut self, op: Op, name: &str) -> Result<()> {
        let source = self.tensor(op, 0)?;
        let ty = op.result(0).ty();
        let dims = if name == "tensor.expand_shape" {
            let sizes = op.attr("static_output_shape").and_then(Attr::as_i64s).unwrap_or_default();
            self.mixed(op, &sizes, 1)?
        } else {
            let groups = op.attr("reassociation").and_then(Attr::as_array).unwrap_or_default();
            let mut dims = Vec::new();
            for group in groups {
                let parts: Vec<_> =
                    group.as_i64s().unwrap_or_default().into_iter().map(|i| source.dims[i as usize]).collect();
                dims.push(self.count(&parts));
            }
            dims
        };
        self.same_count(op, &source.dims, &dims);
        self.reshaped(op, source, ty, dims);
        Ok(())
    }

    fn reshape_like(&mut self, op: Op) -> Result<()> {
        let (source, shape) = (self.tensor(op, 0)?, self.tensor(op, 1)?);
        let ty = op.result(0).ty();
        let mut dims = Vec::new();
        for (i, dim) in ty.shape().into_iter().enumerate() {
            dims.push(match dim {
                Some(d) => imm(d as u64),
                None => {
                    let (target, from) = (self.register(), element_of(shape.dtype));
                    let buffer = self.buffer(&shape);
                    self.emit(Inst::Load { ty: from, target, source: buffer, index: imm(i as u64) });
                    self.convert(from, ScalarType::INDEX, true, Operand::Register(target))
                }
            });
        }
        self.same_count(op, &source.dims, &dims);
        self.reshaped(op, source, ty, dims);
        Ok(())
    }

    fn reshaped(&mut self, op: Op, source: TensorVal, ty: Type, dims: Vec<Operand>) {
        // The type may know more than the operands.
        let dims = dims.into_iter().zip(ty.shape()).map(|(d, s)| s.map_or(d, |s| imm(s as u64))).collect();
        self.alias(op.result(0), TensorVal { dims, ..source });
    }

    fn same_count(&mut self, op: Op, before: &[Operand], after: &[Operand]) {
        let (before, after) = (self.count(before), self.count(after));
        let same = self.compare(Compare::Eq, ScalarType::INDEX, before, after);
        self.assert(same, format!("`{}` to `{}` changes the number of elements", op.name(), op.result(0).ty()));
    }

    /// A list of sizes: static ones from the attribute, dynamic ones from the operands from `first` on.
    pub(crate) fn mixed(&mut self, op: Op, sizes: &[i64], first: usize) -> Result<Vec<Operand>> {
        let mut next = first;
        sizes
            .iter()
            .map(|&size| {
                if size != DYNAMIC {
                    return Ok(imm(size as u64));
                }
                next += 1;
                self.operand(op, next - 1)
            })
            .collect()
    }

    /// The row-major position of the indices that are the operands from `first` on.
    fn linear_index(&mut self, op: Op, first: usize, tensor: &TensorVal) -> Result<Operand> {
        let mut index = imm(0);
        for (i, &dim) in tensor.dims.iter().enumerate() {
            let part = self.operand(op, first + i)?;
            // An index beyond its own dimension would land in another row.
            let inside = self.compare(Compare::Ult, ScalarType::INDEX, part, dim);
            self.assert(inside, format!("an index of `{}` lies outside dimension {i}", op.name()));
            index = self.mul(index, dim);
            index = self.add(index, part);
        }
        Ok(index)
    }

    fn generate(&mut self, op: Op) -> Result<()> {
        let dims = self.result_shape(op, 0)?;
        let tensor = self.fresh(op.result(0), dims);
        let body = op.region(0).first_block().expect("tensor.generate has a body");
        let indices = body.args();
        self.loop_nest(&tensor.dims.clone(), &mut |this, counters| {
            let mut index = imm(0);
            for ((&arg, &counter), &dim) in indices.iter().zip(counters).zip(&tensor.dims) {
                this.bind(arg, Val::Scalar(counter));
                index = this.mul(index, dim);
                index = this.add(index, counter);
            }
            this.lower_block(body, &mut |this, end| {
                let value = this.operand(end, 0)?;
                this.store(&tensor, index, value);
                Ok(())
            })
        })?;
        self.bind(op.result(0), Val::Tensor(tensor));
        Ok(())
    }

    /// Emits loops over all indices of a shape.
    pub(crate) fn loop_nest(
        &mut self,
        dims: &[Operand],
        body: &mut dyn FnMut(&mut Self, &[Operand]) -> Result<()>,
    ) -> Result<()> {
        self.loop_level(dims, &mut Vec::new(), body)
    }

    fn loop_level(
        &mut self,
        dims: &[Operand],
        counters: &mut Vec<Operand>,
        body: &mut dyn FnMut(&mut Self, &[Operand]) -> Result<()>,
    ) -> Result<()> {
        let Some((&upper, inner)) = dims.split_first() else {
            return body(self, counters);
        };
        if known(upper) == Some(1) {
            counters.push(imm(0));
            self.loop_level(inner, counters, body)?;
            counters.pop();
            return Ok(());
        }
        let counter = self.register();
        counters.push(Operand::Register(counter));
        let (code, ()) = self.repeated(|this| this.nested(|this| this.loop_level(inner, counters, body)))?;
        counters.pop();
        self.emit(Inst::For { counter, lower: imm(0), upper, step: imm(1), unsigned: false, body: code });
        Ok(())
    }

    fn select_tensor(&mut self, op: Op) -> Result<()> {
        let condition = self.operand(op, 0)?;
        let (then, otherwise) = (self.tensor(op, 1)?, self.tensor(op, 2)?);
        let ty = op.result(0).ty();
        let result = self.destination(ty, Some(op.result(0)));
        let sources = [then, otherwise].map(Val::Tensor);
        let mut arms = Vec::new();
        for source in sources {
            arms.push(self.nested(|this| this.assign(&[(result.clone(), source, ty)]))?.0);
        }
        let otherwise = arms.pop().expect("two arms");
        let then = arms.pop().expect("two arms");
        self.emit(Inst::If { condition, then, otherwise });
        self.bind_destination(op.result(0), result);
        Ok(())
    }
}
