//! The grid of an export on tensors: the iterations of an outermost `scf.forall` are its workgroups.
//!
//! [`find`] analyses the export before it gets the kernel signature, while its sizes are those of its arguments, and
//! makes the workgroup count function ([`count`]). [`place`] rewrites the body afterwards, when the buffers of the
//! results exist. [`mapping`] reads the mapping of loops, [`cover`] proves that tiles cover all of a result. On GPUs,
//! [`threads`] does the same for the threads of a workgroup, after bufferization.
//! all is on buffers.
mod count;
mod cover;
mod forall;
mod linear;
pub(crate) mod mapping;
mod place;
mod threads;
mod view;

pub(crate) use place::Id;
pub(crate) use threads::{Threads, map as map_threads};

use forall::{Axes, Forall, Init, Slice, Write};
use halyard_diag::{Diagnostic, Result};
use halyard_ir::{
    Op, Session, Value,
    form::{Export, Interface},
};
use mapping::Runner;

/// The workgroups of an export.
pub(crate) struct Workgroups {
    foralls: Vec<Forall>,
}

/// The grid of an export.
pub(crate) enum Grid {
    /// The iterations of its outermost `scf.forall`; the accompanying function computes their number.
    Loops(Workgroups, Op),
    /// One workgroup; with a warning if it has loops that look like workgroups.
    Single(Option<Diagnostic>),
}

/// The reason and the place why outermost loops cannot be workgroups.
struct Obstacle {
    op: Op,
    why: String,
    hint: &'static str,
}

const FUSE: &str = "fuse it into the loop: `transform.structured.fuse_into_containing_op`";

/// Analyses the body of an export on tensors. `count_name` is the name of its workgroup count function. Fails for
/// impossible mappings of loops.
pub(crate) fn find(session: &Session, export: Op, count_name: &str) -> Result<Grid> {
    mapping::check(session, export)?;
    let blocks = export.region(0).blocks();
    let [body] = blocks.as_slice() else { return Ok(Grid::Single(None)) };
    let found: Vec<Op> = body.ops().into_iter().filter(|op| op.is("scf.forall")).collect();
    if found.is_empty() {
        return Ok(Grid::Single(None));
    }
    let interface = Interface::of_kernel(export);
    let foralls = found.into_iter().map(|op| read(export, &interface, op)).collect::<std::result::Result<Vec<_>, _>>();
    let result = foralls.and_then(|foralls| {
        check_rest(export, &interface, &foralls)?;
        let hint = "compute them from sizes and scalars of the export";
        let workgroups = Workgroups { foralls };
        let why = || Obstacle { op: workgroups.foralls[0].op, why: "its bounds depend on data".into(), hint };
        let count = count::function(export, &interface, &workgroups, count_name).ok_or_else(why)?;
        Ok((workgroups, count))
    });
    Ok(match result {
        Ok((workgroups, count)) => Grid::Loops(workgroups, count),
        Err(obstacle) => Grid::Single(Some(warning(session, export, &obstacle))),
    })
}

fn warning(session: &Session, export: Op, obstacle: &Obstacle) -> Diagnostic {
    let name = Export { op: export }.name();
    let message = format!("export `@{name}` runs in one workgroup, its `scf.forall` as a plain loop: {}", obstacle.why);
    let warning = Diagnostic::warning(message).code("one-workgroup").hint(obstacle.hint);
    warning.at(session.span(obstacle.op))
}

fn obstacle<T>(op: Op, why: impl Into<String>, hint: &'static str) -> std::result::Result<T, Obstacle> {
    Err(Obstacle { op, why: why.into(), hint })
}

/// Reads an outermost loop.
fn read(export: Op, interface: &Interface, op: Op) -> std::result::Result<Forall, Obstacle> {
    let mapping = mapping::read(op).expect("mappings were checked");
    if mapping.runner == Runner::Threads {
        return obstacle(op, "it is mapped to threads, and no loop of blocks is around it", "map it to `#gpu.block`");
    }
    let mut forall = Forall { op, axes: Axes::Apart(Vec::new()), writes: Vec::new() };
    let rank = forall.loops().len();
    forall.axes = mapping.axes.unwrap_or_else(|| match rank {
        // The last loop is x, which neighbours in memory are mostly along.
        0..=3 => Axes::Apart((0..rank).rev().collect()),
        _ => Axes::Numbered((0..rank).collect()),
    });
    let end = export.body().and_then(|b| b.terminator()).expect("a function ends with a return");
    for (output, value) in op.results().into_iter().enumerate() {
        match value.uses().as_slice() {
            [] => {}
            &[(user, result)] if user == end => {
                let init = init(export, interface, forall.inits()[output], result);
                let write = Write { result, output, init };
                check_write(&forall, &write, value)?;
                forall.writes.push(write);
            }
            uses => {
                let (user, _) = *uses.iter().find(|(user, _)| *user != end).unwrap_or(&uses[0]);
                let outer = std::iter::successors(Some(user), |op| op.parent());
                let user = outer.take_while(|op| *op != export).last().unwrap_or(user);
                let why = match &*user.name() {
                    "func.return" => "a result of it is returned twice".into(),
                    name => format!("`{name}` needs all of its result, and workgroups do not wait for each other"),
                };
                return obstacle(user, why, "fuse the two, or give each an executable of its own");
            }
        }
    }
    Ok(forall)
}

fn init(export: Op, interface: &Interface, value: Value, result: usize) -> Init {
    let argument = || export.body().and_then(|b| b.args().iter().position(|a| *a == value));
    match value.def() {
        Some(def) if def.is("tensor.empty") => Init::Nothing,
        Some(def) if def.is("linalg.fill") => Init::Fill,
        None if interface.tied[result].is_some() && interface.tied[result] == argument() => Init::Tied,
        _ => Init::Value,
    }
}

/// Whether workgroups can write a result independently.
fn check_write(forall: &Forall, write: &Write, result: Value) -> std::result::Result<(), Obstacle> {
    let inserts = forall.inserts(write);
    let output = forall.outputs()[write.output];
    for (user, _) in output.uses() {
        let other_slice = || {
            let slice = Slice::of(user, 1);
            write.init == Init::Tied && !inserts.iter().any(|i| Slice::of(*i, 2) == slice)
        };
        match &*user.name() {
            "tensor.parallel_insert_slice" | "tensor.dim" => {}
            "tensor.extract_slice" if !other_slice() => {}
            "tensor.extract_slice" => {
                return obstacle(user, "it reads a part of the result that another iteration may write", FUSE);
            }
            name => {
                return obstacle(user, format!("`{name}` uses the whole result"), "let it use a slice of it");
            }
        }
    }
    // Elements that no tile writes keep their initial value, which is undefined for a `tensor.empty`.
    if matches!(write.init, Init::Fill | Init::Value) {
        let reached = match inserts.as_slice() {
            [insert] => cover::reach(forall, &Slice::of(*insert, 2), result.ty()),
            _ => None,
        };
        let whole = |r: &cover::Reach| write.init == Init::Fill || matches!(r, cover::Reach::All);
        if !reached.is_some_and(|r| r.iter().all(whole)) {
            return obstacle(
                forall.op,
                "its tiles may leave parts of the result as they were before",
                "begin with a `tensor.empty`, or let tiles be `tile` or `min(tile, size - offset)` at multiples of `tile`",
            );
        }
    }
    Ok(())
}

/// Whether each workgroup can repeat all other operations of the function.
fn check_rest(export: Op, interface: &Interface, foralls: &[Forall]) -> std::result::Result<(), Obstacle> {
    let body = export.body().expect("an export of a source has a body");
    let end = body.terminator().expect("a function ends with a return");
    for (i, value) in end.operands().into_iter().enumerate() {
        if !foralls.iter().any(|f| f.writes.iter().any(|w| w.result == i)) {
            let op = value.def().unwrap_or(end);
            return obstacle(op, format!("result {i} of the export is made outside of it"), FUSE);
        }
    }
    for op in body.ops().into_iter().filter(|op| *op != end && !foralls.iter().any(|f| f.op == *op)) {
        let name = op.name();
        let cheap = ["arith.", "affine.", "ub.", "index."].iter().any(|dialect| name.starts_with(dialect));
        let scalar = op.is("arith.constant") || op.results().iter().all(|r| !r.ty().is_tensor() && !r.ty().is_vector());
        let starts = |(user, operand): (Op, usize)| {
            let found = foralls.iter().find(|f| f.op == user);
            found.is_some_and(|f| operand + f.op.result_count() >= f.op.operand_count())
        };
        let fine = match &*name {
            "tensor.dim"
            | "tensor.empty"
            | "tensor.extract"
            | "tensor.extract_slice"
            | "tensor.expand_shape"
            | "tensor.collapse_shape"
            | "tensor.cast" => true,
            "linalg.fill" => op.result(0).uses().into_iter().all(starts),
            _ => cheap && scalar,
        };
        if !fine {
            return obstacle(op, format!("each workgroup would do all of `{name}`, which stands outside of it"), FUSE);
        }
    }
    for (result, argument) in interface.tied.iter().enumerate().filter_map(|(r, tied)| Some((r, (*tied)?))) {
        let writer = foralls.iter().find_map(|f| Some((f, f.writes.iter().find(|w| w.result == result)?)));
        let (forall, write) = writer.expect("all results were found");
        for (user, operand) in body.args()[argument].uses() {
            let is_init = user == forall.op && operand == user.operand_count() - user.result_count() + write.output;
            if !is_init && !user.is("tensor.dim") {
                let why = format!("result {result} is written over argument {argument}, which other iterations read");
                return obstacle(user, why, "begin the loop with the argument (`shared_outs`), or untie the two");
            }
        }
    }
    Ok(())
}

impl Workgroups {
    /// Describes the grid for messages.
    pub(crate) fn describe(&self) -> String {
        let sizes = |forall: &Forall| {
            let each = forall.loops().into_iter().map(|l| l.trips().map_or("?".into(), |n| n.to_string()));
            each.collect::<Vec<_>>().join(" x ")
        };
        let all: Vec<String> = self.foralls.iter().map(sizes).collect();
        format!("{} workgroups of `scf.forall`", all.join(" + "))
    }
}
