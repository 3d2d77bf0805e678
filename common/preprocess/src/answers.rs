//! The replies to the requests of one command: those of pure commands come from the cache if they were given before.
use crate::{Caller, Command, Kept, Request, calls::succeeded};
use halyard_cache::{CacheKey, CacheMode, EntryLayers, content_digest};
use halyard_cli::Printer;
use halyard_diag::{Error, Result};
use halyard_exec::{ExitOutcome, Finished, Tail};
use serde::{Deserialize, Serialize};

/// The kind of entries of the cache.
const KIND: &str = "reply";

/// The content of an entry.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct KeptReply {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    /// Bytes of standard error before these.
    dropped: u64,
}

/// A reply is not kept if it is larger, in bytes.
const LARGEST: usize = 32 << 20;

/// All replies of a command, in the order of the requests.
pub(crate) struct Answers {
    pub(crate) all: Vec<Finished>,
    /// The cache, and which of the replies it lacks.
    fresh: Option<(EntryLayers, Vec<(usize, CacheKey)>)>,
}

impl Caller<'_> {
    /// Like [`Caller::call`], but takes replies from the cache where it has them. Errors: those of the call; a declared file
    /// that cannot be read; a reply that differs from the one in the cache, where they are compared.
    pub(crate) fn answers(&self, command: &Command, requests: &[Request], kept: &Kept) -> Result<Answers> {
        let (Some(pure), Some(choice)) = (&command.pure, self.cache) else {
            let all = self.call(command, &requests.iter().collect::<Vec<_>>(), kept)?;
            return Ok(Answers { all, fresh: None });
        };
        let files = pure.files(&command.line, &command.name())?;
        let mut cache = EntryLayers::open(choice);
        let keys: Vec<Option<CacheKey>> = requests.iter().map(|r| Some(key(command, r, &files))).collect();
        let mut found = cache.find(&keys, |_, bytes| KeptReply::read(bytes, command));
        let count = found.iter().flatten().count();
        self.printer.verbose(format!("`{}`: {count} of {} replies are in the cache", command.name(), requests.len()));
        let checks = choice.mode == CacheMode::Check;
        let open: Vec<usize> = (0..requests.len()).filter(|&i| checks || found[i].is_none()).collect();
        let called = self.call(command, &open.iter().map(|&i| &requests[i]).collect::<Vec<_>>(), kept)?;
        if kept.always() {
            for (request, reply) in requests.iter().zip(&found).filter(|_| !checks) {
                reply.as_ref().map_or(Ok(()), |reply| kept.write(command, request, reply).map(|_| ()))?;
            }
        }
        let mut fresh = Vec::new();
        for (i, reply) in open.into_iter().zip(called) {
            let key = keys[i].clone().expect("each request has a key");
            match &found[i] {
                Some(before) if before.stdout != reply.stdout => {
                    return Err(differs(command, &requests[i], &key));
                }
                Some(_) => {}
                None => fresh.push((i, key)),
            }
            found[i] = Some(reply);
        }
        let all: Vec<Finished> = found.into_iter().flatten().collect();
        Ok(Answers { all, fresh: Some((cache, fresh)) })
    }
}

impl Answers {
    /// Adds to the cache what it lacks; to be called once all replies are known to be good.
    pub(crate) fn keep(self, printer: &Printer) {
        let Some((mut cache, fresh)) = self.fresh else { return };
        let all = &self.all;
        let entry = |(i, key): (usize, CacheKey)| Some((key, KeptReply::of(&all[i])?));
        cache.add(fresh.into_iter().filter_map(entry).collect());
        cache.warnings().iter().for_each(|warning| printer.diagnostic(warning));
    }
}

impl KeptReply {
    /// The content of the entry of a reply; `None`: it is not kept.
    fn of(finished: &Finished) -> Option<Vec<u8>> {
        let (stdout, stderr) = (&finished.stdout, &finished.stderr);
        // What a command leaves behind is warned of each time.
        if finished.left_behind || finished.staying > 0 || stdout.len() > LARGEST {
            return None;
        }
        let kept = Self { stdout: stdout.clone(), stderr: stderr.bytes().to_vec(), dropped: stderr.dropped() };
        postcard::to_stdvec(&kept).ok()
    }

    /// The reply of an entry. Errors: it is damaged, or what the command declares now makes it a failure.
    fn read(bytes: &[u8], command: &Command) -> Result<Finished> {
        let kept: Self = postcard::from_bytes(bytes).map_err(|e| Error::input(format!("the cache is damaged: {e}")))?;
        let finished = Finished {
            ending: ExitOutcome::Exit(0),
            stdout: kept.stdout,
            stderr: Tail::of(kept.stderr, kept.dropped),
            left_behind: false,
            ended: 0,
            staying: 0,
        };
        succeeded(command, &finished).then_some(finished).ok_or_else(|| Error::input("the reply is empty"))
    }
}

/// The key of the reply to a request; `files` is what [`crate::Purity::files`] says.
fn key(command: &Command, request: &Request, files: &str) -> CacheKey {
    let mut variables: Vec<String> =
        command.variables(request).map(|(name, value)| format!("{name}={value}")).collect();
    variables.sort();
    CacheKey::of_kind(KIND, &command.line)
        .with("input", content_digest(&request.stdin))
        .with("variables", variables.join("\n"))
        .with("files", files)
}

fn differs(command: &Command, request: &Request, key: &CacheKey) -> Error {
    let message = format!(
        "`{}` declares itself pure, and its reply for {} is not that in the cache",
        command.name(),
        request.name
    );
    Error::tool(message)
        .code("cache-differs")
        .note(format!("the key of the entry is {}", key.hash()))
        .note("a pure command depends on its input, its variables `HALYARD_…`, the files that its line names, and those that it declares with `reads`")
        .hint("declare the other files that it reads, or do not declare it pure; `hal-cache prune --all` removes the cached replies")
}
