//! The start of a kernel: what a graph names by symbols becomes values, in the order of the function.
use crate::Emitter;
use crate::emit::arguments::Arguments;
use crate::emit::index::{Index, LaneIndex, Point};
use crate::emit::ir_builder::Supported;
use crate::graph::Memory;
use crate::graph::{
    Definition, Expression, Graph, Input, Kind, Node, Place, Scalar, Size, Step, Symbol, Symbolic, Tensor,
};
use halyard_ir::{Attr, Type, Value};
use std::collections::HashMap;

/// The values of a graph's symbols, as far as they are made.
#[derive(Default)]
pub(crate) struct Values {
    /// Of sizes.
    symbols: HashMap<Symbol, Value>,
    /// Of scalars.
    scalars: Vec<Value>,
    /// Where the numbers of constants are.
    constants: HashMap<Attr, Value>,
    /// Of the constants that the kernel is given, as the number of workgroups is made of them.
    pub(crate) given: Vec<Value>,
}

impl Values {
    fn ix(&self, size: Size) -> Index {
        Index { base: size.symbol.map(|symbol| self.symbols[&symbol]), add: size.add }
    }

    fn all(&self, sizes: &[Size]) -> Vec<Index> {
        sizes.iter().map(|&s| self.ix(s)).collect()
    }

    fn scalar(&self, scalar: Scalar) -> Value {
        self.scalars[scalar.0]
    }

    fn memory(&self, memory: &Memory<Symbolic>, ptr: Value) -> Memory {
        let Memory { elem, dims, strides, offset, .. } = memory;
        let (dims, strides) = (self.all(dims), self.all(strides));
        Memory { ptr, elem: *elem, dims, strides, offset: self.ix(*offset) }
    }

    fn node(&self, node: &Node<Symbolic>) -> Node {
        let input = |input: &Input<Symbolic>| match *input {
            Input::Tensor(tensor) => Input::Tensor(tensor),
            Input::Scalar(scalar) => Input::Scalar(self.scalar(scalar)),
        };
        Node {
            body: node.body,
            inputs: node.inputs.iter().map(input).collect(),
            inits: node.inits.clone(),
            results: node.results.clone(),
            maps: node.maps.clone(),
            dims: self.all(&node.dims),
            reduction: node.reduction.clone(),
            place: node.place.clone(),
        }
    }
}

impl<'t> Emitter<'t> {
    /// Makes the sizes, scalars and constants of a graph; gives the memory of the results, and the values.
    pub(crate) fn begin(&mut self, graph: &Graph, arguments: &Arguments) -> Supported<(Vec<Memory>, Values)> {
        let mut values = Values::default();
        let sources: HashMap<Scalar, Value> = graph.scalar_of.iter().map(|(&value, &scalar)| (scalar, value)).collect();
        self.tensor_of.clone_from(&graph.tensor_of);
        for &step in &graph.steps {
            match step {
                Step::Size(symbol) => {
                    let value = self.symbol(graph.sizes.expression(symbol), arguments, &mut values);
                    values.symbols.insert(symbol, value);
                }
                // Results of an operation come together.
                Step::Scalar(Scalar(at)) if at < values.scalars.len() => {}
                Step::Scalar(Scalar(at)) => {
                    let made = self.scalars(&graph.scalars[at], arguments, &mut values)?;
                    for value in made {
                        if let Some(&source) = sources.get(&Scalar(values.scalars.len())) {
                            self.scalar_of.insert(source, value);
                        }
                        values.scalars.push(value);
                    }
                }
                Step::Tensor(id) => {
                    let Tensor { elem, dims, kind, loc } = &graph.tensors[id];
                    let kind = self.kind(kind, arguments, &mut values)?;
                    self.tensors.push(Tensor { elem: *elem, dims: values.all(dims), kind, loc: *loc });
                }
                Step::Node(node) => self.nodes.push(values.node(&graph.nodes[node])),
            }
        }
        self.scalars.clone_from(&values.scalars);
        let results = graph.results.iter().map(|memory| match memory.ptr {
            Place::Binding(binding) => values.memory(memory, arguments.bindings[binding]),
            Place::Constant(_) | Place::Scratch => unreachable!("a result is written to a binding"),
        });
        Ok((results.collect(), values))
    }

    /// The value of a symbol.
    fn symbol(&mut self, expression: Expression, arguments: &Arguments, values: &mut Values) -> Value {
        match expression {
            Expression::Argument(at) => {
                let value = arguments.size(&mut self.code, at);
                values.given.push(value);
                value
            }
            Expression::Scalar(scalar) => {
                let LaneIndex { ix, .. } = self.code.idx_of(values.scalar(scalar));
                self.code.ix(ix)
            }
            Expression::Sum(a, b) => self.code.flagged("arith.addi", values.symbols[&a], values.symbols[&b]),
            Expression::Multiple(of, by) => {
                let by = self.code.index_constant(by);
                self.code.flagged("arith.muli", values.symbols[&of], by)
            }
            Expression::Product(a, b) => {
                let (a, b) = (self.code.ix(values.ix(a)), self.code.ix(values.ix(b)));
                self.code.flagged("arith.muli", a, b)
            }
        }
    }

    /// The value of a scalar; of an operation all results.
    fn scalars(
        &mut self,
        definition: &Definition,
        arguments: &Arguments,
        values: &mut Values,
    ) -> Supported<Vec<Value>> {
        self.code.lanes = 1;
        Ok(match definition {
            Definition::Constant(value) => vec![self.code.constant(*value)],
            Definition::Argument(at, ty) => {
                let value = arguments.scalar(&mut self.code, *at, *ty);
                values.given.push(arguments.argument(*at).unwrap_or(value));
                vec![value]
            }
            Definition::Size(size) => {
                let size = self.code.ix(values.ix(*size));
                let index = Type::index(self.code.at.context());
                vec![self.code.pure("arith.index_cast", &[size], index, None)]
            }
            Definition::Element(tensor, idx) => {
                let idx = idx.iter().map(|&size| LaneIndex::uniform(values.ix(size))).collect();
                self.materialize(*tensor, &[Point::new(idx)])?
            }
            Definition::Result(op, operands, _) => {
                let operands: Vec<Value> = operands.iter().map(|&s| values.scalar(s)).collect();
                self.located(Some(op.loc()), |this| this.scalar_op(*op, &operands, &Point::new(Vec::new())))?
            }
        })
    }

    fn kind(&mut self, kind: &Kind<Symbolic>, arguments: &Arguments, values: &mut Values) -> Supported<Kind> {
        Ok(match kind.clone() {
            Kind::Memory(memory) => {
                let ptr = match memory.ptr {
                    Place::Binding(binding) => arguments.bindings[binding],
                    Place::Constant(value) => self.constant(value, memory.elem, values)?,
                    Place::Scratch => return Err("scratch memory before a kernel needs it".into()),
                };
                Kind::Memory(values.memory(&memory, ptr))
            }
            Kind::Splat(scalar) => Kind::Splat(values.scalar(scalar)),
            Kind::Empty => Kind::Empty,
            Kind::Elements(scalars) => Kind::Elements(scalars.iter().map(|&s| values.scalar(s)).collect()),
            Kind::Result { node, index } => Kind::Result { node, index },
            Kind::Pad { src, low, region } => Kind::Pad { src, low: values.all(&low), region },
            Kind::Slice { src, offsets, strides, kept } => {
                let (offsets, strides) = (values.all(&offsets), values.all(&strides));
                Kind::Slice { src, offsets, strides, kept }
            }
            Kind::Insert { src, dst, offsets, sizes, strides, kept } => {
                let [offsets, sizes, strides] = [offsets, sizes, strides].map(|s| values.all(&s));
                Kind::Insert { src, dst, offsets, sizes, strides, kept }
            }
            Kind::Concat { srcs, axis } => Kind::Concat { srcs, axis },
            Kind::Expand { src, groups } => Kind::Expand { src, groups },
            Kind::Collapse { src, groups } => Kind::Collapse { src, groups },
            Kind::Generate { region } => Kind::Generate { region },
        })
    }

    /// Where the numbers of a dense constant are.
    fn constant(&mut self, value: Attr, elem: Type, values: &mut Values) -> Supported<Value> {
        if let Some(&known) = values.constants.get(&value) {
            return Ok(known);
        }
        let ptr = self.target.code().constant(self, value, elem)?;
        values.constants.insert(value, ptr);
        Ok(ptr)
    }

    /// Goes on with a graph that was made of the one that the kernel began with: operands are gathered, reductions merged.
    pub(crate) fn adopt(&mut self, graph: &'t Graph, values: &Values) {
        self.graph = graph;
        self.nodes = graph.nodes.iter().map(|node| values.node(node)).collect();
        for Tensor { elem, dims, kind, loc } in &graph.tensors[self.tensors.len()..] {
            let kind = match *kind {
                Kind::Result { node, index } => Kind::Result { node, index },
                // Scratch memory is taken when it is needed.
                _ => Kind::Empty,
            };
            self.tensors.push(Tensor { elem: *elem, dims: values.all(dims), kind, loc: *loc });
        }
    }

    /// The tensor of a value.
    pub(crate) fn id(&self, value: Value) -> Supported<usize> {
        self.tensor_of.get(&value).copied().ok_or_else(|| crate::graph::unknown(value))
    }
}
