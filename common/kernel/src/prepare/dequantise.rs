//! Numbers that are quantised in a kernel and dequantised in the same kernel, as models with quantise-dequantise pairs have them before a residual is
//! added: they stay floats in between, with the same results, since they are small integers.
use halyard_ir::{Attr, Builder, Op, Structured, Type, Value};

/// Zero points, at most: sums with them are exact.
const MOST: i64 = 1 << 17;

/// A quantised tensor that is only dequantised.
pub(super) struct Inner {
    /// The node that makes it, whose body ends with the quantisation.
    node: Op,
    /// How its elements become floats.
    readers: Vec<Reader>,
}

/// An integer that becomes a float.
struct Reader {
    /// The argument of a body that is the quantised number.
    argument: Value,
    /// What makes it a float, and the zero point that is taken off before.
    float: Op,
    zero: i64,
}

impl Inner {
    /// The tensor of the numbers that `last` makes, within so much, if all that reads it makes floats of them point by point.
    pub(super) fn of(last: Op, [low, high]: [i64; 2]) -> Option<Self> {
        let [(end, 0)] = last.result(0).uses()[..] else { return None };
        let node =
            end.parent().filter(|op| end.is("linalg.yield") && op.is("linalg.generic") && op.result_count() == 1)?;
        let bits = last.result(0).ty().bits();
        let holds = |signed: bool| {
            let least = if signed { -(1 << (bits - 1)) } else { 0 };
            bits < 32
                && (least..least + (1i64 << bits)).contains(&low)
                && (least..least + (1i64 << bits)).contains(&high)
        };
        let empty = node.operand(node.operand_count() - 1).def().filter(|op| op.is("tensor.empty"))?;
        let mut readers = Vec::new();
        for (user, at) in node.result(0).uses() {
            let structured = user.is("linalg.generic").then(|| Structured::of(user)).flatten()?;
            let permutes = |map: usize| {
                let dims = structured.maps[map].projected_permutation();
                dims.is_some_and(|dims| dims.len() == structured.loops())
            };
            let points =
                at < structured.inputs && permutes(at) && (structured.inputs..structured.maps.len()).all(permutes);
            let argument = *user.body()?.args().get(at)?;
            let [(extend, _)] = argument.uses()[..] else { return None };
            let signed = extend.is("arith.extsi");
            let extends = (signed || extend.is("arith.extui")) && extend.result(0).ty().bits() == 32;
            if !(points && extends && holds(signed) && empty.block() == user.block()) {
                return None;
            }
            for (op, operand) in extend.result(0).uses() {
                if op.is("arith.sitofp") {
                    readers.push(Reader { argument, float: op, zero: 0 });
                    continue;
                }
                let zero = (op.is("arith.subi") && operand == 0).then(|| op.operand(1).constant()).flatten();
                let zero = zero.filter(|zero| zero.abs() <= MOST)?;
                for (float, _) in op.result(0).uses() {
                    readers.push(Reader { argument, float: float.is("arith.sitofp").then_some(float)?, zero });
                }
            }
        }
        let floats = readers.iter().all(|reader| reader.float.result(0).ty() == Type::f32(node.context()));
        (floats && !readers.is_empty()).then_some(Self { node, readers })
    }

    /// Makes it a tensor of floats: `value` in the body of the node, which is the quantised number less `zero`.
    pub(super) fn becomes(&self, value: Value, zero: i64) {
        let at = Builder::before(self.node);
        let init = self.node.operand_count() - 1;
        let (empty, float) = (self.node.operand(init), value.ty());
        let ty = Type::tensor(&empty.ty().shape(), float);
        let sizes = empty.def().map(|op| op.operands()).unwrap_or_default();
        self.node.set_operand(init, at.value("tensor.empty", &sizes, ty, &[]));
        self.node.result(0).set_ty(ty);
        let body = self.node.body().expect("a node has a body");
        if let Some(result) = body.args().last() {
            result.set_ty(float);
        }
        body.terminator().expect("a body ends").set_operand(0, value);
        for Reader { argument, float: reader, zero: less } in &self.readers {
            argument.set_ty(float);
            let at = Builder::before(*reader);
            let value = match zero - less {
                0 => *argument,
                more => {
                    let more = at.constant(Attr::float(float, more as f64));
                    at.value("arith.addf", &[*argument, more], float, &[])
                }
            };
            reader.result(0).replace_all_uses(value);
        }
        for reader in &self.readers {
            erase_unused(reader.float);
        }
    }
}

/// Erases an operation that nothing uses, and what it alone used.
fn erase_unused(op: Op) {
    if op.results().iter().any(|value| value.has_uses()) {
        return;
    }
    let before = op.operands();
    op.erase();
    for op in before.into_iter().filter_map(Value::def) {
        erase_unused(op);
    }
}
