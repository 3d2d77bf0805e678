//! Reads the function into the graph; scalar operations of the function are emitted at the start of the kernel.
use super::Emitter;
use super::code::Emitted;
use super::graph::{Input, Kind, Node, Tensor};
use super::ix::{Idx, Ix, Point};
use super::machine::Machine;
use super::memory::global;
use halyard_ir::{AffineKind, Attr, Op, Type, Value};
use mlir_sys::mlirDenseElementsAttrGetSplatValue;

/// MLIR's mark of a dynamic entry in `static_offsets` and the like.
const DYNAMIC: i64 = i64::MIN;
/// The elements of the largest constant in code for Vulkan, which has no other place for one.
const LARGEST: i64 = 16384;

impl Emitter<'_> {
    /// Reads the operations of the function; gives the returned values.
    pub(crate) fn parse(&mut self, func: Op) -> Emitted<Vec<Value>> {
        let body = func.body().ok_or("a function without a body")?;
        if func.region(0).blocks().len() != 1 {
            return Err("a function of several blocks".to_owned());
        }
        for op in body.ops() {
            if op.is("func.return") {
                return Ok(op.operands());
            }
            self.parse_op(op)?;
        }
        Err("a function without a return".to_owned())
    }

    /// Adds a tensor.
    pub(crate) fn tensor(&mut self, elem: Type, dims: Vec<Ix>, kind: Kind) -> usize {
        self.tensors.push(Tensor { elem, dims, kind });
        self.tensors.len() - 1
    }

    fn define(&mut self, result: Value, dims: Vec<Ix>, kind: Kind) {
        let dims = statics(result.ty(), dims);
        let id = self.tensor(result.ty().element(), dims, kind);
        self.tensor_of.insert(result, id);
    }

    /// The tensor of a value.
    pub(crate) fn id(&self, value: Value) -> Emitted<usize> {
        self.tensor_of.get(&value).copied().ok_or_else(|| match value.def() {
            Some(op) => format!("the result of `{}`", op.name()),
            None => "an unknown tensor".to_owned(),
        })
    }

    /// The sizes of a result of `op` whose dynamic ones are its operands, in order.
    fn sizes(&mut self, op: Op, ty: Type) -> Emitted<Vec<Ix>> {
        let mut dynamic = op.operands().into_iter();
        ty.shape()
            .into_iter()
            .map(|d| match d {
                Some(d) => Ok(Ix::constant(d)),
                None => self.scalar_ix(dynamic.next().ok_or("a missing size")?),
            })
            .collect()
    }

    /// A scalar of the function as an index.
    pub(crate) fn scalar_ix(&mut self, value: Value) -> Emitted<Ix> {
        if let Some(known) = value.def().filter(|d| d.is("arith.constant")).and_then(|d| d.attr("value")?.as_int()) {
            return Ok(Ix::constant(known));
        }
        let scalar = *self.scalar_of.get(&value).ok_or("an unknown scalar")?;
        Ok(self.code.idx_of(scalar).ix)
    }

    fn mixed(&mut self, fixed: &[i64], operands: &mut impl Iterator<Item = Value>) -> Emitted<Vec<Ix>> {
        fixed
            .iter()
            .map(|&f| {
                if f == DYNAMIC {
                    self.scalar_ix(operands.next().ok_or("a missing operand")?)
                } else {
                    Ok(Ix::constant(f))
                }
            })
            .collect()
    }

    fn parse_op(&mut self, op: Op) -> Emitted<()> {
        let name = op.name();
        let attr = |name: &str| {
            op.attr(name).and_then(Attr::as_i64s).ok_or_else(|| format!("`{}` without `{name}`", op.name()))
        };
        let ty = op.results().first().map(|r| r.ty());
        match name.as_str() {
            "arith.constant" => self.parse_constant(op)?,
            "tensor.empty" | "bufferization.alloc_tensor"
                if op.operand_count() == ty.map_or(0, |t| t.shape().iter().filter(|d| d.is_none()).count()) =>
            {
                let dims = self.sizes(op, ty.ok_or("no result")?)?;
                self.define(op.result(0), dims, Kind::Empty);
            }
            "tensor.dim" => {
                let tensor = self.id(op.operand(0))?;
                let dim = self.scalar_ix(op.operand(1))?.known().ok_or("`tensor.dim` of an unknown dimension")?;
                let size = *self.tensors[tensor].dims.get(dim as usize).ok_or("`tensor.dim` out of range")?;
                let size = self.code.ix(size);
                let index = Type::index(self.code.at.context());
                let value = self.code.pure("arith.index_cast", &[size], index, None);
                self.scalar_of.insert(op.result(0), value);
            }
            "tensor.cast" => {
                let id = self.id(op.operand(0))?;
                if !op.result(0).ty().is_ranked_tensor() {
                    return Err("a tensor without rank".to_owned());
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
                let idx =
                    op.operands()[1..].iter().map(|&v| Ok(Idx::same(self.scalar_ix(v)?))).collect::<Emitted<_>>()?;
                self.code.lanes = 1;
                let value = self.pull(id, &[Point::new(idx)])?[0];
                self.scalar_of.insert(op.result(0), value);
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
                let srcs = op.operands().into_iter().map(|v| self.id(v)).collect::<Emitted<Vec<_>>>()?;
                let axis = op.attr("dim").and_then(Attr::as_int).ok_or("`tensor.concat` without `dim`")? as usize;
                let mut dims = self.tensors[srcs[0]].dims.clone();
                for &src in &srcs[1..] {
                    dims[axis] = self.code.add(dims[axis], self.tensors[src].dims[axis]);
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
                        let sum = self.code.add(sizes[d], low[d]);
                        self.code.add(sum, high[d])
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
                let dims =
                    groups.iter().map(|g| g.iter().fold(Ix::constant(1), |n, &d| self.code.mul(n, sizes[d]))).collect();
                self.define(op.result(0), dims, Kind::Collapse { src, groups });
            }
            "tensor.generate" => {
                let dims = self.sizes(op, op.result(0).ty())?;
                let region = op.body().ok_or("`tensor.generate` without a body")?;
                self.define(op.result(0), dims, Kind::Generate { region });
            }
            "tensor.splat" | "tensor.from_elements" => {
                let values = op.operands().iter().map(|v| self.scalar_of.get(v).copied()).collect::<Option<Vec<_>>>();
                let values = values.ok_or_else(|| format!("an operand of `{name}`"))?;
                let ty = op.result(0).ty();
                if !ty.is_static() {
                    return Err(format!("`{name}` of dynamic shape"));
                }
                let kind = if name == "tensor.splat" || values.len() == 1 {
                    Kind::Splat(values[0])
                } else {
                    Kind::Elements(values)
                };
                self.define(op.result(0), vec![Ix::ZERO; ty.rank()], kind);
            }
            "linalg.generic" => self.parse_generic(op)?,
            _ => {
                let scalar = |v: &Value| !v.ty().is_tensor() && !v.ty().is_vector() && !v.ty().is_memref();
                let dialect = name.split('.').next().unwrap_or_default();
                if !matches!(dialect, "arith" | "math")
                    || !op.operands().iter().all(scalar)
                    || !op.results().iter().all(scalar)
                {
                    return Err(format!("`{name}`"));
                }
                let operands = op.operands().iter().map(|v| self.scalar_of.get(v).copied()).collect::<Option<Vec<_>>>();
                let operands = operands.ok_or_else(|| format!("an operand of `{name}`"))?;
                self.code.lanes = 1;
                let values = self.scalar_op(op, &operands, &Point::new(Vec::new()))?;
                self.scalar_of.extend(op.results().into_iter().zip(values));
            }
        }
        Ok(())
    }

    fn parse_constant(&mut self, op: Op) -> Emitted<()> {
        let value = op.attr("value").ok_or("a constant without a value")?;
        let result = op.result(0);
        if !result.ty().is_tensor() {
            let constant = self.code.constant(value);
            self.scalar_of.insert(result, constant);
            return Ok(());
        }
        let dims = vec![Ix::ZERO; result.ty().rank()];
        if result.ty().element_count() == Some(0) {
            self.define(result, dims, Kind::Empty);
        } else if value.is_splat() {
            // SAFETY: a splat of dense elements has a splat value.
            let value = Attr(unsafe { mlirDenseElementsAttrGetSplatValue(value.0) });
            let constant = self.code.constant(value);
            self.define(result, dims, Kind::Splat(constant));
        } else {
            let elem = result.ty().element();
            let ptr = self.constant_memory(value, elem)?;
            let sizes = statics(result.ty(), dims.clone());
            let memory = self.code.contiguous(ptr, elem, &sizes);
            self.define(result, dims, Kind::Memory(memory));
            self.dense.insert(self.tensors.len() - 1, value);
        }
        Ok(())
    }

    /// Where the numbers of a dense constant are.
    fn constant_memory(&mut self, value: Attr, elem: Type) -> Emitted<Value> {
        if self.code.machine == Machine::Vulkan {
            let count = value.value_type().element_count().unwrap_or(i64::MAX);
            if count > LARGEST {
                return Err(format!("a constant of {count} elements (code for Vulkan holds {LARGEST} at most)"));
            }
            return self.code.constant_array(value, elem).ok_or_else(|| format!("a constant of `{elem}`"));
        }
        let name = format!("{}_constant_{}", self.export, self.globals);
        self.globals += 1;
        global(&mut self.code, self.module, &name, value, elem)
    }

    fn parse_generic(&mut self, op: Op) -> Emitted<()> {
        let outs = op.result_count();
        let ins = op.operand_count() - outs;
        let inputs = op.operands()[..ins]
            .iter()
            .map(|&v| {
                if v.ty().is_tensor() {
                    self.id(v).map(Input::Tensor)
                } else {
                    self.scalar_of.get(&v).copied().map(Input::Scalar).ok_or_else(|| "an unknown scalar".to_owned())
                }
            })
            .collect::<Emitted<Vec<_>>>()?;
        let inits = op.operands()[ins..].iter().map(|&v| self.id(v)).collect::<Emitted<Vec<_>>>()?;
        let maps = op.attr("indexing_maps").and_then(Attr::as_array).ok_or("a generic without maps")?;
        let maps =
            maps.into_iter().map(Attr::as_affine_map).collect::<Option<Vec<_>>>().ok_or("a map that is not affine")?;
        if maps.iter().any(|m| m.symbols() > 0) {
            return Err("a map with symbols".to_owned());
        }
        let count = maps.first().map_or(0, |m| m.dims());
        let maps: Vec<_> = maps.into_iter().map(|m| m.results()).collect();
        let iterators = op.attr("iterator_types").and_then(Attr::as_array).ok_or("a generic without iterators")?;
        let reduction: Vec<bool> = iterators.iter().map(|a| a.to_string().contains("reduction")).collect();
        let mut dims = vec![None; count];
        for (operand, map) in maps.iter().enumerate() {
            let tensor = match inputs.get(operand) {
                Some(Input::Tensor(t)) => *t,
                Some(Input::Scalar(_)) => continue,
                None => inits[operand - ins],
            };
            for (at, expr) in map.iter().enumerate() {
                if let AffineKind::Dim(d) = expr {
                    let size = self.tensors[tensor].dims[at];
                    // A known size says more than a dynamic one.
                    if dims[*d].is_none_or(|s: Ix| s.known().is_none() && size.known().is_some()) {
                        dims[*d] = Some(size);
                    }
                }
            }
        }
        let dims = dims.into_iter().collect::<Option<Vec<_>>>().ok_or("a loop whose size no operand has")?;
        // One place of the loops has one element of each result: see [`super::apart`].
        if maps[ins..].iter().any(|m| *m != maps[ins]) {
            return Err("results that are laid out differently".to_owned());
        }
        let mut place = vec![None; count];
        for (at, expr) in maps[ins].iter().enumerate() {
            let single = || inits.iter().all(|&i| self.tensors[i].dims[at].known() == Some(1));
            match expr {
                AffineKind::Dim(d) if !reduction[*d] && place[*d].is_none() => place[*d] = Some(at),
                AffineKind::Constant(0) if single() => {}
                _ => return Err("an output that is not a permutation".to_owned()),
            }
        }
        for d in 0..count {
            if !reduction[d] && place[d].is_none() && dims[d].known() != Some(1) {
                return Err("a parallel loop that the output does not have".to_owned());
            }
        }
        let body = op.body().ok_or("a generic without a body")?;
        let node = self.nodes.len();
        let sizes: Vec<Vec<Ix>> = inits.iter().map(|&i| self.tensors[i].dims.clone()).collect();
        self.nodes.push(Node { body, inputs, inits, results: Vec::new(), maps, dims, reduction, place });
        for (index, sizes) in sizes.into_iter().enumerate() {
            self.define(op.result(index), sizes, Kind::Result { node, index });
            let id = self.tensors.len() - 1;
            self.nodes[node].results.push(id);
        }
        Ok(())
    }
}

/// The sizes of a type, where dynamic those given.
pub(crate) fn statics(ty: Type, dims: Vec<Ix>) -> Vec<Ix> {
    ty.shape().into_iter().zip(dims).map(|(fixed, dim)| fixed.map_or(dim, Ix::constant)).collect()
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

fn groups(op: Op) -> Emitted<Vec<Vec<usize>>> {
    let groups = op.attr("reassociation").and_then(Attr::as_array).ok_or("a reshape without groups")?;
    Ok(groups
        .into_iter()
        .map(|g| g.as_array().unwrap_or_default().into_iter().filter_map(|a| Some(a.as_int()? as usize)).collect())
        .collect())
}
