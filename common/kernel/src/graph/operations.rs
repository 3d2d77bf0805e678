//! Reads the operations of a function but `linalg.generic`: constants, movements of tensors, scalars.
use super::read::{DYNAMIC, Read, statics};
use super::{Definition, Graph, Kind, Place, Size};
use halyard_ir::{Attr, Op, Type, Value};

impl Graph {
    /// Reads an operation of the function.
    pub(super) fn read_op(&mut self, op: Op) -> Read<()> {
        let name = op.name();
        let attr = |name: &str| {
            op.attr(name).and_then(Attr::as_i64s).ok_or_else(|| format!("`{}` without `{name}`", op.name()))
        };
        let ty = op.results().first().map(|r| r.ty());
        match name.as_str() {
            "arith.constant" => self.read_constant(op)?,
            "tensor.empty" | "bufferization.alloc_tensor"
                if op.operand_count() == ty.map_or(0, |t| t.shape().iter().filter(|d| d.is_none()).count()) =>
            {
                let dims = self.sizes_of(op, ty.ok_or("no result")?)?;
                self.define(op.result(0), dims, Kind::Empty);
            }
            "tensor.dim" => {
                let tensor = self.id(op.operand(0))?;
                let dim = self.scalar_size(op.operand(1))?.known().ok_or("`tensor.dim` of an unknown dimension")?;
                let size = *self.tensors[tensor].dims.get(dim as usize).ok_or("`tensor.dim` out of range")?;
                let scalar = self.scalar(Definition::Size(size));
                self.scalar_of.insert(op.result(0), scalar);
            }
            "tensor.cast" => {
                let id = self.id(op.operand(0))?;
                if !op.result(0).ty().is_ranked_tensor() {
                    return Err("a tensor without rank".into());
                }
                let tensor = self.tensors[id].clone();
                // The same elements, of a size that is known better.
                if tensor.dims == statics(op.result(0).ty(), tensor.dims.clone()) {
                    self.tensor_of.insert(op.result(0), id);
                } else {
                    self.define(op.result(0), tensor.dims, tensor.kind);
                }
            }
            "tensor.extract" => {
                let id = self.id(op.operand(0))?;
                let idx = op.operands()[1..].iter().map(|&v| self.scalar_size(v)).collect::<Read<_>>()?;
                let scalar = self.scalar(Definition::Element(id, idx));
                self.scalar_of.insert(op.result(0), scalar);
            }
            "tensor.extract_slice" => {
                let src = self.id(op.operand(0))?;
                let mut rest = op.operands().into_iter().skip(1);
                let offsets = self.mixed(&attr("static_offsets")?, &mut rest)?;
                let sizes = self.mixed(&attr("static_sizes")?, &mut rest)?;
                let strides = self.mixed(&attr("static_strides")?, &mut rest)?;
                let kept = kept(&attr("static_sizes")?, op.result(0).ty());
                let dims = kept.iter().map(|&d| sizes[d]).collect();
                self.define(op.result(0), dims, Kind::Slice { src, offsets, strides, kept });
            }
            "tensor.insert_slice" => {
                let (src, dst) = (self.id(op.operand(0))?, self.id(op.operand(1))?);
                let mut rest = op.operands().into_iter().skip(2);
                let offsets = self.mixed(&attr("static_offsets")?, &mut rest)?;
                let sizes = self.mixed(&attr("static_sizes")?, &mut rest)?;
                let strides = self.mixed(&attr("static_strides")?, &mut rest)?;
                let kept = kept(&attr("static_sizes")?, op.operand(0).ty());
                let dims = self.tensors[dst].dims.clone();
                self.define(op.result(0), dims, Kind::Insert { src, dst, offsets, sizes, strides, kept });
            }
            "tensor.concat" => {
                let srcs = op.operands().into_iter().map(|v| self.id(v)).collect::<Read<Vec<_>>>()?;
                let axis = op.attr("dim").and_then(Attr::as_int).ok_or("`tensor.concat` without `dim`")? as usize;
                let mut dims = self.tensors[srcs[0]].dims.clone();
                for &src in &srcs[1..] {
                    dims[axis] = self.sizes.add(dims[axis], self.tensors[src].dims[axis], &mut self.steps);
                }
                self.define(op.result(0), dims, Kind::Concat { srcs, axis });
            }
            "tensor.pad" => {
                let src = self.id(op.operand(0))?;
                let mut rest = op.operands().into_iter().skip(1);
                let low = self.mixed(&attr("static_low")?, &mut rest)?;
                let high = self.mixed(&attr("static_high")?, &mut rest)?;
                let sizes = self.tensors[src].dims.clone();
                let dims = (0..low.len())
                    .map(|d| {
                        let sum = self.sizes.add(sizes[d], low[d], &mut self.steps);
                        self.sizes.add(sum, high[d], &mut self.steps)
                    })
                    .collect();
                let region = op.body().ok_or("`tensor.pad` without a body")?;
                self.define(op.result(0), dims, Kind::Pad { src, low, region });
            }
            "tensor.expand_shape" => {
                let src = self.id(op.operand(0))?;
                let groups = groups(op)?;
                let mut rest = op.operands().into_iter().skip(1);
                let dims = self.mixed(&attr("static_output_shape")?, &mut rest)?;
                self.define(op.result(0), dims, Kind::Expand { src, groups });
            }
            "tensor.collapse_shape" => {
                let src = self.id(op.operand(0))?;
                let groups = groups(op)?;
                let sizes = self.tensors[src].dims.clone();
                let product = |this: &mut Self, group: &Vec<usize>| {
                    group.iter().fold(Size::constant(1), |n, &d| this.sizes.mul(n, sizes[d], &mut this.steps))
                };
                let dims = groups.iter().map(|g| product(self, g)).collect();
                self.define(op.result(0), dims, Kind::Collapse { src, groups });
            }
            "tensor.generate" => {
                let dims = self.sizes_of(op, op.result(0).ty())?;
                let region = op.body().ok_or("`tensor.generate` without a body")?;
                self.define(op.result(0), dims, Kind::Generate { region });
            }
            "tensor.splat" | "tensor.from_elements" => {
                let values = self.operands(op)?;
                let ty = op.result(0).ty();
                if !ty.is_static() {
                    return Err(format!("`{name}` of dynamic shape").into());
                }
                let kind = if name == "tensor.splat" || values.len() == 1 {
                    Kind::Splat(values[0])
                } else {
                    Kind::Elements(values)
                };
                self.define(op.result(0), vec![Size::ZERO; ty.rank()], kind);
            }
            "linalg.generic" => self.read_generic(op)?,
            _ => {
                let scalar = |v: &Value| !v.ty().is_tensor() && !v.ty().is_vector() && !v.ty().is_memref();
                let dialect = name.split('.').next().unwrap_or_default();
                if !matches!(dialect, "arith" | "math")
                    || !op.operands().iter().all(scalar)
                    || !op.results().iter().all(scalar)
                {
                    return Err(format!("`{name}`").into());
                }
                let operands = self.operands(op)?;
                for (index, result) in op.results().into_iter().enumerate() {
                    let scalar = self.scalar(Definition::Result(op, operands.clone(), index));
                    self.scalar_of.insert(result, scalar);
                }
            }
        }
        Ok(())
    }

    fn read_constant(&mut self, op: Op) -> Read<()> {
        let value = op.attr("value").ok_or("a constant without a value")?;
        let result = op.result(0);
        if !result.ty().is_tensor() {
            let constant = self.scalar(Definition::Constant(value));
            self.scalar_of.insert(result, constant);
            return Ok(());
        }
        let dims = vec![Size::ZERO; result.ty().rank()];
        if result.ty().element_count() == Some(0) {
            self.define(result, dims, Kind::Empty);
        } else if value.is_splat() {
            let value = value.splat_value().ok_or("a constant of one number that cannot be read")?;
            let constant = self.scalar(Definition::Constant(value));
            self.define(result, dims, Kind::Splat(constant));
        } else {
            let sizes = statics(result.ty(), dims.clone());
            let memory = self.contiguous(Place::Constant(value), result.ty().element(), &sizes);
            self.define(result, dims, Kind::Memory(memory));
        }
        Ok(())
    }
}

/// Which dimensions of a slice stay in the tensor of a lower rank: dimensions of size 1 may be dropped.
fn kept(sizes: &[i64], ty: Type) -> Vec<usize> {
    let wanted = ty.shape();
    let mut kept = Vec::new();
    for (d, &size) in sizes.iter().enumerate() {
        let Some(want) = wanted.get(kept.len()) else { break };
        let left = sizes.len() - d;
        if want.unwrap_or(DYNAMIC) == size || left == wanted.len() - kept.len() {
            kept.push(d);
        }
    }
    kept
}

fn groups(op: Op) -> Read<Vec<Vec<usize>>> {
    let groups = op.attr("reassociation").and_then(Attr::as_array).ok_or("a reshape without groups")?;
    Ok(groups
        .into_iter()
        .map(|g| g.as_array().unwrap_or_default().into_iter().filter_map(|a| Some(a.as_int()? as usize)).collect())
        .collect())
}
