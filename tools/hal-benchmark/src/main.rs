//! `hal-benchmark`: see `lib.rs`.
fn main() -> std::process::ExitCode {
    hal_benchmark::main()
}
