//! Sums of products of short numbers (bytes, 16-bit words, bf16) by instructions that add two or four products at once.
//!
//! Such an instruction wants the numbers that it adds up side by side: both factors are copied into groups of 32 bits first.
//! Registers then hold a tile of sums, rows times vectors of columns, as in any product. `vpdpbusd` multiplies unsigned
//! bytes with signed ones; other bytes are moved by 128 on the way, and zero points are left out:
//!
//! `Σ (u - p)(s - q) = Σ u·s - p·Σ s - q·(Σ u - n·p)`, exactly, because all of it wraps around in 32 bits.

mod emit;
mod form;
mod image;
mod pack;
mod plan;
mod taps;
#[cfg(test)]
mod tests;
mod tile;
mod window;

pub(super) use plan::DotsPlan;
