//! The flag of the tools that make or take kernels.
use clap::Args;

/// Whether kernels are verified.
#[derive(Debug, Clone, Default, Args)]
pub struct VerifyArgs {
    /// Run each new kernel on random inputs beside the plain lowering of its source, and compare; N times [3]
    ///
    /// The plain lowering is made by upstream passes alone. The largest difference of each kernel is reported in ulp, with what
    /// its sums and functions allow; more than that is an error with a reproducer
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "3", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub verify: Option<u32>,
}
