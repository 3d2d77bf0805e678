//! `hal-cache`: see `lib.rs`.
fn main() -> std::process::ExitCode {
    hal_cache::main()
}
