//! `hal-link`: see `lib.rs`.
fn main() -> std::process::ExitCode {
    hal_link::main()
}
