//! Brings functions into the shape that forming executables expects: the steps of the pipeline `dispatch` that are done
//! here.
use super::{
    bodies,
    concats::find_concats,
    constants::inline_splats,
    depthwise::drop_unit_multipliers,
    elementwise::write_out,
    narrowings::narrow_before_concats,
    pads::pad_after_reshapes,
    reshapes::read_through_unit_dims,
    rows::see_rows_as_images,
    shared_factors::share_factors,
    sink::sink_reshapes,
    split_reduction::split_reductions,
    volumes::see_volumes_as_images,
    whole_windows::see_whole_windows_as_products,
    widenings::{widen_after_reshapes, widen_for_each_reader},
};
use halyard_ir::{Block, Builder, Op, form::Program};

/// Does a step of the pipeline on each function of a program.
pub(super) fn step(name: &str, program: Program) {
    let rewrite: fn(Op) = match name {
        "hal-mark-bodies" => bodies::mark,
        "hal-unmark-bodies" => bodies::unmark,
        "hal-write-out-elements" => write_out,
        "hal-fill-splats" => fill_splats,
        "hal-find-concats" => find_concats,
        "hal-narrow-before-concats" => narrow_before_concats,
        "hal-drop-unit-multipliers" => drop_unit_multipliers,
        "hal-see-whole-windows-as-products" => see_whole_windows_as_products,
        "hal-see-rows-as-images" => see_rows_as_images,
        "hal-see-volumes-as-images" => see_volumes_as_images,
        "hal-pad-after-reshapes" => pad_after_reshapes,
        "hal-widen-after-reshapes" => widen_after_reshapes,
        "hal-share-factors" => share_factors,
        "hal-widen-for-each-reader" => widen_for_each_reader,
        "hal-sink-reshapes" => |function| blocks(function).for_each(sink_reshapes),
        "hal-inline-splats" => |function| blocks(function).for_each(inline_splats),
        "hal-read-through-unit-dims" => |function| blocks(function).for_each(read_through_unit_dims),
        "hal-sum-in-parts" => split_reductions,
        other => unreachable!("`{other}` is no step of the pipeline"),
    };
    program.functions().into_iter().for_each(rewrite);
}

fn blocks(function: Op) -> impl Iterator<Item = Block> {
    function.regions().into_iter().flat_map(|r| r.blocks())
}

/// Makes `tensor.splat` into fills, which can share the executables of their users.
fn fill_splats(function: Op) {
    let mut splats = Vec::new();
    function.walk(&mut |op| {
        if op.is("tensor.splat") {
            splats.push(op);
        }
    });
    for op in splats {
        let (builder, result) = (Builder::before(op), op.result(0));
        let empty = builder.value("tensor.empty", &op.operands()[1..], result.ty(), &[]);
        result.replace_all_uses(builder.fill(op.operand(0), empty));
        op.erase();
    }
}
