//! Builds a function of the kernel ABI, with its arguments as memrefs and scalars: `void EXPORT(const T0 *b0, …, Tn
//! *bn, int64_t c0, …, const hal_workgroup_t *wg)`.
use halyard_diag::{Error, Result};
use halyard_ir::{Attr, Block, Builder, Op, Region, Type, Value, form::Interface};
use mlir_sys::MlirContext;

/// The alignment of buffers, in bytes.
const ALIGNMENT: i64 = 64;

/// A kernel under construction.
pub(super) struct Frame {
    /// The insertion point of the body: after the operations that make the values below.
    pub at: Builder,
    /// The arguments of the interface: memrefs for tensors, and scalars.
    pub inputs: Vec<Value>,
    /// The results of the interface, as memrefs; a tied result is that of its argument.
    pub outputs: Vec<Value>,
    /// The pointer to the workgroup.
    pub workgroup: Value,
    bindings: usize,
    types: Vec<Type>,
}

impl Frame {
    /// Begins a kernel with the interface of a function. Errors: a type that cannot be passed.
    pub(super) fn open(function: Op, interface: &Interface) -> Result<Self> {
        check(interface)?;
        let context = function.context();
        let loc = function.loc();
        let pointer = Type::parse(context, "!llvm.ptr").expect("a type of the LLVM dialect");
        let i64_type = Type::integer(context, 64);
        let untied = interface.untied_results();
        let read: Vec<usize> = (0..interface.inputs.len()).filter(|&i| is_buffer(interface.inputs[i])).collect();
        let bindings = read.len() + untied.len();
        let mut types = vec![pointer; bindings];
        types.extend(vec![i64_type; constant_count(interface)]);
        types.push(pointer);

        let body = Block::create(&types, loc);
        let at = Builder::at_end(body, loc);
        let args = body.args();
        let (pointers, rest) = args.split_at(bindings);
        let mut constants = rest[..rest.len() - 1].iter().copied();

        // Buffers, in the order of the bindings and of their dynamic dimensions.
        let mut next_pointer = pointers.iter().copied();
        let mut inputs: Vec<Option<Value>> = vec![None; interface.inputs.len()];
        for &i in &read {
            let pointer = next_pointer.next().expect("a pointer for each tensor");
            inputs[i] = Some(buffer(&at, interface.inputs[i], pointer, &mut constants));
        }
        let mut outputs: Vec<Value> = Vec::new();
        for (i, &ty) in interface.results.iter().enumerate() {
            if let Some(tied) = interface.tied[i] {
                // The dimensions are passed twice; they are those of the argument.
                let dynamic = ty.shape().iter().filter(|d| d.is_none()).count();
                constants.by_ref().take(dynamic).for_each(|_| ());
                outputs.push(inputs[tied].expect("the verifier has checked that ties name tensors"));
            } else {
                let pointer = next_pointer.next().expect("a pointer for each result");
                outputs.push(buffer(&at, ty, pointer, &mut constants));
            }
        }

        let inputs = interface
            .inputs
            .iter()
            .zip(inputs)
            .map(|(&ty, buffer)| {
                buffer.unwrap_or_else(|| scalar(&at, constants.next().expect("a constant for each scalar"), ty))
            })
            .collect();
        Ok(Self { at, inputs, outputs, workgroup: rest[rest.len() - 1], bindings, types })
    }

    /// Ends the kernel, whose block must have its terminator: it replaces the export and gets its name.
    pub(super) fn close(self, export: Op) -> Op {
        let kernel = self.insert(export, &export.symbol().unwrap_or_default());
        export.erase();
        kernel
    }

    /// Does the same, but keeps the export, after the kernel.
    pub(super) fn insert(self, export: Op, name: &str) -> Op {
        let Self { at, bindings, types, .. } = self;
        let context = export.context();
        let region = Region::create();
        region.append(at.block);
        let readable = Attr::dict(
            context,
            &[
                ("llvm.noalias", Attr::unit(context)),
                ("llvm.noundef", Attr::unit(context)),
                ("llvm.align", Attr::integer(Type::integer(context, 64), ALIGNMENT)),
            ],
        );
        let plain = Attr::dict(context, &[("llvm.noundef", Attr::unit(context))]);
        let mut arg_attrs = vec![readable; bindings];
        arg_attrs.extend(vec![plain; types.len() - bindings]);
        let attrs = [
            ("sym_name", Attr::string(context, name)),
            ("function_type", Attr::ty(Type::function(context, &types, &[]))),
            ("arg_attrs", Attr::array(context, &arg_attrs)),
        ];
        Builder::before(export).op_with_regions("func.func", &[], &[], &attrs, vec![region])
    }
}

/// Whether an argument is a binding: a tensor, or a memref if an export is already bufferized.
fn is_buffer(ty: Type) -> bool {
    ty.is_tensor() || ty.is_memref()
}

/// The number of constants: dynamic dimensions of arguments, then of results, then scalars, load-time ones last.
pub(super) fn constant_count(interface: &Interface) -> usize {
    let dynamic = |t: &Type| if is_buffer(*t) { t.shape().iter().filter(|d| d.is_none()).count() } else { 1 };
    interface.inputs.iter().chain(&interface.results).map(dynamic).sum()
}

fn check(interface: &Interface) -> Result<()> {
    for &ty in interface.inputs.iter().chain(&interface.results) {
        let element = ty.element();
        let passable = match element.bits() {
            _ if element.is_index() => true,
            1 | 8 | 16 | 32 | 64 => element.is_integer() || element.is_float(),
            _ => false,
        };
        let contiguous = !ty.is_memref() || Type::memref(&ty.shape(), element) == ty;
        if !passable || !contiguous {
            return Err(Error::input(format!("type `{ty}` cannot be passed to a kernel"))
                .code("unsupported-type")
                .note("kernels take tensors and scalars of `index`, i1, i8, i16, i32, i64, f16, bf16, f32, f64 and of floats of 8 bits"));
        }
    }
    Ok(())
}

/// A buffer as a memref: a descriptor of pointer, offset, sizes and strides, as MLIR's lowering of memrefs makes it.
fn buffer(at: &Builder, tensor: Type, pointer: Value, constants: &mut dyn Iterator<Item = Value>) -> Value {
    let context = at.context();
    let i64_type = Type::integer(context, 64);
    let shape = tensor.shape();
    let sizes: Vec<Value> = shape
        .iter()
        .map(|d| d.map_or_else(|| constants.next().expect("a constant for each dynamic dimension"), |d| int(at, d)))
        .collect();
    let mut strides = vec![int(at, 1); shape.len()];
    for i in (0..shape.len().saturating_sub(1)).rev() {
        strides[i] = match (element_count(&shape[i + 1..]), shape[i + 1]) {
            (Some(count), _) => int(at, count),
            _ => at.value("arith.muli", &[strides[i + 1], sizes[i + 1]], i64_type, &[]),
        };
    }
    let n = shape.len();
    let text = if n == 0 {
        "!llvm.struct<(ptr, ptr, i64)>".into()
    } else {
        format!("!llvm.struct<(ptr, ptr, i64, array<{n} x i64>, array<{n} x i64>)>")
    };
    let ty = Type::parse(context, &text).expect("a type of the LLVM dialect");
    let insert = |into: Value, value: Value, position: &[i64]| {
        at.value("llvm.insertvalue", &[into, value], ty, &[("position", Attr::i64s(context, position))])
    };
    let mut descriptor = at.value("llvm.mlir.undef", &[], ty, &[]);
    for position in [0, 1] {
        descriptor = insert(descriptor, pointer, &[position]);
    }
    descriptor = insert(descriptor, int(at, 0), &[2]);
    for i in 0..n {
        descriptor = insert(descriptor, sizes[i], &[3, i as i64]);
        descriptor = insert(descriptor, strides[i], &[4, i as i64]);
    }
    at.value("builtin.unrealized_conversion_cast", &[descriptor], Type::memref(&shape, tensor.element()), &[])
}

fn element_count(shape: &[Option<i64>]) -> Option<i64> {
    shape.iter().try_fold(1i64, |n, d| Some(n * (*d)?))
}

fn int(at: &Builder, value: i64) -> Value {
    at.constant(Attr::integer(Type::integer(at.context(), 64), value))
}

/// A scalar argument out of the 64 bits that it was passed in.
fn scalar(at: &Builder, constant: Value, ty: Type) -> Value {
    let context: MlirContext = at.context();
    if ty.is_index() {
        return at.value("arith.index_cast", &[constant], ty, &[]);
    }
    let bits = Type::integer(context, ty.bits());
    let bits = if ty.bits() == 64 { constant } else { at.value("arith.trunci", &[constant], bits, &[]) };
    if ty.is_float() { at.value("arith.bitcast", &[bits], ty, &[]) } else { bits }
}
