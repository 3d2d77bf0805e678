//! Compiles a short C++ file for functions that LLVM's C API lacks: the names of a target's CPUs and features.
use std::{env, path::PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/subtarget.cpp");
    println!("cargo::rerun-if-env-changed=LLVM_SYS_221_PREFIX");
    let prefix = env::var("LLVM_SYS_221_PREFIX").expect("LLVM_SYS_221_PREFIX is set by .cargo/config.toml");
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .flag("-fno-exceptions")
        .flag("-fno-rtti")
        .flag_if_supported("-Wno-unused-parameter")
        .include(PathBuf::from(prefix).join("include"))
        .file("src/subtarget.cpp")
        .compile("hal_llvm_subtarget");
}
