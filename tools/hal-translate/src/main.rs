//! `hal-translate`: see `lib.rs`.
fn main() -> std::process::ExitCode {
    hal_translate::main()
}
