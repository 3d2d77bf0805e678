//! Finds out which LLVM the tools are built for, for `--version`.
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=MLIR_SYS_220_PREFIX");
    // Not every machine that builds this crate has LLVM (it needs none); the major version is fixed by the workspace.
    let found = std::env::var("MLIR_SYS_220_PREFIX")
        .ok()
        .and_then(|prefix| Command::new(format!("{prefix}/bin/llvm-config")).arg("--version").output().ok())
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .map(|version| version.trim().to_owned())
        .filter(|version| !version.is_empty());
    println!("cargo::rustc-env=HALYARD_LLVM_VERSION={}", found.as_deref().unwrap_or("22"));
}
