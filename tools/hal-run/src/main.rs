//! `hal-run`: see `lib.rs`.
fn main() -> std::process::ExitCode {
    hal_run::main()
}
