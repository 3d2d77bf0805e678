//! Functions of one byte, as quantised models have them: a byte becomes a float, goes through an activation, and is quantised again,
//! perhaps several times. A byte has 256 values, so that the results fit into a table, which replaces all of it where that takes fewer
//! instructions: [`table_of`]. The table is computed as constants are, with each operation rounded once.
use crate::MachineModel;
use halyard_evaluate::{Array, ScalarType, evaluate, evaluate_scalars};
use halyard_ir::{Affine, Attr, Block, Builder, Op, Region, Structured, Value, dense_bytes};
use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

/// The operation of a body that stands for a function: no other of MLIR takes an attribute and is left alone by passes.
const OP: &str = "llvm.call_intrinsic";
/// The attribute with the 256 results, in the order of the bytes without a sign.
const TABLE: &str = "table";

/// The table of an operation in a body that is a function of one byte.
pub(crate) fn table_of(op: Op) -> Option<Attr> {
    op.attr(TABLE).filter(|_| op.is(OP))
}

/// The values of a byte.
const VALUES: usize = 256;
/// What a function of `math` counts for, and a division, in operations of a vector. By hand, 2026-11-30.
const FUNCTION: u32 = 12;
const DIVISION: u32 = 4;

/// Rewrites the functions of one byte of a module that is made of generic operations, where a table is faster; says whether there were some.
pub(super) fn rewrite(module: Op, target: &MachineModel) -> bool {
    let Some(lookup) = target.lookups.operations(target.vector_bits).filter(|_| target.gpu.is_none()) else {
        return false;
    };
    let mut nodes = Vec::new();
    module.walk(&mut |op| nodes.extend(op.is("linalg.generic").then_some(op)));
    let mut functions = Functions::default();
    let mut tables: Vec<(Op, Rc<Function>)> = Vec::new();
    for &node in &nodes {
        if node.result_count() == 1 && is_byte(node.result(0)) {
            tables.extend(functions.of(node.result(0)).filter(|f| !f.operations.is_empty()).map(|f| (node, f)));
        }
    }
    // Where all is bytes a vector holds four times as many of them as of floats.
    let bytes_alone = only_bytes(module, &tables);
    tables.retain(|(_, function)| function.cost() * if bytes_alone { 4 } else { 1 } > lookup);
    let replaced = nodes_of(&tables);
    for (node, function) in &tables {
        replace(*node, function);
    }
    // Backwards, so that readers go before what they read.
    for node in nodes.into_iter().rev().filter(|node| replaced.contains(node)) {
        if !node.has_uses() {
            node.erase();
        }
    }
    !tables.is_empty()
}

/// What is computed from one byte.
struct Function {
    /// The tensor that has the byte, and the map from the loops of the node to its place.
    byte: Value,
    map: Attr,
    /// The result for each byte.
    results: Array,
    /// The operations that it is made of.
    operations: Rc<HashSet<Op>>,
}

impl Function {
    /// About how many operations on vectors it takes.
    fn cost(&self) -> u32 {
        let cost = |op: &Op| match op.name() {
            name if name.starts_with("math.")
                && !matches!(name.as_str(), "math.absf" | "math.fma" | "math.roundeven") =>
            {
                FUNCTION
            }
            name if name.contains("div") => DIVISION,
            _ => 1,
        };
        self.operations.iter().map(cost).sum()
    }
}

/// The functions of one byte among the tensors of a function.
#[derive(Default)]
struct Functions {
    known: HashMap<Value, Option<Rc<Function>>>,
}

impl Functions {
    /// The function whose results a tensor holds, point by point of the node that makes it. `None`: it has no such node, or that reads other
    /// tensors, too.
    fn of(&mut self, tensor: Value) -> Option<Rc<Function>> {
        if let Some(known) = self.known.get(&tensor) {
            return known.clone();
        }
        let made = tensor.def().and_then(|node| self.made_by(node)).map(Rc::new);
        self.known.insert(tensor, made.clone());
        made
    }

    fn made_by(&mut self, node: Op) -> Option<Function> {
        let structured = node.is("linalg.generic").then(|| Structured::of(node)).flatten()?;
        let (maps, body) = (&structured.maps, node.body()?);
        let identity =
            |map: &Affine| map.projected_permutation().is_some_and(|dims| dims.iter().copied().eq(0..map.dims()));
        if node.result_count() != 1 || !identity(maps.last()?) || node.result(0).uses().is_empty() {
            return None;
        }
        let mut values: HashMap<Value, Array> = HashMap::new();
        let mut read: Option<Rc<Function>> = None;
        let mut operations = HashSet::new();
        let args = body.args();
        if args[structured.inputs..].iter().any(|arg| arg.has_uses()) {
            return None;
        }
        for (at, &arg) in args[..structured.inputs].iter().enumerate().filter(|(_, arg)| arg.has_uses()) {
            let tensor = node.operand(at);
            if let Some(all) = constant(tensor) {
                values.insert(arg, all);
                continue;
            }
            let further = if identity(&maps[at]) { self.of(tensor) } else { None };
            let function = match further {
                Some(function) => function,
                None if is_byte(tensor) => Rc::new(Function::of_itself(tensor, Attr::affine_map(maps[at]))),
                None => return None,
            };
            let same = read.as_ref().is_none_or(|r| r.byte == function.byte && r.map == function.map);
            if !same {
                return None;
            }
            operations.extend(function.operations.iter().copied());
            values.insert(arg, function.results.clone());
            read = Some(function);
        }
        let read = read?;
        for op in body.ops() {
            if op.is("linalg.yield") {
                let results = known(op.operand(0), &values)?;
                let (byte, map) = (read.byte, read.map);
                return Some(Function { byte, map, results, operations: operations.into() });
            }
            if !op.is("arith.constant") {
                operations.insert(op);
            }
            let value = evaluate_scalars(op, VALUES, &mut |operand| known(operand, &values))?;
            values.insert(op.result(0), value);
        }
        None
    }
}

impl Function {
    /// A byte as it is.
    fn of_itself(byte: Value, map: Attr) -> Self {
        let results = Array::new(ScalarType::Int(8), &[VALUES], (0..VALUES as u64).collect());
        Self { byte, map, results, operations: Rc::default() }
    }
}

/// A value in a body: one that was computed, or a constant from outside of the body.
fn known(value: Value, values: &HashMap<Value, Array>) -> Option<Array> {
    let outside = || evaluate(value.def().filter(|op| op.is("arith.constant"))?, &mut |_| None)?.pop();
    values.get(&value).cloned().or_else(outside)
}

/// The number that all elements of a constant tensor are.
fn constant(tensor: Value) -> Option<Array> {
    let value = tensor.def().filter(|op| op.is("arith.constant"))?.attr("value")?;
    let (ty, _) = halyard_evaluate::type_of(tensor.ty().element())?;
    let (bytes, _) = dense_bytes(value.is_splat().then_some(value)?)?;
    Array::from_bytes(ty, &[], bytes.get(..ty.size())?, false)
}

fn is_byte(tensor: Value) -> bool {
    let element = tensor.ty().element();
    element.is_integer() && element.bits() == 8
}

/// The nodes that tables stand for, each with those of which it alone is made.
fn nodes_of(tables: &[(Op, Rc<Function>)]) -> HashSet<Op> {
    tables.iter().flat_map(|(_, function)| function.operations.iter().filter_map(|op| op.parent())).collect()
}

/// Whether all tensors are of bytes once functions are tables.
fn only_bytes(module: Op, tables: &[(Op, Rc<Function>)]) -> bool {
    let inside = nodes_of(tables);
    let kept: HashSet<Op> = tables.iter().map(|(node, _)| *node).collect();
    let mut only = true;
    module.walk(&mut |op| {
        let gone = inside.contains(&op) && !kept.contains(&op);
        let values = op.operands().into_iter().chain(op.results());
        let wide = |value: &Value| value.ty().is_ranked_tensor() && !is_byte(*value);
        // Nodes that are replaced read floats until then.
        let reads = kept.contains(&op) || op.is("tensor.empty");
        only &= gone || reads || !values.into_iter().any(|value| wide(&value));
    });
    only
}

/// Puts a table in the place of a node.
fn replace(node: Op, function: &Function) {
    let at = Builder::before(node);
    let (context, byte) = (node.context(), node.result(0).ty().element());
    let block = Block::create(&[byte, byte], node.loc());
    let inside = Builder::at_end(block, node.loc());
    let numbers: Vec<String> = (0..VALUES).map(|i| (function.results.at(i) as i8).to_string()).collect();
    let table = format!("dense<[{}]> : tensor<{VALUES}xi8>", numbers.join(", "));
    let array = |text: &str| Attr::parse(context, text).expect("an attribute");
    let attrs = [
        ("intrin", Attr::string(context, "llvm.hal.byte_function")),
        (TABLE, array(&table)),
        ("operandSegmentSizes", array("array<i32: 1, 0>")),
        ("op_bundle_sizes", array("array<i32>")),
    ];
    let result = inside.value(OP, &[block.args()[0]], byte, &attrs);
    inside.op("linalg.yield", &[result], &[], &[]);
    let region = Region::create();
    region.append(block);
    let maps = node.attr("indexing_maps").and_then(Attr::as_array).unwrap_or_default();
    let out = *maps.last().expect("a node has a result");
    let attrs = [
        ("indexing_maps", Attr::array(context, &[function.map, out])),
        ("iterator_types", node.attr("iterator_types").expect("a node has loops")),
        ("operandSegmentSizes", Attr::i32s(context, &[1, 1])),
    ];
    let init = node.operand(node.operand_count() - 1);
    let made =
        at.op_with_regions("linalg.generic", &[function.byte, init], &[node.result(0).ty()], &attrs, vec![region]);
    node.result(0).replace_all_uses(made.result(0));
}
