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
    tensor.constant_attr().is_some_and(|value| value.is_splat())
}

fn is_identity(map: Affine) -> bool {
    map.projected_permutation().is_some_and(|dims| dims.into_iter().eq(0..map.dims()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Session;

    const SAME: &str = "affine_map<(i, j) -> (i, j)>";
    const TURNED: &str = "affine_map<(i, j) -> (j, i)>";

    /// How many nodes the result of the last of three operations is computed by, if from one byte: a byte becomes a float, read by `first`; it and
    /// `other` are added, read by `second`; the sum becomes a byte.
    fn nodes(first: &str, second: &str, other: &str) -> Option<usize> {
        let generic = |name: &str, maps: &[&str], ins: &str, to: &str, body: &str| {
            format!(
                "%e{name} = tensor.empty() : tensor<8x8x{to}>
                %{name} = linalg.generic {{indexing_maps = [{}], iterator_types = [\"parallel\", \"parallel\"]}}
                    ins({ins}) outs(%e{name} : tensor<8x8x{to}>) {{ {body} }} -> tensor<8x8x{to}>",
                maps.join(", ")
            )
        };
        let float = "^bb0(%x: i8, %o: f32): %y = arith.sitofp %x : i8 to f32\n linalg.yield %y : f32";
        let sum = "^bb0(%x: f32, %z: f32, %o: f32): %y = arith.addf %x, %z : f32\n linalg.yield %y : f32";
        let byte = "^bb0(%x: f32, %o: i8): %y = arith.fptosi %x : f32 to i8\n linalg.yield %y : i8";
        let text = format!(
            "func.func @f(%a: tensor<8x8xi8>, %b: tensor<8x8xf32>) -> tensor<8x8xi8> {{
            %two = arith.constant dense<2.0> : tensor<8x8xf32>
            {}\n{}\n{}\n return %t : tensor<8x8xi8> }}",
            generic("r", &[first, SAME], "%a : tensor<8x8xi8>", "f32", float),
            generic(
                "s",
                &[second, SAME, SAME],
                &format!("%r, %{other} : tensor<8x8xf32>, tensor<8x8xf32>"),
                "f32",
                sum
            ),
            generic("t", &[SAME, SAME], "%s : tensor<8x8xf32>", "i8", byte)
        );
        let session = Session::new();
        let module = session.parse(text.as_bytes(), "f.mlir").unwrap();
        let end = Op::from(&module).body()?.ops()[0].body()?.terminator()?;
        ByteFunctions::default().of(end.operand(0)).map(|function| function.nodes.len())
    }

    #[test]
    fn elements_that_come_from_one_byte() {
        assert_eq!(nodes(SAME, SAME, "two"), Some(3));
        assert_eq!(nodes(TURNED, SAME, "two"), Some(3));
        // Twice the same byte.
        assert_eq!(nodes(SAME, SAME, "r"), Some(3));
    }

    #[test]
    fn elements_that_come_from_more() {
        assert_eq!(nodes(SAME, SAME, "b"), None);
        assert_eq!(nodes(SAME, TURNED, "two"), None);
        assert_eq!(nodes(SAME, TURNED, "r"), None);
    }
}
