//! A shared store, through a process of its own: what compiles links no clients of networks.
mod address;
mod protocol;

pub use address::StoreAddress;
pub use protocol::{StoreGreeting, StoreReply, StoreRequest};

use crate::{CacheKey, EntryStore, LARGEST, envelope::Seal};
use halyard_diag::{Diagnostic, Error, Result};
use halyard_exec::{Coprocess, ExitOutcome, Tool};
use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

/// The variable with the secret of the checksums.
const SECRET: &str = "HALYARD_CACHE_SECRET";
/// The program that talks to stores.
const HELPER: &str = "hal-cache";
/// The time that each entry adds to what all requests of a run may take: a fraction of what its translation takes, so that a
/// sound store serves programs of any size, and one that fails still costs little.
const EACH: Duration = Duration::from_millis(5);

/// A store that others use, too. Nothing in it is trusted: an entry is taken if it proves to be that of its key. What goes wrong
/// takes a bounded time; [`SharedStore::troubles`] lists it, and no request fails.
#[derive(Debug)]
pub struct SharedStore {
    address: StoreAddress,
    seal: Seal,
    /// What is left of the time that all requests may take.
    left: Duration,
    process: Process,
    troubles: Vec<String>,
}

#[derive(Debug)]
enum Process {
    /// It starts with the first request.
    NotYet,
    Runs {
        process: Coprocess,
        writes: bool,
    },
    /// It serves no more.
    Gone,
}

impl SharedStore {
    /// The store at an address; a process is started when it is first used.
    pub fn new(address: StoreAddress) -> Self {
        let secret = std::env::var(SECRET).ok().filter(|text| !text.is_empty());
        let (left, seal) = (address.budget(), Seal::new(secret.as_deref()));
        Self { address, seal, left, process: Process::NotYet, troubles: Vec::new() }
    }

    /// What went wrong, a sentence for each request.
    pub fn troubles(&self) -> &[String] {
        &self.troubles
    }

    /// Reports that an entry which proved to be whole has a content that cannot be used.
    pub fn refuse(&mut self, key: &CacheKey, why: &str) {
        self.troubles.push(format!("entry {}: {why}", short(&key.hash())));
    }

    /// One warning for all that went wrong; `None`: nothing did.
    pub fn warning(&self) -> Option<Diagnostic> {
        let first = self.troubles.first()?;
        let warning = Diagnostic::warning(format!("the shared store `{}` failed: {first}", self.address));
        let warning = match self.troubles.len() - 1 {
            0 => warning,
            1 => warning.note("one more request failed"),
            more => warning.note(format!("{more} more requests failed")),
        };
        let warning =
            warning.code("shared-store").note("missing entries were translated instead; the result is the same");
        Some(
            warning
                .hint("`-v` names each failure; `hal-cache probe URL` tests a store; `--cache-remote=off` uses none"),
        )
    }

    fn start(&mut self) -> Result<(), String> {
        if matches!(self.process, Process::NotYet) {
            self.process = Process::Gone;
            let tool = Tool::of_halyard(HELPER).map_err(|e| first_message(&e))?;
            let args = ["store".into(), self.address.text().into(), "--cache=off".into()];
            let mut process = Coprocess::start(&tool, &args).map_err(|e| first_message(&e))?;
            let start = Instant::now();
            let line = process.ask("hello 1", Some(self.left)).map_err(|e| ended(&e))?;
            self.left = self.left.saturating_sub(start.elapsed());
            let writes = StoreGreeting::parse(&line)?.writes;
            self.process = Process::Runs { process, writes };
        }
        Ok(())
    }

    /// Sends requests and hears their replies; those that failed, or were not answered in time, are troubles.
    fn exchange(
        &mut self,
        requests: &[StoreRequest<'_>],
        mut hear: impl FnMut(&str, Option<&[u8]>) -> Result<(), String>,
    ) {
        self.left += EACH.saturating_mul(u32::try_from(requests.len()).unwrap_or(u32::MAX));
        if let Err(why) = self.start() {
            self.troubles.push(why);
            return;
        }
        let Process::Runs { process, .. } = &mut self.process else { return };
        let mut open: HashMap<&str, &StoreRequest<'_>> = requests.iter().map(|r| (r.key(), r)).collect();
        let mut bytes = Vec::new();
        open.values().for_each(|request| request.write(&mut bytes));
        let (mut troubles, mut nonsense, start) = (Vec::new(), None, Instant::now());
        let ended = process.talk(&bytes, Some(self.left), &mut |unread, _| {
            let mut taken = 0;
            while !open.is_empty() {
                let (reply, end) = match StoreReply::parse(&unread[taken..]) {
                    Ok(Some(found)) => found,
                    Ok(None) => return (taken, true),
                    Err(why) => {
                        nonsense = Some(why);
                        return (taken, false);
                    }
                };
                taken += end;
                let (key, heard) = match reply {
                    StoreReply::Hit(key, entry) => (key, hear(key, Some(entry))),
                    StoreReply::Miss(key) | StoreReply::Kept(key) => (key, hear(key, None)),
                    StoreReply::Failed(key, why) => (key, Err(why)),
                };
                if open.remove(key).is_some()
                    && let Err(why) = heard
                {
                    troubles.push(format!("entry {}: {why}", short(key)));
                }
            }
            (taken, false)
        });
        self.left = self.left.saturating_sub(start.elapsed());
        let mut unanswered: Vec<&str> = open.into_keys().collect();
        unanswered.sort_unstable();
        // The reasons first, then what was given up because of them.
        troubles.sort_by_key(|why: &String| (why.contains(": not asked, "), why.clone()));
        self.troubles.append(&mut troubles);
        let why = match (ended, nonsense) {
            (Err(outcome), _) => self::ended(&outcome),
            (_, Some(why)) => format!("`{HELPER}` sent what is no reply: {why}"),
            (Ok(()), None) => return,
        };
        self.process = Process::Gone;
        self.troubles.extend(unanswered.into_iter().map(|key| format!("entry {}: {why}", short(key))));
    }
}

impl EntryStore for SharedStore {
    fn get_all(&mut self, keys: &[&CacheKey]) -> Result<Vec<Option<Vec<u8>>>> {
        let names: Vec<String> = keys.iter().map(|key| key.hash()).collect();
        let by_name: HashMap<&str, &CacheKey> = names.iter().map(String::as_str).zip(keys.iter().copied()).collect();
        let requests: Vec<StoreRequest<'_>> = by_name.keys().map(|name| StoreRequest::Get(name)).collect();
        let mut found = HashMap::new();
        let seal = self.seal.clone();
        self.exchange(&requests, |name, entry| {
            let (Some(entry), Some((name, key))) = (entry, by_name.get_key_value(name)) else { return Ok(()) };
            found.insert(*name, seal.open(key, entry).map_err(|why| format!("what the store gave {why}"))?);
            Ok(())
        });
        Ok(names.iter().map(|name| found.get(&**name).cloned()).collect())
    }

    fn put(&mut self, entries: &[(CacheKey, Vec<u8>)]) -> Result<()> {
        if self.address.reads_only || matches!(self.process, Process::Runs { writes: false, .. }) {
            return Ok(());
        }
        let closed: Vec<(String, Vec<u8>)> =
            entries.iter().map(|(key, content)| (key.hash(), self.seal.close(key, content))).collect();
        let large = closed.iter().filter(|(_, entry)| entry.len() > LARGEST);
        let mut large: Vec<String> = large
            .map(|(name, entry)| format!("entry {}: {} bytes are too many to be shared", short(name), entry.len()))
            .collect();
        self.troubles.append(&mut large);
        let fits = closed.iter().filter(|(_, entry)| entry.len() <= LARGEST);
        let requests: Vec<StoreRequest<'_>> = fits.map(|(name, entry)| StoreRequest::Put(name, entry)).collect();
        self.exchange(&requests, |_, _| Ok(()));
        Ok(())
    }
}

fn ended(outcome: &ExitOutcome) -> String {
    match outcome {
        ExitOutcome::TooSlow(_) => "the time that shared stores may take was over".into(),
        other => format!("`{HELPER} store` {}", other.words()),
    }
}

fn first_message(error: &Error) -> String {
    error.diagnostics.first().map_or_else(String::new, |d| d.message.clone())
}

/// The beginning of a key, as `hal-cache list` prints it.
fn short(key: &str) -> &str {
    &key[..16.min(key.len())]
}

impl std::fmt::Debug for Seal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Seal")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_entry_adds_to_the_time_of_a_run() {
        let mut store = SharedStore::new(StoreAddress::parse("http://host?timeout=2").unwrap());
        store.process = Process::Gone;
        let keys: Vec<CacheKey> = (0..1000).map(|i| CacheKey::of(&i.to_string())).collect();
        assert_eq!(store.left, Duration::from_secs(12));
        store.get_all(&keys.iter().collect::<Vec<_>>()).unwrap();
        assert_eq!(store.left, Duration::from_secs(17));
    }
}
