//! `hal-compile`: see `lib.rs`.
fn main() -> std::process::ExitCode {
    hal_compile::main()
}
