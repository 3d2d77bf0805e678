//! Uses winners of a tuning database instead of the compiler's own choices.
//!
//! [`tuned`] looks up each executable and target and inserts the winners into the program: [`schedules`] on exports,
//! or a [`variant`] whose [`objects`] are checked. [`retry`] returns to the compiler's own choice if a kernel cannot
//! be made from a winner.

mod args;
mod machines;
mod objects;
mod pack;
mod retry;
mod schedules;
mod tuned;
mod variant;

pub use args::{Tuning, TuningArgs};
pub use pack::pack_variant;
pub(crate) use retry::run;
pub(crate) use tuned::Tuned;

use crate::{Options, target::Target};

/// The name of a target and of the options that code for it depends on, as the subjects of a tuning database have it:
/// `cpu:znver4@x86_64-unknown-linux-gnu -O2`. A winner with `--fast-math` is none without it.
pub fn tuning_target(target: &Target, options: Options) -> String {
    let level = (options.opt_level != 3).then(|| format!("-O{}", options.opt_level));
    let words = options.fast_words().into_iter().chain(level);
    words.fold(target.to_string(), |text, word| format!("{text} {word}"))
}
