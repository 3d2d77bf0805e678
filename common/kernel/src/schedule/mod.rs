//! What a kernel does where, chosen before it is emitted: [`stores`] says which nests compute a result, [`nests`] plans each of
//! them with those inside: its loops and what it keeps ([`plan`]), its lanes ([`vectorize`]), its tiles of registers ([`tile`]),
//! its workgroups ([`workgroups`]), by the formulas of [`cost_model`] and the numbers of [`crate::machine`]. All of it is data.
//!
//! What a schedule may name is chosen by way of [`Choices`].
mod align;
pub(crate) mod cache_blocked;
pub(crate) mod choices;
pub(crate) mod columns;
pub(crate) mod cost_model;
mod explain;
mod im2col;
pub(crate) mod nests;
mod nontemporal;
pub(crate) mod panel;
pub(crate) mod plan;
pub(crate) mod plan_space;
pub(crate) mod planned;
pub(crate) mod planner;
pub(crate) mod reads;
pub(crate) mod stores;
pub(crate) mod streaming;
mod stretches;
pub(crate) mod tile;
pub(crate) mod vectorize;
pub(crate) mod workgroups;

pub(crate) use choices::Choices;
pub use choices::{Choice, ChosenSchedule, Legal};
