//! Builds a kernel on flat buffers, with its bindings as memrefs of their shapes and its constants as scalars.
//!
//! `func.func @EXPORT(memref<?xT>, …, memref<Nxi32>)`: a buffer for each binding, then the block of push constants, if
//! there are any. [`super::outline`] turns it into a `gpu.func` once everything is loops.
use super::push::{self, Push};
use halyard_diag::Result;
use halyard_ir::{Attr, Block, Builder, Op, Region, Type, Value, form::Interface};

/// A kernel under construction.
pub(super) struct Frame {
    /// The insertion point of the body: after the operations that make the values below.
    pub at: Builder,
    /// The arguments of the interface: memrefs for tensors, and scalars.
    pub inputs: Vec<Value>,
    /// The results of the interface, as memrefs; a tied result is that of its argument.
    pub outputs: Vec<Value>,
    types: Vec<Type>,
}

impl Frame {
    /// Begins a kernel with the interface of a function. Errors: more constants than can be passed.
    pub(super) fn open(function: Op, interface: &Interface) -> Result<Self> {
        let context = function.context();
        let push = Push::of(function)?;
        let kinds = push::constants(interface);
        let tensors: Vec<usize> = (0..interface.inputs.len()).filter(|&i| is_buffer(interface.inputs[i])).collect();
        let flat = |ty: &Type| Type::memref(&[None], ty.element());
        let mut types: Vec<Type> = tensors.iter().map(|&i| flat(&interface.inputs[i])).collect();
        types.extend(interface.untied_results().iter().map(|&r| flat(&interface.results[r])));
        let bindings = types.len();
        if push.all > 0 {
            types.push(Type::memref(&[Some(push.all as i64)], Type::integer(context, 32)));
        }
        let body = Block::create(&types, function.loc());
        let at = Builder::at_end(body, function.loc());
        let args = body.args();
        let mut constants: Vec<Value> = Vec::new();
        for (&word, &ty) in push.words.iter().zip(&kinds) {
            constants.push(constant(&at, args[bindings], word, ty));
        }
        let mut constants = constants.into_iter();
        let mut buffers = args[..bindings].iter().copied();
        let mut inputs: Vec<Option<Value>> = vec![None; interface.inputs.len()];
        for &i in &tensors {
            let flat = buffers.next().expect("a buffer for each tensor");
            inputs[i] = Some(shaped(&at, flat, interface.inputs[i], &mut constants));
        }
        let mut outputs = Vec::new();
        for (r, &ty) in interface.results.iter().enumerate() {
            match interface.tied[r] {
                Some(tied) => {
                    // The sizes are passed twice; they are those of the argument.
                    let dynamic = ty.shape().iter().filter(|d| d.is_none()).count();
                    constants.by_ref().take(dynamic).for_each(|_| ());
                    outputs.push(inputs[tied].expect("the verifier has checked that ties name tensors"));
                }
                None => {
                    let flat = buffers.next().expect("a buffer for each result");
                    outputs.push(shaped(&at, flat, ty, &mut constants));
                }
            }
        }
        let inputs =
            inputs.into_iter().map(|i| i.unwrap_or_else(|| constants.next().expect("a constant for each scalar")));
        Ok(Self { at, inputs: inputs.collect(), outputs, types })
    }

    /// Ends the kernel, whose block must have its terminator: it replaces the export and gets its name.
    pub(super) fn close(self, export: Op) -> Op {
        let kernel = self.insert(export, &export.symbol().unwrap_or_default());
        export.erase();
        kernel
    }

    /// Does the same, but keeps the export, after the kernel.
    pub(super) fn insert(self, export: Op, name: &str) -> Op {
        let context = export.context();
        let region = Region::create();
        region.append(self.at.block);
        let attrs = [
            ("sym_name", Attr::string(context, name)),
            ("function_type", Attr::ty(Type::function(context, &self.types, &[]))),
        ];
        Builder::before(export).op_with_regions("func.func", &[], &[], &attrs, vec![region])
    }
}

fn is_buffer(ty: Type) -> bool {
    ty.is_tensor() || ty.is_memref()
}

/// Assembles a constant from its words.
fn constant(at: &Builder, block: Value, word: usize, ty: Type) -> Value {
    let context = at.context();
    let [word_type, long] = [32, 64].map(|bits| Type::integer(context, bits));
    let load = |word: usize| at.value("memref.load", &[block, at.index(word as i64)], word_type, &[]);
    if ty.is_index() {
        return at.value("arith.index_cast", &[load(word)], ty, &[]);
    }
    let bits = match ty.bits() {
        64 => {
            let [low, high] = [word, word + 1].map(|w| at.value("arith.extui", &[load(w)], long, &[]));
            let up = at.constant(Attr::integer(long, 32));
            let high = at.value("arith.shli", &[high, up], long, &[]);
            at.value("arith.ori", &[high, low], long, &[])
        }
        32 => load(word),
        bits => at.value("arith.trunci", &[load(word)], Type::integer(context, bits), &[]),
    };
    if ty.is_float() { at.value("arith.bitcast", &[bits], ty, &[]) } else { bits }
}

/// A flat buffer in the shape of a tensor.
fn shaped(at: &Builder, flat: Value, tensor: Type, constants: &mut dyn Iterator<Item = Value>) -> Value {
    let context = at.context();
    let index = Type::index(context);
    let shape = tensor.shape();
    let sizes: Vec<Value> =
        shape.iter().map(|d| d.map_or_else(|| constants.next().expect("a size"), |d| at.index(d))).collect();
    let mut strides: Vec<(Option<i64>, Value)> = vec![(Some(1), at.index(1)); shape.len()];
    for i in (0..shape.len().saturating_sub(1)).rev() {
        let known = strides[i + 1].0.zip(shape[i + 1]).map(|(a, b)| a * b);
        let value = match known {
            Some(known) => at.index(known),
            None => at.value("arith.muli", &[strides[i + 1].1, sizes[i + 1]], index, &[]),
        };
        strides[i] = (known, value);
    }
    // SAFETY: a constant of the C API.
    let dynamic = unsafe { mlir_sys::mlirShapedTypeGetDynamicStrideOrOffset() };
    let mut operands = vec![flat];
    operands.extend(shape.iter().zip(&sizes).filter(|(d, _)| d.is_none()).map(|(_, &v)| v));
    operands.extend(strides.iter().filter(|(known, _)| known.is_none()).map(|&(_, v)| v));
    let count = |known: &mut dyn Iterator<Item = bool>| known.filter(|k| !k).count() as i32;
    let segments = [
        1,
        0,
        count(&mut shape.iter().map(Option::is_some)),
        count(&mut strides.iter().map(|(known, _)| known.is_some())),
    ];
    let all =
        |values: &mut dyn Iterator<Item = Option<i64>>| -> Vec<i64> { values.map(|v| v.unwrap_or(dynamic)).collect() };
    let attrs = [
        ("static_offsets", Attr::i64s(context, &[0])),
        ("static_sizes", Attr::i64s(context, &all(&mut shape.iter().copied()))),
        ("static_strides", Attr::i64s(context, &all(&mut strides.iter().map(|(known, _)| *known)))),
        ("operandSegmentSizes", Attr::i32s(context, &segments)),
    ];
    at.value("memref.reinterpret_cast", &operands, Type::memref(&shape, tensor.element()), &attrs)
}
