//! Jobs on threads; results in the order of the jobs, whatever the number of threads.
use crate::{
    codegen::Options,
    job::{Done, Job, Worker},
    llvm::Code,
    target::CpuTarget,
};
use halyard_diag::{Error, Result, Source};
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// LLVM recurses deeply on large functions.
const STACK: usize = 256 << 20;

/// Runs jobs on at most `threads` threads. One that fails does not stop the others.
pub(crate) fn run(
    jobs: &[Job],
    threads: usize,
    targets: &[CpuTarget],
    sources: &[Arc<Source>],
    options: Options,
    code: Code,
) -> Vec<Result<Vec<Done>>> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<Result<Vec<Done>>>>> = jobs.iter().map(|_| Mutex::new(None)).collect();
    let work = || {
        let mut worker = None;
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(i) else { return };
            let result = match &mut worker {
                Some(worker) => Worker::run(worker, job, code),
                None => Worker::new(targets, sources, options).and_then(|new| worker.insert(new).run(job, code)),
            };
            *results[i].lock().expect("no thread panics while it holds a result") = Some(result);
        }
    };
    thread::scope(|scope| {
        for _ in 0..threads.min(jobs.len()) {
            let spawned = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
            if spawned.is_err() {
                // No more threads to be had: those that run do the rest.
                break;
            }
        }
    });
    results
        .into_iter()
        .map(|slot| {
            let result = slot.into_inner().expect("no thread panics while it holds a result");
            result.unwrap_or_else(|| Err(Error::environment("no thread could be started")))
        })
        .collect()
}
