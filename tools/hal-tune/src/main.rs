//! `hal-tune`: see `lib.rs`.
fn main() -> std::process::ExitCode {
    hal_tune::main()
}
