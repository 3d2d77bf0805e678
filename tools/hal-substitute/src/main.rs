//! `hal-substitute`: see `lib.rs`.
use halyard_allocator as _;

fn main() -> std::process::ExitCode {
    hal_substitute::main()
}
