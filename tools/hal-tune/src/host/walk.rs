//! Follows the host program where sizes of inputs are known, to the calls of executables.
use super::known::{Known, arithmetic};
use halyard_ir::{
    Attr, Block, Op, Value,
    form::{Interface, Program},
};
use std::collections::HashMap;

/// Calls within calls that are followed.
const DEPTH: usize = 16;

/// Sees a call of an entry: its name, and what is known of the arguments.
pub(super) type OnCall<'a> = &'a mut dyn FnMut(&str, Vec<Vec<Option<i64>>>);

pub(super) struct Walk<'a> {
    /// Host functions with a body, by name.
    functions: HashMap<String, Op>,
    /// Declarations of exports, by name.
    entries: HashMap<String, Op>,
    known: HashMap<usize, Known>,
    on_call: OnCall<'a>,
    depth: usize,
}

impl<'a> Walk<'a> {
    pub(super) fn new(program: Program, on_call: OnCall<'a>) -> Self {
        let functions = program.functions().into_iter().filter_map(|f| Some((f.symbol()?, f))).collect();
        let entries = program.entries().into_iter().map(|e| (e.name(), e.op)).collect();
        Self { functions, entries, known: HashMap::new(), on_call, depth: 0 }
    }

    /// Follows a function from what is known of its arguments; gives what is known of its results.
    pub(super) fn function(&mut self, function: Op, arguments: &[Known]) -> Vec<Known> {
        let Some(body) = function.body() else { return Vec::new() };
        self.block(body, arguments)
    }

    /// Follows a block; gives what is known of what its terminator hands on.
    fn block(&mut self, block: Block, arguments: &[Known]) -> Vec<Known> {
        for (argument, known) in block.args().into_iter().zip(arguments) {
            self.known.insert(key(argument), known.clone().typed(argument.ty()));
        }
        for op in block.ops() {
            self.op(op);
        }
        block.terminator().map(|end| end.operands().into_iter().map(|v| self.of(v)).collect()).unwrap_or_default()
    }

    fn of(&self, value: Value) -> Known {
        self.known.get(&key(value)).cloned().unwrap_or_else(|| Known::of_type(value.ty()))
    }

    fn number(&self, value: Value) -> Option<i64> {
        self.of(value).number()
    }

    fn op(&mut self, op: Op) {
        let results = match &*op.name() {
            "func.call" => self.call(op),
            "scf.if" => self.branches(op),
            "scf.index_switch" | "scf.execute_region" => self.all(op),
            "scf.for" => {
                // What one iteration does, the others do.
                let inits: Vec<Known> = op.operands().into_iter().skip(3).map(|v| self.of(v)).collect();
                let first = [vec![self.of(op.operand(0))], inits.clone()].concat();
                let given = op.body().map(|b| self.block(b, &first)).unwrap_or_default();
                inits.into_iter().zip(&given).map(|(a, b)| a.joined(b)).collect()
            }
            "scf.while" => {
                let inits: Vec<Known> = op.operands().into_iter().map(|v| self.of(v)).collect();
                let blocks: Vec<Block> = op.regions().into_iter().filter_map(|r| r.first_block()).collect();
                let mut handed = Vec::new();
                if let [before, after] = blocks.as_slice() {
                    handed = self.block(*before, &inits).into_iter().skip(1).collect();
                    self.block(*after, &handed);
                }
                handed
            }
            "arith.constant" => vec![Known::Number(op.attr("value").and_then(Attr::as_int))],
            "tensor.dim" => {
                let dim = self.number(op.operand(1)).and_then(|d| usize::try_from(d).ok());
                let size = dim.and_then(|d| self.of(op.operand(0)).shape().get(d).copied().flatten());
                vec![Known::Number(size)]
            }
            "tensor.empty" | "tensor.splat" | "bufferization.alloc_tensor" => {
                let skip = usize::from(op.is("tensor.splat"));
                let given: Vec<Value> = op.operands().into_iter().skip(skip).collect();
                vec![self.filled(op.result(0).ty().shape(), &given)]
            }
            "tensor.cast" | "tensor.insert_slice" | "bufferization.materialize_in_destination" | "linalg.fill" => {
                let from = usize::from(!op.is("tensor.cast"));
                vec![self.of(op.operand(from))]
            }
            "tensor.extract_slice" => {
                let sizes = op.attr("static_sizes").and_then(Attr::as_i64s).unwrap_or_default();
                let offsets = op.attr("static_offsets").and_then(Attr::as_i64s).unwrap_or_default();
                // The operands: the tensor, offsets that are not constant, sizes that are not constant.
                let skip = 1 + offsets.iter().filter(|&&n| n == i64::MIN).count();
                let given: Vec<Value> = op.operands().into_iter().skip(skip).collect();
                let all = self.filled(sizes.into_iter().map(|n| (n >= 0).then_some(n)).collect(), &given);
                // Dimensions that the result lacks are ones.
                if all.shape().len() == op.result(0).ty().rank() { vec![all] } else { Vec::new() }
            }
            "tensor.expand_shape" => {
                let given: Vec<Value> = op.operands().into_iter().skip(1).collect();
                vec![self.filled(op.result(0).ty().shape(), &given)]
            }
            "tensor.collapse_shape" => {
                let shape = self.of(op.operand(0));
                let groups = op.attr("reassociation").and_then(Attr::as_array).unwrap_or_default();
                let group = |g: &Attr| {
                    let dims = g.as_array().unwrap_or_default();
                    dims.iter()
                        .filter_map(|d| d.as_int())
                        .try_fold(1i64, |n, d| n.checked_mul((*shape.shape().get(usize::try_from(d).ok()?)?)?))
                };
                vec![Known::Shape(groups.iter().map(group).collect())]
            }
            _ => {
                let of: Vec<Option<i64>> = op.operands().into_iter().map(|v| self.number(v)).collect();
                vec![Known::Number(arithmetic(op, &of))]
            }
        };
        let mut results = results.into_iter();
        for value in op.results() {
            let ty = value.ty();
            let known = results.next().map_or_else(|| Known::of_type(ty), |k| k.typed(ty));
            self.known.insert(key(value), known);
        }
    }

    /// A shape whose open sizes are these values, in order.
    fn filled(&self, shape: Vec<Option<i64>>, given: &[Value]) -> Known {
        let mut given = given.iter();
        Known::Shape(shape.into_iter().map(|d| d.or_else(|| self.number(*given.next()?))).collect())
    }

    fn call(&mut self, op: Op) -> Vec<Known> {
        let callee = op.callee().unwrap_or_default();
        let arguments: Vec<Known> = op.operands().into_iter().map(|v| self.of(v)).collect();
        if let Some(&entry) = self.entries.get(&callee) {
            (self.on_call)(&callee, arguments.iter().map(Known::numbers).collect());
            let interface = Interface::of(entry);
            let result = |(ty, dims): (&halyard_ir::Type, &Vec<usize>)| {
                let mut sizes = dims.iter().map(|&i| arguments.get(i).and_then(Known::number));
                Known::Shape(ty.shape().into_iter().map(|d| d.or_else(|| sizes.next().flatten())).collect())
            };
            return interface.results.iter().zip(&interface.dims).map(result).collect();
        }
        match self.functions.get(&callee).copied() {
            Some(function) if self.depth < DEPTH => {
                self.depth += 1;
                let results = self.function(function, &arguments);
                self.depth -= 1;
                results
            }
            _ => Vec::new(),
        }
    }

    fn branches(&mut self, op: Op) -> Vec<Known> {
        let blocks: Vec<Block> = op.regions().into_iter().filter_map(|r| r.first_block()).collect();
        match self.number(op.operand(0)) {
            Some(condition) => {
                let taken = blocks.get(usize::from(condition == 0)).copied();
                taken.map(|b| self.block(b, &[])).unwrap_or_default()
            }
            None => self.all(op),
        }
    }

    /// Follows all regions; one of them runs.
    fn all(&mut self, op: Op) -> Vec<Known> {
        let mut results: Option<Vec<Known>> = None;
        for block in op.regions().into_iter().filter_map(|r| r.first_block()) {
            let given = self.block(block, &[]);
            results = Some(match results {
                Some(found) => found.into_iter().zip(&given).map(|(a, b)| a.joined(b)).collect(),
                None => given,
            });
        }
        results.unwrap_or_default()
    }
}

fn key(value: Value) -> usize {
    value.0.ptr as usize
}
