//! A graph as text, for tests.
use super::{Definition, Expression, Graph, Input, Kind, Place, Scalar, Size, Step, Symbol, Symbolic};
use halyard_ir::{AffineKind, Block};
use std::fmt::{Display, Formatter, Result};

impl Display for Size {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match (self.symbol, self.add) {
            (None, add) => write!(f, "{add}"),
            (Some(symbol), 0) => write!(f, "{symbol}"),
            (Some(symbol), add) => write!(f, "{symbol} + {add}"),
        }
    }
}

impl Display for Symbol {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "n{}", self.0)
    }
}

impl Display for Scalar {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "x{}", self.0)
    }
}

impl Display for Expression {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Expression::Argument(at) => write!(f, "argument {at}"),
            Expression::Scalar(scalar) => write!(f, "{scalar}"),
            Expression::Sum(a, b) => write!(f, "{a} + {b}"),
            Expression::Multiple(of, by) => write!(f, "{of} * {by}"),
            Expression::Product(a, b) => write!(f, "({a}) * ({b})"),
        }
    }
}

fn list<T: Display>(items: &[T]) -> String {
    let items: Vec<String> = items.iter().map(T::to_string).collect();
    format!("[{}]", items.join(", "))
}

fn affine(map: &[AffineKind]) -> String {
    fn one(e: &AffineKind) -> String {
        match e {
            AffineKind::Dim(d) => format!("d{d}"),
            AffineKind::Symbol(s) => format!("s{s}"),
            AffineKind::Constant(c) => c.to_string(),
            AffineKind::Add(a, b) => format!("{} + {}", one(a), one(b)),
            AffineKind::Mul(a, b) => format!("({}) * ({})", one(a), one(b)),
            AffineKind::Mod(a, b) => format!("({}) mod ({})", one(a), one(b)),
            AffineKind::FloorDiv(a, b) => format!("({}) floordiv ({})", one(a), one(b)),
            AffineKind::CeilDiv(a, b) => format!("({}) ceildiv ({})", one(a), one(b)),
        }
    }
    list(&map.iter().map(one).collect::<Vec<_>>())
}

fn body(block: Block) -> String {
    let names: Vec<String> = block.ops().iter().map(|o| o.name()).collect();
    names.join(", ")
}

fn kind(kind: &Kind<Symbolic>) -> String {
    match kind {
        Kind::Memory(memory) => {
            let place = match memory.ptr {
                Place::Binding(at) => format!("binding {at}"),
                Place::Constant(value) => format!("constant {value}"),
                Place::Scratch => "scratch".to_owned(),
            };
            format!("{place}, strides {}", list(&memory.strides))
        }
        Kind::Splat(scalar) => format!("splat {scalar}"),
        Kind::Empty => "empty".to_owned(),
        Kind::Elements(scalars) => format!("elements {}", list(scalars)),
        Kind::Result { node, index } => format!("result {index} of node {node}"),
        Kind::Pad { src, low, region } => format!("pad t{src}, low {}, by {}", list(low), body(*region)),
        Kind::Slice { src, offsets, strides, kept } => {
            format!("slice t{src}, offsets {}, strides {}, kept {}", list(offsets), list(strides), list(kept))
        }
        Kind::Insert { src, dst, offsets, sizes, strides, kept } => {
            let (offsets, sizes, strides) = (list(offsets), list(sizes), list(strides));
            let kept = list(kept);
            format!("insert t{src} into t{dst}, offsets {offsets}, sizes {sizes}, strides {strides}, kept {kept}")
        }
        Kind::Concat { srcs, axis } => format!("concat {} along {axis}", list(srcs)),
        Kind::Expand { src, groups } => format!("expand t{src}, groups {groups:?}"),
        Kind::Collapse { src, groups } => format!("collapse t{src}, groups {groups:?}"),
        Kind::Generate { region } => format!("generate by {}", body(*region)),
    }
}

fn definition(definition: &Definition) -> String {
    match definition {
        Definition::Constant(value) => format!("constant {value}"),
        Definition::Argument(at, ty) => format!("argument {at} : {ty}"),
        Definition::Size(size) => format!("size {size}"),
        Definition::Element(tensor, idx) => format!("t{tensor}{}", list(idx)),
        Definition::Result(op, operands, index) => format!("{} {} result {index}", op.name(), list(operands)),
    }
}

impl Display for Graph {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for &step in &self.steps {
            match step {
                Step::Size(symbol) => writeln!(f, "{symbol} = {}", self.sizes.expression(symbol))?,
                Step::Scalar(scalar) => writeln!(f, "{scalar} = {}", definition(&self.scalars[scalar.0]))?,
                Step::Tensor(id) => {
                    let tensor = &self.tensors[id];
                    writeln!(f, "t{id} : {}{} = {}", tensor.elem, list(&tensor.dims), kind(&tensor.kind))?;
                }
                Step::Node(at) => self.fmt_node(f, at)?,
            }
        }
        let returned: Vec<String> = self.returned.iter().map(|v| format!("t{}", self.tensor_of[v])).collect();
        writeln!(f, "return {}", returned.join(", "))
    }
}

impl Graph {
    fn fmt_node(&self, f: &mut Formatter<'_>, at: usize) -> Result {
        let node = &self.nodes[at];
        writeln!(f, "node {at}: loops {}, reductions {:?}", list(&node.dims), node.reductions())?;
        let inits = node.inits.iter().map(|&init| Input::Tensor(init));
        for (operand, (input, map)) in node.inputs.iter().copied().chain(inits).zip(&node.maps).enumerate() {
            let role = if operand < node.inputs.len() { "in" } else { "out" };
            writeln!(f, "  {role} {} at {}", name(input), affine(map))?;
        }
        writeln!(f, "  body {}", body(node.body))
    }
}

fn name(input: Input<Symbolic>) -> String {
    match input {
        Input::Tensor(tensor) => format!("t{tensor}"),
        Input::Scalar(scalar) => scalar.to_string(),
    }
}
