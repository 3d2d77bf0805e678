//! Loops that LLVM is not to unroll.
use halyard_ir::{Attr, Block, Op, Value};
use std::collections::HashSet;

/// The attribute of `scf.for` that the passes to the LLVM dialect copy to the branch at the end of the loop.
const PASSED_ON: &str = "llvm.loop_annotation";
const ROLLED: &str = "#llvm.loop_annotation<unroll = <disable = true>>";
/// LLVM unrolls no loop whole that has more instructions then: `UnrollThresholdDefault`, 150, times `UnrollMaxPercentThresholdBoost`, 400 %
/// (`LoopUnrollPass.cpp` of LLVM 22; `loop-unroll-full` is a pass for `-O2` unless it is told otherwise).
const LONGEST: i64 = 600;

/// Marks loops that LLVM would not unroll whole, but only after it has looked at each iteration as if it were straight code, which
/// took almost a third of the time that kernels on packed weights need. No other pass in the list for tiled code unrolls.
pub(super) fn mark_long(module: Op) {
    let mut long = Vec::new();
    module.walk(&mut |op| {
        if op.is("scf.for") && !op.has_attr(PASSED_ON) && is_long(op) {
            long.push(op);
        }
    });
    for op in long {
        op.set_attr(PASSED_ON, Attr::parse(op.context(), ROLLED).expect("an attribute of the LLVM dialect"));
    }
}

/// Whether what surely stays of each iteration is too long, all of them together. The first one may start from constants.
fn is_long(op: Op) -> bool {
    let bound = |at: usize| op.operand(at).def().and_then(|def| def.attr("value")).and_then(Attr::as_int);
    let (Some(body), Some(from), Some(to), Some(step)) = (op.body(), bound(0), bound(1), bound(2)) else {
        return false;
    };
    // Hand-written kernels may have any numbers there.
    let iterations = if step > 0 { to.saturating_sub(from).saturating_add(step - 1) / step } else { 0 };
    iterations.saturating_sub(1).saturating_mul(staying(body)) > LONGEST
}

/// The number of operations that are an instruction in each iteration, whatever is known there: arithmetic on vectors of floats, loads
/// and stores, all of which depend on earlier iterations or on their number. Loads from one address may become one.
fn staying(body: Block) -> i64 {
    let mut varying: HashSet<Value> = body.args().into_iter().collect();
    let mut loaded = HashSet::new();
    let mut count = 0;
    for op in body.ops() {
        let operands = op.operands();
        if !op.regions().is_empty() || !operands.iter().any(|v| varying.contains(v)) {
            continue;
        }
        varying.extend(op.results());
        let computes = op.is("math.fma") || op.is_of("arith") && op.name().ends_with('f');
        let wide = computes && op.result(0).ty().is_vector() && op.result(0).ty().element().is_float();
        let loads = op.is("llvm.load") && loaded.insert(operands[0]);
        count += i64::from(wide || loads || op.is("llvm.store"));
    }
    count
}

/// Makes of the copied attribute the one that is translated to LLVM IR.
pub(super) fn annotate(module: Op) {
    let mut branches = Vec::new();
    module.walk(&mut |op| {
        if op.attr(PASSED_ON).is_some() {
            branches.push(op);
        }
    });
    for branch in branches {
        if let Some(annotation) = branch.attr(PASSED_ON).filter(|_| branch.is("llvm.br") || branch.is("llvm.cond_br")) {
            branch.set_attr("loop_annotation", annotation);
        }
        branch.remove_attr(PASSED_ON);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halyard_ir::Session;

    /// A loop of so many iterations with one multiply-add, whose operand comes from the address that `address` computes.
    fn is_marked(iterations: u32, address: &str) -> bool {
        is_marked_with_step(iterations, 1, address)
    }

    fn is_marked_with_step(iterations: u32, step: i32, address: &str) -> bool {
        let text = format!(
            "func.func @f(%p: !llvm.ptr, %n: i64, %init: vector<16xf32>) -> vector<16xf32> {{
               %from = arith.constant 0 : i64
               %to = arith.constant {iterations} : i64
               %step = arith.constant {step} : i64
               %sum = scf.for %i = %from to %to step %step iter_args(%acc = %init) -> vector<16xf32> : i64 {{
                 %a = {address}
                 %x = llvm.load %a : !llvm.ptr -> vector<16xf32>
                 %y = llvm.load %a : !llvm.ptr -> vector<16xf32>
                 %r = math.fma %x, %y, %acc : vector<16xf32>
                 scf.yield %r : vector<16xf32>
               }}
               return %sum : vector<16xf32>
             }}"
        );
        let session = Session::new();
        let module = session.parse(text.as_bytes(), "test").unwrap();
        mark_long(Op::from(&module));
        let mut marked = false;
        Op::from(&module).walk(&mut |op| marked |= op.is("scf.for") && op.has_attr(PASSED_ON));
        marked
    }

    #[test]
    fn what_is_too_long_in_any_case_is_marked() {
        let varying = "llvm.getelementptr %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, vector<16xf32>";
        // A load and a multiply-add stay, and the first iteration may vanish.
        assert!(is_marked(302, varying));
        assert!(!is_marked(301, varying));
    }

    #[test]
    fn what_does_not_depend_on_the_iteration_is_not_counted() {
        let same = "llvm.getelementptr %p[%n] : (!llvm.ptr, i64) -> !llvm.ptr, vector<16xf32>";
        assert!(is_marked(602, same));
        assert!(!is_marked(601, same));
    }

    #[test]
    fn steps_that_lead_nowhere_are_left_alone() {
        let varying = "llvm.getelementptr %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, vector<16xf32>";
        assert!(!is_marked_with_step(1000, 0, varying));
        assert!(!is_marked_with_step(1000, -1, varying));
        assert!(is_marked_with_step(1000, 2, varying));
    }
}
