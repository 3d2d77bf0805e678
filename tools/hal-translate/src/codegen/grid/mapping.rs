//! The mapping of the loops of a `scf.forall`: blocks are workgroups, threads belong to one workgroup.
use super::forall::Axes;
use halyard_diag::{Error, Result};
use halyard_ir::{Attr, Op, Session};

/// The units that run the iterations of a `scf.forall`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runner {
    /// Workgroups: `#gpu.block`.
    Blocks,
    /// `#gpu.thread` and groups of them: the threads of a workgroup.
    Threads,
    /// Not specified: there is no mapping.
    Anyone,
}

/// A parsed mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mapping {
    pub runner: Runner,
    /// The axes; `None` without a mapping.
    pub axes: Option<Axes>,
}

const KINDS: [(&str, Runner); 5] = [
    ("block", Runner::Blocks),
    ("thread", Runner::Threads),
    ("warp", Runner::Threads),
    ("warpgroup", Runner::Threads),
    ("lane", Runner::Threads),
];

/// Reads the mapping of a `scf.forall`. The error says what is wrong with it.
pub(super) fn read(op: Op) -> std::result::Result<Mapping, String> {
    let items = op.attr("mapping").and_then(Attr::as_array).unwrap_or_default();
    let mut places: Vec<(&str, Runner, usize, bool)> = Vec::new();
    for item in &items {
        let text = item.to_string();
        let known = text.strip_prefix("#gpu.").and_then(|t| t.strip_suffix('>')).and_then(|t| t.split_once('<'));
        let place = known.and_then(|(kind, dim)| {
            let &(kind, runner) = KINDS.iter().find(|(name, _)| *name == kind)?;
            let (at, linear) = match dim {
                "x" => (0, false),
                "y" => (1, false),
                "z" => (2, false),
                dim => (dim.strip_prefix("linear_dim_")?.parse().ok()?, true),
            };
            Some((kind, runner, at, linear))
        });
        places.push(place.ok_or_else(|| format!("`{text}` is no mapping to blocks or threads"))?);
    }
    let Some(&(kind, runner, _, linear)) = places.first() else {
        return Ok(Mapping { runner: Runner::Anyone, axes: None });
    };
    if let Some((other, ..)) = places.iter().find(|(k, ..)| *k != kind) {
        return Err(format!("it is mapped to `#gpu.{kind}` and to `#gpu.{other}`"));
    }
    if places.iter().any(|(.., l)| *l != linear) {
        return Err("some of its loops are mapped to dimensions, others to numbers (`linear_dim`)".into());
    }
    for (i, (.., at, _)) in places.iter().enumerate() {
        if places[..i].iter().any(|(.., before, _)| before == at) {
            return Err(format!("two of its loops are mapped to `{}`", items[i]));
        }
    }
    let axes = if linear {
        let mut order: Vec<usize> = (0..places.len()).collect();
        // `linear_dim_0` is the fastest.
        order.sort_by_key(|&i| std::cmp::Reverse(places[i].2));
        Axes::Numbered(order)
    } else {
        Axes::Apart(places.iter().map(|p| p.2).collect())
    };
    Ok(Mapping { runner, axes: Some(axes) })
}

/// Checks the mappings of all loops in a function. Fails for a mapping that is malformed or misplaced.
pub(crate) fn check(session: &Session, function: Op) -> Result<()> {
    let mut found = Vec::new();
    function.walk(&mut |op| {
        if op.is("scf.forall") {
            found.push(op);
        }
    });
    for op in found {
        let own = read(op).map_err(|why| bad(session, op, &why))?.runner;
        let around = |wanted: &dyn Fn(Runner) -> bool| {
            let outer = std::iter::successors(op.parent(), |op| op.parent()).filter(|op| op.is("scf.forall"));
            outer.filter_map(|op| read(op).ok()).any(|m| wanted(m.runner))
        };
        if own == Runner::Blocks && around(&|_| true) {
            return Err(bad(session, op, "it is mapped to blocks and stands inside another `scf.forall`"));
        }
        if own == Runner::Threads && around(&|r| r == Runner::Threads) {
            return Err(bad(session, op, "it is mapped to threads and stands inside a loop of threads"));
        }
    }
    Ok(())
}

fn bad(session: &Session, op: Op, why: &str) -> Error {
    let error = Error::input(format!("this `scf.forall` cannot be run: {why}"))
        .code("bad-mapping")
        .hint("map the outermost loops to `#gpu.block<x>`, `<y>`, `<z>`, loops in them to `#gpu.thread`, or leave the mapping out");
    error.at(session.span(op))
}
