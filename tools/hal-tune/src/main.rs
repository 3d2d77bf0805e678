//! `hal-tune`: see `lib.rs`.
fn main() -> std::process::ExitCode {
    halyard_allocator::install();
    hal_tune::main()
}
