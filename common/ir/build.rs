//! Makes `-lMLIR-C` resolvable where the distribution has no `libMLIR-C.so`: writes a linker script of that name that
//! groups the static archives of the C API with the shared `libMLIR.so`. Also determines the version of MLIR, and compiles
//! `src/parse.cpp`.
use std::{env, fs, path::PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=MLIR_SYS_220_PREFIX");
    println!("cargo::rerun-if-changed=src/parse.cpp");
    let prefix = env::var("MLIR_SYS_220_PREFIX").expect("MLIR_SYS_220_PREFIX is set by .cargo/config.toml");
    let prefix = PathBuf::from(prefix);
    let include = prefix.join("include");
    cc::Build::new().cpp(true).std("c++17").include(include).file("src/parse.cpp").compile("hal_mlir_parse");
    let lib = prefix.join("lib");
    println!("cargo::rustc-env=HALYARD_MLIR_VERSION={}", version(&lib));
    if lib.join("libMLIR-C.so").exists() {
        return;
    }
    let mut archives: Vec<PathBuf> = fs::read_dir(&lib)
        .unwrap_or_else(|e| panic!("cannot list {}: {e}; run scripts/setup", lib.display()))
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            name.starts_with("libMLIRCAPI") && name.ends_with(".a") && name != "libMLIRCAPIExecutionEngine.a"
        })
        .collect();
    archives.sort();
    let mut script = String::from("GROUP (\n");
    for archive in &archives {
        script += &format!("  {}\n", archive.display());
    }
    script += &format!("  {}\n)\n", lib.join("libMLIR.so").display());
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::write(out.join("libMLIR-C.so"), script).expect("OUT_DIR is writable");
    println!("cargo::rustc-link-search=native={}", out.display());
}

/// The version in the name of the library: 22.1 of `libMLIR.so.22.1`.
fn version(lib: &std::path::Path) -> String {
    let real = fs::canonicalize(lib.join("libMLIR.so"))
        .unwrap_or_else(|e| panic!("cannot find libMLIR.so: {e}; run scripts/setup"));
    let name = real.file_name().unwrap_or_default().to_string_lossy().into_owned();
    name.split_once(".so.").map_or("22".into(), |(_, version)| version.to_owned())
}
