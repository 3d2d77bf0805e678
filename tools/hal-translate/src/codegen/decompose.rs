//! Decomposes tensor operations that upstream does not bufferize into those that it does.
use super::pads;
use halyard_diag::Result;
use halyard_ir::{Attr, Block, Builder, Module, Op, Region, Session, Type, Value};
use mlir_sys::*;

/// The transform script that decomposes operations: upstream has the decompositions only as transforms.
const TRANSFORM_SCRIPT: &str = r#"
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %softmax = transform.structured.match ops{["linalg.softmax"]} in %root : (!transform.any_op) -> !transform.any_op
    %0 = transform.structured.decompose_interface %softmax : (!transform.any_op) -> !transform.any_op
    %pack = transform.structured.match ops{["linalg.pack"]} in %root : (!transform.any_op) -> !transform.op<"linalg.pack">
    %pad, %expand, %transpose = transform.structured.lower_pack %pack : (!transform.op<"linalg.pack">) -> (!transform.op<"tensor.pad">, !transform.op<"tensor.expand_shape">, !transform.op<"linalg.transpose">)
    %unpack = transform.structured.match ops{["linalg.unpack"]} in %root : (!transform.any_op) -> !transform.op<"linalg.unpack">
    %empty, %unpacked, %collapse, %slice = transform.structured.lower_unpack %unpack : (!transform.op<"linalg.unpack">) -> (!transform.op<"tensor.empty">, !transform.op<"linalg.transpose">, !transform.op<"tensor.collapse_shape">, !transform.op<"tensor.extract_slice">)
    transform.yield
  }
}
"#;

/// Rewrites a module in place, so that upstream bufferizes it as it reads.
pub(crate) fn run(session: &Session, module: &Module<'_>) -> Result<()> {
    let root = Op::from(module);
    super::untouched::rewrite(root);
    super::outs::rewrite(root);
    let mut by_script = Vec::new();
    let mut ours = Vec::new();
    root.walk(&mut |op| match &*op.name() {
        name @ ("linalg.softmax" | "linalg.pack" | "linalg.unpack") => by_script.push(name.to_owned()),
        "tensor.concat" | "tensor.gather" | "tensor.scatter" => ours.push(op),
        "tensor.pad" if pads::is_unsafe(op) => ours.push(op),
        _ => {}
    });
    for op in ours {
        let value = match &*op.name() {
            "tensor.concat" => concat(op),
            "tensor.gather" => gather(op),
            "tensor.pad" => pads::elementwise(op),
            _ => scatter(op),
        };
        op.result(0).replace_all_uses(value);
        op.erase();
    }
    if by_script.is_empty() {
        return Ok(());
    }
    let sources = session.sources();
    let script = session.parse(TRANSFORM_SCRIPT.as_bytes(), "decompose")?;
    // Places in the module must not be looked up in the text of the script.
    session.adopt_sources(&sources);
    let sequence =
        Op::from(&script).body().and_then(|b| b.ops().first().copied()).expect("the schedule has a sequence");
    // SAFETY: all three operations are live and of this context; the options are destroyed once.
    let done = unsafe {
        let options = mlirTransformOptionsCreate();
        let done = mlirTransformApplyNamedSequence(root.0, sequence.0, Op::from(&script).0, options);
        mlirTransformOptionsDestroy(options);
        done.value != 0
    };
    if done { Ok(()) } else { Err(session.error(&format!("`{}` cannot be decomposed", by_script.join("`, `")))) }
}

/// The size of a dimension, static or read from the tensor.
fn dim(at: &Builder, tensor: Value, i: usize) -> Value {
    match tensor.ty().shape()[i] {
        Some(size) => at.index(size),
        None => {
            let index = at.index(i as i64);
            at.value("tensor.dim", &[tensor, index], Type::index(at.context()), &[])
        }
    }
}

fn segments(context: MlirContext, sizes: &[usize]) -> Attr {
    let text: Vec<_> = sizes.iter().map(ToString::to_string).collect();
    Attr::parse(context, &format!("array<i32: {}>", text.join(", "))).expect("an attribute")
}

/// `tensor.concat`: an empty tensor into which the operands are inserted one after the other.
fn concat(op: Op) -> Value {
    let at = Builder::before(op);
    let context = at.context();
    let index = Type::index(context);
    let axis = op.attr("dim").and_then(Attr::as_int).unwrap_or(0) as usize;
    let ty = op.result(0).ty();
    let shape = ty.shape();
    let total = op
        .operands()
        .iter()
        .map(|&t| dim(&at, t, axis))
        .reduce(|a, b| at.value("arith.addi", &[a, b], index, &[]))
        .expect("concat has operands");
    let sizes: Vec<Value> = (0..shape.len())
        .filter(|&i| shape[i].is_none())
        .map(|i| if i == axis { total } else { dim(&at, op.operand(0), i) })
        .collect();
    let mut result = at.value("tensor.empty", &sizes, ty, &[]);
    let mut offset = at.index(0);
    // SAFETY: a constant of the C API.
    let dynamic = unsafe { mlirShapedTypeGetDynamicStrideOrOffset() };
    for part in op.operands() {
        let part_shape = part.ty().shape();
        let mut static_offsets = vec![0; shape.len()];
        static_offsets[axis] = dynamic;
        let static_sizes: Vec<i64> = part_shape.iter().map(|d| d.unwrap_or(dynamic)).collect();
        let dynamic_sizes: Vec<Value> =
            (0..shape.len()).filter(|&i| part_shape[i].is_none()).map(|i| dim(&at, part, i)).collect();
        let attrs = [
            ("static_offsets", Attr::i64s(context, &static_offsets)),
            ("static_sizes", Attr::i64s(context, &static_sizes)),
            ("static_strides", Attr::i64s(context, &vec![1; shape.len()])),
            ("operandSegmentSizes", segments(context, &[1, 1, 1, dynamic_sizes.len(), 0])),
        ];
        let operands: Vec<Value> = [part, result, offset].into_iter().chain(dynamic_sizes).collect();
        result = at.value("tensor.insert_slice", &operands, ty, &attrs);
        let size = dim(&at, part, axis);
        offset = at.value("arith.addi", &[offset, size], index, &[]);
    }
    result
}

/// The predicate `ult` of `arith.cmpi`.
const ULT: i64 = 6;

/// The positions that gather and scatter share: of the result (or source) of rank `rank`, the first `batch` dimensions
/// run over index tuples; the rest are the dimensions of the other tensor, with 1 (or nothing) in the indexed ones.
struct Indexed {
    batch: usize,
    /// The dimensions of the indexed tensor that the tuples fill, in the order of the tuple.
    filled: Vec<usize>,
    /// For each dimension of the indexed tensor, the dimension of the other one that iterates over it.
    runs: Vec<Option<usize>>,
}

impl Indexed {
    fn new(indices: Value, filled: Vec<usize>, indexed_rank: usize, other_rank: usize) -> Self {
        let batch = indices.ty().rank() - 1;
        // Indexed dimensions are kept as 1, or all left out.
        let kept = other_rank == batch + indexed_rank;
        let mut next = batch;
        let runs = (0..indexed_rank)
            .map(|d| {
                let is_filled = filled.contains(&d);
                let position = next;
                if kept || !is_filled {
                    next += 1;
                }
                (!is_filled).then_some(position)
            })
            .collect();
        Self { batch, filled, runs }
    }

    /// The position in the indexed tensor for one in the other one, and whether it is one: an index that is out of range is
    /// moved into the tensor. That it is wrong is what a check of the program finds.
    fn position(&self, at: &Builder, indexed: Value, indices: Value, here: &[Value]) -> (Vec<Value>, Value) {
        let (index, flag) = (Type::index(at.context()), Type::integer(at.context(), 1));
        let mut inside = at.constant(Attr::integer(flag, 1));
        let position = self
            .runs
            .iter()
            .enumerate()
            .map(|(d, run)| match run {
                Some(dimension) => here[*dimension],
                None => {
                    let slot = self.filled.iter().position(|&f| f == d).expect("a dimension runs or is filled");
                    let mut operands = vec![indices];
                    operands.extend(&here[..self.batch]);
                    operands.push(at.index(slot as i64));
                    let element = at.value("tensor.extract", &operands, indices.ty().element(), &[]);
                    let element = if element.ty().is_index() {
                        element
                    } else {
                        at.value("arith.index_cast", &[element], index, &[])
                    };
                    let size = dim(at, indexed, d);
                    let below = [("predicate", Attr::integer(Type::integer(at.context(), 64), ULT))];
                    let fits = at.value("arith.cmpi", &[element, size], flag, &below);
                    inside = at.value("arith.andi", &[inside, fits], flag, &[]);
                    let last = at.value("arith.subi", &[size, at.index(1)], index, &[]);
                    at.value("arith.minui", &[element, last], index, &[])
                }
            })
            .collect();
        (position, inside)
    }
}

fn dims_attr(op: Op, name: &str) -> Vec<usize> {
    op.attr(name).and_then(Attr::as_i64s).unwrap_or_default().into_iter().map(|d| d as usize).collect()
}

/// `tensor.gather`: a `linalg.generic` that extracts element by element.
fn gather(op: Op) -> Value {
    let at = Builder::before(op);
    let context = at.context();
    let (source, indices) = (op.operand(0), op.operand(1));
    let ty = op.result(0).ty();
    let rank = ty.rank();
    let indexed = Indexed::new(indices, dims_attr(op, "gather_dims"), source.ty().rank(), rank);
    let shape = ty.shape();
    let sizes: Vec<Value> = (0..rank)
        .filter(|&i| shape[i].is_none())
        .map(|i| match indexed.runs.iter().position(|&r| r == Some(i)) {
            Some(d) => dim(&at, source, d),
            None => dim(&at, indices, i),
        })
        .collect();
    let empty = at.value("tensor.empty", &sizes, ty, &[]);
    let body = Block::create(&[ty.element()], at.loc);
    let inner = Builder::at_end(body, at.loc);
    let i64_type = Type::integer(context, 64);
    let here: Vec<Value> = (0..rank)
        .map(|d| inner.value("linalg.index", &[], Type::index(context), &[("dim", Attr::integer(i64_type, d as i64))]))
        .collect();
    let mut operands = vec![source];
    operands.extend(indexed.position(&inner, source, indices, &here).0);
    let element = inner.value("tensor.extract", &operands, ty.element(), &[]);
    inner.op("linalg.yield", &[element], &[], &[]);
    let region = Region::create();
    region.append(body);
    let names: Vec<_> = (0..rank).map(|i| format!("d{i}")).collect();
    let parse = |text: &str| Attr::parse(context, text).expect("an attribute");
    let attrs = [
        ("indexing_maps", parse(&format!("[affine_map<({0}) -> ({0})>]", names.join(", ")))),
        ("iterator_types", parse(&format!("[{}]", vec!["#linalg.iterator_type<parallel>"; rank].join(", ")))),
        ("operandSegmentSizes", segments(context, &[0, 1])),
    ];
    at.op_with_regions("linalg.generic", &[empty], &[ty], &attrs, vec![region]).result(0)
}

/// `tensor.scatter`: loops over the source that insert element by element.
fn scatter(op: Op) -> Value {
    let at = Builder::before(op);
    let (source, target, indices) = (op.operand(0), op.operand(1), op.operand(2));
    let rank = source.ty().rank();
    let indexed = Indexed::new(indices, dims_attr(op, "scatter_dims"), target.ty().rank(), rank);
    let mut here = Vec::new();
    nest(&at, source, target, rank, &mut here, &mut |at, tensor, here| {
        let mut operands = vec![source];
        operands.extend(here);
        let element = at.value("tensor.extract", &operands, source.ty().element(), &[]);
        let (position, inside) = indexed.position(at, tensor, indices, here);
        let place = [vec![tensor], position].concat();
        // Elements outside of the tensor are not written.
        let old = at.value("tensor.extract", &place, source.ty().element(), &[]);
        let element = at.value("arith.select", &[inside, element, old], old.ty(), &[]);
        at.value("tensor.insert", &[vec![element], place].concat(), tensor.ty(), &[])
    })
}

/// Builds one `scf.for` per dimension of `source`, with a tensor carried through all of them.
fn nest(
    at: &Builder,
    source: Value,
    carried: Value,
    rank: usize,
    here: &mut Vec<Value>,
    innermost: &mut dyn FnMut(&Builder, Value, &[Value]) -> Value,
) -> Value {
    if here.len() == rank {
        return innermost(at, carried, here);
    }
    let (zero, one) = (at.index(0), at.index(1));
    let size = dim(at, source, here.len());
    let body = Block::create(&[Type::index(at.context()), carried.ty()], at.loc);
    let inner = Builder::at_end(body, at.loc);
    here.push(body.args()[0]);
    let result = nest(&inner, source, body.args()[1], rank, here, innermost);
    here.pop();
    inner.op("scf.yield", &[result], &[], &[]);
    let region = Region::create();
    region.append(body);
    at.op_with_regions("scf.for", &[zero, size, one, carried], &[carried.ty()], &[], vec![region]).result(0)
}
