//! What is common to the functions of a program: kernels, constants, globals.
use super::{
    ConstantTable, FunctionLowering, TableData,
    constants::TableEntry,
    function::{fits_memory, is_supported},
    host::describe,
    values::{TensorVal, Val, dtype_of, imm},
};
use crate::weights::WeightSearch;
use halyard_diag::{Diagnostic, Error, Result};
use halyard_ir::{
    Attr, Op, Session,
    form::{self, Entry, Program},
};
use halyard_runtime::schedule::{Base, Global, HostFunction, Inst, Kernel};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A program being lowered, and what the linked program holds so far.
pub(crate) struct Unit<'p> {
    pub(crate) session: &'p Session,
    /// All functions of the program, by name.
    pub(crate) functions: HashMap<String, Op>,
    /// The index of each kernel, by executable and export.
    pub(crate) kernel_index: BTreeMap<(String, String), u32>,
    pub(crate) kernels: Vec<Kernel>,
    pub(crate) constants: ConstantTable<'p>,
    pub(crate) globals: Vec<Global>,
    /// The host functions that are called so far.
    pub(crate) host_functions: Vec<HostFunction>,
    search: WeightSearch,
    /// The globals of the program that have been used: a constant or a mutable global.
    bound: BTreeMap<String, Base>,
    /// The globals of the program by name.
    by_name: HashMap<String, halyard_ir::form::Global>,
    /// The globals that some function stores into.
    stored: BTreeSet<String>,
}

impl<'p> Unit<'p> {
    /// Starts a program; the parts that are linked together are handed on from the last one.
    pub(crate) fn new(
        session: &'p Session,
        program: Program,
        kernels: Vec<Kernel>,
        constants: ConstantTable<'p>,
        globals: Vec<Global>,
        search: WeightSearch,
    ) -> Self {
        let all = program.op.body().map(|b| b.ops()).unwrap_or_default();
        let functions = all.into_iter().filter(|op| op.is("func.func")).filter_map(|op| Some((op.symbol()?, op))).collect();
        let mut stored = BTreeSet::new();
        for function in program.functions() {
            function.walk(&mut |op| {
                if op.is("ml_program.global_store") {
                    stored.extend(global_name(op));
                }
            });
        }
        let by_name = program.globals().into_iter().map(|g| (g.name(), g)).collect();
        let (kernel_index, bound) = (BTreeMap::new(), BTreeMap::new());
        let host_functions = Vec::new();
        Self { session, functions, kernel_index, kernels, constants, globals, host_functions, search, bound, by_name, stored }
    }

    /// The parts that the next program goes on with.
    pub(crate) fn finish(self) -> (Vec<Kernel>, ConstantTable<'p>, Vec<Global>) {
        (self.kernels, self.constants, self.globals)
    }

    /// The number of a host function, which a function of the program calls.
    pub(crate) fn host_function(&mut self, function: form::HostFunction, caller: &str) -> u32 {
        let new = describe(function, caller);
        let like = |f: &HostFunction| {
            (&f.name, f.version, &f.inputs, &f.results) == (&new.name, new.version, &new.inputs, &new.results)
        };
        let index = self.host_functions.iter().position(like).unwrap_or_else(|| {
            self.host_functions.push(new);
            self.host_functions.len() - 1
        });
        let callers = &mut self.host_functions[index].called_by;
        if !callers.iter().any(|c| c == caller) {
            callers.push(caller.to_owned());
        }
        index as u32
    }

    /// An error at an operation.
    pub(crate) fn fail(&self, op: Op, message: String) -> Error {
        let mut d = Diagnostic::error(message).code("unsupported");
        if let Some(span) = self.session.span(op) {
            d = d.at(span);
        }
        d.into()
    }

    /// Fails unless a function has one block and types that are supported.
    pub(crate) fn check_function(&self, op: Op) -> Result<()> {
        let name = op.symbol().unwrap_or_default();
        let blocks = op.region(0).blocks();
        if blocks.len() != 1 {
            return Err(self
                .fail(op, format!("function `@{name}` has {} blocks; the host program is structured", blocks.len()))
                .hint("run `hal-opt --pass-pipeline='builtin.module(func.func(lift-cf-to-scf))'` on the program"));
        }
        let ty = op.attr("function_type").and_then(Attr::as_type).expect("func.func has a type");
        for (what, list) in [("argument", ty.inputs()), ("result", ty.results())] {
            if let Some((i, ty)) = list.iter().enumerate().find(|(_, ty)| !is_supported(**ty)) {
                return Err(self.fail(op, format!("{what} {i} of function `@{name}` has type `{ty}`, which cannot be passed")).hint("pass ranked tensors and numbers"));
            }
            if let Some((i, ty)) = list.into_iter().enumerate().find(|(_, ty)| !fits_memory(*ty)) {
                return Err(self.fail(op, format!("{what} {i} of function `@{name}` has type `{ty}`, which is larger than any memory")));
            }
        }
        Ok(())
    }

    /// The kernel that an entry stands for.
    pub(crate) fn kernel_of(&self, entry: Entry) -> Result<u32> {
        let target = entry.target()?;
        self.kernel_index.get(&target).copied().ok_or_else(|| self.fail(entry.op, format!("executable `@{}` has no kernel `@{}`", target.0, target.1)))
    }

    /// Where the value of a global is.
    fn global(&mut self, op: Op) -> Result<Base> {
        let name = global_name(op).unwrap_or_default();
        if let Some(&base) = self.bound.get(&name) {
            return Ok(base);
        }
        let Some(global) = self.by_name.get(&name).copied() else {
            return Err(self.fail(op, format!("global `@{name}` does not exist")));
        };
        let ty = global.ty();
        if !ty.is_ranked_tensor() || !ty.is_static() || dtype_of(ty.element()).is_none() {
            return Err(self.fail(global.op, format!("global `@{name}` has type `{ty}`; only tensors of static shape can be globals")));
        }
        let initial = if let Some(value) = global.value() {
            self.constants.add(self.session, global.op, value)?
        } else if let Some(parameter) = global.parameter() {
            let path = self.search.find(&parameter.archive).map_err(|e| match self.session.span(global.op) {
                Some(span) => e.at(span),
                None => e,
            })?;
            let entry = TableEntry {
                dtype: dtype_of(ty.element()).expect("checked above"),
                shape: ty.shape().into_iter().map(|d| d.unwrap_or(0) as u64).collect(),
                data: TableData::Archived { path, key: parameter.key, piece: parameter.piece },
            };
            self.constants.insert(entry)
        } else {
            return Err(self.fail(global.op, format!("global `@{name}` has no value")).hint("give it one, or say where it is: `hal.parameter = {archive = \"FILE\", key = \"NAME\"}`"));
        };
        let base = if global.is_mutable() {
            self.globals.push(Global { name: name.clone(), initial });
            Base::Global(self.globals.len() as u32 - 1)
        } else {
            Base::Constant(initial)
        };
        self.bound.insert(name, base);
        Ok(base)
    }
}

fn global_name(op: Op) -> Option<String> {
    op.attr("global")?.as_symbol()?.pop()
}

impl FunctionLowering<'_, '_> {
    /// Lowers loads and stores of globals; `false` if it is neither.
    pub(crate) fn lower_global(&mut self, op: Op, name: &str) -> Result<bool> {
        match name {
            "ml_program.global_load_const" | "ml_program.global_load" => {
                let base = self.unit.global(op)?;
                let ty = op.result(0).ty();
                let dtype = dtype_of(ty.element()).expect("types were checked");
                let tensor = TensorVal { base, offset: imm(0), dims: Self::shape(ty, &[]), dtype, undefined: false };
                let stored = global_name(op).is_some_and(|n| self.unit.stored.contains(&n));
                if stored {
                    // The value that was loaded does not change when the global does.
                    let copy = self.fresh(op.result(0), tensor.dims.clone());
                    let (source, target) = (self.buffer(&tensor), self.buffer(&copy));
                    self.emit(Inst::Copy { source, target });
                    self.bind(op.result(0), Val::Tensor(copy));
                } else {
                    self.bind(op.result(0), Val::Tensor(tensor));
                }
            }
            "ml_program.global_store" => {
                let base = self.unit.global(op)?;
                let value = self.tensor(op, 0)?;
                let target = TensorVal { base, offset: imm(0), ..value.clone() };
                let (source, target) = (self.buffer(&value), self.buffer(&target));
                self.emit(Inst::Copy { source, target });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}
