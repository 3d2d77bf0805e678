//! Reads the function of an export into a graph. Nothing is emitted.
use super::{
    Definition, Expression, Graph, Kind, Place, Scalar, Signature, Size, Sizes, Step, Symbolic, Tensor, Unsupported,
};
use crate::graph::Memory;
use halyard_ir::{Loc, Op, Type, Value};
use std::collections::{BTreeSet, HashMap};

/// MLIR's mark of a dynamic entry in `static_offsets` and the like.
pub(super) const DYNAMIC: i64 = i64::MIN;

pub(super) type Read<T> = Result<T, Unsupported>;

impl Graph {
    /// The graph of a function. Errors: what the function does that no kernel is made of.
    pub(crate) fn read(func: Op) -> Read<Graph> {
        let mut graph = Graph {
            loc: func.loc(),
            signature: Signature::of(func)?,
            tensors: Vec::new(),
            nodes: Vec::new(),
            sizes: Sizes::default(),
            scalars: Vec::new(),
            steps: Vec::new(),
            tensor_of: HashMap::new(),
            scalar_of: HashMap::new(),
            returned: Vec::new(),
            must_materialize: BTreeSet::new(),
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
            let id = graph.tensor(ty.element(), sizes, Kind::Memory(memory), None);
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
    pub(super) fn contiguous(&mut self, ptr: Place, elem: Type, dims: &[Size]) -> Memory<Symbolic> {
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
    fn tensor(&mut self, elem: Type, dims: Vec<Size>, kind: Kind<Symbolic>, loc: Option<Loc>) -> usize {
        self.tensors.push(Tensor { elem, dims, kind, loc });
        self.steps.push(Step::Tensor(self.tensors.len() - 1));
        self.tensors.len() - 1
    }

    /// Adds a scalar.
    pub(super) fn scalar(&mut self, definition: Definition) -> Scalar {
        self.scalars.push(definition);
        let scalar = Scalar(self.scalars.len() - 1);
        self.steps.push(Step::Scalar(scalar));
        scalar
    }

    pub(super) fn define(&mut self, result: Value, dims: Vec<Size>, kind: Kind<Symbolic>) {
        let dims = statics(result.ty(), dims);
        let id = self.tensor(result.ty().element(), dims, kind, result.def().map(Op::loc));
        self.tensor_of.insert(result, id);
    }

    /// The tensor of a value.
    pub(crate) fn id(&self, value: Value) -> Read<usize> {
        self.tensor_of.get(&value).copied().ok_or_else(|| unknown(value))
    }

    /// The scalars of the operands of an operation.
    pub(super) fn operands(&self, op: Op) -> Read<Vec<Scalar>> {
        let scalars = op.operands().iter().map(|v| self.scalar_of.get(v).copied()).collect::<Option<Vec<_>>>();
        scalars.ok_or_else(|| format!("an operand of `{}`", op.name()).into())
    }

    /// The sizes of a result of `op` whose dynamic ones are its operands, in order.
    pub(super) fn sizes_of(&mut self, op: Op, ty: Type) -> Read<Vec<Size>> {
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
    pub(super) fn scalar_size(&mut self, value: Value) -> Read<Size> {
        if let Some(known) = value.constant() {
            return Ok(Size::constant(known));
        }
        let scalar = *self.scalar_of.get(&value).ok_or("an unknown scalar")?;
        Ok(self.sizes.size(Expression::Scalar(scalar), &mut self.steps))
    }

    pub(super) fn mixed(&mut self, fixed: &[i64], operands: &mut impl Iterator<Item = Value>) -> Read<Vec<Size>> {
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
}

/// Why a value is no tensor of a graph.
pub(crate) fn unknown(value: Value) -> Unsupported {
    match value.def() {
        Some(op) => format!("the result of `{}`", op.name()).into(),
        None => "an unknown tensor".into(),
    }
}

/// The sizes of a type, where dynamic those given.
pub(super) fn statics(ty: Type, dims: Vec<Size>) -> Vec<Size> {
    ty.shape().into_iter().zip(dims).map(|(fixed, dim)| fixed.map_or(dim, Size::constant)).collect()
}
