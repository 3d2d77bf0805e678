//! Lowers scalar operations: `arith`, `math` and `index`.
use super::{
    FunctionLowering,
    values::{Val, imm},
};
use halyard_diag::Result;
use halyard_ir::Op;
use halyard_runtime::commands::{Binary, Operand, ScalarType, Unary};
use halyard_scalars::{ScalarOp, scalar_of};

impl FunctionLowering<'_, '_> {
    /// Lowers an operation on scalars; `false` if it is none that is known.
    pub(crate) fn lower_scalar(&mut self, op: Op, name: &str) -> Result<bool> {
        if op.result_count() != 1 {
            return Ok(false);
        }
        let result = op.result(0);
        let Some(ty) = scalar_of(result.ty()) else { return Ok(false) };
        let from = op.operands().first().and_then(|v| scalar_of(v.ty()));
        let Some(operation) = ScalarOp::of(op, name) else { return Ok(false) };
        let value = match operation {
            ScalarOp::Constant(bits) => imm(bits),
            ScalarOp::Unary(Unary::Move) => self.operand(op, 0)?,
            ScalarOp::Unary(unary) => {
                let value = self.operand(op, 0)?;
                self.unary(unary, ty, value)
            }
            ScalarOp::Binary(binary) => {
                let (left, right) = (self.operand(op, 0)?, self.operand(op, 1)?);
                self.binary(binary, ty, left, right)
            }
            ScalarOp::Compare(predicate) => {
                let Some(from) = from else { return Ok(false) };
                let (left, right) = (self.operand(op, 0)?, self.operand(op, 1)?);
                self.compare(predicate, from, left, right)
            }
            ScalarOp::Select => {
                let (condition, then, otherwise) = (self.operand(op, 0)?, self.operand(op, 1)?, self.operand(op, 2)?);
                self.select(condition, then, otherwise)
            }
            ScalarOp::Convert { signed } => {
                let Some(from) = from else { return Ok(false) };
                let value = self.operand(op, 0)?;
                self.convert(from, ty, signed, value)
            }
            ScalarOp::Fma => {
                let (a, b, c) = (self.operand(op, 0)?, self.operand(op, 1)?, self.operand(op, 2)?);
                self.fused(ty, a, b, c)
            }
            ScalarOp::PowI => {
                let (base, exponent) = (self.operand(op, 0)?, self.operand(op, 1)?);
                let Some(integer) = scalar_of(op.operand(1).ty()) else { return Ok(false) };
                let exponent = self.convert(integer, ty, true, exponent);
                self.binary(Binary::PowF, ty, base, exponent)
            }
        };
        self.bind(result, Val::Scalar(value));
        Ok(true)
    }

    /// a·b + c, rounded once for types below `f64`: the product of two is exact in `f64`.
    fn fused(&mut self, ty: ScalarType, a: Operand, b: Operand, c: Operand) -> Operand {
        let wide = ScalarType::F64;
        let [a, b, c] = [a, b, c].map(|v| self.convert(ty, wide, true, v));
        let product = self.binary(Binary::MulF, wide, a, b);
        let sum = self.binary(Binary::AddF, wide, product, c);
        self.convert(wide, ty, true, sum)
    }
}
