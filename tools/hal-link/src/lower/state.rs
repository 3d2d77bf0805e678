//! Lowers globals: constants and states.
//!
//! A state is loaded into a slot without a copy. If it is stored before it is loaded again, the load moves its memory
//! to the slot, so that operations that work in place update it there. A value that is stored is computed in a slot,
//! whose memory then moves to the state.
use super::{
    FunctionLowering,
    values::{TensorVal, Val, dtype_of, imm},
};
use halyard_diag::Result;
use halyard_ir::{Attr, Block, Op, Value};
use halyard_runtime::commands::{Base, Inst, Operand};
use std::collections::HashMap;

/// The form of a global in the linked program.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Stored {
    /// A constant, by its number.
    Constant(u32),
    /// A state, by its number.
    State(u32),
}

impl FunctionLowering<'_, '_> {
    /// Lowers loads and stores of globals; `false` if it is neither.
    pub(crate) fn lower_global(&mut self, op: Op, name: &str) -> Result<bool> {
        match name {
            "ml_program.global_load_const" | "ml_program.global_load" => self.load_global(op)?,
            "ml_program.global_store" => {
                let name = global_name(op);
                let Stored::State(state) = self.unit.global(op, &name)? else {
                    return Err(self.unit.fail(op, format!("global `@{name}` is not mutable")));
                };
                let value = self.tensor(op, 0)?;
                let source = self.buffer(&value);
                self.emit(Inst::StoreState { state, source, dims: value.dims });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn load_global(&mut self, op: Op) -> Result<()> {
        let (name, value) = (global_name(op), op.result(0));
        let ty = value.ty();
        let dtype = dtype_of(ty.element()).expect("types were checked");
        let (base, dims) = match self.unit.global(op, &name)? {
            Stored::Constant(constant) => (Base::Constant(constant), Self::shape(ty, &[])),
            Stored::State(state) => {
                let slot = self.slot();
                let dims: Vec<u32> = ty.shape().iter().filter(|d| d.is_none()).map(|_| self.register()).collect();
                let sizes: Vec<Operand> = dims.iter().map(|&d| Operand::Register(d)).collect();
                self.emit(Inst::LoadState { slot, state, dims, take: self.replaced.contains(&op) });
                self.release_after_uses(value, slot);
                (Base::Slot(slot), Self::shape(ty, &sizes))
            }
        };
        self.bind(value, Val::Tensor(TensorVal { base, offset: imm(0), dims, dtype, undefined: false }));
        Ok(())
    }

    /// Whether a call is to a function of the host program, which may use states.
    fn has_body(&self, call: Op) -> bool {
        let name = call.callee().unwrap_or_default();
        self.unit.functions.get(&name).is_some_and(|f| f.body().is_some())
    }

    /// Finds the values of a block, which is about to be lowered, that are made to be stored in a state, and the loads of
    /// states that are stored before anything else may load them.
    pub(crate) fn plan_stores(&mut self, block: Block) {
        // The last load of each global, with nothing after it that may load or store it.
        let mut loads: HashMap<String, Op> = HashMap::new();
        for op in block.ops() {
            match &*op.name() {
                "ml_program.global_load" => _ = loads.insert(global_name(op), op),
                "ml_program.global_store" => {
                    self.replaced.extend(loads.remove(&global_name(op)));
                    let value = made_as(op.operand(0));
                    if value.def().is_some_and(|d| d.block() == Some(block)) {
                        self.stored.insert(value);
                    }
                }
                "func.call" if self.has_body(op) => loads.clear(),
                _ if op.regions().is_empty() => {}
                _ => op.walk(&mut |inner| {
                    if inner.name().starts_with("ml_program.global_") {
                        loads.remove(&global_name(inner));
                    } else if inner.is("func.call") && self.has_body(inner) {
                        loads.clear();
                    }
                }),
            }
        }
    }

    /// Whether a value is stored in a state, and nothing else requires it in specific memory.
    pub(crate) fn is_stored(&self, value: Value) -> bool {
        self.stored.contains(&value) && !self.wanted.contains_key(&value)
    }
}

fn global_name(op: Op) -> String {
    op.attr("global").and_then(Attr::leaf_symbol).unwrap_or_default()
}

/// The value whose memory a value has, behind reshapes and casts.
fn made_as(value: Value) -> Value {
    match value.def() {
        Some(d) if matches!(&*d.name(), "tensor.collapse_shape" | "tensor.expand_shape" | "tensor.cast") => {
            made_as(d.operand(0))
        }
        _ => value,
    }
}
