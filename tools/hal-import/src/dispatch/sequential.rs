//! Makes a distributed loop (`scf.forall`) one whose iterations run one after another: `scf.for`, one in another.
use halyard_ir::{Attr, Block, Builder, ForallLoop, Op, Region, Type, Value};

/// Puts loops that carry the results along in the place of a `scf.forall`. Gives the outermost one.
pub(super) fn one_after_another(op: Op) -> Op {
    let loops = ForallLoop::all(op);
    let body = op.body().expect("a loop has a body");
    let mut counters = body.args();
    let outputs = counters.split_off(loops.len());
    let operands = op.operands();
    let inits = &operands[operands.len() - op.result_count()..];
    let at = Builder::before(op);
    let mut bounds: Vec<_> =
        loops.iter().map(|l| [l.lower.value(&at), l.upper.value(&at), l.step.value(&at)]).collect();
    if bounds.is_empty() {
        // Without a counter, it runs once.
        bounds.push([0, 1, 1].map(|n| at.index(n)));
    }
    let mut nest = Nest { body, counters, outputs, bounds, outermost: None };
    let results = nest.repeat(&at, 0, inits);
    for (old, new) in op.results().into_iter().zip(results) {
        old.replace_all_uses(new);
    }
    op.erase();
    nest.outermost.expect("there is a loop")
}

struct Nest {
    /// That of the loop that goes.
    body: Block,
    counters: Vec<Value>,
    outputs: Vec<Value>,
    bounds: Vec<[Value; 3]>,
    outermost: Option<Op>,
}

impl Nest {
    /// Builds the loop number `depth` and those inside of it, which carry `values`. Gives what they become.
    fn repeat(&mut self, at: &Builder, depth: usize, values: &[Value]) -> Vec<Value> {
        let Some(bounds) = self.bounds.get(depth).copied() else { return self.take_over(at, values) };
        let types: Vec<Type> = values.iter().map(|v| v.ty()).collect();
        let arguments: Vec<Type> = [Type::index(at.context())].into_iter().chain(types.iter().copied()).collect();
        let (region, block) = (Region::create(), Block::create(&arguments, at.loc));
        region.append(block);
        let operands: Vec<Value> = bounds.into_iter().chain(values.iter().copied()).collect();
        let op = at.op_with_regions("scf.for", &operands, &types, &[], vec![region]);
        self.outermost.get_or_insert(op);
        let inside = block.args();
        if let Some(counter) = self.counters.get(depth) {
            counter.replace_all_uses(inside[0]);
        }
        let end = Builder::at_end(block, at.loc).op("scf.yield", &[], &[], &[]);
        let made = self.repeat(&Builder::before(end), depth + 1, &inside[1..]);
        Builder::before(end).op("scf.yield", &made, &[], &[]);
        end.erase();
        op.results()
    }

    /// Moves the body there. What it writes in parallel at its end it writes in order.
    fn take_over(&self, at: &Builder, values: &[Value]) -> Vec<Value> {
        let end = self.body.terminator().expect("a loop ends with what it writes");
        let place = at.before.expect("the terminator of the innermost loop");
        self.body.ops().into_iter().filter(|op| *op != end).for_each(|op| op.move_before(place));
        let mut made = values.to_vec();
        for write in end.body_ops() {
            let Some(output) = self.outputs.iter().position(|o| *o == write.operand(1)) else { continue };
            let mut operands = write.operands();
            operands[1] = made[output];
            let attrs = write.attrs();
            let attrs: Vec<(&str, Attr)> = attrs.iter().map(|(name, a)| (&**name, *a)).collect();
            let builder = Builder { loc: write.loc(), ..*at };
            made[output] = builder.value("tensor.insert_slice", &operands, values[output].ty(), &attrs);
        }
        end.erase();
        for (old, new) in self.outputs.iter().zip(values) {
            old.replace_all_uses(*new);
        }
        made
    }
}
