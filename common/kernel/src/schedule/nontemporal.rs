//! Whether results are stored around the caches: those that are far larger than the caches would push everything else out,
//! and each line would be read before it is written.
use crate::graph::Size;
use crate::schedule::Legal;
use crate::schedule::planned::Plan;
use crate::schedule::planner::{NestRequest, Planner};
use halyard_ir::form::ScheduleSetting;

impl Planner<'_> {
    /// Whether a nest stores around the caches: whole aligned vectors of large results.
    pub(crate) fn stores_around_caches(&mut self, nest: &NestRequest, plan: &Plan, dims: &[Size]) -> bool {
        let Some(v) = plan.vector.filter(|_| nest.shared && nest.overlap && nest.outermost) else {
            return false;
        };
        let whole = |n: Option<i64>| n.is_some_and(|n| n % plan.lanes == 0);
        let fits = nest.outputs.iter().all(|output| {
            let bytes = output.elem.byte_width() as i64;
            let rows = (0..dims.len()).all(|d| d == v || dims[d].known() == Some(1) || whole(output.strides[d]));
            bytes * plan.lanes * 8 == i64::from(self.target.vector_bits)
                && output.elem.is_float()
                && output.strides[v] == Some(1)
                && whole(dims[v].known())
                && whole(output.offset)
                && rows
        });
        if !fits {
            return false;
        }
        let large = nest.outputs.iter().all(|output| {
            let bytes = output.elem.byte_width() as i64;
            let size = output.dims.iter().try_fold(bytes, |n, d| n.checked_mul((*d)?));
            size.is_some_and(|size| size >= self.target.cpu.memory.nontemporal_caches * self.target.l2 as i64)
        });
        let words = ["cached", "nontemporal"];
        let ours = words[usize::from(large)];
        let word = self.choices.word("store", |word| words.contains(&word)).unwrap_or(ours.to_owned());
        let nontemporal = word == words[1];
        self.choices.record("store", ScheduleSetting::Word(word), Legal::words(words));
        nontemporal
    }
}
