//! Names of kernels and other activities, in memory that outlives their process.
use std::sync::atomic::{AtomicU8, AtomicUsize};

/// The capacity for all texts, in bytes.
pub(super) const BYTES: usize = 1 << 18;

/// Texts one after the other, each with its length in two bytes before it.
#[repr(C)]
pub(super) struct Texts {
    pub(super) used: AtomicUsize,
    pub(super) bytes: [AtomicU8; BYTES],
}

impl Texts {
    #[allow(clippy::declare_interior_mutable_const, reason = "an initialiser of statics only")]
    pub(super) const EMPTY: Self = Self { used: AtomicUsize::new(0), bytes: [const { AtomicU8::new(0) }; BYTES] };
}

/// A text of the board: where it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Label(pub(super) u32);

/// The offset of a text that did not fit.
pub(super) const FULL: u32 = u32::MAX;
