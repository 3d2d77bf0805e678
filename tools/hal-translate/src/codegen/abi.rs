//! Adds the kernel ABI to a function on tensors.
use super::{
    frame::{Frame, constant_count},
    grid::{Id, Workgroups},
    workgroup,
};
use halyard_diag::{Error, Result};
use halyard_ir::{
    Attr, Block, Builder, Op, Region, Type, Value,
    form::{Export, Interface},
    names,
};

/// Replaces an export, a function on tensors of one block, by one of the kernel ABI that reads its arguments from and
/// writes its results to buffers. Without workgroups, the whole body runs in whichever workgroup calls it: the count must be 1
/// (see [`single_workgroup`]). Errors: a type that cannot be passed, a body of several blocks.
pub(super) fn wrap(export: Export, workgroups: Option<&Workgroups>) -> Result<Op> {
    let interface = Interface::of_kernel(export.op);
    let frame = Frame::open(export.op, &interface)?;
    let pointer = frame.workgroup;
    let id = |at: &Builder, axis: usize| workgroup::read(at, pointer, axis as i32);
    let workgroups = workgroups.map(|w| (w, &id as Id<'_>));
    fill(export.op, &interface, frame.at, &frame.inputs, &frame.outputs, workgroups)?;
    Ok(frame.close(export.op))
}

/// Moves the body of a function on tensors, of one block, to where a kernel is made: its arguments are read from `inputs`,
/// its results written to `outputs`, memrefs of their shapes. With workgroups, each does its part of them. Errors: a body of
/// several blocks.
pub(crate) fn fill(
    function: Op,
    interface: &Interface,
    at: Builder,
    inputs: &[Value],
    outputs: &[Value],
    workgroups: Option<(&Workgroups, Id<'_>)>,
) -> Result<()> {
    if function.region(0).blocks().len() != 1 {
        return Err(Error::input("a function of several blocks cannot be translated")
            .code("unsupported-op")
            .hint("use structured control flow (`scf`)"));
    }
    let context = function.context();
    let body = at.block;

    // The old body moves in, its arguments become tensors of those buffers.
    let old = function.body().expect("an export of a source has a body");
    let mut tied_tensors: Vec<(usize, Value)> = Vec::new();
    for (i, argument) in old.args().into_iter().enumerate() {
        let ty = interface.inputs[i];
        let mut value = inputs[i];
        if ty.is_tensor() {
            let mut attrs = vec![("restrict", Attr::unit(context))];
            if interface.tied.contains(&Some(i)) {
                attrs.push(("writable", Attr::unit(context)));
            }
            value = at.value("bufferization.to_tensor", &[value], ty, &attrs);
            tied_tensors.push((i, value));
        }
        argument.replace_all_uses(value);
    }
    for op in old.ops() {
        op.detach();
        body.append(op);
    }

    let end = body.terminator().expect("a function ends with a return");
    if let Some((workgroups, id)) = workgroups {
        workgroups.place(end, outputs, id);
        return Ok(());
    }
    let at = Builder::before(end);
    let results = end.operands();
    for i in interface.untied_results() {
        store(&at, results[i], outputs[i]);
    }
    let ties = interface.tied.iter().flatten().count();
    // With several ties one result may be read from the buffer that another one overwrites: copy first.
    let mut kept: Vec<Value> = Vec::new();
    for i in (0..results.len()).filter(|&i| interface.tied[i].is_some()) {
        let value = if ties > 1 { copy(&at, results[i]) } else { results[i] };
        kept.push(value);
    }
    for (i, value) in (0..results.len()).filter(|&i| interface.tied[i].is_some()).zip(kept) {
        let argument = interface.tied[i].expect("filtered");
        let tensor = tied_tensors.iter().find(|(a, _)| *a == argument).expect("ties name tensors").1;
        // First into the tensor, so that the analysis sees reads of the old contents; then into its buffer, which is
        // nothing where that happened in place.
        let value = at.value("bufferization.materialize_in_destination", &[value, tensor], interface.results[i], &[]);
        store(&at, value, outputs[i]);
    }
    end.set_operands(&[]);
    Ok(())
}

/// The function that says that one workgroup does all the work: `@EXPORT_workgroups`, in no block.
pub(crate) fn single_workgroup(export: Export) -> Op {
    let (context, loc) = (export.op.context(), export.op.loc());
    let index = Type::index(context);
    let inputs = vec![index; constant_count(&Interface::of_kernel(export.op))];
    let body = Block::create(&inputs, loc);
    let at = Builder::at_end(body, loc);
    let one = at.index(1);
    at.op("func.return", &[one, one, one], &[], &[]);
    let region = Region::create();
    region.append(body);
    let attrs = [
        ("sym_name", Attr::string(context, &workgroups_name(&export.name()))),
        ("function_type", Attr::ty(Type::function(context, &inputs, &[index; 3]))),
    ];
    Builder::create(loc, "func.func", &[], &[], &attrs, vec![region])
}

/// The name of an export's workgroup count.
pub(crate) fn workgroups_name(export: &str) -> String {
    format!("{export}_{}", names::WORKGROUPS.rsplit('.').next().expect("split gives one part at least"))
}

fn store(at: &Builder, tensor: Value, memref: Value) {
    let unit = Attr::unit(at.context());
    at.op(
        "bufferization.materialize_in_destination",
        &[tensor, memref],
        &[],
        &[("restrict", unit), ("writable", unit)],
    );
}

fn copy(at: &Builder, tensor: Value) -> Value {
    let sizes = Attr::parse(at.context(), "array<i32: 0, 1, 0>").expect("an attribute");
    at.value("bufferization.alloc_tensor", &[tensor], tensor.ty(), &[("operandSegmentSizes", sizes)])
}
