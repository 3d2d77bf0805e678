//! Names the shared library as packages do: applications that are linked with it ask for its major version.
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libhalyard.so.{}", env!("CARGO_PKG_VERSION_MAJOR"));
}
