//! Every reader of external input, as a function of bytes that returns whether it accepted them. It must return soon, without a
//! panic.
use halyard_diag::Source;
use halyard_objects::{
    AbiBinding, AbiConstant, CudaLaunch, FileFormat, KernelAbi, Library, Pushed, declared, finish_spirv, fit_cuda,
    fit_spirv, inspect, inspect_cuda, inspect_shared, inspect_spirv, merge_spirv, parse_load_constants,
    parse_packed_weights, rename, rename_ptx, weaken,
};
use halyard_runtime::{LoadedProgram, commands, container};
use std::collections::BTreeMap;

/// A reader and its name.
pub(crate) type Reader = (&'static str, fn(&[u8]) -> bool);

/// The readers that need neither MLIR nor LLVM.
pub(crate) const READERS: &[Reader] = &[
    ("program", program),
    ("commands", host_program),
    ("tensors", tensors),
    ("weights", weights),
    ("stage", stage),
    ("tensor-argument", tensor_argument),
    ("manifest", manifest),
    ("spirv", spirv),
    ("ptx", ptx),
    ("cuda", cuda),
    ("elf", elf),
    ("shared", shared),
    ("archive", archive),
];

/// A linked program: the container, with its version and its checksum corrected, so that what lies behind them is reached.
fn program(bytes: &[u8]) -> bool {
    let mut file = bytes.to_vec();
    if let Some(at) = file.windows(8).position(|w| w == b"HALYARD\0")
        && let Some(version) = file.get_mut(at + 8..at + 12)
    {
        version.copy_from_slice(&commands::FORMAT_VERSION.to_le_bytes());
    }
    let _ = container::seal(&mut file);
    LoadedProgram::check(&file).is_ok()
}

/// The host program of a linked program: the header is corrected.
fn host_program(bytes: &[u8]) -> bool {
    let mut file = b"HALYARD\0".to_vec();
    file.extend_from_slice(&commands::FORMAT_VERSION.to_le_bytes());
    file.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
    file.extend_from_slice(bytes);
    commands::check(&file).is_ok()
}

/// Reads .npy, .npz and safetensors, detected from their contents.
fn tensors(bytes: &[u8]) -> bool {
    let Ok(read) = halyard_tensors::read_bytes(bytes, "fuzz", None) else { return false };
    read.iter().filter(|n| n.tensor.bytes().len() < 1 << 16).for_each(|n| drop(halyard_tensors::print(&n.tensor)));
    true
}

/// Weights by name: safetensors, their index, and GGUF with all of its blocks decoded.
fn weights(bytes: &[u8]) -> bool {
    halyard_tensors::read_weights(bytes).is_ok()
}

/// Reads the value of `--input=`.
fn tensor_argument(bytes: &[u8]) -> bool {
    // Files that it names are not read.
    let text = std::str::from_utf8(bytes).ok().filter(|t| !t.contains('@') && t.len() < 4096);
    text.is_some_and(|text| text.parse::<halyard_tensors::TensorArgument>().is_ok())
}

fn stage(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let source = Source::new("fuzz", text);
    let all = || 0..text.len();
    let _ = halyard_grammar::passes(&source, all());
    let _ = halyard_grammar::condition(&source, all());
    let _ = halyard_grammar::options(&source, all(), "fuzz");
    let _ = halyard_grammar::named(&source);
    halyard_grammar::stage(&source, all()).is_ok()
}

fn manifest(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let folder = "no-folder-of-a-fuzzer".into();
    let _ = halyard_manifest::Manifest::read(Source::new("plugin.toml", text), Some(folder));
    halyard_manifest::Manifest::read(Source::new("plugin.toml", text), None).is_ok()
}

/// A kernel that code may hold: two buffers, a size and a number.
fn interface() -> KernelAbi {
    let binding = |written, what: &str| AbiBinding { element: "f32".into(), written, what: what.into() };
    let constant = |element: &str, what: &str| AbiConstant { element: element.into(), what: what.into() };
    KernelAbi {
        name: "kernel".into(),
        bindings: vec![binding(false, "argument 0"), binding(true, "result 0")],
        constants: vec![constant("index", "size 0 of argument 0"), constant("f32", "argument 1")],
        load_constants: Vec::new(),
        arguments: None,
    }
}

fn spirv(bytes: &[u8]) -> bool {
    let _ = FileFormat::of(bytes);
    let Ok(mut module) = inspect_spirv(bytes, "fuzz") else { return false };
    let abi = interface();
    let _ = finish_spirv(bytes, "fuzz", &[Pushed { entry: &abi.name, words: 2 }]);
    drop(merge_spirv(&[module.clone(), module.clone()]));
    let _ = fit_spirv(&mut module, &abi, Some([8, 8, 1]));
    let _ = fit_spirv(&mut module, &abi, None);
    true
}

fn ptx(bytes: &[u8]) -> bool {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = rename_ptx(text, "kernel", "other");
    }
    cuda(bytes)
}

/// Reads PTX, cubins and fatbins.
fn cuda(bytes: &[u8]) -> bool {
    let _ = FileFormat::of(bytes);
    let Ok(codes) = inspect_cuda(bytes, "fuzz") else { return false };
    for code in &codes {
        let _ = fit_cuda(code, &interface(), CudaLaunch { usual: Some([128, 1, 1]), ..CudaLaunch::default() });
    }
    !codes.is_empty()
}

/// Relocatable objects, with what debug information says, and what may be rewritten in them.
fn elf(bytes: &[u8]) -> bool {
    let _ = FileFormat::describe(bytes);
    let _ = declared(bytes, &["kernel".into(), "other".into()]);
    let _ = parse_load_constants(bytes, &mut Default::default());
    let _ = parse_packed_weights(bytes, &mut Default::default());
    let Ok(object) = inspect(bytes.to_vec(), "fuzz.o".into(), "fuzz".into()) else { return false };
    let names = object.defined.keys().map(|s| (s.clone(), format!("{s}_2"))).take(4).collect::<BTreeMap<_, _>>();
    let symbols = names.keys().cloned().collect::<Vec<_>>();
    drop(rename(object.clone(), &names));
    let _ = weaken(object, &symbols);
    true
}

fn shared(bytes: &[u8]) -> bool {
    inspect_shared(bytes, "fuzz").is_ok()
}

fn archive(bytes: &[u8]) -> bool {
    let mut library = Library::default();
    let added = library.add(bytes, "fuzz.a", "fuzz").is_ok();
    if added {
        let mut objects = Vec::new();
        let _ = library.take_defining("kernel").map(|o| objects.push(o));
        library.resolve(&mut objects);
    }
    added
}
