//! `hal-substitute`: see `lib.rs`.
fn main() -> std::process::ExitCode {
    halyard_allocator::install();
    hal_substitute::main()
}
