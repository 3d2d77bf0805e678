//! Lowers the host program from MLIR to host commands.
//!
//! Each public function is lowered with all callees inlined. A tensor value becomes a range of memory: a transient of
//! static size (placed in the arena by lifetime), a counted slot if its type is dynamic or it belongs to a state, an
//! input, output or constant. Views share memory. Every value is written once, where it is computed, so that sharing
//! is safe; operations that work in place copy first unless nothing else reads the memory later.

mod call;
mod concat;
mod constants;
mod control;
mod emit;
mod function;
mod host;
mod scalar;
mod signature;
mod slice;
mod state;
mod tensor;
mod unit;
mod values;
mod workgroups;

pub(crate) use constants::{ConstantTable, TableData, TableEntry};
pub(crate) use function::lower as lower_function;
pub(crate) use unit::Unit;
pub(crate) use values::dtype_of;
pub(crate) use workgroups::workgroup_count;

use emit::{Loop, Storage};
use halyard_diag::Result;
use halyard_ir::{Block, Op, Value};
use halyard_runtime::commands::{Base, Inst, Operand};
use std::collections::{HashMap, HashSet};
use values::{TensorVal, Val};

/// The lowering of one function. Its maps are only looked up, never iterated: the output does not depend on their order.
pub(crate) struct FunctionLowering<'u, 'p> {
    unit: &'u mut Unit<'p>,
    registers: u32,
    slots: u32,
    storages: Vec<Storage>,
    /// Counts steps, by which lifetimes are measured.
    now: u32,
    loops: Vec<Loop>,
    /// The blocks being written, the innermost last.
    code: Vec<Vec<Inst>>,
    values: HashMap<Value, Val>,
    /// The values that share memory, by base.
    aliases: HashMap<Base, Vec<Value>>,
    /// The preferred memory of values that are not computed yet.
    wanted: HashMap<Value, Base>,
    /// Values that are made as parts of a concatenation: of which, and where in it.
    parts: HashMap<Value, (Value, u64)>,
    /// The memory of concatenations some part of which was made.
    wholes: HashMap<Value, Base>,
    /// Values that are made to be stored in a state.
    stored: HashSet<Value>,
    /// Loads of states that take the memory over.
    replaced: HashSet<Op>,
    /// Slots to release after an operation.
    releases: HashMap<Op, Vec<u32>>,
    /// The slots of values that have no uses.
    unused: Vec<u32>,
    /// The functions that are being inlined.
    inlining: Vec<String>,
    /// The memory that is read after the last step.
    returned: Vec<Base>,
}

impl<'u, 'p> FunctionLowering<'u, 'p> {
    fn new(unit: &'u mut Unit<'p>) -> Self {
        Self {
            unit,
            registers: 0,
            slots: 0,
            storages: Vec::new(),
            now: 0,
            loops: Vec::new(),
            code: vec![Vec::new()],
            values: HashMap::new(),
            aliases: HashMap::new(),
            wanted: HashMap::new(),
            parts: HashMap::new(),
            wholes: HashMap::new(),
            stored: HashSet::new(),
            replaced: HashSet::new(),
            releases: HashMap::new(),
            unused: Vec::new(),
            inlining: Vec::new(),
            returned: Vec::new(),
        }
    }

    /// Lowers the operations of a block; `end` is given its terminator.
    fn lower_block(&mut self, block: Block, end: &mut dyn FnMut(&mut Self, Op) -> Result<()>) -> Result<()> {
        let terminator = block.terminator();
        self.plan_stores(block);
        self.plan_concats(block);
        for op in block.ops() {
            if Some(op) == terminator {
                end(self, op)?
            } else {
                self.lower_op(op)?
            }
            let released = self.releases.remove(&op).unwrap_or_default();
            let unused = std::mem::take(&mut self.unused);
            for slot in released.into_iter().chain(unused) {
                self.emit(Inst::Release { slot });
            }
        }
        Ok(())
    }

    fn lower_op(&mut self, op: Op) -> Result<()> {
        let name = op.name();
        for result in op.results() {
            if !signature::is_supported(result.ty()) {
                return Err(self
                    .unit
                    .fail(op, format!("`{name}` gives a `{}`, which the host program does not support", result.ty())));
            }
            if !signature::fits_memory(result.ty()) {
                return Err(self
                    .unit
                    .fail(op, format!("`{name}` gives a `{}`, which is larger than any memory", result.ty())));
            }
        }
        if name == "func.call" {
            return self.lower_call(op);
        }
        if self.lower_scalar(op, &name)?
            || self.lower_tensor(op, &name)?
            || self.lower_control(op, &name)?
            || self.lower_global(op, &name)?
        {
            return Ok(());
        }
        let error = self.unit.fail(op, format!("the host program cannot execute `{name}`"));
        Err(if name.starts_with("linalg.") || name.starts_with("tensor.") || name.starts_with("tosa.") {
            error.hint("it belongs in an executable: run `hal-import` on the program first")
        } else if name.starts_with("affine.") {
            error.hint("lower it first: `hal-opt --pass-pipeline='builtin.module(lower-affine)'`")
        } else {
            error.hint("the host program orders dispatches: scalars, shapes, `scf` and calls of kernels")
        })
    }

    fn value(&self, user: Op, value: Value) -> Result<Val> {
        self.values.get(&value).cloned().ok_or_else(|| {
            self.unit.fail(user, format!("`{}` uses a value that the host program does not have", user.name()))
        })
    }

    /// Returns a scalar operand of an operation.
    fn operand(&self, op: Op, index: usize) -> Result<Operand> {
        match self.value(op, op.operand(index))? {
            Val::Scalar(o) => Ok(o),
            Val::Tensor(_) => Err(self.unit.fail(
                op,
                format!("operand {index} of `{}` is a tensor, which the host program does not support here", op.name()),
            )),
        }
    }

    /// Returns a tensor operand of an operation.
    fn tensor(&self, op: Op, index: usize) -> Result<TensorVal> {
        match self.value(op, op.operand(index))? {
            Val::Tensor(t) => Ok(t),
            Val::Scalar(_) => Err(self.unit.fail(
                op,
                format!("operand {index} of `{}` is a scalar, which the host program does not support here", op.name()),
            )),
        }
    }
}
