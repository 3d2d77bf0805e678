//! Makes an export of a group of operations, and the call that takes their place.
use super::{dims::dynamic_dims, graph::all_operands};
use halyard_ir::{Attr, Block, Builder, Op, Region, StructuralKey, Type, Value, names};
use std::collections::HashMap;

/// A group on its way into an executable.
pub(super) struct Outline<'a> {
    /// Its operations, in order.
    pub(super) ops: &'a [Op],
    /// The values of the host program that become arguments of the export.
    pub(super) arguments: Vec<Value>,
    /// The values of the group that the results of the call replace.
    pub(super) replaced: Vec<Value>,
    /// For each of them, which arguments are its sizes that only a run knows.
    sizes: Vec<Vec<i64>>,
}

/// The name of an export before it is known whether there is one like it.
pub(super) const PLACEHOLDER: &str = "export";

impl<'a> Outline<'a> {
    /// What the export of a group needs and gives; `roots` are its operations of a heavy kind. Sizes that the host has to compute are inserted by `builder`. Errors: an operation whose
    /// result size nobody can tell.
    pub(super) fn of(builder: &Builder, ops: &'a [Op], roots: &[Op]) -> Result<Self, Op> {
        let replaced = escaping(ops);
        let (tensors, mut scalars) = captures(ops, roots);
        // The sizes of results come from the host: they are arguments like any other scalar.
        let mut sizes = Vec::new();
        for value in &replaced {
            let dims = dynamic_dims(builder, *value, ops)?;
            let positions: Vec<i64> = dims
                .into_iter()
                .map(|d| {
                    let at = scalars.iter().position(|s| same(*s, d)).unwrap_or_else(|| {
                        scalars.push(d);
                        scalars.len() - 1
                    });
                    (tensors.len() + at) as i64
                })
                .collect();
            sizes.push(positions);
        }
        let arguments = tensors.into_iter().chain(scalars).collect();
        Ok(Self { ops, arguments, replaced, sizes })
    }

    /// What the export will be, before it is built: exports of one key are equal. `None`: it must be built to be known.
    pub(super) fn key(&self) -> Option<[u8; 32]> {
        let mut key = StructuralKey::default();
        key.name(&self.arguments);
        self.ops.iter().try_for_each(|op| key.add(*op, &is_copied))?;
        for (value, sizes) in self.replaced.iter().zip(&self.sizes) {
            key.read(*value)?;
            key.word(sizes.len() as u64);
            sizes.iter().for_each(|size| key.word(*size as u64));
        }
        Some(key.finish())
    }

    /// Builds the export, in no block, with the placeholder name [`PLACEHOLDER`].
    pub(super) fn build(&self, builder: &Builder) -> Op {
        build(builder, self.ops, &self.arguments, &self.replaced, &self.sizes)
    }
}

/// Whether two index values are one: the same value, or equal constants and dimensions of the same tensor.
fn same(a: Value, b: Value) -> bool {
    if a == b {
        return true;
    }
    let (Some(x), Some(y)) = (a.def(), b.def()) else { return false };
    match (&*x.name(), &*y.name()) {
        ("arith.constant", "arith.constant") => x.attr("value") == y.attr("value"),
        ("tensor.dim", "tensor.dim") => x.operand(0) == y.operand(0) && same(x.operand(1), y.operand(1)),
        _ => false,
    }
}

/// The results that are used outside of the group, in order.
fn escaping(ops: &[Op]) -> Vec<Value> {
    let inside = |op: Op| ops.iter().any(|member| op.is_inside(*member));
    ops.iter().flat_map(|op| op.results()).filter(|r| r.uses().iter().any(|(user, _)| !inside(*user))).collect()
}

/// What the group needs from outside: tensors, then scalars, each in order of first use. Constants, empty tensors and
/// what sizes them are not among them: they are copied into the export.
///
/// First use counts from the roots: input, weight and bias of a convolution come in this order, whatever the order of the
/// operations that prepare them.
fn captures(ops: &[Op], roots: &[Op]) -> (Vec<Value>, Vec<Value>) {
    let (mut visited, mut found) = (Vec::new(), Vec::new());
    for root in roots.iter().chain(ops) {
        visit(*root, ops, &mut visited, &mut found);
    }
    found.into_iter().partition(|v| v.ty().is_tensor())
}

/// Finds what an operation needs from outside of the group, directly or through operations of the group.
fn visit(op: Op, ops: &[Op], visited: &mut Vec<Op>, found: &mut Vec<Value>) {
    if visited.contains(&op) {
        return;
    }
    visited.push(op);
    for value in all_operands(op) {
        let def = value.def();
        if let Some(member) = def.and_then(|d| ops.iter().find(|member| d.is_inside(**member))) {
            visit(*member, ops, visited, found);
        } else if let Some(copied) = def.filter(|d| is_copied(*d)) {
            visit(copied, ops, visited, found);
        } else if !found.contains(&value) {
            found.push(value);
        }
    }
}

/// What is made again inside an export instead of being passed: empty tensors and scalar constants.
fn is_copied(def: Op) -> bool {
    def.is("tensor.empty") || (def.is("arith.constant") && !def.result(0).ty().is_tensor())
}

fn build(builder: &Builder, ops: &[Op], arguments: &[Value], replaced: &[Value], sizes: &[Vec<i64>]) -> Op {
    let (loc, context) = (builder.loc, builder.context());
    let inputs: Vec<Type> = arguments.iter().map(|a| a.ty()).collect();
    let results: Vec<Type> = replaced.iter().map(|r| r.ty()).collect();
    let block = Block::create(&inputs, loc);
    let mut map: HashMap<Value, Value> = arguments.iter().copied().zip(block.args()).collect();
    for op in ops {
        for value in all_operands(*op) {
            copy_in(block, value, &mut map);
        }
        let copied = block.append(op.duplicate());
        copied.walk(&mut |inner| {
            for (i, operand) in inner.operands().into_iter().enumerate() {
                if let Some(new) = map.get(&operand) {
                    inner.set_operand(i, *new);
                }
            }
        });
        map.extend(op.results().into_iter().zip(copied.results()));
    }
    let returned: Vec<Value> = replaced.iter().map(|r| map[r]).collect();
    Builder::at_end(block, loc).op("func.return", &returned, &[], &[]);
    let region = Region::create();
    region.append(block);
    let mut attrs = vec![
        ("sym_name", Attr::string(context, PLACEHOLDER)),
        ("function_type", Attr::ty(Type::function(context, &inputs, &results))),
        (names::EXPORT, Attr::unit(context)),
    ];
    if sizes.iter().any(|s| !s.is_empty()) {
        let dicts: Vec<Attr> = sizes
            .iter()
            .map(|s| {
                if s.is_empty() {
                    Attr::dict(context, &[])
                } else {
                    Attr::dict(context, &[(names::DIMS, Attr::i64s(context, s))])
                }
            })
            .collect();
        attrs.push(("res_attrs", Attr::array(context, &dicts)));
    }
    Builder::create(loc, "func.func", &[], &[], &attrs, vec![region])
}

/// Copies what [`is_copied`] into the export, once.
fn copy_in(block: Block, value: Value, map: &mut HashMap<Value, Value>) {
    let Some(def) = value.def().filter(|d| is_copied(*d)) else { return };
    if map.contains_key(&value) {
        return;
    }
    for size in def.operands() {
        copy_in(block, size, map);
    }
    let copied = block.append(def.duplicate());
    for (i, size) in def.operands().into_iter().enumerate() {
        if let Some(new) = map.get(&size) {
            copied.set_operand(i, *new);
        }
    }
    map.insert(value, copied.result(0));
}
