//! The flag of the tools that make or take kernels.
use clap::Args;

/// Whether kernels are verified.
#[derive(Debug, Clone, Default, Args)]
pub struct VerifyArgs {
    /// Compare each new kernel with the plain lowering of its source on random inputs, N times [3]
    ///
    /// The plain lowering uses upstream passes only. For each kernel, the largest error and the tolerance, which
    /// depends on its operations, are reported in ulp; a larger error fails with a reproducer
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "3", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub verify: Option<u32>,
}
