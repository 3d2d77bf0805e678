//! The kernel ABI around a function on tensors:
//! `void EXPORT(const T0 *b0, …, Tn *bn, int64_t c0, …, const hal_workgroup_t *wg)`.
use halyard_diag::{Error, Result};
use halyard_ir::{
    Attr, Block, Builder, Op, Region, Type, Value,
    form::{Export, Interface},
    names,
};
use mlir_sys::MlirContext;

/// The alignment of buffers, in bytes.
const ALIGNMENT: i64 = 64;

/// Replaces an export, a function on tensors (or on buffers) of one block, by one of the kernel ABI that reads its arguments from and
/// writes its results to buffers. The whole body runs in whichever workgroup calls it: the count must be 1 (see
/// [`single_workgroup`]). Errors: a type that cannot be passed, a body of several blocks.
pub(super) fn wrap(export: Export) -> Result<Op> {
    let function = export.op;
    let interface = export.interface();
    check(function, &interface)?;
    let context = function.context();
    let loc = function.loc();
    let pointer = Type::parse(context, "!llvm.ptr").expect("a type of the LLVM dialect");
    let i64_type = Type::integer(context, 64);
    let untied = interface.untied_results();
    let read: Vec<usize> = (0..interface.inputs.len()).filter(|&i| is_buffer(interface.inputs[i])).collect();
    let bindings = read.len() + untied.len();
    let mut types = vec![pointer; bindings];
    types.extend(vec![i64_type; constant_count(&interface)]);
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
            // The dimensions are passed again; they are those of the argument.
            let dynamic = ty.shape().iter().filter(|d| d.is_none()).count();
            constants.by_ref().take(dynamic).for_each(|_| ());
            outputs.push(inputs[tied].expect("the verifier has checked that ties name tensors"));
        } else {
            let pointer = next_pointer.next().expect("a pointer for each result");
            outputs.push(buffer(&at, ty, pointer, &mut constants));
        }
    }

    // The old body moves in, its arguments become tensors of those buffers.
    let old = function.body().expect("an export of a source has a body");
    let mut tied_tensors: Vec<(usize, Value)> = Vec::new();
    for (i, argument) in old.args().into_iter().enumerate() {
        let ty = interface.inputs[i];
        let value = match inputs[i] {
            Some(memref) if ty.is_memref() => memref,
            Some(memref) => {
                let mut attrs = vec![("restrict", Attr::unit(context))];
                if interface.tied.contains(&Some(i)) {
                    attrs.push(("writable", Attr::unit(context)));
                }
                let tensor = at.value("bufferization.to_tensor", &[memref], ty, &attrs);
                tied_tensors.push((i, tensor));
                tensor
            }
            None => scalar(&at, constants.next().expect("a constant for each scalar"), ty),
        };
        argument.replace_all_uses(value);
    }
    for op in old.ops() {
        op.detach();
        body.append(op);
    }

    let end = body.terminator().expect("a function ends with a return");
    let at = Builder::before(end);
    let results = end.operands();
    for &i in &untied {
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

    let region = Region::create();
    region.append(body);
    let readable = Attr::dict(
        context,
        &[
            ("llvm.noalias", Attr::unit(context)),
            ("llvm.noundef", Attr::unit(context)),
            ("llvm.align", Attr::integer(i64_type, ALIGNMENT)),
        ],
    );
    let plain = Attr::dict(context, &[("llvm.noundef", Attr::unit(context))]);
    let mut arg_attrs = vec![readable; bindings];
    arg_attrs.extend(vec![plain; types.len() - bindings]);
    let attrs = [
        ("sym_name", Attr::string(context, &export.name())),
        ("function_type", Attr::ty(Type::function(context, &types, &[]))),
        ("arg_attrs", Attr::array(context, &arg_attrs)),
    ];
    let wrapped = Builder::before(function).op_with_regions("func.func", &[], &[], &attrs, vec![region]);
    function.erase();
    Ok(wrapped)
}

/// The function that says that one workgroup does all the work: `@EXPORT_workgroups`, in no block.
pub(super) fn single_workgroup(export: Export) -> Op {
    let (context, loc) = (export.op.context(), export.op.loc());
    let index = Type::index(context);
    let inputs = vec![index; constant_count(&export.interface())];
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

/// Whether an argument is a binding: a tensor, or memory where an export arrives bufferized.
fn is_buffer(ty: Type) -> bool {
    ty.is_tensor() || ty.is_memref()
}

/// The number of constants: dynamic dimensions of arguments, then of results, then scalars.
fn constant_count(interface: &Interface) -> usize {
    let dynamic = |t: &Type| if is_buffer(*t) { t.shape().iter().filter(|d| d.is_none()).count() } else { 1 };
    interface.inputs.iter().chain(&interface.results).map(dynamic).sum()
}

fn check(function: Op, interface: &Interface) -> Result<()> {
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
    if function.region(0).blocks().len() != 1 {
        return Err(Error::input("a function of several blocks cannot be translated")
            .code("unsupported-op")
            .hint("use structured control flow (`scf`)"));
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
