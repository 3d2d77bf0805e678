//! Lowers workgroup counts: a small function on `index` in a variant becomes straight-line arithmetic.
use super::{FunctionLowering, Unit, values::Val};
use halyard_diag::Result;
use halyard_ir::Op;
use halyard_runtime::commands::{Inst, Operand, WorkgroupCount};

/// Lowers the function that computes a workgroup count. Errors: it does more than arithmetic, or does not take the
/// constants of the kernel and give three numbers.
pub(crate) fn workgroup_count(unit: &mut Unit<'_>, op: Op, constants: usize) -> Result<WorkgroupCount> {
    let name = op.symbol().unwrap_or_default();
    let Some(block) = op.body().filter(|_| op.region(0).blocks().len() == 1) else {
        return Err(unit.fail(op, format!("workgroup count `@{name}` must be one block of arithmetic")));
    };
    if block.args().len() != constants {
        return Err(unit.fail(
            op,
            format!(
                "workgroup count `@{name}` takes {} numbers, its kernel has {constants} constants",
                block.args().len()
            ),
        ));
    }
    let mut lowering = FunctionLowering::new(unit);
    for arg in block.args() {
        let register = lowering.register();
        lowering.bind(arg, Val::Scalar(Operand::Register(register)));
    }
    let mut results = Vec::new();
    lowering.lower_block(block, &mut |this, end| {
        for i in 0..end.operand_count() {
            results.push(this.operand(end, i)?);
        }
        Ok(())
    })?;
    let registers = lowering.registers;
    let code = lowering.code.pop().unwrap_or_default();
    let mut body = Vec::new();
    for inst in code {
        match inst {
            Inst::Scalar(inst) => body.push(inst),
            _ => return Err(unit.fail(op, format!("workgroup count `@{name}` does more than arithmetic"))),
        }
    }
    let Ok(results) = <[Operand; 3]>::try_from(results) else {
        return Err(unit.fail(op, format!("workgroup count `@{name}` must return three numbers: x, y and z")));
    };
    Ok(WorkgroupCount { registers, body, results })
}
