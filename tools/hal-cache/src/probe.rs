//! `hal-cache probe URL`: adds an entry to a shared store, reads it again, and says how long that takes, and whether a server
//! executes.
use crate::{execute::check_execution, stores};
use halyard_cache::StoreAddress;
use halyard_diag::{Error, Result};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// The bytes of the entry.
const SIZE: usize = 10_000;

/// Tests a store; the report. Errors: it does not do what it is for.
pub(crate) fn probe(address: &StoreAddress) -> Result<String> {
    let failed = |what: &str, why: String| {
        Error::environment(format!("the shared store `{address}` cannot be {what}: {why}")).code("bad-store")
    };
    let store = stores::open(address).map_err(|why| failed("used", why))?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_nanos());
    let key = blake3::hash(format!("probe {now} {}", std::process::id()).as_bytes()).to_hex().to_string();
    let mut text = String::new();
    let mut step =
        |name: &str, start: Instant| text += &format!("{name:<8} {:.1} ms\n", start.elapsed().as_secs_f64() * 1e3);
    let start = Instant::now();
    match store.get(&key).map_err(|fault| failed("read", fault.why))? {
        None => step("miss", start),
        Some(_) => return Err(failed("trusted", "it has an entry under a key that nobody has used".into())),
    }
    let executes = match address.scheme() {
        "grpc" | "grpcs" => match check_execution(address) {
            Ok(()) => "executes jobs of `--launcher`\n".to_owned(),
            Err(why) => format!("executes nothing: {why}\n"),
        },
        _ => String::new(),
    };
    if address.reads_only {
        return Ok(text + "no entry was added: `mode=read`\n" + &executes);
    }
    let entry: Vec<u8> = key.bytes().cycle().take(SIZE).collect();
    let start = Instant::now();
    store.put(&key, &entry).map_err(|fault| failed("written", fault.why).hint("`?mode=read` adds nothing to it"))?;
    step("put", start);
    let start = Instant::now();
    match store.get(&key).map_err(|fault| failed("read", fault.why))? {
        Some(read) if read == entry => step("hit", start),
        Some(read) => return Err(failed("trusted", format!("it gave {} other bytes than were put there", read.len()))),
        None => return Err(failed("relied on", "what was put there is not there".into())),
    }
    Ok(text + &executes)
}
