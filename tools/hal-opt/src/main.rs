//! `hal-opt`: see `lib.rs`.
fn main() -> std::process::ExitCode {
    hal_opt::main()
}
