//! The layout pass: writes the convolutions of one export in the forms of fast CPU kernels, which take their filters packed, and reads
//! matrices that are quantised in blocks, or of floats, in panels.
//!
//! It runs on a copy of the export for one variant, so that the source keeps the model's convolutions. Only arguments that are
//! weights (`hal.weight`) can be packed: their contents are known when the program is linked. What comes out are upstream
//! operations like everything else.
mod blocks;
mod byte_blocks;
mod byte_matrices;
mod byte_winograd;
mod bytes;
mod channels_last;
mod convolution;
mod filter_blocks;
mod matrices;
mod site;
mod winograd;

use crate::Options;
use convolution::Convolution;
use halyard_ir::{
    Attr, Op, Type, Value, WeightLayout,
    form::{Export, PackedWeight},
    is_contraction,
};
use halyard_kernel::MachineModel;
use site::{Site, sizes};
use std::collections::HashSet;

/// Rewrites the convolutions of an export on tensors that it pays for, and products with quantised weights; says which arguments have become packed weights, in
/// order. The options say what may cost exactness.
pub(crate) fn choose(export: Op, options: Options, machine: &MachineModel) -> Vec<PackedWeight> {
    let lanes = i64::from(machine.vector_bits / 32);
    let group = machine.dots.bytes_together();
    let (Some(body), marked) = (export.body(), (Export { op: export }).weights()) else { return Vec::new() };
    if marked.is_empty() {
        return Vec::new();
    }
    let (mut convolutions, mut generics, mut products) = (Vec::new(), Vec::new(), Vec::new());
    export.walk(&mut |op| {
        if op.is("linalg.conv_2d_nchw_fchw") || op.is("linalg.conv_2d_ngchw_gfchw") {
            convolutions.push(op);
        } else if is_contraction(op) {
            products.push(op);
        } else if op.is("linalg.generic") && op.result_count() == 1 {
            generics.push(op);
        }
    });
    let arguments = body.args();
    let mut weights =
        Weights { arguments: marked.into_iter().map(|i| (i, arguments[i])).collect(), packed: Vec::new() };
    // Before convolutions take what makes their filters wider with them.
    for op in generics {
        _ = blocks::rewrite(op, &mut weights, options.activations);
    }
    for op in convolutions {
        let floats = |weights: &mut Weights| {
            let convolution = Convolution::of(op)?;
            winograd::rewrite(&convolution, weights, options.winograd, lanes)
                .or_else(|| filter_blocks::rewrite(&convolution, weights, lanes))
        };
        if floats(&mut weights).is_none() {
            let words = (group == Some(2)).then(|| byte_winograd::rewrite(op, &mut weights, lanes)).flatten();
            let packed =
                words.or_else(|| group.and_then(|group| byte_blocks::rewrite(op, &mut weights, machine, group)));
            _ = packed.or_else(|| channels_last::rewrite(op, &mut weights, machine));
        }
    }
    // Chains are found before products are rewritten, which erases them.
    let alone: Vec<Op> = products.iter().copied().filter(|op| !is_in_chain(*op, &products)).collect();
    for op in alone {
        if matrices::rewrite(op, &mut weights).is_none() {
            _ = group.and_then(|group| byte_matrices::rewrite(op, &mut weights, group));
        }
    }
    let mut packed = weights.packed;
    if !packed.is_empty() {
        let inputs: Vec<Type> = arguments.iter().map(|a| a.ty()).collect();
        let ty = Type::function(export.context(), &inputs, &(Export { op: export }).signature().results());
        export.set_attr("function_type", Attr::ty(ty));
    }
    packed.sort();
    packed
}

/// Whether a product reads what another one of the export makes, or makes what another one reads. One kernel takes rows through both
/// and keeps them, which wants matrices as they are.
fn is_in_chain(op: Op, products: &[Op]) -> bool {
    products.iter().any(|other| *other != op && (follows(op, *other) || follows(*other, op)))
}

/// Whether an operation of a block reads, perhaps through others, what an earlier one makes.
fn follows(op: Op, earlier: Op) -> bool {
    let (mut seen, mut next) = (HashSet::from([op]), vec![op]);
    while let Some(op) = next.pop() {
        let read = op.operands().into_iter().filter_map(Value::def);
        next.extend(read.filter(|def| seen.insert(*def)));
    }
    seen.contains(&earlier)
}

/// The arguments of an export that are weights, and those of them that have been packed.
struct Weights {
    arguments: Vec<(usize, Value)>,
    packed: Vec<PackedWeight>,
}

impl Weights {
    /// The packed type of a value in a layout, and what packs it: `None` if it is no weight, or anything but the one operation
    /// reads it.
    fn packed(&self, value: Value, layout: WeightLayout) -> Option<Packing> {
        let (argument, _) = *self.arguments.iter().find(|(_, known)| *known == value)?;
        let packed = PackedWeight { argument, layout };
        let ty = packed.type_of(value.ty())?;
        (value.uses().len() == 1).then_some(Packing { packed, value, ty })
    }

    /// The argument is packed from now on. Gives its value, of the packed type.
    fn pack(&mut self, packing: Packing) -> Value {
        packing.value.set_ty(packing.ty);
        self.arguments.retain(|(i, _)| *i != packing.packed.argument);
        self.packed.push(packing.packed);
        packing.value
    }
}

/// An argument that can be packed.
struct Packing {
    packed: PackedWeight,
    value: Value,
    ty: Type,
}
