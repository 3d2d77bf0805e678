//! Functions of one byte, as quantised models have them: a byte becomes a float, goes through an activation, and is quantised again,
//! perhaps several times. A byte has 256 values, so that a table of as many results can stand for all of it.
use crate::{Affine, Attr, Op, Structured, Value};
use std::{collections::HashMap, rc::Rc};

/// How the elements of a tensor are computed, each from one byte alone.
#[derive(Debug, Clone)]
pub struct ByteFunction {
    /// The tensor that has the bytes.
    pub byte: Value,
    /// The map from the loops of a node to the place of the byte, which is the same for all nodes.
    pub map: Attr,
    /// The `linalg.generic` operations that compute it, each after those that it reads. All run over the same loops, and read each other
    /// point by point.
    pub nodes: Vec<Op>,
}

/// The functions of one byte among the tensors of a function.
#[derive(Debug, Default)]
pub struct ByteFunctions {
    known: HashMap<Value, Option<Rc<ByteFunction>>>,
}

impl ByteFunctions {
    /// How a tensor is computed from one byte for each element; `None` if it is not, such as an argument.
    pub fn of(&mut self, tensor: Value) -> Option<Rc<ByteFunction>> {
        if let Some(known) = self.known.get(&tensor) {
            return known.clone();
        }
        let made = tensor.def().and_then(|node| self.made_by(node)).map(Rc::new);
        self.known.insert(tensor, made.clone());
        made
    }

    fn made_by(&mut self, node: Op) -> Option<ByteFunction> {
        let structured = node.is("linalg.generic").then(|| Structured::of(node)).flatten()?;
        let (maps, body) = (&structured.maps, node.body()?);
        let args = body.args();
        let (inputs, inits) = args.split_at(structured.inputs);
        if node.result_count() != 1 || !is_identity(*maps.last()?) || inits.iter().any(|arg| arg.has_uses()) {
            return None;
        }
        let mut read: Option<ByteFunction> = None;
        for at in (0..inputs.len()).filter(|&at| inputs[at].has_uses() && !is_splat(node.operand(at))) {
            let tensor = node.operand(at);
            let further = if is_identity(maps[at]) { self.of(tensor) } else { None };
            let this = match further {
                Some(function) => ByteFunction::clone(&function),
                None if is_byte(tensor) => {
                    ByteFunction { byte: tensor, map: Attr::affine_map(maps[at]), nodes: Vec::new() }
                }
                None => return None,
            };
            let Some(before) = &mut read else {
                read = Some(this);
                continue;
            };
            if (before.byte, before.map) != (this.byte, this.map) {
                return None;
            }
            before.nodes.extend(this.nodes);
        }
        let mut function = read?;
        let own = |value: Value| value.argument_block().or_else(|| value.def()?.block()) == Some(body);
        let constant = |value: Value| value.def().is_some_and(|op| op.is("arith.constant"));
        let plain = |op: Op| {
            let scalar = op.is("linalg.yield") || op.is_of("arith") || op.is_of("math");
            scalar && op.regions().is_empty() && op.operands().into_iter().all(|value| own(value) || constant(value))
        };
        if !body.ops().into_iter().all(plain) {
            return None;
        }
        let mut seen = std::collections::HashSet::new();
        function.nodes.retain(|node| seen.insert(*node));
        function.nodes.push(node);
        Some(function)
    }
}

/// Whether the elements of a tensor are bytes.
pub fn is_byte(tensor: Value) -> bool {
    let element = tensor.ty().element();
    element.is_integer() && element.bits() == 8
}

/// Whether a tensor is a constant that is the same everywhere.
fn is_splat(tensor: Value) -> bool {
    let value = tensor.def().filter(|op| op.is("arith.constant")).and_then(|op| op.attr("value"));
    value.is_some_and(|value| value.is_splat())
}

fn is_identity(map: Affine) -> bool {
    map.projected_permutation().is_some_and(|dims| dims.into_iter().eq(0..map.dims()))
}
