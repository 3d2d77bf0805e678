//! `hal-extract`: see `lib.rs`.
fn main() -> std::process::ExitCode {
    hal_extract::main()
}
