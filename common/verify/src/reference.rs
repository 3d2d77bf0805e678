//! The reference: a source on tensors by upstream's passes alone, as plain loops.
//!
//! A wrapper reads the arguments from memory and lets bufferization write a result to memory; nothing of the code generator
//! of this project is in between. What takes long is not computed as a whole: upstream's tiling makes a function of it that
//! computes the elements from a given place on.
mod lowering;
mod wrapping;

use crate::{
    machine::{ILLEGAL, Machine},
    samples::{self, Samples},
};
use halyard_diag::{Error, Result};
use halyard_ir::{Builder, Op, Session, Type, form::Export};
pub(crate) use lowering::DIALECTS;
use lowering::{lower, run_transform_script};
use serde::{Deserialize, Serialize};
use std::sync::atomic::Ordering;
use wrapping::{add_count, copy, wrap};

/// What is computed at once.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Piece {
    /// The function.
    pub(crate) name: String,
    /// The results that it writes.
    pub(crate) results: Vec<usize>,
    /// The places that it can start from; `None` if it computes everything.
    pub(crate) samples: Option<Samples>,
}

/// The reference of an executable as an object, which all forks of this process can load: it knows the address of a flag.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Reference {
    /// It calls what the source calls.
    pub(crate) object: Vec<u8>,
    /// For each export, what computes its results.
    pub(crate) pieces: Vec<Vec<Piece>>,
    /// For each export, the name of the function that counts its workgroups.
    pub(crate) counts: Vec<String>,
}

/// Builds it. `counts` are functions of a variant from constants to workgroups. Errors: what upstream's passes cannot lower.
pub(crate) fn build(
    session: &Session,
    machine: &Machine,
    source: Op,
    exports: &[Export],
    counts: &[Op],
) -> Result<Reference> {
    let module = copy(session, source);
    let root = Op::from(&module);
    let mut pieces = Vec::new();
    for (e, export) in exports.iter().enumerate() {
        let sampled = samples::plan(export.op)?;
        let list: Vec<Piece> = match sampled {
            None => vec![Piece {
                name: format!("halyard_reference_{e}"),
                results: (0..export.ty().results().len()).collect(),
                samples: None,
            }],
            Some(list) => list
                .into_iter()
                .enumerate()
                .map(|(r, samples)| Piece { name: format!("halyard_reference_{e}_{r}"), results: vec![r], samples })
                .collect(),
        };
        for piece in &list {
            wrap(session, root, *export, piece)?;
        }
        pieces.push(list);
    }
    let names =
        counts.iter().enumerate().map(|(e, count)| add_count(session, root, *count, e)).collect::<Result<Vec<_>>>()?;
    let mut public: Vec<String> = pieces.iter().flatten().map(|p| p.name.clone()).collect();
    public.extend(names.iter().cloned());
    lower(session, &module, pieces.iter().flatten())?;
    let object = machine.compile(root, &public)?;
    Ok(Reference { object, pieces, counts: names })
}

/// An object with a function that counts workgroups, and its name, which has a number. Errors: what upstream's passes cannot lower.
pub(crate) fn count(session: &Session, machine: &Machine, count: Op, number: usize) -> Result<(Vec<u8>, String)> {
    let module = session.empty_module();
    let root = Op::from(&module);
    let name = add_count(session, root, count, number)?;
    lower(session, &module, std::iter::empty())?;
    let object = machine.compile(root, std::slice::from_ref(&name))?;
    Ok((object, name))
}

pub(crate) fn any(root: Op, holds: &mut dyn FnMut(Op) -> bool) -> bool {
    let mut found = false;
    root.walk(&mut |op| found |= holds(op));
    found
}

/// Lets a piece compute one tile of its result, from the place that it is given on.
fn sample(session: &Session, root: Op, name: &str, samples: &Samples) -> Result<()> {
    let functions = root.body_ops();
    let function = functions.into_iter().find(|op| op.symbol().as_deref() == Some(name)).expect("it was added");
    let body = function.body().expect("it has a body");
    let store =
        body.ops().into_iter().find(|op| op.is("bufferization.materialize_in_destination")).expect("it was added");
    samples::peel(store);
    let target = store.operand(1);
    let Some(tiled) = store.operand(0).def().filter(|op| halyard_ir::Structured::of(*op).is_some()) else {
        return Err(Error::input("the result is not computed by an operation that upstream tiles"));
    };
    tiled.set_attr("halyard_root", halyard_ir::Attr::unit(session.raw()));
    let sizes: Vec<String> = samples.tile.iter().map(ToString::to_string).collect();
    let loops = samples.tile.iter().filter(|&&t| t > 0).count();
    let handles = vec!["!transform.any_op"; loops + 1].join(", ");
    let text = format!(
        "module attributes {{transform.with_named_sequence}} {{
  transform.named_sequence @__transform_main(%root: !transform.any_op {{transform.readonly}}) {{
    %op = transform.structured.match attributes{{halyard_root}} in %root : (!transform.any_op) -> !transform.any_op
    %t, %l:{loops} = transform.structured.fuse %op tile_sizes [{}] : (!transform.any_op) -> ({handles})
    transform.yield
  }}
}}",
        sizes.join(", ")
    );
    run_transform_script(session, function, &text)?;
    let outermost = store.operand(0).def().filter(|op| op.is("scf.for"));
    let outermost = outermost.ok_or_else(|| Error::input("upstream's tiling made no loop"))?;
    let position = store.operand(0).index();
    let index = Type::index(session.raw());
    // One turn of each loop, from the place that is given.
    let places = *body.args().last().expect("the places come last");
    let at = Builder::before(outermost);
    let mut next = Some(outermost);
    for i in 0..loops {
        let Some(this) = next else { return Err(Error::input("upstream's tiling made fewer loops than asked for")) };
        let start = at.value("memref.load", &[places, at.index(i as i64)], index, &[]);
        let end = at.value("arith.addi", &[start, at.index(1)], index, &[]);
        this.set_operand(0, start);
        this.set_operand(1, end);
        next = this.body().and_then(|b| b.ops().into_iter().find(|op| op.is("scf.for") && !op.results().is_empty()));
    }
    // All other elements stay what they are.
    let tensor = outermost.result(position).ty();
    let unit = halyard_ir::Attr::unit(session.raw());
    let whole = at.value("bufferization.to_tensor", &[target], tensor, &[("restrict", unit), ("writable", unit)]);
    outermost.set_operand(3 + position, whole);
    Ok(())
}

/// Whether the last call of a reference was given what its source has no meaning for; forgets it.
pub(crate) fn was_illegal() -> bool {
    ILLEGAL.swap(0, Ordering::SeqCst) != 0
}
