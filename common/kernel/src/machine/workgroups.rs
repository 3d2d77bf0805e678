//! Workgroups of CPUs: how many there are.
use super::numbers::numbers;

/// Workgroups at most, where a schedule says how many. A limit of schedules, not a tuned number.
pub(crate) const MOST_BY_SCHEDULE: i64 = 4096;

numbers! {
/// Workgroups of CPUs: how many there are.
pub struct WorkgroupNumbers {
    /// Nanoseconds: a workgroup that is estimated to take less is not worth handing out. By hand, 2026-11-22.
    worth_handing_out: f64 = 10_000.0,
    /// The least number of workgroups where there are several: threads can share so many evenly. By hand, 2026-11-22.
    fewest_of_several: i64 = 16,
    /// Workgroups that the kernel of a family is divided among at most. By hand, 2026-11-21.
    most_of_family: i64 = 64,
    /// Workgroups by the estimate of the work, at most. By hand, 2026-11-20.
    most_by_estimate: f64 = 64.0,
    /// The part of all work that workgroups may spend on what each of them computes anew. By hand, 2026-11-20.
    repeated_share: f64 = 0.08,
    /// Elements that a tensor of unknown size is taken to have when what is repeated is estimated. By hand, 2026-11-20.
    unknown_elements: i64 = 4096,
    /// Tiles that a loop of unknown size is taken to have when the loop to divide is chosen. By hand, 2026-11-20.
    unknown_tiles: i64 = 16,
    /// Workgroups of a nest of unknown size. By hand, 2026-11-20.
    unknown_work: i64 = 16,
}
}
