//! `hal-substitute`: see `lib.rs`.
fn main() -> std::process::ExitCode {
    hal_substitute::main()
}
