//! Kernels for GPUs: threads that pull their elements.
//!
//! The graph and everything that computes an element of it is that of CPUs, with one lane. What differs is who computes
//! what: the results of an export are [`parts`], each a tensor to be stored over its own workgroups; the numbers of
//! threads and workgroups come from [`threads`]. [`elements`] takes every part: one thread per element.

mod elements;
mod forms;
mod parts;
mod threads;

use super::Emitter;
use super::code::{Coder, Emitted};
use super::ix::Ix;
use super::memory::Memory;
use halyard_ir::Value;

/// Workgroups in x; more go on in y. Every device of Vulkan has this many per dimension.
pub(crate) const FOLD: i64 = 65535;
/// The threads of a workgroup where nothing asks for another number.
const THREADS: i64 = 128;

impl Emitter<'_> {
    /// Computes the results into their memory; gives the threads of a workgroup.
    pub(crate) fn gpu(
        &mut self,
        returned: &[Value],
        memories: &[Memory],
        tied: &[Option<usize>],
    ) -> Emitted<[i64; 3]> {
        let ids = returned.iter().map(|&v| self.id(v)).collect::<Emitted<Vec<_>>>()?;
        let parts = self.parts(&ids, memories, tied)?;
        let threads = THREADS;
        let mut counts = Vec::new();
        for part in &parts {
            counts.push(self.element_workgroups(part, threads));
        }
        let total = counts.iter().fold(Ix::ZERO, |sum, &n| self.code.add(sum, n));
        self.workgroups.push(total);
        let (group, thread) = (self.workgroup_number(total), self.thread());
        let mut first = Ix::ZERO;
        for (part, &count) in parts.iter().zip(&counts) {
            let end = self.code.add(first, count);
            let own = self.code.sub(group, first);
            let body = |this: &mut Self| this.elements(part, own, thread, threads);
            if parts.len() == 1 {
                self.code_scoped(body)?;
            } else {
                self.within_range(group, first, end, body)?;
            }
            first = end;
        }
        Ok([threads, 1, 1])
    }

    /// Runs a body in the workgroups of a range.
    fn within_range(
        &mut self,
        group: Ix,
        first: Ix,
        end: Ix,
        body: impl FnOnce(&mut Self) -> Emitted<()>,
    ) -> Emitted<()> {
        let (at, first, end) = (self.code.ix(group), self.code.ix(first), self.code.ix(end));
        let (after, before) = (self.code.compare(5, at, first), self.code.compare(2, at, end));
        let inside = self.code.math("arith.andi", &[after, before]);
        self.when(inside, body)
    }

    /// Runs a body where a condition holds.
    fn when(&mut self, condition: Value, body: impl FnOnce(&mut Self) -> Emitted<()>) -> Emitted<()> {
        let done = self.if_else(
            condition,
            &[],
            |this| {
                body(this)?;
                Ok(Vec::new())
            },
            |_| Ok(Vec::new()),
        );
        done.map(|_| ())
    }
}
