//! State shared by the functions of a program: kernels, constants, states.
use super::{
    ConstantTable, TableData,
    constants::TableEntry,
    host::describe,
    signature::{fits_memory, is_supported, spec},
    state::Stored,
    values::dtype_of,
};
use crate::weights::WeightSearch;
use halyard_diag::{Diagnostic, Error, Result};
use halyard_ir::{
    Attr, Op, Session, Type, dense_data,
    form::{self, ExportDeclaration, Program, ProgramGlobal},
    names,
};
use halyard_runtime::{
    TensorSpec,
    commands::{HostFunction, Initial, Kernel, State},
};
use std::collections::{BTreeMap, HashMap};

/// A program being lowered, and what the linked program holds so far.
pub(crate) struct Unit<'p> {
    pub(crate) session: &'p Session,
    /// All functions of the program, by name.
    pub(crate) functions: HashMap<String, Op>,
    /// The index of each kernel, by executable and export.
    pub(crate) kernel_index: BTreeMap<(String, String), u32>,
    pub(crate) kernels: Vec<Kernel>,
    pub(crate) constants: ConstantTable<'p>,
    pub(crate) states: Vec<State>,
    /// The host functions that are called so far.
    pub(crate) host_functions: Vec<HostFunction>,
    search: WeightSearch,
    /// The globals of the program that have been used.
    bound: BTreeMap<String, Stored>,
    /// The globals of the program by name.
    by_name: HashMap<String, ProgramGlobal>,
}

impl<'p> Unit<'p> {
    /// Starts a program; the parts that are linked together are handed on from the last one.
    pub(crate) fn new(
        session: &'p Session,
        program: Program,
        kernels: Vec<Kernel>,
        constants: ConstantTable<'p>,
        states: Vec<State>,
        search: WeightSearch,
    ) -> Self {
        let all = program.op.body_ops();
        let functions =
            all.into_iter().filter(|op| op.is("func.func")).filter_map(|op| Some((op.symbol()?, op))).collect();
        let by_name = program.globals().into_iter().map(|g| (g.name(), g)).collect();
        let (kernel_index, bound) = (BTreeMap::new(), BTreeMap::new());
        let host_functions = Vec::new();
        Self { session, functions, kernel_index, kernels, constants, states, host_functions, search, bound, by_name }
    }

    /// The parts that the next program goes on with.
    pub(crate) fn finish(self) -> (Vec<Kernel>, ConstantTable<'p>, Vec<State>) {
        (self.kernels, self.constants, self.states)
    }

    /// The number of a host function, which a function of the program calls.
    pub(crate) fn host_function(&mut self, function: form::HostFunctionDeclaration, caller: &str) -> u32 {
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

    /// Makes an error at an operation.
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
                return Err(self
                    .fail(op, format!("{what} {i} of function `@{name}` has type `{ty}`, which cannot be passed"))
                    .hint("pass ranked tensors and numbers"));
            }
            if let Some((i, ty)) = list.into_iter().enumerate().find(|(_, ty)| !fits_memory(*ty)) {
                return Err(self.fail(
                    op,
                    format!("{what} {i} of function `@{name}` has type `{ty}`, which is larger than any memory"),
                ));
            }
        }
        Ok(())
    }

    /// Returns the kernel of an entry.
    pub(crate) fn kernel_of(&self, entry: ExportDeclaration) -> Result<u32> {
        let target = entry.target()?;
        self.kernel_index
            .get(&target)
            .copied()
            .ok_or_else(|| self.fail(entry.op, format!("executable `@{}` has no kernel `@{}`", target.0, target.1)))
    }

    /// Returns the form of a global in the linked program.
    pub(crate) fn global(&mut self, op: Op, name: &str) -> Result<Stored> {
        if let Some(&stored) = self.bound.get(name) {
            return Ok(stored);
        }
        let Some(global) = self.by_name.get(name).copied() else {
            return Err(self.fail(op, format!("global `@{name}` does not exist")));
        };
        let ty = global.ty();
        if !ty.is_ranked_tensor() || dtype_of(ty.element()).is_none() || !fits_memory(ty) {
            return Err(self.fail(global.op, format!("global `@{name}` has type `{ty}`; only tensors can be globals")));
        }
        if !ty.is_static() && !global.is_mutable() {
            return Err(self.fail(
                global.op,
                format!("global `@{name}` has type `{ty}`; only what is mutable may have sizes that change"),
            ));
        }
        let stored = if global.is_mutable() {
            let initial = self.initial(global)?;
            let spec = TensorSpec { name: Some(global.public_name()), ..spec(ty, |key| global.op.attr(key)) };
            self.add_state(global.op, State { spec, initial })?
        } else {
            Stored::Constant(self.global_constant(global)?)
        };
        self.bound.insert(name.to_owned(), stored);
        Ok(stored)
    }

    fn add_state(&mut self, op: Op, state: State) -> Result<Stored> {
        let name = state.spec.name.as_deref().unwrap_or_default();
        if self.states.iter().any(|s| s.spec.name.as_deref() == Some(name)) {
            return Err(self
                .fail(op, format!("two states are called `{name}`"))
                .hint(format!("rename one of them: `{}`, or its symbol where it has none", names::NAME)));
        }
        self.states.push(state);
        Ok(Stored::State(self.states.len() as u32 - 1))
    }

    /// Returns the initial value of a mutable global: zeros if it has none, with size 0 in dynamic dimensions.
    fn initial(&mut self, global: ProgramGlobal) -> Result<Initial> {
        let sizes = |ty: Type| ty.shape().into_iter().map(|d| d.unwrap_or(0) as u64).collect();
        if global.value().is_none() && !global.is_external() {
            return Ok(Initial::Zeros(sizes(global.ty())));
        }
        let is_zero = |v: Attr| {
            dense_data(self.session, v)
                .is_some_and(|(bytes, splat)| (splat || bytes.is_empty()) && bytes.iter().all(|&b| b == 0))
        };
        if let Some(value) = global.value().filter(|v| is_zero(*v)) {
            return Ok(Initial::Zeros(sizes(value.value_type())));
        }
        self.global_constant(global).map(Initial::Constant)
    }

    /// The constant that a global is, or starts as.
    fn global_constant(&mut self, global: ProgramGlobal) -> Result<u32> {
        if let Some(value) = global.value() {
            return self.constants.add(self.session, global.op, value);
        }
        let (name, ty) = (global.name(), global.ty());
        let Some(parameter) = global.parameter() else {
            return Err(self
                .fail(global.op, format!("global `@{name}` has no value"))
                .hint("give it one, or say where it is: `hal.parameter = {archive = \"FILE\", key = \"NAME\"}`"));
        };
        if !ty.is_static() {
            return Err(self
                .fail(global.op, format!("global `@{name}` is external, and its type `{ty}` does not say all sizes"))
                .hint("give it a value in the program, whose type says them"));
        }
        let path = self.search.find(&parameter.archive).map_err(|e| e.at(self.session.span(global.op)))?;
        let entry = TableEntry {
            dtype: dtype_of(ty.element()).expect("checked before"),
            shape: ty.shape().into_iter().map(|d| d.unwrap_or(0) as u64).collect(),
            data: TableData::Archived { path, key: parameter.key, piece: parameter.piece },
        };
        Ok(self.constants.insert(entry))
    }
}
