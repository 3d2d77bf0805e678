//! Reads the function of an export into a graph. Nothing is emitted.
use super::{
    Definition, Expression, Graph, Kind, Place, Scalar, Signature, Size, Sizes, Step, Symbolic, Tensor, Unsupported,
};
use crate::memory::Memory;
use halyard_ir::{Attr, Op, Type, Value};
use std::collections::HashMap;

/// MLIR's mark of a dynamic entry in `static_offsets` and the like.
const DYNAMIC: i64 = i64::MIN;

pub(super) type Read<T> = Result<T, Unsupported>;

impl Graph {
    /// The graph of a function. Errors: what the function does that no kernel is made of.
    pub(crate) fn read(func: Op) -> Read<Graph> {
        let mut graph = Graph {
            signature: Signature::of(func)?,
            tensors: Vec::new(),
            nodes: Vec::new(),
            sizes: Sizes::default(),
            scalars: Vec::new(),
            steps: Vec::new(),
            tensor_of: HashMap::new(),
            scalar_of: HashMap::new(),
            returned: Vec::new(),
            results: Vec::new(),
        };
        let Signature { inputs, outputs, tied, .. } = graph.signature.clone();
        let body = func.body().ok_or("a function without a body")?;
        let parameters = body.args();
        // Bindings and constants are numbered in order.
        let (mut bindings, mut constants) = (0.., 0..);
        let (arrays, scalars): (Vec<_>, Vec<_>) =
            inputs.iter().copied().zip(parameters).enumerate().partition(|(_, (ty, _))| ty.is_ranked_tensor());
        let mut memory_of: HashMap<usize, Memory<Symbolic>> = HashMap::new();
        for &(at, (ty, parameter)) in &arrays {
            let sizes = graph.arguments(ty, &mut constants);
            let place = Place::Binding(bindings.next().expect("endless"));
            let memory = graph.contiguous(place, ty.element(), &sizes);
            memory_of.insert(at, memory.clone());
            let id = graph.tensor(ty.element(), sizes, Kind::Memory(memory));
            graph.tensor_of.insert(parameter, id);
        }
        let sizes: Vec<Vec<Size>> = outputs.iter().map(|&ty| graph.arguments(ty, &mut constants)).collect();
        for &(_, (ty, parameter)) in &scalars {
            let argument = Definition::Argument(constants.next().expect("endless"), ty);
            let scalar = graph.scalar(argument);
            graph.scalar_of.insert(parameter, scalar);
        }
        graph.read_body(func)?;
        for (result, sizes) in sizes.iter().enumerate() {
            let shared = tied[result].map(|t| memory_of.get(&t).cloned().ok_or("a result that is tied to no tensor"));
            let memory = match shared.transpose()? {
                Some(memory) => memory,
                None => {
                    let place = Place::Binding(bindings.next().expect("endless"));
                    graph.contiguous(place, outputs[result].element(), sizes)
                }
            };
            graph.results.push(memory);
        }
        Ok(graph)
    }

    /// The sizes of an argument or result: what is dynamic is a constant of the kernel.
    fn arguments(&mut self, ty: Type, constants: &mut impl Iterator<Item = usize>) -> Vec<Size> {
        ty.shape()
            .into_iter()
            .map(|d| match d {
                Some(d) => Size::constant(d),
                None => {
                    let argument = Expression::Argument(constants.next().expect("endless"));
                    self.sizes.size(argument, &mut self.steps)
                }
            })
            .collect()
    }

    /// Row-major memory of these sizes.
    fn contiguous(&mut self, ptr: Place, elem: Type, dims: &[Size]) -> Memory<Symbolic> {
        let mut strides = vec![Size::constant(1); dims.len()];
        for d in (0..dims.len().saturating_sub(1)).rev() {
            strides[d] = self.sizes.mul(strides[d + 1], dims[d + 1], &mut self.steps);
        }
        Memory { ptr, elem, dims: dims.to_vec(), strides, offset: Size::ZERO }
    }

    /// Reads the operations of the function up to what it returns.
    fn read_body(&mut self, func: Op) -> Read<()> {
        let body = func.body().ok_or("a function without a body")?;
        if func.region(0).blocks().len() != 1 {
            return Err("a function of several blocks".into());
        }
        for op in body.ops() {
            if op.is("func.return") {
                self.returned = op.operands();
                return Ok(());
            }
            self.read_op(op)?;
        }
        Err("a function without a return".into())
    }

    /// Adds a tensor.
    fn tensor(&mut self, elem: Type, dims: Vec<Size>, kind: Kind<Symbolic>) -> usize {
        self.tensors.push(Tensor { elem, dims, kind });
        self.steps.push(Step::Tensor(self.tensors.len() - 1));
        self.tensors.len() - 1
    }

    /// Adds a scalar.
    fn scalar(&mut self, definition: Definition) -> Scalar {
        self.scalars.push(definition);
        let scalar = Scalar(self.scalars.len() - 1);
        self.steps.push(Step::Scalar(scalar));
        scalar
    }

    pub(super) fn define(&mut self, result: Value, dims: Vec<Size>, kind: Kind<Symbolic>) {
        let dims = statics(result.ty(), dims);
        let id = self.tensor(result.ty().element(), dims, kind);
        self.tensor_of.insert(result, id);
    }

    /// The tensor of a value.
    pub(crate) fn id(&self, value: Value) -> Read<usize> {
        self.tensor_of.get(&value).copied().ok_or_else(|| unknown(value))
    }

    /// The scalars of the operands of an operation.
    fn operands(&self, op: Op) -> Read<Vec<Scalar>> {
        let scalars = op.operands().iter().map(|v| self.scalar_of.get(v).copied()).collect::<Option<Vec<_>>>();
        scalars.ok_or_else(|| format!("an operand of `{}`", op.name()).into())
    }

    /// The sizes of a result of `op` whose dynamic ones are its operands, in order.
    fn sizes_of(&mut self, op: Op, ty: Type) -> Read<Vec<Size>> {
        let mut dynamic = op.operands().into_iter();
        ty.shape()
            .into_iter()
            .map(|d| match d {
                Some(d) => Ok(Size::constant(d)),
                None => self.scalar_size(dynamic.next().ok_or("a missing size")?),
            })
            .collect()
    }

    /// A scalar of the function as a size.
    fn scalar_size(&mut self, value: Value) -> Read<Size> {
        if let Some(known) = value.def().filter(|d| d.is("arith.constant")).and_then(|d| d.attr("value")?.as_int()) {
            return Ok(Size::constant(known));
        }
        let scalar = *self.scalar_of.get(&value).ok_or("an unknown scalar")?;
        Ok(self.sizes.size(Expression::Scalar(scalar), &mut self.steps))
    }

    fn mixed(&mut self, fixed: &[i64], operands: &mut impl Iterator<Item = Value>) -> Read<Vec<Size>> {
        fixed
            .iter()
            .map(|&f| {
                if f == DYNAMIC {
                    self.scalar_size(operands.next().ok_or("a missing operand")?)
                } else {
                    Ok(Size::constant(f))
                }
            })
            .collect()
    }

    fn read_op(&mut self, op: Op) -> Read<()> {
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

/// Why a value is no tensor of a graph.
pub(crate) fn unknown(value: Value) -> Unsupported {
    match value.def() {
        Some(op) => format!("the result of `{}`", op.name()).into(),
        None => "an unknown tensor".into(),
    }
}

/// The sizes of a type, where dynamic those given.
fn statics(ty: Type, dims: Vec<Size>) -> Vec<Size> {
    ty.shape().into_iter().zip(dims).map(|(fixed, dim)| fixed.map_or(dim, Size::constant)).collect()
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
