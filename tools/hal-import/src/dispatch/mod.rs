//! Cuts functions on tensors into executables and a host program that calls them.
//!
//! [`form`] goes through each block: [`copies`] lets cheap work be done where it is used, [`graph`] shows what depends
//! on what, [`cluster`] decides what runs together, [`outline`] makes an export of each group, [`executables`] makes
//! each different one once; [`ties`] lets those that update states do it in place. [`checks`] brings checks at run time before what relies on them.
mod alias;
mod assumptions;
mod attention;
mod bodies;
mod carried;
mod checks;
mod cluster;
mod columns;
mod concats;
mod constants;
mod copies;
mod depthwise;
mod dims;
mod elementwise;
mod executables;
mod graph;
mod guards;
mod host;
mod name;
mod narrowings;
mod origins;
mod outline;
mod pads;
mod prepare;
mod pure;
mod reshapes;
mod rows;
mod sequential;
mod shared_factors;
mod sink;
mod sizes;
mod split_reduction;
mod structure;
mod ties;
mod volumes;
mod weights;
mod whole_windows;
mod widenings;

use crate::{
    external,
    frontend::check_supported,
    history::{ImportHistory, run_pipeline},
};
use executables::Executables;
use halyard_diag::{Diagnostic, Error, Result};
use halyard_ir::{
    Attr, Block, Builder, Module, Op, Session, Value,
    form::{Phase, Program, named_values, set_call_values, verify},
};
use halyard_stages::{Pipeline, Step, StepRunner};
use std::{collections::HashMap, path::PathBuf};

/// Brings a program in phase `input` into the form that executables are cut from: named operations on tensors, in the order
/// and the nests that kernels have. The way is the pipeline `dispatch`; what its stages change is noted in a history. Errors: a
/// declaration that nothing calls; what the stages of the pipeline say.
pub fn prepare(
    session: &Session,
    module: &Module<'_>,
    (pipeline, history): (&Pipeline, Option<&ImportHistory>),
) -> Result<Vec<Diagnostic>> {
    let program = Program { op: Op::from(module) };
    external::check_used(session, program)?;
    let mut steps = Steps { session, program, warnings: Vec::new(), noted: None };
    run_pipeline(session, pipeline, (program.op, &mut steps), history)?;
    let verified = match program.op.verify() {
        true => verify(session, program),
        false => Err(session.error("the program does not verify")),
    };
    let left = || pipeline.replacement().map_or(Ok(()), |_| check_supported(session, program.op));
    verified.and_then(|()| left()).map_err(|e| match pipeline.replacement() {
        Some(given) => e.note(format!("that is what `{given}` made, which runs in place of the pipeline `dispatch`")),
        None => e,
    })?;
    Ok(steps.warnings)
}

/// The steps of the pipeline `dispatch`.
struct Steps<'s> {
    session: &'s Session,
    program: Program,
    warnings: Vec<Diagnostic>,
    /// What the program was at the last `hal-watch-changes`.
    noted: Option<u64>,
}

impl StepRunner for Steps<'_> {
    fn step(&mut self, step: &Step, _: Op) -> Result<()> {
        match step.name() {
            "hal-check-sizes" => self.warnings.extend(assumptions::state(self.session, self.program)?),
            "hal-guard-data" => {
                self.warnings.extend(assumptions::state_rest(self.session, self.program)?);
                guards::guard(self.session, self.program)?;
            }
            "hal-watch-changes" => self.noted = Some(self.program.op.structure_hash()),
            name => prepare::step(name, self.program),
        }
        Ok(())
    }

    fn holds(&self, condition: &str, _: Op) -> bool {
        match condition {
            "changed" => self.noted != Some(self.program.op.structure_hash()),
            _ => unreachable!("the pipeline has no condition `{condition}`"),
        }
    }
}

/// Forms the executables of a program that is prepared, which is in phase `executables` after that. Errors: work that no
/// executable can take.
///
/// `folders` are where objects of kernels may be.
pub fn form(session: &Session, module: &Module<'_>, folders: &[PathBuf]) -> Result<()> {
    let program = Program { op: Op::from(module) };
    pure::simplify(program);
    external::take(session, program, folders)?;
    // Declarations that no call is left of go, so that nothing may hold on to one before.
    checks::place(program);
    let Some(mut executables) = Executables::new(session, program) else {
        return Err(Error::input("the module has no function").code("no-function"));
    };
    let functions = program.functions();
    for function in &functions {
        let name = function.symbol().unwrap_or_default();
        for block in function.regions().into_iter().flat_map(|r| r.blocks()) {
            form_block(session, &mut executables, block, &name)?;
        }
    }
    executables.finish();
    pure::unmark(&functions);
    sizes::use_passed_sizes(program, &functions);
    for function in &functions {
        session.run_pipeline_on(*function, "func.func(canonicalize,cse,canonicalize)", false)?;
    }
    ties::tie_updates(program, &functions);
    host::check_host(session, &functions)?;
    external::finish(session, program)?;
    origins::of_calls(program);
    weights::mark(program);
    let program = Program::stamp(program.op, Phase::Executables);
    if !program.op.verify() {
        return Err(session.error("the program does not verify"));
    }
    verify(session, program)
}

/// What groups of operations come from.
struct Origin<'a> {
    /// The host function.
    function: &'a str,
    /// The tensors of the model among the values of the block.
    values: HashMap<Value, String>,
}

/// Puts a block into the order of its groups, with a call in the place of each group that belongs into an executable.
fn form_block(session: &Session, executables: &mut Executables<'_>, block: Block, function: &str) -> Result<()> {
    copies::copy_cheap(block);
    let origin = Origin { function, values: named_values(block) };
    let mut graph = graph::Graph::of(block);
    cluster::cluster(&mut graph);
    let end = block.terminator().expect("blocks of functions are terminated");
    let mut gone = Vec::new();
    for group in graph.order() {
        let ops: Vec<Op> = graph.members[group].iter().map(|m| graph.ops[*m]).collect();
        let first = graph.members[group][0];
        if graph.structures[first].is_none() {
            ops[0].move_before(end);
            for inner in ops[0].regions().into_iter().flat_map(|r| r.blocks()) {
                form_block(session, executables, inner, function)?;
            }
            continue;
        }
        let is_heavy = |m: &&usize| graph.structures[**m].as_ref().is_some_and(|s| s.kind.is_heavy());
        let roots: Vec<Op> = graph.members[group].iter().filter(is_heavy).map(|m| graph.ops[*m]).collect();
        dispatch(session, executables, (&ops, &roots), end, &origin)?;
        gone.extend(ops);
    }
    // What is used comes before its users: erase from the end.
    gone.sort_by(|a, b| {
        if a == b {
            std::cmp::Ordering::Equal
        } else if a.is_before(*b) {
            std::cmp::Ordering::Greater
        } else {
            std::cmp::Ordering::Less
        }
    });
    for op in gone {
        op.erase();
    }
    Ok(())
}

fn dispatch(
    session: &Session,
    executables: &mut Executables<'_>,
    (ops, roots): (&[Op], &[Op]),
    end: Op,
    origin: &Origin<'_>,
) -> Result<()> {
    let last = *ops.last().expect("a group has operations");
    if !ops.iter().any(|op| op.has_uses()) {
        return Ok(());
    }
    let builder = Builder { block: end.block().expect("it is in a block"), before: Some(end), loc: last.loc() };
    let outlined = outline::Outline::of(&builder, ops, roots).map_err(|op| {
        let error =
            Error::input(format!("the size of the result of `{}` cannot be computed before it runs", op.name()))
                .code("unsupported");
        error.at(session.span(op))
    })?;
    let entry = executables.add(&builder, &outlined, origin.function)?;
    let types: Vec<_> = outlined.replaced.iter().map(|r| r.ty()).collect();
    let call =
        builder.op("func.call", &outlined.arguments, &types, &[("callee", Attr::symbol(builder.context(), &entry))]);
    let name = |value: &Value| origin.values.get(value).cloned().unwrap_or_default();
    set_call_values(call, &outlined.replaced.iter().map(name).collect::<Vec<_>>());
    let inside = |op: Op| ops.iter().any(|member| op.is_inside(*member));
    for (old, new) in outlined.replaced.iter().zip(call.results()) {
        for (user, operand) in old.uses() {
            if !inside(user) {
                user.set_operand(operand, new);
            }
        }
    }
    Ok(())
}
