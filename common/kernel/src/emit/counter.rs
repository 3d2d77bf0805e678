//! How many workgroups there are, as a function of the constants.
use crate::Emitter;
use crate::emit::index::Index;
use crate::machine::gpu::WORKGROUPS_IN_X;
use halyard_ir::{Attr, Block, Builder, Op, Region, Type, Value};
use std::collections::HashMap;

impl Emitter<'_> {
    /// The function that computes how many workgroups there are: of all nests, the most that one can use; on a GPU as
    /// many as there is work for, folded into what every device has per dimension.
    pub(crate) fn counter(&mut self, name: &str, constants: &[Value]) -> Op {
        let context = self.code.at.context();
        let index = Type::index(context);
        let block = Block::create(&vec![index; constants.len()], self.code.at.loc);
        let at = Builder::at_end(block, self.code.at.loc);
        let mut map: HashMap<Value, Value> = HashMap::new();
        for (&constant, arg) in constants.iter().zip(block.args()) {
            if constant.ty().is_index() {
                map.insert(constant, arg);
            } else if constant.ty().is_integer() {
                map.insert(constant, at.value("arith.index_cast", &[arg], constant.ty(), &[]));
            }
        }
        let mut most: Option<Value> = None;
        for &count in &self.workgroups {
            // A count that needs more than the constants is left to the others; one workgroup always does.
            let Some(count) = copy_ix(&at, count, self.code.index_type(), &mut map) else { continue };
            most = Some(match most {
                Some(most) => at.value("arith.maxsi", &[most, count], count.ty(), &[]),
                None => count,
            });
        }
        let one = at.index(1);
        let x = match most.filter(|_| !self.alone) {
            Some(most) => at.value("arith.index_cast", &[most], index, &[]),
            None => one,
        };
        if self.target.gpu.is_some() {
            let fold = at.index(WORKGROUPS_IN_X);
            let x = at.value("arith.maxui", &[x, one], index, &[]);
            let last = at.value("arith.subi", &[x, one], index, &[]);
            let y = at.value("arith.divui", &[last, fold], index, &[]);
            let y = at.value("arith.addi", &[y, one], index, &[]);
            let x = at.value("arith.minui", &[x, fold], index, &[]);
            at.op("func.return", &[x, y, one], &[], &[]);
        } else {
            at.op("func.return", &[x, one, one], &[], &[]);
        }
        let region = Region::create();
        region.append(block);
        let ty = Type::function(context, &vec![index; constants.len()], &[index; 3]);
        let attrs = [("sym_name", Attr::string(context, name)), ("function_type", Attr::ty(ty))];
        Builder::create(self.code.at.loc, "func.func", &[], &[], &attrs, vec![region])
    }
}

fn copy_ix(at: &Builder, ix: Index, ty: Type, map: &mut HashMap<Value, Value>) -> Option<Value> {
    let add = at.constant(Attr::integer(ty, ix.add));
    let Some(base) = ix.base else { return Some(add) };
    let base = copy(at, base, map)?;
    Some(at.value("arith.addi", &[base, add], add.ty(), &[]))
}

/// Copies arithmetic on the constants.
fn copy(at: &Builder, value: Value, map: &mut HashMap<Value, Value>) -> Option<Value> {
    if let Some(&known) = map.get(&value) {
        return Some(known);
    }
    let op = value.def().filter(|o| o.is_of("arith") && o.result_count() == 1)?;
    let operands = op.operands().into_iter().map(|v| copy(at, v, map)).collect::<Option<Vec<_>>>()?;
    let copied = op.duplicate();
    copied.set_operands(&operands);
    let result = at.insert(copied).result(0);
    map.insert(value, result);
    Some(result)
}
