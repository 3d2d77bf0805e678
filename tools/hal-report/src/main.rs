//! `hal-report`: see `lib.rs`.
fn main() -> std::process::ExitCode {
    hal_report::main()
}
