//! `hal-compile`: see `lib.rs`.
fn main() -> std::process::ExitCode {
    halyard_allocator::install();
    hal_compile::main()
}
