//! `hal-translate`: see `lib.rs`.
fn main() -> std::process::ExitCode {
    halyard_allocator::install();
    hal_translate::main()
}
