//! What the reference makes of the inputs of a run: computed once for all kernels of a source.
use super::{ATTEMPTS, Plan, Subject};
use crate::{random::Random, sizes::Chosen};
use halyard_diag::Result;
use serde::{Deserialize, Serialize};

/// The sizes of all inputs, and of all results.
pub(crate) type Shapes = (Vec<Vec<i64>>, Vec<Vec<i64>>);

/// What the inputs of a run are made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Setting {
    /// Where the random numbers begin.
    pub(crate) seed: u64,
    /// The largest integers among them.
    pub(crate) most: i64,
    pub(crate) chosen: Chosen,
    pub(crate) shapes: Shapes,
}

/// The inputs of a run, and the bytes of all results that the reference computes of them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Expected {
    plan: Plan,
    /// `None`: no inputs were found that the source has a meaning for.
    pub(super) found: Option<(Setting, Vec<Vec<u8>>)>,
}

impl Expected {
    /// The bytes that it holds.
    pub(crate) fn bytes(&self) -> usize {
        self.found.iter().flat_map(|(_, results)| results).map(Vec::len).sum()
    }
}

impl<'a> Subject<'a> {
    /// Takes results of the reference from a list instead of computing them.
    pub(crate) fn expecting(mut self, known: &'a [Expected]) -> Self {
        self.expected = known;
        self
    }

    /// What is known of a run.
    pub(super) fn known(&self, plan: Plan) -> Option<&'a Expected> {
        self.expected.iter().find(|e| e.plan == plan)
    }

    /// Computes what a run is compared with. Errors: no memory.
    pub(crate) fn expect(&self, plan: Plan) -> Result<Expected> {
        let found = self.look_for(plan, |setting| {
            let side = plan.side();
            let arguments = self.arguments(plan, setting, side)?;
            let mut wanted = self.results(&setting.shapes.1, side, |_| true)?;
            let is_legal = self.reference(&arguments, &mut wanted, &setting.shapes, &self.places(setting.seed));
            let bytes = is_legal.then(|| wanted.iter().map(|w| w.bytes().to_vec()).collect());
            self.spare.borrow_mut().extend(arguments.into_iter().chain(wanted));
            Ok(bytes.map(|bytes| (setting.clone(), bytes)))
        })?;
        Ok(Expected { plan, found })
    }

    /// Tries sizes and inputs until the source has a meaning for some: `run` gives `None` where it has none.
    pub(super) fn look_for<T>(
        &self,
        plan: Plan,
        mut run: impl FnMut(&Setting) -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        let mut random = Random::new(plan.seed);
        for attempt in 0..ATTEMPTS {
            let seed = random.bits();
            let Some(chosen) = self.choose(plan.how, attempt, &mut random) else { continue };
            let Some(shapes) = self.shapes(&chosen) else { continue };
            let most = if attempt < 4 { 100 } else { [8, 3, 1][(attempt / 4).min(3) - 1] };
            match run(&Setting { seed, most, chosen, shapes })? {
                Some(found) => return Ok(Some(found)),
                None if self.is_static() && attempt > 12 => break,
                None => {}
            }
        }
        Ok(None)
    }
}
