//! Options of code generation.
use halyard_verify::InexactKernels;

/// The options of code generation.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// The optimisation level, 0 to 3.
    pub opt_level: u8,
    /// Let sums be reordered and divisions be approximated.
    pub fast_math: bool,
    /// Let winograd compute tiles of 4×4 outputs, of which results are less exact.
    pub winograd: bool,
    /// Let tensor cores multiply `f32` as `tf32`.
    pub tf32: bool,
    /// Let products with quantised weights round activations to 8 bits.
    pub activations: bool,
}

impl Options {
    /// What verification has to expect of kernels.
    pub fn inexact(self) -> InexactKernels {
        InexactKernels { sums: self.fast_math || self.tf32, activations: self.activations }
    }

    /// The flag that says what may cost exactness.
    pub fn fast_words(&self) -> Option<String> {
        let words = [
            ("sums", self.fast_math),
            ("winograd", self.winograd),
            ("tf32", self.tf32),
            ("activations", self.activations),
        ];
        let words: Vec<&str> = words.into_iter().filter(|(_, is)| *is).map(|(word, _)| word).collect();
        match words[..] {
            [] => None,
            ["sums"] => Some("--fast-math".to_owned()),
            _ => Some(format!("--fast-math={}", words.join(","))),
        }
    }
}
