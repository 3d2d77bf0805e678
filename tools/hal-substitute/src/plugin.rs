//! Substitutes shared objects: the kernel stays in the file and is loaded with the program.
//!
//! A program cannot contain the code of a shared object. It gets a small function that jumps to the function of the
//! same name in a kernel library; `hal-run --executable-plugin` names the file.
use crate::{files::Source, llvm, signature::Signature};
use halyard_diag::{Error, Result, either, nearest};
use halyard_ir::{
    form::{Export, Interface},
    names::PLUGIN_PREFIX,
};
use halyard_objects::{FileFormat, ObjectFile, architecture_of_triple, declared, inspect, inspect_shared};
use halyard_targets::CpuTarget;
use std::rc::Rc;

/// The functions that go on to those of a shared object, one an export, as an object. Errors: a program, not a library;
/// another architecture; an export that it does not have.
pub(crate) fn forward(file: &Source, exports: &[Export], target: &CpuTarget, name: String) -> Result<ObjectFile> {
    let owner = format!("`{}`", file.name);
    let shared = inspect_shared(&file.bytes, &owner)?;
    if shared.is_program {
        let error =
            Error::input(format!("{owner}: this is a program, which is a complete program and cannot be linked"));
        return Err(error.code("wrong-kind").hint("pass the object (.o) of the kernel"));
    }
    let wanted = architecture_of_triple(&target.triple);
    if shared.architecture != wanted {
        let text = format!("{owner} is for `{}`, the target for `{wanted}`", shared.architecture);
        return Err(Error::input(text).code("wrong-architecture").note(format!("the target is `{target}`")));
    }
    let names: Vec<String> = exports.iter().map(|e| e.name()).collect();
    let said = declared(&file.bytes, &names);
    let mut text = String::new();
    for export in exports {
        let symbol = export.name();
        match shared.defined.get(&symbol) {
            Some(true) => {
                said.get(&symbol).map_or(Ok(()), |is| Signature::of(*export).check(is, &owner))?;
                text += &forwarder(*export);
            }
            Some(false) => {
                return Err(Error::input(format!("{owner}: `{symbol}` is data, not a function")).code("missing-kernel"));
            }
            None => {
                let error = Error::input(format!("no function `{symbol}` in {owner}")).code("missing-kernel");
                let functions = shared.defined.iter().filter(|(_, f)| **f).map(|(n, _)| n.as_str());
                let near = nearest(&symbol, functions);
                return Err(if near.is_empty() {
                    error.note(format!("it exports {} functions", shared.defined.values().filter(|f| **f).count()))
                } else {
                    error.hint(format!("did you mean {}? the symbol must be `{symbol}`", either(&near)))
                });
            }
        }
    }
    let ir = Source { bytes: Rc::new(text.into_bytes()), kind: FileFormat::LlvmText, ..file.clone() };
    inspect(llvm::compile(&ir, &[], target)?, name, owner)
}

/// A function of the kernel ABI that calls the one of the plugin.
fn forwarder(export: Export) -> String {
    let interface = Interface::of_kernel(export.op);
    let bindings = interface.tensor_inputs().len() + interface.untied_results().len();
    let mut types = vec!["ptr"; bindings];
    types.extend(vec!["i64"; interface.constant_count()]);
    types.push("ptr");
    let arguments: Vec<String> = types.iter().enumerate().map(|(i, ty)| format!("{ty} %a{i}")).collect();
    let arguments = arguments.join(", ");
    // Symbols hold any character: LLVM's escapes in quotes.
    let escaped: String = export.name().bytes().map(|b| format!("\\{b:02X}")).collect();
    format!(
        "declare void @\"{PLUGIN_PREFIX}{escaped}\"({})\n\
         define void @\"{escaped}\"({arguments}) nounwind {{\n  \
         tail call void @\"{PLUGIN_PREFIX}{escaped}\"({arguments})\n  ret void\n}}\n",
        types.join(", ")
    )
}
