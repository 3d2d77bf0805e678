//! How code is generated.

/// How to generate code.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// How hard to optimise, 0 to 3.
    pub opt_level: u8,
    /// Let sums be reordered and divisions be approximated.
    pub fast_math: bool,
    /// Let tensor cores multiply `f32` as `tf32`.
    pub tf32: bool,
}

impl Options {
    /// The flag that says what may cost exactness.
    pub fn fast_words(&self) -> Option<String> {
        match (self.fast_math, self.tf32) {
            (false, false) => None,
            (true, false) => Some("--fast-math".to_owned()),
            (false, true) => Some("--fast-math=tf32".to_owned()),
            (true, true) => Some("--fast-math=sums,tf32".to_owned()),
        }
    }
}
