//! The rules of the exchange form beyond what MLIR verifies.
use super::{
    Executable, Export, Interface, Phase, Program,
    arguments::verify_arguments,
    check::{verify_bounds, verify_checks},
    dim_names::verify_dim_names,
    external_verify::{verify_external_kernel, verify_own},
    fingerprint,
    fingerprint::interface_text,
    host::verify_host,
    host_function::{verify_host_functions, verify_none_inside},
    launch_verify::verify_launches,
    load_constants::{kernel_type, verify_load_constants},
    lowered,
    origin::verify_identity,
    packed::{verify_marks, verify_packed, verify_weights},
    schedule::verify_schedule,
    values::verify_call_values,
    work::verify_work,
};
use crate::{Attr, Op, Session, names};
use halyard_diag::{Diagnostic, Error, ErrorKind, Result};
use std::collections::BTreeSet;

/// Checks a program: phase and version known; executables have exports, and objects in phase `objects`; every entry
/// names an export with the same interface; results of dynamic shape say which arguments hold their sizes; ties name
/// tensor arguments of the same type; lowered exports fit their interface, which they take from their entry if they do
/// not say it; the host program computes nothing on tensors once executables are formed. Reports all problems.
pub fn verify(session: &Session, program: Program) -> Result<()> {
    let phase = program.phase()?;
    lowered::adopt_from_entries(program);
    let mut found = Vec::new();
    let mut say = |op: Op, message: String| {
        let mut d = Diagnostic::error(message).code("bad-form");
        if let Some(span) = session.span(op) {
            d = d.at(span);
        }
        found.push(d);
    };
    let executables = program.executables();
    if phase == Phase::Input {
        for e in &executables {
            say(e.op, format!("executable `@{}` in a program of phase `input`", e.name()));
        }
    } else {
        verify_host(program, &mut say);
    }
    for function in program.functions() {
        verify_own(function, &mut say);
        function.walk(&mut |op: Op| verify_call_values(op, &mut say));
    }
    verify_host_functions(program, &mut say);
    verify_checks(program, &mut say);
    verify_dim_names(program, &mut say);
    verify_bounds(program, &mut say);
    for op in program.op.body_ops() {
        verify_load_constants(op, &mut say);
        verify_marks(op, &mut say);
    }
    for given in program.external_kernels() {
        if phase == Phase::Input {
            let find =
                |name: &str| program.op.body()?.ops().into_iter().find(|op| op.symbol().as_deref() == Some(name));
            verify_external_kernel(given, &find, &mut say);
        } else if given.is_kernel() {
            say(
                given.op,
                format!(
                    "kernel `@{}` is declared in a program of phase `{phase}`; `hal-import` makes executables of kernels",
                    given.name()
                ),
            );
        }
    }
    for &executable in &executables {
        verify_executable(executable, phase, &mut say);
    }
    verify_states(program, &mut say);
    for global in program.globals() {
        let named = global.parameter().is_some_and(|p| !p.archive.is_empty() && !p.key.is_empty());
        if global.is_external() && !named {
            say(
                global.op,
                format!(
                    "global `@{}` is external, but `{}` does not say which `archive` and `key` hold its data; `hal-import --weights=FILE` takes them from a file",
                    global.name(),
                    names::PARAMETER
                ),
            );
        }
    }
    let by_name = program.executables_by_name();
    for entry in program.entries() {
        let (executable, export) = match entry.target() {
            Ok(target) => target,
            Err(e) => {
                say(entry.op, e.to_string());
                continue;
            }
        };
        let Some(found_executable) = by_name.get(&executable) else {
            say(entry.op, format!("entry `@{}` names executable `@{executable}`, which does not exist", entry.name()));
            continue;
        };
        let exports = found_executable.interface_exports();
        let Some(found_export) = exports.iter().find(|e| e.name() == export) else {
            let known: Vec<_> = exports.iter().map(|e| format!("`@{}`", e.name())).collect();
            say(
                entry.op,
                format!(
                    "entry `@{}` names export `@{export}`, which executable `@{executable}` does not have (it has {})",
                    entry.name(),
                    known.join(", ")
                ),
            );
            continue;
        };
        if fingerprint(entry.op) != fingerprint(found_export.op) {
            say(
                entry.op,
                format!(
                    "entry `@{}` and export `@{executable}::@{export}` have different interfaces: {} and {}",
                    entry.name(),
                    interface_text(entry.op),
                    interface_text(found_export.op)
                ),
            );
        }
        verify_interface(entry.op, &mut say);
    }
    verify_weights(program, &mut say);
    if found.is_empty() { Ok(()) } else { Err(Error { kind: ErrorKind::Input, diagnostics: found }) }
}

/// Reports globals whose value does not have their type, and states with the same name.
fn verify_states(program: Program, say: &mut dyn FnMut(Op, String)) {
    let mut seen = BTreeSet::new();
    for global in program.globals() {
        let (name, ty) = (global.name(), global.ty());
        if global.is_mutable() && !seen.insert(global.public_name()) {
            say(global.op, format!("two states are called `{}`", global.public_name()));
        }
        if !global.is_mutable() && ty.is_ranked_tensor() && !ty.is_static() {
            say(
                global.op,
                format!("global `@{name}` has type `{ty}`; only what is mutable may have sizes that change"),
            );
        }
        let rank = if ty.is_ranked_tensor() { ty.rank() } else { 0 };
        if let Some(list) = global.op.attr(names::DIM_NAMES) {
            let strings = list.as_array().is_some_and(|l| l.len() == rank && l.iter().all(|n| n.as_string().is_some()));
            if !strings {
                say(
                    global.op,
                    format!(
                        "`{}` of global `@{name}` is no list of {} strings, one for each dimension",
                        names::DIM_NAMES,
                        rank
                    ),
                );
            }
        }
        let Some(value) = global.value().map(Attr::value_type) else { continue };
        let size_fits = |(want, is): (Option<i64>, Option<i64>)| want.is_none_or(|want| is == Some(want));
        let fits = ty.is_ranked_tensor()
            && ty.element() == value.element()
            && ty.rank() == value.rank()
            && ty.shape().into_iter().zip(value.shape()).all(size_fits);
        if !fits {
            say(global.op, format!("global `@{name}` of type `{ty}` has a value of type `{value}`"));
        }
    }
}

/// Checks a standalone executable by the same rules.
pub fn verify_alone(session: &Session, executable: Executable) -> Result<()> {
    let mut found = Vec::new();
    verify_executable(executable, Phase::Executables, &mut |op, message| {
        let d = Diagnostic::error(message).code("bad-form");
        found.push(d.at(session.span(op)));
    });
    if found.is_empty() { Ok(()) } else { Err(Error { kind: ErrorKind::Input, diagnostics: found }) }
}

pub(super) fn verify_executable(executable: Executable, phase: Phase, say: &mut dyn FnMut(Op, String)) {
    let name = executable.name();
    let exports = executable.interface_exports();
    if exports.is_empty() {
        say(executable.op, format!("executable `@{name}` has no export (a function with `{}`)", names::EXPORT));
    }
    for export in &exports {
        verify_interface(export.op, say);
    }
    executable.exports().into_iter().for_each(|export| verify_schedule(export.op, say));
    verify_identity(executable.op, say);
    verify_work(executable.op, say);
    verify_none_inside(executable.op, say);
    executable.op.walk(&mut |op| {
        verify_load_constants(op, say);
        verify_marks(op, say);
    });
    let variants = executable.variants();
    if phase == Phase::Objects && variants.is_empty() {
        say(executable.op, format!("executable `@{name}` has no variant in a program of phase `objects`"));
    }
    let mut seen = BTreeSet::new();
    for variant in variants {
        if !seen.insert(variant.name()) {
            say(variant.op, format!("executable `@{name}` has two variants `@{}`", variant.name()));
        }
        if variant.target().is_none() {
            say(variant.op, format!("variant `@{name}::@{}` has no `{}`", variant.name(), names::TARGET));
        }
        for declared in variant.exports() {
            verify_arguments(declared.op, say);
            verify_schedule(declared.op, say);
            if lowered::is_lowered(declared.op) {
                verify_interface(declared.op, say);
            }
            if let Some(export) = exports.iter().find(|e| e.name() == declared.name())
                && fingerprint(export.op) != fingerprint(declared.op)
            {
                say(
                    declared.op,
                    format!(
                        "export `@{}` of variant `@{name}::@{}` was made for another interface: {} here, {} in the executable",
                        declared.name(),
                        variant.name(),
                        interface_text(declared.op),
                        interface_text(export.op)
                    ),
                );
            }
        }
        verify_launches(&name, variant, say);
        verify_packed(executable, variant, say);
        if phase == Phase::Objects {
            for export in &exports {
                let Some(declared) = variant.exports().into_iter().find(|d| d.name() == export.name()) else {
                    say(
                        variant.op,
                        format!("variant `@{name}::@{}` lacks export `@{}`", variant.name(), export.name()),
                    );
                    continue;
                };
                if variant.workgroups(declared).is_none() {
                    say(
                        declared.op,
                        format!(
                            "export `@{}` of variant `@{name}::@{}` has no workgroup count (`{}`)",
                            export.name(),
                            variant.name(),
                            names::WORKGROUPS
                        ),
                    );
                }
            }
            match variant.objects() {
                Ok(objects) if objects.is_empty() => {
                    say(variant.op, format!("variant `@{name}::@{}` has no objects", variant.name()))
                }
                Ok(_) => {}
                Err(e) => say(variant.op, e.to_string()),
            }
        }
    }
}

pub(super) fn verify_interface(function: Op, say: &mut dyn FnMut(Op, String)) {
    let name = function.symbol().unwrap_or_default();
    if lowered::is_lowered(function) {
        if let Err(why) = (Export { op: function }).level() {
            return say(function, format!("export `@{name}` {why}"));
        }
    } else if function.has_attr(names::INTERFACE) && (Export { op: function }).signature() != kernel_type(function) {
        return say(
            function,
            format!("export `@{name}` is on tensors, and `{}` says another type than it has", names::INTERFACE),
        );
    }
    let interface = Interface::of(function);
    for (i, ty) in interface.inputs.iter().enumerate() {
        let scalar = ty.is_index() || ty.is_integer() || ty.is_float();
        if !(ty.is_ranked_tensor() || scalar) {
            say(
                function,
                format!("argument {i} of `@{name}` has type `{ty}`; an export takes ranked tensors and scalars"),
            );
        }
    }
    for (i, ty) in interface.results.iter().enumerate() {
        if !ty.is_ranked_tensor() {
            say(function, format!("result {i} of `@{name}` has type `{ty}`; an export returns ranked tensors"));
            continue;
        }
        if let Some(tied) = interface.tied[i] {
            if interface.inputs.get(tied) != Some(ty) {
                say(
                    function,
                    format!("result {i} of `@{name}` is tied to argument {tied}, which is not a tensor of its type"),
                );
            }
            continue;
        }
        let dynamic = ty.shape().iter().filter(|d| d.is_none()).count();
        let dims = &interface.dims[i];
        if dims.len() != dynamic || dims.iter().any(|&d| interface.inputs.get(d).is_none_or(|t| !t.is_index())) {
            say(
                function,
                format!(
                    "result {i} of `@{name}` has {dynamic} dynamic dimensions; `{}` must name an `index` argument for each",
                    names::DIMS
                ),
            );
        }
    }
}
