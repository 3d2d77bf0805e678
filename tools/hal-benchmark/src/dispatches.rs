//! Dispatches as subjects.
use crate::{
    args::PerExecutable,
    functions::Loaded,
    measure::{Plan, Samples, Subject, measure},
    record::{Dispatch, Measurement},
};
use halyard_diag::Result;
use halyard_runtime::{DispatchRecord, Tensor};
use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

/// A kind of dispatch: kernel, workgroups, constants, bytes of each binding.
type Kind = (usize, [u32; 3], Vec<i64>, Vec<u64>);

/// Measures each kind of dispatch of a call of the function, slowest in sum first. Errors: a failed call.
pub(crate) fn measure_all(how: PerExecutable, plan: Plan, loaded: &mut Loaded, inputs: &[Tensor]) -> Result<Vec<Measurement>> {
    let kinds = match how {
        PerExecutable::InPlace => in_place(plan, loaded, inputs)?,
        PerExecutable::Isolated => isolated(plan, loaded, inputs)?,
    };
    let kernels = loaded.instance.program().kernels();
    let mut results: Vec<Measurement> = kinds
        .into_iter()
        .map(|((kernel, workgroups, constants, bindings), calls, samples)| {
            let info = &kernels[kernel];
            let dispatch = Dispatch {
                executable: info.executable.clone(),
                calls,
                share: 0.0,
                workgroups,
                constants,
                bytes: bindings.iter().sum(),
                flops: info.flops,
            };
            Measurement { dispatch: Some(dispatch), ..Measurement::new(&info.export, &loaded.name, samples) }
        })
        .collect();
    share(&mut results);
    Ok(results)
}

/// Sets each one's part of the sum, and sorts by it.
fn share(results: &mut [Measurement]) {
    let total = |m: &Measurement| m.median * m.dispatch.as_ref().map_or(0.0, |d| d.calls as f64);
    let sum: f64 = results.iter().map(total).sum();
    results.sort_by(|a, b| total(b).total_cmp(&total(a)));
    for m in results {
        let part = if sum > 0.0 { total(m) / sum } else { 0.0 };
        if let Some(dispatch) = &mut m.dispatch {
            dispatch.share = part;
        }
    }
}

/// Times them within calls. A sample is the mean of the dispatches of one kind in one call.
fn in_place(plan: Plan, loaded: &mut Loaded, inputs: &[Tensor]) -> Result<Vec<(Kind, usize, Samples)>> {
    let mut order: Vec<Kind> = Vec::new();
    let mut found: BTreeMap<Kind, (usize, Vec<f64>)> = BTreeMap::new();
    let name = loaded.function.name.clone();
    for _ in 0..plan.warmup.unwrap_or(1) {
        loaded.instance.profile(&name, inputs)?;
    }
    let started = Instant::now();
    let mut runs = 0;
    while runs < plan.runs || started.elapsed() < plan.min_time {
        let (_, records) = loaded.instance.profile(&name, inputs)?;
        for (kind, times) in by_kind(records, &mut order) {
            let entry = found.entry(kind).or_default();
            entry.0 = times.len();
            entry.1.push(times.iter().map(Duration::as_secs_f64).sum::<f64>() / times.len() as f64);
        }
        runs += 1;
    }
    let result = |kind: Kind| {
        let (calls, seconds) = found.remove(&kind).expect("every kind in `order` was found");
        (kind, calls, Samples { seconds, iterations: calls })
    };
    Ok(order.into_iter().map(result).collect())
}

/// The times of each kind; `order` learns kinds not seen before.
fn by_kind(records: Vec<DispatchRecord>, order: &mut Vec<Kind>) -> BTreeMap<Kind, Vec<Duration>> {
    let mut times: BTreeMap<Kind, Vec<Duration>> = BTreeMap::new();
    for r in records {
        let kind = (r.kernel, r.workgroups, r.constants, r.bindings);
        if !order.contains(&kind) {
            order.push(kind.clone());
        }
        times.entry(kind).or_default().push(Duration::from_nanos(r.nanos));
    }
    times
}

/// Runs them by themselves, with the buffers that they had in a call. The measuring time is divided among them.
fn isolated(plan: Plan, loaded: &mut Loaded, inputs: &[Tensor]) -> Result<Vec<(Kind, usize, Samples)>> {
    let name = loaded.function.name.clone();
    let mut captured = loaded.instance.capture(&name, inputs)?;
    let each = Plan { min_time: plan.min_time / captured.len().max(1) as u32, ..plan };
    let mut results = Vec::new();
    for dispatch in &mut captured {
        let kind = (dispatch.kernel, dispatch.workgroups, dispatch.constants.clone(), dispatch.binding_bytes.clone());
        let calls = dispatch.occurrences;
        let instance = &mut loaded.instance;
        let run: Subject<'_> = Box::new(move |iterations| instance.run_dispatch(dispatch, iterations));
        let samples = measure(each, &mut [run])?.pop().expect("one subject has one list of samples");
        results.push((kind, calls, samples));
    }
    Ok(results)
}
