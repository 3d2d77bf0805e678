//! Measures dispatches.
use crate::{
    args::PerExecutable,
    functions::Loaded,
    measure::{Plan, Samples, Subject, measure},
    record::{Comparison, Dispatch, Measurement},
};
use halyard_diag::Result;
use halyard_peaks::{ArithmeticKind, CacheState, Peaks, Roof};
use halyard_runtime::{DispatchRecord, Tensor};
use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

/// A kind of dispatch: kernel, workgroups, constants, bytes of each binding.
type Kind = (usize, [u32; 3], Vec<i64>, Vec<u64>);

/// Measures each kind of dispatch of a call of the function, in each program, slowest in sum first. Programs are
/// measured by turns, so that what disturbs the machine disturbs all. Errors: a failed call.
pub(crate) fn measure_all(
    how: PerExecutable,
    plan: Plan<'_>,
    programs: &mut [Loaded],
    inputs: &[Tensor],
    peaks: Option<&Peaks>,
) -> Result<Vec<Vec<Measurement>>> {
    let found = match how {
        PerExecutable::InPlace => in_place(plan, programs, inputs)?,
        PerExecutable::Isolated => isolated(plan, programs, inputs)?,
    };
    let mut all = Vec::new();
    for (loaded, kinds) in programs.iter().zip(found) {
        let kernels = loaded.instance.program().kernels();
        let mut results: Vec<Measurement> = kinds
            .into_iter()
            .map(|((kernel, workgroups, constants, bindings), calls, samples)| {
                let info = &kernels[kernel];
                let operations = info.work.operations_of(&constants);
                let moved: u64 = bindings.iter().sum();
                let roof = peaks.map(|peaks| {
                    let needed = info.work.bytes_of(&constants).unwrap_or(moved);
                    let kind = info.work.kind.as_deref().and_then(ArithmeticKind::of);
                    let caches = if plan.cold.is_some() { CacheState::Cold } else { CacheState::Warm };
                    Roof::of(peaks, kind.zip(operations), needed, caches)
                });
                let dispatch = Dispatch {
                    executable: info.executable.clone(),
                    key: info.identity.key.clone(),
                    origin: info.identity.origin.clone(),
                    calls,
                    share: 0.0,
                    workgroups,
                    constants,
                    bytes: moved,
                    flops: operations,
                    digest: info.digest.clone(),
                    roofline: None,
                };
                let mut measurement = Measurement::new(&info.export, &loaded.name, samples);
                measurement.dispatch = Some(dispatch);
                measurement.compare_with(roof.as_ref());
                measurement
            })
            .collect();
        share(&mut results);
        all.push(results);
    }
    Ok(all)
}

/// Compares dispatches that two programs have in common, by name, constants and sizes, in the order of the first
/// program. Kernels with identical code show the noise of this run: a difference within that noise does not count.
pub(crate) fn compared(first: &[Measurement], second: &[Measurement]) -> Vec<Comparison> {
    let same = |a: &Measurement, b: &Measurement| {
        let key = |m: &Measurement| m.dispatch.as_ref().map(|d| (d.executable.clone(), d.constants.clone(), d.bytes));
        a.name == b.name && key(a) == key(b) && a.samples.len() == b.samples.len()
    };
    let mut all: Vec<Comparison> =
        first.iter().filter_map(|a| Some(Comparison::new(a, second.iter().find(|b| same(a, b))?))).collect();
    let equal = all.iter().filter(|c| c.same_code).map(|c| c.interval);
    let noise = equal.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])]);
    all.iter_mut().for_each(|c| c.noise = noise);
    all
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

/// The dispatches of one program: the kind of dispatch, how often a call runs it, and its samples.
type Found = Vec<(Kind, usize, Samples)>;

/// Times them within calls, the programs by turns. A sample is the mean of the dispatches of one kind in one call.
fn in_place(plan: Plan<'_>, programs: &mut [Loaded], inputs: &[Tensor]) -> Result<Vec<Found>> {
    let mut orders: Vec<Vec<Kind>> = vec![Vec::new(); programs.len()];
    let mut found: Vec<BTreeMap<Kind, (usize, Vec<f64>)>> = vec![BTreeMap::new(); programs.len()];
    for _ in 0..plan.warmup.unwrap_or(1) {
        for loaded in programs.iter_mut() {
            loaded.start_over()?;
            loaded.instance.profile(&loaded.function.name, inputs)?;
        }
    }
    let started = Instant::now();
    let mut runs = 0;
    while runs < plan.runs || started.elapsed() < plan.min_time * programs.len() as u32 {
        for ((loaded, order), found) in programs.iter_mut().zip(&mut orders).zip(&mut found) {
            loaded.start_over()?;
            let (_, records) = loaded.instance.profile(&loaded.function.name, inputs)?;
            for (kind, times) in by_kind(records, order) {
                let entry = found.entry(kind).or_default();
                entry.0 = times.len();
                entry.1.push(times.iter().map(Duration::as_secs_f64).sum::<f64>() / times.len() as f64);
            }
        }
        runs += 1;
    }
    let result = |(order, mut found): (Vec<Kind>, BTreeMap<Kind, (usize, Vec<f64>)>)| {
        let one = |kind: Kind| {
            let (calls, seconds) = found.remove(&kind).expect("every kind in `order` was found");
            (kind, calls, Samples { seconds, iterations: calls })
        };
        order.into_iter().map(one).collect()
    };
    Ok(orders.into_iter().zip(found).map(result).collect())
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

/// Runs them by themselves, with the buffers that they had in a call; those that several programs have by turns. The
/// measuring time is divided among them.
fn isolated(plan: Plan<'_>, programs: &mut [Loaded], inputs: &[Tensor]) -> Result<Vec<Found>> {
    let mut captured = Vec::new();
    for loaded in programs.iter_mut() {
        loaded.start_over()?;
        captured.push(loaded.instance.capture(&loaded.function.name, inputs)?);
    }
    let names: Vec<Vec<String>> = programs
        .iter()
        .zip(&captured)
        .map(|(p, list)| list.iter().map(|d| p.instance.program().kernels()[d.kernel].export.clone()).collect())
        .collect();
    let each = Plan { min_time: plan.min_time / captured[0].len().max(1) as u32, ..plan };
    let mut results: Vec<Found> = vec![Vec::new(); programs.len()];
    let mut done: Vec<Vec<bool>> = captured.iter().map(|c| vec![false; c.len()]).collect();
    for p in 0..programs.len() {
        for i in 0..captured[p].len() {
            if done[p][i] {
                continue;
            }
            // The same dispatch in each program.
            let like = |q: usize, j: usize| {
                let (a, b) = (&captured[p][i], &captured[q][j]);
                names[p][i] == names[q][j] && a.constants == b.constants && a.binding_bytes == b.binding_bytes
            };
            let places: Vec<Option<usize>> =
                (0..programs.len()).map(|q| (0..captured[q].len()).find(|&j| !done[q][j] && like(q, j))).collect();
            let mut subjects: Vec<Subject<'_>> = Vec::new();
            for ((loaded, list), place) in programs.iter_mut().zip(&mut captured).zip(&places) {
                if let Some(j) = *place {
                    let (instance, dispatch) = (&mut loaded.instance, &mut list[j]);
                    subjects.push(Box::new(move |iterations| instance.run_dispatch(dispatch, iterations)));
                }
            }
            let mut samples = measure(each, &mut subjects)?.into_iter();
            drop(subjects);
            for (q, j) in places.iter().enumerate().filter_map(|(q, j)| Some((q, (*j)?))) {
                let d = &captured[q][j];
                let kind = (d.kernel, d.workgroups, d.constants.clone(), d.binding_bytes.clone());
                results[q].push((kind, d.occurrences, samples.next().expect("each subject has samples")));
                done[q][j] = true;
            }
        }
    }
    Ok(results)
}
