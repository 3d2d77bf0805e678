//! `hal-import`: see `lib.rs`.
fn main() -> std::process::ExitCode {
    halyard_allocator::install();
    hal_import::main()
}
