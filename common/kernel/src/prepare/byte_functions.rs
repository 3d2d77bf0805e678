//! Functions of one byte become tables of their 256 results ([`table_of`]) where looking them up takes fewer instructions. The results are
//! computed as constants are, with each operation rounded once.
use crate::MachineModel;
use halyard_evaluate::{Array, ScalarType, evaluate, evaluate_scalars};
use halyard_ir::{Attr, Block, Builder, ByteFunction, ByteFunctions, Op, Region, Value, dense_bytes, is_byte};
use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

/// The operation in a body that stands for such a function. Passes know nothing about it, and leave it alone.
const OP: &str = "llvm.call_intrinsic";
/// The attribute with the 256 results, in the order of the bytes without a sign.
const TABLE: &str = "table";

/// The table of an operation in a body that is a function of one byte.
pub(crate) fn table_of(op: Op) -> Option<Attr> {
    op.attr(TABLE).filter(|_| op.is(OP))
}

/// The values of a byte.
const VALUES: usize = 256;
/// How many operations on vectors a function of `math` counts as, and a division. By hand, 2026-11-30.
const FUNCTION: u32 = 12;
const DIVISION: u32 = 4;

/// Rewrites the functions of one byte of a module that is made of generic operations, where a table is faster.
pub(super) fn rewrite(module: Op, target: &MachineModel) {
    let Some(lookup) = target.lookups.operations(target.vector_bits).filter(|_| target.gpu.is_none()) else { return };
    let mut nodes = Vec::new();
    module.walk(&mut |op| nodes.extend(op.is("linalg.generic").then_some(op)));
    let mut functions = ByteFunctions::default();
    let makes_bytes = |node: &&Op| node.result_count() == 1 && is_byte(node.result(0)) && node.has_uses();
    let mut tables: Vec<(Op, Function)> = nodes
        .iter()
        .filter(makes_bytes)
        .filter_map(|&node| Some((node, Function::of(node, &mut functions)?)))
        .collect();
    // If there are only bytes, a vector holds four times as many of them as of floats.
    let bytes_alone = only_bytes(module, &tables);
    tables.retain(|(_, function)| function.cost() * if bytes_alone { 4 } else { 1 } > lookup);
    let mut unused = nodes_of(&tables);
    let mut functions: HashMap<Op, Function> = tables.into_iter().collect();
    // Backwards, so that readers go before what they read.
    for node in nodes.into_iter().rev().filter(|node| unused.remove(node)) {
        if let Some(function) = functions.remove(&node).filter(|_| node.has_uses()) {
            replace(node, &function);
        }
        if !node.has_uses() {
            node.erase();
        }
    }
}

/// A function of one byte, and its results.
struct Function {
    of: Rc<ByteFunction>,
    /// The result for each byte.
    results: Array,
}

impl Function {
    /// The function whose results a node makes. `None`: it makes others, or they cannot be computed.
    fn of(node: Op, functions: &mut ByteFunctions) -> Option<Self> {
        let of = functions.of(node.result(0))?;
        let bytes = Array::new(ScalarType::Int(8), &[VALUES], (0..VALUES as u64).collect());
        let mut tensors = HashMap::from([(of.byte, bytes)]);
        for &node in &of.nodes {
            let body = node.body()?;
            let mut values: HashMap<Value, Array> = HashMap::new();
            for (arg, tensor) in body.args().into_iter().zip(node.operands()).filter(|(arg, _)| arg.has_uses()) {
                values.insert(arg, tensors.get(&tensor).cloned().or_else(|| constant(tensor))?);
            }
            for op in body.ops() {
                if op.is("linalg.yield") {
                    tensors.insert(node.result(0), known(op.operand(0), &values)?);
                    break;
                }
                let value = evaluate_scalars(op, VALUES, &mut |operand| known(operand, &values))?;
                values.insert(op.result(0), value);
            }
        }
        let results = tensors.remove(&node.result(0))?;
        Some(Self { of, results })
    }

    /// About how many operations on vectors it takes.
    fn cost(&self) -> u32 {
        let ops = self.of.nodes.iter().filter_map(|node| node.body()).flat_map(|body| body.ops());
        ops.map(|op| match op.name().as_str() {
            "arith.constant" | "linalg.yield" => 0,
            "math.absf" | "math.fma" | "math.roundeven" => 1,
            name if name.starts_with("math.") => FUNCTION,
            name if name.contains("div") => DIVISION,
            _ => 1,
        })
        .sum()
    }
}

/// A value in a body: one that was computed, or a constant from outside of the body.
fn known(value: Value, values: &HashMap<Value, Array>) -> Option<Array> {
    let outside = || evaluate(value.def().filter(|op| op.is("arith.constant"))?, &mut |_| None)?.pop();
    values.get(&value).cloned().or_else(outside)
}

/// The number that all elements of a constant tensor are.
fn constant(tensor: Value) -> Option<Array> {
    let value = tensor.constant_attr()?;
    let (ty, _) = halyard_evaluate::type_of(tensor.ty().element())?;
    let (bytes, _) = dense_bytes(value.is_splat().then_some(value)?)?;
    Array::from_bytes(ty, &[], bytes.get(..ty.size())?, false)
}

/// The nodes that tables stand for, each with those of which it alone is made.
fn nodes_of(tables: &[(Op, Function)]) -> HashSet<Op> {
    tables.iter().flat_map(|(_, function)| function.of.nodes.iter().copied()).collect()
}

/// Whether all tensors are of bytes once functions are tables.
fn only_bytes(module: Op, tables: &[(Op, Function)]) -> bool {
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
        ("indexing_maps", Attr::array(context, &[function.of.map, out])),
        ("iterator_types", node.attr("iterator_types").expect("a node has loops")),
        ("operandSegmentSizes", Attr::i32s(context, &[1, 1])),
    ];
    let init = node.operand(node.operand_count() - 1);
    let made =
        at.op_with_regions("linalg.generic", &[function.of.byte, init], &[node.result(0).ty()], &attrs, vec![region]);
    node.result(0).replace_all_uses(made.result(0));
}
