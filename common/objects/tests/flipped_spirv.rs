//! Modules with one bit flipped, and what `spirv-val` says of those that are taken. By hand, with modules in a folder:
//!
//!     HALYARD_SPIRV=FOLDER HALYARD_FLIPS=500 cargo test -p halyard-objects --test flipped_spirv -- --ignored --nocapture
#![allow(clippy::print_stdout, reason = "run by hand, for what it prints")]
use halyard_objects::inspect_spirv;
use std::{
    io::Write,
    process::{Command, Stdio},
};

/// What `spirv-val` says; `None` where it is content.
fn complaint(module: &[u8]) -> Option<String> {
    let version = module[6];
    let environment = match version {
        4 => "vulkan1.1spv1.4",
        5 => "vulkan1.2",
        6 => "vulkan1.3",
        _ => "vulkan1.1",
    };
    let mut child = Command::new("spirv-val")
        .args(["--target-env", environment, "--scalar-block-layout", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(module);
    let output = child.wait_with_output().unwrap();
    (!output.status.success())
        .then(|| String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or_default().to_owned())
}

#[test]
#[ignore = "needs `spirv-val` and modules"]
fn what_is_taken_is_valid() {
    let folder = std::env::var("HALYARD_SPIRV").expect("HALYARD_SPIRV is a folder of modules");
    let flips: usize = std::env::var("HALYARD_FLIPS").ok().and_then(|n| n.parse().ok()).unwrap_or(200);
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    let (mut taken, mut wrong, mut tried) = (0, 0, 0);
    for file in files {
        let good = std::fs::read(&file).unwrap();
        if let Err(e) = inspect_spirv(&good, "the module") {
            panic!("{}: {e}", file.display());
        }
        // Numbers that are spread, and the same each time.
        let mut state = 1_u64;
        for _ in 0..flips {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let bit = (state >> 20) as usize % (good.len() * 8);
            let mut bytes = good.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            tried += 1;
            if inspect_spirv(&bytes, "the module").is_ok() {
                taken += 1;
                if let Some(why) = complaint(&bytes) {
                    wrong += 1;
                    println!("{} bit {bit}: {why}", file.display());
                }
            }
        }
    }
    println!("{tried} tried, {taken} taken, {wrong} of them not valid");
}
