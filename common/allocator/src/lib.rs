//! The memory allocator of the tools that use MLIR (but hal-opt): jemalloc, for Rust and, in place of `malloc` and `free`, for MLIR and LLVM.
//!
//! MLIR allocates each operation by itself, and passes visit them in the order of the program. The allocator of glibc gives the
//! memory of erased operations to the next ones, wherever it is, so that after some rewrites neighbours are far apart and each step
//! misses the caches; that of jemalloc keeps what is allocated in a row together. Imports of large programs take 0.65 to 0.85 of
//! the time.
//!
//! `use halyard_allocator as _;` in a `main.rs` is all that a tool needs. Libraries that others load (`libhalyard.so`, the Python
//! package) leave the allocator of the process alone.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;
