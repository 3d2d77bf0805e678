//! Golden kernels: an export of each family, with its plan and the code that is emitted for it, before anything is lowered.
//! What a change does to them is seen in `git diff`, and a change that means to do nothing to them does nothing.
//! Of large kernels there is an outline: loops, the operations between them by number, and a checksum of all;
//! `cargo run -p halyard-kernel --example kernel -- kernel --raw < NAME.mlir` prints the code.
//!
//! To add one, put an export into `tests/golden/NAME.mlir`, its first line saying what it shows; `hal-extract` writes exports of
//! models out. Then `INSTA_UPDATE=always cargo nextest run -E 'binary(golden)'` writes `tests/golden/snapshots/NAME@MACHINE.snap`
//! for each machine, or for those alone that a line `// MACHINES: avx512 vulkan` names. The same command blesses what a change
//! does on purpose. Objects are compared by `scripts/replay`.
use halyard_ir::{Op, Session};
use halyard_kernel::{ByteLookups, DotProducts, EmitOutcome, MachineModel, Wanted, emit};
use std::{
    any::Any,
    collections::{BTreeMap, BTreeSet},
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

const MACHINES: &[&str] = &["avx2", "avx512", "cuda", "neon", "vulkan"];
/// Those for which an export must ask.
const FURTHER: &[&str] = &["amx", "vnni"];
/// Bytes of code of which there is an outline only.
const LARGE: usize = 10_000;
/// What marks the machines that an export is emitted for.
const ONLY: &str = "// MACHINES: ";

/// The machine of a name; what it has is written out, as chips get other features with each version of LLVM.
fn target(machine: &str) -> MachineModel {
    let cpu = |arch, vector_bits, l1, l2, features: &[&str]| MachineModel {
        vector_bits,
        registers: if vector_bits == 256 { 16 } else { 32 },
        l1,
        l2,
        fma: true,
        dots: DotProducts::of(arch, vector_bits, false, |feature| features.contains(&feature)),
        lookups: ByteLookups::of(arch, vector_bits, |feature| features.contains(&feature)),
        ..MachineModel::default()
    };
    match machine {
        "avx512" => cpu("x86_64", 512, 48 << 10, 1 << 20, &["avx2", "avx512bw", "avx512vl"]),
        "amx" => {
            let features = ["amx-int8", "avx2", "avx512bw", "avx512vl", "avx512vnni", "avx512vbmi"];
            cpu("x86_64", 512, 48 << 10, 2 << 20, &features)
        }
        "vnni" => cpu("x86_64", 512, 48 << 10, 1 << 20, &["avx2", "avx512bw", "avx512vl", "avx512vnni", "avx512vbmi"]),
        "avx2" => cpu("x86_64", 256, 32 << 10, 512 << 10, &["avx2"]),
        "neon" => cpu("aarch64", 128, 32 << 10, 512 << 10, &["dotprod", "neon"]),
        "vulkan" => MachineModel::vulkan(),
        "cuda" => MachineModel::cuda(80),
        _ => panic!("no machine is called `{machine}`; there are {}", [MACHINES, FURTHER].concat().join(", ")),
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// The names of all exports, with their text.
fn exports() -> Vec<(String, String)> {
    let files = fs::read_dir(folder()).expect("tests/golden is there").map(|f| f.expect("it can be read").path());
    let mut found: Vec<_> = files
        .filter(|path| path.extension().is_some_and(|e| e == "mlir"))
        .map(|path| {
            let name = path.file_stem().and_then(|n| n.to_str()).expect("names are UTF-8").to_owned();
            (name, fs::read_to_string(&path).expect("exports are text"))
        })
        .collect();
    found.sort();
    found
}

/// The machines that an export is emitted for.
fn machines(text: &str) -> Vec<&str> {
    text.lines().find_map(|line| line.strip_prefix(ONLY)).map_or(MACHINES.to_vec(), |only| only.split(' ').collect())
}

/// The plan of an export and its code, or why there is none.
fn golden(name: &str, text: &str, machine: &str) -> String {
    let session = Session::new();
    session.load_dialects(&["gpu", "nvvm", "spirv"]);
    let module = session.parse(text.as_bytes(), name).unwrap_or_else(|e| panic!("{name}.mlir: {e:?}"));
    let op = Op::from(&module);
    let functions = op.body_ops();
    let export = functions.iter().find(|f| f.attr("hal.export").is_some()).and_then(|f| f.symbol());
    let export = export.unwrap_or_else(|| panic!("{name}.mlir has no function with `hal.export`"));
    match emit(&session, op, &export, &target(machine), Wanted::default())
        .unwrap_or_else(|e| panic!("{name}.mlir: {e:?}"))
    {
        EmitOutcome::Unsupported(reason) => format!("refused: {reason}\n"),
        EmitOutcome::Refused(reasons) => panic!("{name}.mlir has no schedule, but {reasons:?}"),
        EmitOutcome::Emitted(kernel) => {
            let [x, y, z] = kernel.workgroup_size;
            let plan = kernel.family.unwrap_or_else(|| "nothing is computed".to_owned());
            let code = op.to_string();
            let shown = if code.len() > LARGE { outline(&code) } else { code };
            format!("plan: {plan}\nthreads: {x} x {y} x {z}\n\n{shown}")
        }
    }
}

/// The loops and branches of code, with the operations between them by number, and a checksum of all.
fn outline(code: &str) -> String {
    let mut out = format!("outline of {} lines, checksum {:016x}\n", code.lines().count(), checksum(code));
    let (mut between, mut inside) = (BTreeMap::<&str, usize>::new(), "");
    for line in code.lines() {
        let (indent, text) = line.split_at(line.len() - line.trim_start().len());
        if !text.starts_with('}') && !text.ends_with('{') {
            // `%1 = arith.addf …`, `%1:2 = scf.for …`, `llvm.store …`
            let operation = text.split_once(" = ").filter(|_| text.starts_with('%')).map_or(text, |(_, right)| right);
            inside = indent;
            *between.entry(operation.split([' ', '(']).next().unwrap_or_default()).or_default() += 1;
            continue;
        }
        if !between.is_empty() {
            let counts: Vec<_> = std::mem::take(&mut between).iter().map(|(op, n)| format!("{n} {op}")).collect();
            out += &format!("{inside}- {}\n", counts.join(", "));
        }
        out += &format!("{indent}{}\n", without_numbers(text));
    }
    out
}

/// The head of a loop without the numbers of values, which change with all that is before it, and without what it carries.
fn without_numbers(text: &str) -> String {
    let text = text.split_once(" iter_args(").map_or_else(|| text.to_owned(), |(head, _)| format!("{head} … {{"));
    let mut out = String::new();
    let mut parts = text.split('%');
    out += parts.next().unwrap_or_default();
    for part in parts {
        let name = part.len() - part.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "_#-".contains(c)).len();
        // Constants have their number in their name.
        let shown = if part.starts_with('c') { part.split('_').next().unwrap_or_default() } else { "_" };
        out += &format!("%{}{}", &shown[..shown.len().min(name)], &part[name..]);
    }
    out
}

/// FNV-1a: the same number on each machine and with each version of Rust.
fn checksum(text: &str) -> u64 {
    text.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

/// Compares all exports for a machine, of which there are at least so many, and fails with the names of those that differ.
fn check(machine: &str, least: usize) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(folder().join("snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let mut count = 0;
    let mut changed: Vec<(String, Box<dyn Any + Send>)> = Vec::new();
    for (name, text) in exports().iter().filter(|(_, text)| machines(text).contains(&machine)) {
        count += 1;
        let compare = || insta::assert_snapshot!(format!("{name}@{machine}"), golden(name, text, machine));
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| settings.bind(compare))) {
            changed.push((name.clone(), panic));
        }
    }
    assert!(count >= least, "{count} exports for {machine}: are the files there?");
    let names: Vec<&str> = changed.iter().map(|(name, _)| &**name).collect();
    assert!(
        changed.is_empty(),
        "{} of {count} kernels changed for {machine}: {}; `INSTA_UPDATE=always` takes them, and `git diff` shows them",
        names.len(),
        names.join(", ")
    );
}

#[test]
fn kernels_for_avx2() {
    check("avx2", 21);
}

#[test]
fn kernels_for_avx512() {
    check("avx512", 21);
}

#[test]
fn kernels_for_amx() {
    check("amx", 2);
}

#[test]
fn kernels_for_vnni() {
    check("vnni", 3);
}

#[test]
fn kernels_for_neon() {
    check("neon", 21);
}

#[test]
fn kernels_for_vulkan() {
    check("vulkan", 21);
}

#[test]
fn kernels_for_cuda() {
    check("cuda", 21);
}

#[test]
fn every_snapshot_has_its_export() {
    let expected: BTreeSet<String> = exports()
        .iter()
        .flat_map(|(name, text)| machines(text).into_iter().map(move |m| format!("{name}@{m}.snap")))
        .collect();
    let files = fs::read_dir(folder().join("snapshots")).expect("snapshots are there");
    let found: BTreeSet<String> = files
        .map(|f| f.expect("it can be read").file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".snap"))
        .collect();
    let gone: Vec<&String> = found.difference(&expected).collect();
    assert!(gone.is_empty(), "no export has these snapshots, remove them: {gone:?}");
}

#[test]
fn the_same_export_gives_the_same_code() {
    let (name, text) = &exports()[0];
    for machine in machines(text) {
        assert_eq!(golden(name, text, machine), golden(name, text, machine), "{name} for {machine}");
    }
}
