//! Modules that pass our validation also pass `spirv-val`: tested with one bit flipped, as damage or an edit leaves
//! them.
//!
//! The modules in `spirv/` are kernels that Halyard and glslc generated. `HALYARD_FLIPS=5000` tries more bits of each.
use halyard_objects::inspect_spirv;
use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

/// Bits tried per module, unless `HALYARD_FLIPS` says otherwise.
const FLIPS: usize = 400;

/// Returns the output of a SPIRV-Tools program for bytes on its standard input. Fails with the first line of its
/// message.
fn tool(name: &str, arguments: &[&str], input: &[u8]) -> Result<Vec<u8>, String> {
    let mut child = Command::new(name)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|e| panic!("{name}: {e} (Debian: apt install spirv-tools)"));
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    let complaint = || String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or_default().to_owned();
    if output.status.success() { Ok(output.stdout) } else { Err(complaint()) }
}

/// Checks a module as the driver that takes its version of SPIR-V would have it.
fn validate(module: &[u8]) -> Result<Vec<u8>, String> {
    let environment = match module[6] {
        4 => "vulkan1.1spv1.4",
        5 => "vulkan1.2",
        6 => "vulkan1.3",
        _ => "vulkan1.1",
    };
    tool("spirv-val", &["--target-env", environment, "--scalar-block-layout", "-"], module)
}

#[test]
fn what_is_taken_is_valid() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/spirv");
    let flips = std::env::var("HALYARD_FLIPS").map_or(FLIPS, |n| n.parse().expect("HALYARD_FLIPS is a number"));
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    let (mut taken, mut refused, mut invalid) = (0, 0, Vec::new());
    for file in &files {
        let text = fs::read(file).unwrap();
        let good = tool("spirv-as", &["--target-env", "spv1.0", "-o", "-", "-"], &text).unwrap();
        inspect_spirv(&good, "the module").unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        validate(&good).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        // Bits all over the module, the same in each run (Knuth's MMIX generator).
        let mut state = 1_u64;
        for _ in 0..flips {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let bit = (state >> 20) as usize % (good.len() * 8);
            let mut bytes = good.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            if inspect_spirv(&bytes, "the module").is_err() {
                refused += 1;
                continue;
            }
            taken += 1;
            if let Err(why) = validate(&bytes) {
                invalid.push(format!("{} with bit {bit} flipped: {why}", file.display()));
            }
        }
    }
    assert!(files.len() > 5 && taken > 100 && refused > 100, "{taken} taken, {refused} refused: nothing was tried");
    assert!(invalid.is_empty(), "{} of {taken} that are taken are not valid:\n{}", invalid.len(), invalid.join("\n"));
}
