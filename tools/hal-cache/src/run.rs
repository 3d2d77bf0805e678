//! The tool's work.
use crate::{HalCacheArgs, args::CacheCommand, execute::execute, explain::explain, probe::probe, serve::serve};
use halyard_cache::{KindStatistics, ObjectCache, StoreAddress};
use halyard_cli::Printer;
use halyard_diag::{Error, Result, may_exist};
use serde_json::json;

/// Runs the tool. Errors: there is no cache; it cannot be read or written; damaged entries.
pub fn run(args: HalCacheArgs, printer: &Printer) -> Result<()> {
    args.check()?;
    let subject = args.subject.unwrap_or_default();
    match args.command {
        CacheCommand::Store => return serve(&StoreAddress::parse(&subject)?),
        CacheCommand::Execute => return execute(&StoreAddress::parse(&subject)?),
        CacheCommand::Probe => return printer.stdout(&probe(&StoreAddress::parse(&subject)?)?),
        _ => {}
    }
    let choice = args.cache.choice()?;
    let (file, bound) = choice.and_then(|choice| Some((choice.file?, choice.bound))).ok_or_else(|| {
        Error::usage("there is no cache: `--cache` or `HALYARD_CACHE` is `off`, or the user's cache folder is unknown")
            .hint("name its folder: `--cache=FOLDER`")
    })?;
    if !may_exist(&file) {
        let error = Error::environment(format!("there is no cache `{}`", file.display())).code("bad-cache");
        return Err(error.hint("`hal-translate` and `hal-compile` make it"));
    }
    let mut cache = ObjectCache::open(&file)?.bounded(bound);
    match args.command {
        CacheCommand::Stats => {
            let (s, kinds) = (cache.statistics()?, cache.kinds()?);
            let path = file.display();
            printer.stdout(&if args.json {
                let of_kind = |k: &KindStatistics| json!({ "kind": k.kind, "entries": k.entries, "bytes": k.bytes });
                let kinds: Vec<_> = kinds.iter().map(of_kind).collect();
                let path = path.to_string();
                let all =
                    json!({ "file": path, "entries": s.entries, "bytes": s.bytes, "bound": s.bound, "kinds": kinds });
                format!("{all:#}\n")
            } else {
                let (size, bound) = (readable(s.bytes), readable(s.bound));
                let of_kind = |k: &KindStatistics| format!("  {:<11}{:>6}  {}\n", k.kind, k.entries, readable(k.bytes));
                let kinds: String = kinds.iter().map(of_kind).collect();
                format!("file     {path}\nentries  {}\nsize     {size} of {bound}\n{kinds}", s.entries)
            })
        }
        CacheCommand::List => {
            let entries = cache.entries(&subject)?;
            if entries.is_empty() && !subject.is_empty() {
                return Err(Error::input(format!(
                    "nothing in the cache has a source whose hash begins with `{subject}`"
                )));
            }
            let text: String = entries
                .iter()
                .map(|e| {
                    let parts: String = e.parts.lines().map(|line| format!("  {line}\n")).collect();
                    format!("{} of source {}, {}\n{parts}", &e.key[..16], &e.source[..16], readable(e.size))
                })
                .collect();
            printer.stdout(&text)
        }
        CacheCommand::Explain => printer.stdout(&explain(&cache, &subject)?),
        CacheCommand::Store | CacheCommand::Execute | CacheCommand::Probe => Ok(()),
        CacheCommand::Verify => {
            let damaged = cache.verify()?;
            let count = cache.statistics()?.entries;
            if damaged.is_empty() {
                return printer.stdout(&format!("{count} entries are sound\n"));
            }
            let error =
                Error::input(format!("{} damaged, and removed; {count} are sound", entries_are(damaged.len() as u64)));
            Err(error.code("bad-cache").note(format!("their keys are {}", damaged.join(", "))))
        }
        CacheCommand::Prune => {
            let removed = cache.prune(args.to.unwrap_or(0))?;
            let left = cache.statistics()?;
            printer.stdout(&format!("{removed} removed, {} left, {}\n", left.entries, readable(left.bytes)))
        }
    }
}

fn entries_are(count: u64) -> String {
    if count == 1 { "1 entry is".into() } else { format!("{count} entries are") }
}

/// A size for people.
fn readable(bytes: u64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB"];
    let power = (0..units.len() - 1).take_while(|p| bytes >> (10 * (p + 1)) > 0).count();
    if power == 0 {
        format!("{bytes} bytes")
    } else {
        format!("{:.1} {}", bytes as f64 / (1u64 << (10 * power)) as f64, units[power])
    }
}
