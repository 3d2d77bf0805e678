//! Builds the program that runs one executable.
use super::record::Use;
use crate::bodies::{has_source, with_objects};
use halyard_diag::{Error, Result};
use halyard_ir::{
    Attr, Block, Builder, Loc, Op, Region, Session, Type, Value,
    form::{Executable, Export, Interface, Phase, Program, ProgramGlobal, WeightReference, file_name, print},
    resource,
};
use safetensors::{Dtype, tensor::TensorView};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Data of up to this many bytes are embedded in the text.
const EMBEDDED: usize = 64 << 10;

/// A benchmark: its text, and the archive beside it if its data are large.
pub(super) struct Built {
    pub(super) text: Vec<u8>,
    pub(super) archive: Option<Vec<u8>>,
}

/// Further information about a benchmark.
pub(super) struct About<'a> {
    /// The phase of the program that it becomes.
    pub(super) phase: Phase,
    /// Whether the executable itself computed the expected outputs.
    pub(super) circular: bool,
    /// The name of the archive of large data.
    pub(super) archive: &'a str,
}

/// The data of a global.
struct Data<'a> {
    global: ProgramGlobal,
    key: String,
    bytes: &'a [u8],
}

/// Builds the program. Errors: an element type that weights cannot have; a use that does not fit the interface.
pub(super) fn build(
    session: &Session,
    program: Program,
    executable: Executable,
    about: &About<'_>,
    uses: &[&Use],
) -> Result<Built> {
    let module = session.empty_module();
    session.load_dialects(&["func", "tensor", "arith", "ml_program"]);
    let op = Op::from(&module);
    Program::stamp(op, about.phase);
    let body = op.body().expect("a module has a body");
    body.append(executable.op.duplicate());
    let mut exports: Vec<(Export, String)> = Vec::new();
    for u in uses {
        if exports.iter().all(|(e, _)| e.name() != u.export) {
            let export = executable.interface_exports().into_iter().find(|e| e.name() == u.export);
            let export = export.ok_or_else(|| {
                Error::input(format!("executable `@{}` has no export `@{}`", executable.name(), u.export))
            })?;
            let entry = entry(program, executable, export, body);
            exports.push((export, entry));
        }
    }
    let mut data = Vec::new();
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for u in uses {
        let (export, entry) = exports.iter().find(|(e, _)| e.name() == u.export).expect("made above");
        let number = count.entry(&u.export).or_default();
        let name = format!("{}.{number}", u.export);
        *number += 1;
        one_use(body, op.loc(), &name, *export, entry, u, &mut data)?;
    }
    let total: usize = data.iter().map(|d| d.bytes.len()).sum();
    let bytes = if total <= EMBEDDED {
        for d in &data {
            d.global.set_value(resource(d.global.ty(), &d.key, d.bytes.to_vec().into()));
        }
        None
    } else {
        Some(archived(&data, about.archive)?)
    };
    let mut text = comment(executable, uses, about);
    text += &print(op);
    Ok(Built { text: text.into_bytes(), archive: bytes })
}

/// Returns the comment that describes the file and its use.
fn comment(executable: Executable, uses: &[&Use], about: &About<'_>) -> String {
    let name = executable.name();
    let file = halyard_diag::quote(&file_name(&name, None, "benchmark.mlir")).to_owned();
    let mut text = format!(
        "// Runs executable `{}` as its program does, on the inputs that it had there. FUNCTION.expected is what FUNCTION must return.\n\
         //\n\
         //   hal-compile {file} -o benchmark.so\n\
         //   hal-run benchmark.so --check      compares results with what is expected\n\
         //   hal-benchmark benchmark.so        the same, then measures\n",
        name.replace(['\n', '\r'], " ")
    );
    for u in uses {
        let constants: Vec<_> = u.constants.iter().map(i64::to_string).collect();
        let constants =
            if constants.is_empty() { String::new() } else { format!(", constants {}", constants.join(", ")) };
        text += &format!(
            "//\n// @{}: {} of a call{constants}",
            u.export.replace(['\n', '\r'], " "),
            if u.calls == 1 { "once in the course".into() } else { format!("{} times in the course", u.calls) }
        );
    }
    text.push('\n');
    if about.circular {
        text += "//\n// What is expected was computed by the objects in it: there was no source to compare with.\n";
    }
    if about.phase == Phase::Objects && has_source(executable) && !with_objects(executable).is_empty() {
        text += "//\n// The objects in it are what is measured; an edited source takes effect when the module with `hal.variant` is removed\n\
                 // and `hal.phase` is set to \"executables\".\n";
    }
    text
}

/// The declaration through which an export is called, as in the program.
fn entry(program: Program, executable: Executable, export: Export, body: Block) -> String {
    let names = (executable.name(), export.name());
    let found = program.entries().into_iter().find(|e| e.target().is_ok_and(|t| t == names));
    match found {
        Some(entry) => {
            body.append(entry.op.duplicate());
            entry.name()
        }
        None => {
            let owner = body.parent().expect("the body of a module");
            let op = (Program { op: owner }).add_entry(&names.0, export);
            op.symbol().unwrap_or_default()
        }
    }
}

/// The function of a use, the one of what is expected, and their data.
fn one_use<'a>(
    body: Block,
    loc: Loc,
    name: &str,
    export: Export,
    entry: &str,
    u: &'a Use,
    data: &mut Vec<Data<'a>>,
) -> Result<()> {
    let interface = export.interface();
    let bound = Bound::of(&interface, u).ok_or_else(|| {
        Error::input(format!("a dispatch of `{}` was recorded that does not fit its interface", u.export))
            .note("the program was linked with another interface, or with weights in the layout of its kernels")
            .hint(
                "record a program that uses weights in the model's layout, such as one compiled with `hal-compile -O0`",
            )
    })?;
    let context = export.op.context();
    let mut global = |key: String, ty: Type, bytes: &'a [u8]| {
        let global = ProgramGlobal::create(loc, &format!("{name}.{key}"), ty);
        body.append(global.op);
        data.push(Data { global, key: format!("{name}.{key}"), bytes });
        global
    };
    let inputs: Vec<(usize, ProgramGlobal)> = interface
        .tensor_inputs()
        .into_iter()
        .enumerate()
        .map(|(b, i)| (i, global(format!("in{i}"), bound.inputs[&i], &u.before[b])))
        .collect();
    let read = interface.tensor_inputs();
    let mut next = read.len();
    let mut outputs = Vec::new();
    for (i, &ty) in bound.results.iter().enumerate() {
        let binding = match interface.tied[i] {
            Some(argument) => read.iter().position(|&r| r == argument).unwrap_or(0),
            None => {
                next += 1;
                next - 1
            }
        };
        outputs.push(global(format!("out{i}"), ty, &u.after[binding]));
    }

    let load = |at: &Builder, global: &ProgramGlobal| {
        let symbol = Attr::symbol(context, &global.name());
        at.value("ml_program.global_load_const", &[], global.ty(), &[("global", symbol)])
    };
    let cast = |at: &Builder, value: Value, ty: Type| {
        if value.ty() == ty { value } else { at.value("tensor.cast", &[value], ty, &[]) }
    };
    function(body, loc, name, &bound.results, |at| {
        let mut scalars = bound.scalars.iter();
        let arguments: Vec<Value> = interface
            .inputs
            .iter()
            .enumerate()
            .map(|(i, &ty)| match inputs.iter().find(|(n, _)| *n == i) {
                Some((_, global)) => cast(at, load(at, global), ty),
                None => scalar(at, ty, *scalars.next().expect("a constant for each scalar")),
            })
            .collect();
        let callee = Attr::symbol(context, entry);
        let call = at.op("func.call", &arguments, &interface.results, &[("callee", callee)]);
        call.results().into_iter().zip(&bound.results).map(|(v, &ty)| cast(at, v, ty)).collect()
    });
    function(body, loc, &format!("{name}.expected"), &bound.results, |at| {
        outputs.iter().map(|g| load(at, g)).collect()
    });
    Ok(())
}

/// Adds a function without arguments.
fn function(body: Block, loc: Loc, name: &str, results: &[Type], fill: impl FnOnce(&Builder) -> Vec<Value>) {
    let block = Block::create(&[], loc);
    let at = Builder::at_end(block, loc);
    let values = fill(&at);
    at.op("func.return", &values, &[], &[]);
    let region = Region::create();
    region.append(block);
    let context = at.context();
    let attrs =
        [("sym_name", Attr::string(context, name)), ("function_type", Attr::ty(Type::function(context, &[], results)))];
    body.append(Builder::create(loc, "func.func", &[], &[], &attrs, vec![region]));
}

/// A scalar argument, out of the 64 bits in which kernels get it.
fn scalar(at: &Builder, ty: Type, bits: i64) -> Value {
    if !ty.is_float() {
        return at.constant(Attr::integer(ty, bits));
    }
    let value = match &*ty.to_string() {
        "f64" => f64::from_bits(bits as u64),
        "f32" => f64::from(f32::from_bits(bits as u32)),
        "f16" => half::f16::from_bits(bits as u16).to_f64(),
        _ => half::bf16::from_bits(bits as u16).to_f64(),
    };
    at.constant(Attr::float(ty, value))
}

/// The interface with the sizes of one use.
struct Bound {
    inputs: BTreeMap<usize, Type>,
    results: Vec<Type>,
    scalars: Vec<i64>,
}

impl Bound {
    /// Constants are the dynamic dimensions of arguments, then of results, then scalars.
    fn of(interface: &Interface, u: &Use) -> Option<Self> {
        let mut constants = u.constants.iter().copied();
        let mut sized = |ty: Type| -> Option<Type> {
            let shape: Option<Vec<_>> = ty.shape().iter().map(|d| d.or_else(|| constants.next()).map(Some)).collect();
            Some(Type::tensor(&shape?, ty.element()))
        };
        let mut inputs = BTreeMap::new();
        for i in interface.tensor_inputs() {
            inputs.insert(i, sized(interface.inputs[i])?);
        }
        let results = interface.results.iter().map(|&ty| sized(ty)).collect::<Option<Vec<_>>>()?;
        let scalars: Vec<i64> = constants.collect();
        let bindings = inputs.values().copied().chain(interface.untied_results().into_iter().map(|i| results[i]));
        let bytes: Vec<usize> =
            bindings.map(|t| (t.element_count().unwrap_or(0) as u64 * t.element().byte_width()) as usize).collect();
        (scalars.len() == interface.scalar_inputs().len() && bytes == u.bindings).then_some(Self {
            inputs,
            results,
            scalars,
        })
    }
}

fn dtype(ty: Type) -> Option<Dtype> {
    Some(match &*ty.to_string() {
        "f64" => Dtype::F64,
        "f32" => Dtype::F32,
        "f16" => Dtype::F16,
        "bf16" => Dtype::BF16,
        "i1" => Dtype::BOOL,
        "i8" => Dtype::I8,
        "i16" => Dtype::I16,
        "i32" => Dtype::I32,
        "i64" | "index" => Dtype::I64,
        _ => return None,
    })
}

/// The archive of all data; the same bytes are kept once.
fn archived(data: &[Data<'_>], archive: &str) -> Result<Vec<u8>> {
    let mut views: Vec<(String, TensorView<'_>)> = Vec::new();
    let mut seen: HashMap<blake3::Hash, String> = HashMap::new();
    let mut keys = BTreeSet::new();
    for d in data {
        let ty = d.global.ty();
        let element = ty.element();
        let dtype = dtype(element).ok_or_else(|| {
            Error::input(format!("elements of type `{element}` cannot be kept in an archive")).code("unsupported-type")
        })?;
        let shape: Vec<usize> = ty.shape().iter().map(|n| n.unwrap_or(0) as usize).collect();
        let mut hash = blake3::Hasher::new();
        hash.update(ty.to_string().as_bytes()).update(d.bytes);
        let key = seen.entry(hash.finalize()).or_insert_with(|| d.key.clone()).clone();
        if keys.insert(key.clone()) {
            let view = TensorView::new(dtype, shape, d.bytes)
                .map_err(|e| Error::input(format!("the data of `{key}` do not fit their type: {e}")))?;
            views.push((key.clone(), view));
        }
        d.global.set_external(&WeightReference { archive: archive.to_owned(), key, piece: None });
    }
    safetensors::serialize(views, None).map_err(|e| Error::environment(format!("the archive cannot be made: {e}")))
}
