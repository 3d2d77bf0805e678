//! Bounds the iterations of a thread's loops. Mesa's CPU driver, llvmpipe, silently ends all loops of a thread after
//! 65535 iterations in total (`LP_MAX_TGSI_LOOP_ITERATIONS` in its source), so kernels that need more require a
//! feature.
use halyard_ir::{Block, Op};

/// The feature that a device needs for longer loops. It is not a capability of SPIR-V.
pub(super) const LONG_LOOPS: &str = "LongLoops";

/// The most iterations that every driver supports.
pub(super) const SHORT: u64 = 65535;

/// The iterations of all loops in an operation, inner ones for each of the outer ones, where bounds are known; a loop of
/// unknown length counts as one iteration.
pub(super) fn count(op: Op) -> u64 {
    let inside = op.regions().into_iter().flat_map(|r| r.blocks()).map(of_block).fold(0, u64::saturating_add);
    if !op.is("scf.for") {
        return inside;
    }
    trips(op).unwrap_or(1).saturating_mul(inside.saturating_add(1))
}

fn of_block(block: Block) -> u64 {
    block.ops().into_iter().map(count).fold(0, u64::saturating_add)
}

fn trips(op: Op) -> Option<u64> {
    let (from, to, step) = (op.operand(0).constant()?, op.operand(1).constant()?, op.operand(2).constant()?);
    let length = u64::try_from(to.checked_sub(from)?).unwrap_or(0);
    Some(length.div_ceil(u64::try_from(step).ok().filter(|&s| s > 0)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use halyard_ir::Session;

    #[test]
    fn inner_loops_count_for_each_outer_one() {
        let session = Session::new();
        let text = "func.func @f(%n: index) {
            %c0 = arith.constant 0 : index
            %c1 = arith.constant 1 : index
            %c3 = arith.constant 3 : index
            %c10 = arith.constant 10 : index
            scf.for %i = %c0 to %c10 step %c3 {
              scf.for %j = %c1 to %c3 step %c1 { }
              scf.for %j = %c0 to %n step %c1 { }
            }
            return }";
        let module = session.parse(text.as_bytes(), "test").unwrap();
        // Four times: itself, two of the first one, one of the other.
        assert_eq!(count(Op::from(&module)), 4 * (1 + 2 + 1));
    }
}
