//! Files of a crate use each other in one direction, but for a module and those below it.
use crate::{modules::Modules, none};
use std::collections::{BTreeMap, BTreeSet};

/// Arrows that close cycles: uses that should be turned round, or whose item belongs to a file of its own. No arrow may be
/// added; one that closes no cycle any more has to go.
const BACKWARDS: [(&str, &str); 38] = [
    ("exec::tool", "exec::call"),
    ("hal-compile::dump", "hal-compile::args"),
    ("hal-compile::dump", "hal-compile::plan"),
    ("hal-compile::dump", "hal-compile::steps"),
    ("hal-compile::plan", "hal-compile::args"),
    ("hal-compile::plan", "hal-compile::preprocess"),
    ("hal-compile::steps", "hal-compile::substitute"),
    ("hal-import::onnx::narrow", "hal-import::onnx::elem"),
    ("hal-import::onnx::ops::integers", "hal-import::onnx::ops::conv"),
    ("hal-import::onnx::ops::recurrent::steps", "hal-import::onnx::ops::recurrent::gates"),
    ("hal-import::onnx::ops::tournament", "hal-import::onnx::ops::sort"),
    ("hal-import::onnx::value", "hal-import::onnx::ragged"),
    ("hal-import::onnx::value", "hal-import::onnx::strings"),
    ("hal-link::kernels", "hal-link::link"),
    ("hal-link::lower::function", "hal-link::lower::unit"),
    ("hal-substitute::variant_source", "hal-substitute::code"),
    ("hal-translate::codegen::lowering", "hal-translate::codegen::route"),
    ("hal-translate::program", "hal-translate::verified"),
    ("ir::form::executable", "ir::form::variant"),
    ("ir::form::launch", "ir::form::variant"),
    ("ir::handles::attr", "ir::session"),
    ("kernel::families::dots::form", "kernel::families::dots::image"),
    ("kernel::gpu::tiles", "kernel::gpu::estimate"),
    ("kernel::graph::form", "kernel::graph::tensors"),
    ("kernel::graph::scalar", "kernel::graph::size"),
    ("kernel::emit::memory", "kernel::emit::ir_builder"),
    ("manifest::read", "manifest::manifest"),
    ("objects::kind", "objects::text"),
    ("objects::object", "objects::load_constants"),
    ("preprocess::kept", "preprocess::calls"),
    ("runtime::crash::board", "runtime::crash::texts"),
    ("runtime::device::cuda::adapter", "runtime::device::cuda::device"),
    ("runtime::interpret", "runtime::states"),
    ("runtime::states", "runtime::instance"),
    ("stages::stages::examples", "stages::stages::file"),
    ("stages::stages::file", "stages::stages::patterns"),
    ("stages::stages::file", "stages::stages::schedule"),
    ("stages::stages::pdl_mismatch", "stages::stages::patterns"),
];

type Arrows = BTreeMap<String, BTreeSet<String>>;

/// Whether a way leads from one module to another.
fn leads(arrows: &Arrows, from: &str, to: &str) -> bool {
    let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(here) = open.pop() {
        if here == to {
            return true;
        }
        open.extend(arrows.get(here).into_iter().flatten().map(String::as_str).filter(|next| seen.insert(next)));
    }
    false
}

/// The arrows that lie on a cycle.
fn cyclic(arrows: &Arrows) -> Vec<(&str, &str)> {
    let all = arrows.iter().flat_map(|(from, tos)| tos.iter().map(move |to| (from.as_str(), to.as_str())));
    all.filter(|(from, to)| leads(arrows, to, from)).collect()
}

#[test]
fn files_use_each_other_in_one_direction() {
    let mut arrows = Modules::read().arrows();
    let mut findings = Vec::new();
    let mut known = Vec::new();
    for (from, to) in BACKWARDS {
        match arrows.get_mut(from).is_some_and(|tos| tos.remove(to)) {
            true => known.push((from, to)),
            false => findings.push(format!("BACKWARDS: {from} does not use {to} any more")),
        }
    }
    let unneeded = known.into_iter().filter(|(from, to)| !leads(&arrows, to, from));
    findings.extend(unneeded.map(|(from, to)| format!("BACKWARDS: {from} -> {to} closes no cycle any more")));
    findings.extend(cyclic(&arrows).into_iter().map(|(from, to)| format!("{from} -> {to} is part of a cycle")));
    none(findings, "move what both files need to a file of its own, or below one of them");
}

#[test]
fn cycles_are_found() {
    let arrow = |from: &str, tos: &[&str]| (from.to_owned(), tos.iter().map(|t| (*t).to_owned()).collect());
    let arrows = Arrows::from([arrow("a", &["b"]), arrow("b", &["c", "d"]), arrow("c", &["a"])]);
    assert_eq!(cyclic(&arrows), [("a", "b"), ("b", "c"), ("c", "a")]);
}
