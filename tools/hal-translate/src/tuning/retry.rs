//! Returns to the compiler's own choice if no code can be made from a winner.
use super::Tuned;
use crate::{
    Translation, cached,
    job::{Done, Job},
    llvm::Code,
    target::Target,
    workers::WorkerOutput,
};
use halyard_diag::{ErrorKind, Result};
use halyard_ir::Session;

/// Runs jobs like [`workers::run`]. Jobs whose winner is refused, or crashes the translation, run again without it;
/// they are exchanged in `jobs` with jobs that do not use it.
pub(crate) fn run(
    session: &Session,
    jobs: &mut [Job],
    targets: &[Target],
    translation: &Translation,
    code: Code,
    mut tuned: Option<&mut Tuned>,
) -> (Vec<Result<Vec<Done>>>, WorkerOutput) {
    let (mut results, mut said) = cached::run(session, jobs, targets, translation, code);
    while let Some(tuned) = tuned.as_deref_mut().filter(|_| results.len() == jobs.len()) {
        let mut again = Vec::new();
        let (mut gave_up, mut failed) = (false, false);
        for (i, result) in results.iter().enumerate() {
            match result {
                Ok(done) if done.is_empty() => again.push(i),
                Ok(_) => {}
                Err(error) => {
                    let own = error.kind != ErrorKind::Environment;
                    let job = own.then(|| tuned.give_up(session, &jobs[i], &targets[jobs[i].target], error)).flatten();
                    match job {
                        Some(job) => {
                            jobs[i] = job;
                            gave_up = true;
                            again.push(i);
                        }
                        None => failed = true,
                    }
                }
            }
        }
        // A failure that no winner caused would recur.
        if failed || !gave_up {
            break;
        }
        let list: Vec<Job> = again.iter().map(|&i| jobs[i].clone()).collect();
        let (new, output) = cached::run(session, &list, targets, translation, code);
        if new.len() != list.len() {
            return (new, output);
        }
        said.add(output);
        again.into_iter().zip(new).for_each(|(i, result)| results[i] = result);
    }
    (results, said)
}
