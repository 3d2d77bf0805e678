//! What is the same for all contestants of an executable: the reference, its results, and inputs to time kernels with.
//!
//! It is computed once, in a worker process that runs no contestant; those that judge contestants are forks that find it in memory.
use super::{ContestOptions, timing::TimingInputs};
use crate::{
    Case,
    jit::Loaded,
    kernel::{AbsentKernel, Kernel},
    machine::Machine,
    reference::{self, DIALECTS, Reference},
    trial::{Count, Expected, Subject},
    worker::Stop,
};
use halyard_ir::{Session, form::Export};
use halyard_runtime::LoneDevice;
use serde::{Deserialize, Serialize};

/// Results of the reference that take more bytes are computed for each contestant.
const MOST: usize = 256 << 20;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Prepared {
    pub(super) reference: Reference,
    /// For each export, what its results are compared with.
    pub(super) expected: Vec<Vec<Expected>>,
    /// For each place that is timed, how many inputs were tried; see [`TimingInputs::begin`].
    pub(super) tries: Vec<u64>,
}

/// The exports of a source, in the order of those of a variant. Errors: one that is not there.
pub(super) fn sources(case: &Case) -> Result<Vec<Export>, String> {
    let all: Vec<Export> = case.source.body_ops().into_iter().filter_map(Export::view).collect();
    let source = |kernel: Export| {
        let own = all.iter().find(|e| e.name() == kernel.name() && e.op.body().is_some());
        own.copied().ok_or_else(|| format!("the source of `@{}` is not there", kernel.name()))
    };
    case.variant.exports().into_iter().map(source).collect()
}

impl Prepared {
    /// Computes it. Errors: why there is no reference, or why nothing can be timed.
    pub(super) fn new(session: &Session, incumbent: &Case, options: &ContestOptions) -> Result<Self, String> {
        session.load_dialects(DIALECTS);
        let machine = Machine::new().map_err(|e| e.to_string())?;
        let sources = sources(incumbent)?;
        let reference = reference::build(session, &machine, incumbent.source, &sources, &[])
            .map_err(|e| format!("there is no plain lowering of its source: {e}"))?;
        let code = Loaded::new().map_err(|e| e.to_string())?;
        code.add(&reference.object).map_err(|e| e.to_string())?;
        let device = options.device.map(LoneDevice::open).transpose().map_err(|e| e.to_string())?;
        let kernel = AbsentKernel(device.as_ref());
        let mut subjects = Vec::new();
        for (e, source) in sources.iter().enumerate() {
            let pieces = &reference.pieces[e];
            let functions = pieces.iter().map(|p| code.find(&p.name)).collect::<Result<Vec<_>, _>>();
            let pieces = (pieces.as_slice(), functions.map_err(|e| e.to_string())?, Count::Constant([0; 3]));
            let kernel = (&kernel as &dyn Kernel, [].as_slice(), Vec::new());
            let subject = Subject::new(*source, incumbent.source, options.fast, pieces, kernel);
            subjects.push(subject.map_err(|e| e.to_string())?);
        }
        let mut tries = Vec::new();
        for place in &options.places {
            let at = sources.iter().position(|s| s.name() == place.export);
            let at = at.ok_or_else(|| format!("its export `@{}` is not there", place.export))?;
            let begun = TimingInputs::new(&subjects[at], &place.sizes, options.seed)
                .and_then(|mut inputs| inputs.begin(&subjects[at], None));
            tries.push(begun.map_err(|stop| match stop {
                Stop::Skip(why) => why,
                Stop::Fail(error) => error.to_string(),
            })?);
        }
        let mut expected = Vec::new();
        for subject in &subjects {
            let plans =
                subject.plans(options.checks, options.seed).into_iter().chain(subject.special_plan(options.seed));
            let runs = plans.map(|plan| subject.expect(plan)).collect::<Result<Vec<_>, _>>();
            expected.push(runs.map_err(|e| e.to_string())?);
        }
        if expected.iter().flatten().map(Expected::bytes).sum::<usize>() > MOST {
            expected.iter_mut().for_each(Vec::clear);
        }
        drop(subjects);
        Ok(Self { reference, expected, tries })
    }
}
