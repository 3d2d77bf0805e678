//! Workgroup counts of hand-written kernels.
use halyard_ir::{
    Attr, Block, Builder, Op, Region, Type,
    form::{ExternalCount, ExternalKernel, Interface, Program},
};

/// The function that computes the workgroup count of a kernel, which is called `export`, in no block.
pub(super) fn make(program: Program, given: ExternalKernel, export: &str, count: &ExternalCount) -> Op {
    let context = given.op.context();
    let name = Attr::string(context, &format!("{export}_workgroups"));
    match count {
        ExternalCount::Constant(counts) => {
            let index = Type::index(context);
            let inputs = vec![index; Interface::of(given.op).constant_count()];
            let block = Block::create(&inputs, given.op.loc());
            let at = Builder::at_end(block, given.op.loc());
            let values: Vec<_> = counts.iter().map(|&c| at.index(c)).collect();
            at.op("func.return", &values, &[], &[]);
            let region = Region::create();
            region.append(block);
            let ty = Type::function(context, &inputs, &[index; 3]);
            Builder::create(
                given.op.loc(),
                "func.func",
                &[],
                &[],
                &[("sym_name", name), ("function_type", Attr::ty(ty))],
                vec![region],
            )
        }
        ExternalCount::Function(function) => {
            let ops = program.op.body_ops();
            let found =
                ops.into_iter().find(|op| op.symbol().as_deref() == Some(function)).expect("the program was verified");
            found.set_attr(USED, Attr::unit(context));
            let copy = found.duplicate();
            copy.remove_attr(USED);
            copy.remove_attr("sym_visibility");
            copy.set_attr("sym_name", name);
            copy
        }
    }
}

/// Marks functions that the kernels have got, until [`forget`].
const USED: &str = "hal.counted";

/// Removes the private functions that only computed workgroup counts.
pub(super) fn forget(program: Program) {
    let calls = super::calls(program);
    for function in program.functions() {
        if !function.remove_attr(USED) {
            continue;
        }
        let private = function.attr("sym_visibility").and_then(Attr::as_string).is_some_and(|v| v == "private");
        if private && !function.symbol().is_some_and(|n| calls.contains_key(&n)) {
            function.erase();
        }
    }
}
