//! `hal-import`: see `lib.rs`.
fn main() -> std::process::ExitCode {
    hal_import::main()
}
