//! `hal-cache`: looks after the cache of translated executables. `common/cache` is the cache itself.
//!
//! It is also the process through which the compiler tools reach shared stores ([`serve`]) and servers that execute
//! ([`execute`]): the clients of HTTP, S3 and gRPC ([`stores`], [`grpc`]) are in this program alone.

mod args;
mod credentials;
mod execute;
mod explain;
mod fault;
mod grpc;
mod probe;
mod run;
mod serve;
mod stores;
mod tls;

pub use args::HalCacheArgs;
pub use run::run;

/// The tool.
pub fn main() -> std::process::ExitCode {
    halyard_cli::main(run)
}
