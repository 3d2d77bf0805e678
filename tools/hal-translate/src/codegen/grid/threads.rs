//! Maps the iterations of a bufferized `scf.forall` to the threads of a workgroup on a GPU. Each thread also runs all
//! operations outside the loop; these may read but not write, so that no thread waits for another one.
use super::{
    forall::{Axes, Forall},
    mapping::{self, Runner},
    place::{Id, iteration},
};
use halyard_diag::Diagnostic;
use halyard_ir::{Builder, Op, Session};

/// The result of mapping the thread loops of a kernel.
pub(crate) enum Threads {
    /// There are no thread loops.
    None,
    /// The threads of a workgroup in x, y and z.
    Are([i64; 3]),
    /// One thread runs them as plain loops; a warning gives the reason.
    One(Diagnostic),
}

const READING: &[&str] = &[
    "memref.load",
    "memref.alloc",
    "memref.alloca",
    "memref.dealloc",
    "memref.get_global",
    "memref.dim",
    "memref.reinterpret_cast",
    "memref.cast",
    "memref.expand_shape",
    "memref.collapse_shape",
    "memref.subview",
    "builtin.unrealized_conversion_cast",
    "gpu.block_id",
    "llvm.load",
    "llvm.getelementptr",
    "llvm.insertvalue",
    "llvm.mlir.undef",
    "vector.transfer_read",
    "func.return",
];

/// Maps the iterations of the thread loop in a kernel to threads. `most` is the largest number of threads of a
/// workgroup, `id` the number of a thread in x, y or z.
pub(crate) fn map(session: &Session, kernel: Op, most: i64, id: Id<'_>) -> Threads {
    let mut found = Vec::new();
    kernel.walk(&mut |op| {
        if op.is("scf.forall") && mapping::read(op).is_ok_and(|m| m.runner == Runner::Threads) {
            found.push(op);
        }
    });
    let Some(&op) = found.first() else { return Threads::None };
    let one = |at: Op, why: &str| {
        let message = format!("the iterations of a loop of threads run one after another in one thread: {why}");
        let hint = "let the loop of blocks hold one loop of threads, with all that is computed in it";
        let warning = Diagnostic::warning(message).code("one-thread").hint(hint);
        Threads::One(warning.at(session.span(at)))
    };
    if let [_, second, ..] = found[..] {
        return one(second, "there is another one, and threads would have to wait between the two");
    }
    if op.parent() != Some(kernel) {
        return one(op, "it stands inside another loop, and threads would have to wait between its iterations");
    }
    let ops = kernel.body_ops();
    let arithmetic =
        |name: &str| ["arith.", "affine.", "ub.", "index."].iter().any(|dialect| name.starts_with(dialect));
    let writes = |other: &&Op| **other != op && !arithmetic(&other.name()) && !READING.contains(&&*other.name());
    if let Some(&other) = ops.iter().find(writes) {
        return one(other, &format!("`{}` stands beside it, which one thread does for all", other.name()));
    }
    let forall = Forall { op, axes: Axes::Apart(Vec::new()), writes: Vec::new() };
    let Some(Axes::Apart(axes)) = mapping::read(op).ok().and_then(|m| m.axes) else {
        return one(op, "it is mapped to a number (`linear_dim`), not to dimensions");
    };
    let trips: Option<Vec<i64>> = forall.loops().iter().map(|l| l.trips()).collect();
    let Some(trips) = trips else { return one(op, "how many there are is known only when it runs") };
    let count: i64 = trips.iter().product();
    if count > most {
        return one(op, &format!("they are {count}, and a workgroup has at most {most} threads"));
    }
    let at = Builder::before(op);
    let ids: Vec<_> = axes.iter().map(|&axis| id(&at, axis)).collect();
    iteration(&forall, &at, &ids);
    let mut sizes = [1; 3];
    for (&axis, trips) in axes.iter().zip(trips) {
        sizes[axis] = trips;
    }
    op.erase();
    Threads::Are(sizes)
}
