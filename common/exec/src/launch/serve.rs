//! The worker's side: one request, one reply.
use super::wire::Asked;
use halyard_diag::{Error, Result};
use std::{io::BufRead, time::Instant};

/// What a worker is asked to do.
#[derive(Debug)]
pub struct LaunchedWork {
    /// What all items share.
    pub common: Vec<u8>,
    /// The items.
    pub items: Vec<Vec<u8>>,
}

/// Answers the request that comes from `input`, which is `place`, such as `on standard input`; the reply. `build` is this
/// program's, as [`super::launch`] has it; `version` is its name in messages. `work` gives a reply for each item, or a reason
/// to refuse them all. Errors: what comes is no request.
pub fn serve_launched(
    build: &str,
    version: &str,
    (place, input): (&str, &mut impl BufRead),
    work: impl FnOnce(LaunchedWork) -> Result<Vec<Vec<u8>>, String>,
) -> Result<Vec<u8>> {
    let started = Instant::now();
    let asked = Asked::read(input).map_err(|e| {
        Error::input(format!("no jobs arrived {place}: {e}"))
            .code("no-jobs")
            .hint("`--launcher` starts this worker and sends it jobs; it is not for manual use")
    })?;
    let host = host();
    let result = if asked.build == build {
        match asked.parts() {
            Some((common, items)) => work(LaunchedWork { common, items }),
            None => Err("the jobs cannot be read".to_owned()),
        }
    } else {
        Err(format!("it is another build: {version}, build {build} on `{host}`"))
    };
    let (status, body) = match result {
        Ok(replies) => ("done", postcard::to_stdvec(&replies).expect("bytes are plain data")),
        Err(why) => ("refused", why.into_bytes()),
    };
    Ok(asked.reply(status, &body, started.elapsed(), &host))
}

/// The name of this machine; with Slurm, of its node.
fn host() -> String {
    let node = std::env::var("SLURMD_NODENAME").ok();
    let name = || std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name: String = node.unwrap_or_else(name).chars().filter(|c| !c.is_control()).take(100).collect();
    name.trim().to_owned()
}
