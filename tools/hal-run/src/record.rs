//! `--record`: writes the inputs and results of a call's dispatches to a safetensors archive.
//!
//! The metadata `halyard.dispatches` is a JSON list of dispatches, with kernel, constants and the bytes of each
//! binding; the tensor `I.before.B` has the contents of binding `B` before dispatch `I`, and `I.after.B` those after
//! it, if it is written.
use crate::{RunArgs, inputs::given_or_random};
use halyard_cli::{Printer, write_output};
use halyard_diag::{Diagnostic, Error, Result};
use halyard_runtime::{FunctionInfo, Instance, InstanceOptions, KernelInfo, LoadedProgram};
use halyard_tensors::{bind_states, set_states};
use safetensors::{Dtype, tensor::TensorView};
use serde_json::{Value, json};
use std::{borrow::Cow, collections::HashMap, path::Path};

/// A record under construction.
#[derive(Default)]
pub(crate) struct Record<'a> {
    list: Vec<Value>,
    contents: Vec<(String, Cow<'a, [u8]>)>,
}

/// A dispatch to record.
pub(crate) struct Recorded<'a> {
    /// The kernel.
    pub(crate) kernel: &'a KernelInfo,
    pub(crate) constants: &'a [i64],
    pub(crate) workgroups: [u32; 3],
    /// The number of such dispatches in the call.
    pub(crate) calls: usize,
    /// The contents of each binding before and, if it is written, after.
    pub(crate) bindings: Vec<(Cow<'a, [u8]>, Option<Cow<'a, [u8]>>)>,
}

impl<'a> Record<'a> {
    /// Adds a dispatch.
    pub(crate) fn add(&mut self, one: Recorded<'a>) {
        let i = self.list.len();
        let kernel = one.kernel;
        self.list.push(json!({
            "executable": kernel.executable,
            "export": kernel.export,
            "key": kernel.identity.key,
            "origin": kernel.identity.origin,
            // The others are filled in again when what is made of this is loaded.
            "constants": one.constants[..kernel.constants],
            "workgroups": one.workgroups,
            "calls": one.calls,
            "bindings": one.bindings.iter().map(|(before, _)| before.len()).collect::<Vec<_>>(),
            "written": one.bindings.iter().map(|(_, after)| after.is_some()).collect::<Vec<_>>(),
        }));
        for (b, (before, after)) in one.bindings.into_iter().enumerate() {
            self.contents.push((format!("{i}.before.{b}"), before));
            self.contents.extend(after.map(|after| (format!("{i}.after.{b}"), after)));
        }
    }

    /// Returns the number of dispatches.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Writes it. Errors: a file that cannot be written.
    pub(crate) fn write(self, path: &Path) -> Result<()> {
        let metadata = HashMap::from([("halyard.dispatches".to_owned(), Value::from(self.list).to_string())]);
        let views: Vec<(&str, TensorView<'_>)> = self
            .contents
            .iter()
            .map(|(name, bytes)| Ok((name.as_str(), TensorView::new(Dtype::U8, vec![bytes.len()], bytes)?)))
            .collect::<Result<_, safetensors::SafeTensorError>>()
            .map_err(|e| Error::environment(format!("the record cannot be made: {e}")))?;
        let bytes = safetensors::serialize(views, Some(metadata))
            .map_err(|e| Error::environment(format!("the record cannot be made: {e}")))?;
        write_output(path, &bytes)
    }
}

/// Calls a function and writes the record. Errors: inputs that do not fit; a dynamic one of unknown size; a failed call.
pub(crate) fn record(
    args: &RunArgs,
    path: &Path,
    program: &LoadedProgram,
    function: &FunctionInfo,
    printer: &Printer,
) -> Result<()> {
    let (inputs, _) = given_or_random(args, function)?;
    let states = bind_states(&args.state_in, program)?;
    let mut instance = Instance::new(program, InstanceOptions { threads: args.load.threads })?;
    set_states(&mut instance, &states)?;
    if args.record_all {
        return all(args, path, function, &mut instance, &inputs, printer);
    }
    let mut captured = instance.capture(&function.name, &inputs)?;
    let mut record = Record::default();
    for dispatch in &mut captured {
        let count = dispatch.binding_bytes.len();
        let before: Vec<Vec<u8>> = (0..count).map(|b| dispatch.binding(b).to_vec()).collect();
        instance.run_dispatch(dispatch, 1)?;
        let after = |b: usize| dispatch.written[b].then(|| Cow::from(dispatch.binding(b).to_vec()));
        let bindings = before.into_iter().enumerate().map(|(b, before)| (before.into(), after(b))).collect();
        let kernel = &program.kernels()[dispatch.kernel];
        let (constants, workgroups, calls) = (&dispatch.constants[..], dispatch.workgroups, dispatch.occurrences);
        record.add(Recorded { kernel, constants, workgroups, calls, bindings });
    }
    record.write(path)?;
    printer.note(match captured.len() {
        1 => "recorded 1 dispatch".to_owned(),
        n => format!("recorded {n} different dispatches"),
    });
    Ok(())
}

/// The record of every dispatch, in order, as far as the limit allows.
fn all(
    args: &RunArgs,
    path: &Path,
    function: &FunctionInfo,
    instance: &mut Instance,
    inputs: &[halyard_runtime::Tensor],
    printer: &Printer,
) -> Result<()> {
    let (_, trace) = instance.trace(&function.name, inputs, args.record_limit)?;
    let mut record = Record::default();
    let program = instance.program().clone();
    for dispatch in &trace.dispatches {
        let bindings = dispatch.bindings.iter().map(|b| {
            let after = b.after.as_ref().map(|c| Cow::from(c.bytes()));
            // The kernel must not depend on the old contents of a result with its own memory.
            let before = b.before.as_ref().map(|c| Cow::from(c.bytes()));
            let zeros = || Cow::from(vec![0; after.as_ref().map_or(0, |a| a.len())]);
            (before.unwrap_or_else(zeros), after)
        });
        record.add(Recorded {
            kernel: &program.kernels()[dispatch.kernel],
            constants: &dispatch.constants,
            workgroups: dispatch.workgroups,
            calls: 1,
            bindings: bindings.collect(),
        });
    }
    let count = record.len();
    record.write(path)?;
    printer.note(format!("recorded {count} {}", if count == 1 { "dispatch" } else { "dispatches" }));
    if trace.left_out > 0 {
        let left =
            format!("the last {} of {} dispatches are not in the record", trace.left_out, count + trace.left_out);
        let why = format!("--record-limit is {} bytes", args.record_limit);
        printer.diagnostic(&Diagnostic::warning(left).code("record-limit").note(why));
    }
    Ok(())
}
