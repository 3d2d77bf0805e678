//! Stores peaks in the user's cache, so that they are measured once.
use crate::{Peaks, machine, measure};
use halyard_diag::Diagnostic;
use serde::{Deserialize, Serialize};
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

/// Changes when what is measured does.
const VERSION: u32 = 2;

/// The contents of a file in the cache.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    /// [`VERSION`], and that of the tools.
    version: String,
    host: String,
    peaks: Peaks,
}

impl Peaks {
    /// Returns the peaks of this machine with a number of threads; 0 means all cores. They come from the user's cache
    /// (`$XDG_CACHE_HOME/halyard/peaks`), or are measured and stored there: if the cache has none for this machine, if
    /// it is damaged, if other programs ran during its measurement and none do now, or if `anew` is set. The warning
    /// reports a cache that cannot be written.
    pub fn of_this_machine(threads: usize, anew: bool) -> (Self, Option<Diagnostic>) {
        let threads = if threads == 0 { machine::cores() } else { threads };
        Self::kept_in(folder().as_deref(), threads, anew, &measure)
    }

    fn kept_in(
        folder: Option<&Path>,
        threads: usize,
        anew: bool,
        measure: &dyn Fn(usize) -> Self,
    ) -> (Self, Option<Diagnostic>) {
        let (version, host) = (version(), machine::host());
        let name = machine::processor();
        let file = folder.map(|folder| {
            let id = format!("{version}\n{host}\n{name}\n{threads}");
            folder.join(format!("{}.json", &blake3::hash(id.as_bytes()).to_hex()[..16]))
        });
        let known = file.as_deref().filter(|_| !anew).and_then(read);
        let fits = |kept: &Kept| {
            let peaks = &kept.peaks;
            let same = (&kept.version, &kept.host, &peaks.machine, peaks.threads) == (&version, &host, &name, threads);
            same && is_sound(peaks) && !(peaks.busy && !machine::is_busy(threads))
        };
        if let Some(kept) = known.filter(fits) {
            return (kept.peaks, None);
        }
        let peaks = measure(threads);
        let kept = Kept { version, host, peaks };
        let warning = file.and_then(|file| write(&file, &kept).err().map(|e| (file, e))).map(|(file, e)| {
            Diagnostic::warning(format!("cannot keep the machine's peaks in `{}`: {e}", file.display()))
                .code("peaks-not-kept")
                .note("they will be measured again")
                .hint("`XDG_CACHE_HOME` names another folder for caches")
        });
        (kept.peaks, warning)
    }
}

fn version() -> String {
    format!("{VERSION}, {}", env!("CARGO_PKG_VERSION"))
}

/// The folder of peaks in the user's cache, by the XDG base directory specification: relative paths do not count.
fn folder() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(cache.join("halyard").join("peaks"))
}

fn read(file: &Path) -> Option<Kept> {
    serde_json::from_slice(&fs::read(file).ok()?).ok()
}

/// Whether all figures are positive and finite, and the last level is memory.
fn is_sound(peaks: &Peaks) -> bool {
    let sound = |v: f64| v.is_finite() && v > 0.0;
    let last = peaks.levels.last().is_some_and(|level| level.capacity.is_none());
    last && peaks.levels.iter().all(|l| sound(l.bandwidth)) && peaks.arithmetic.iter().all(|a| sound(a.operations))
}

/// Writes a file at once: another process reads the old one or the new one.
fn write(file: &Path, kept: &Kept) -> std::io::Result<()> {
    let folder = file.parent().expect("the file is in a folder");
    fs::create_dir_all(folder)?;
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    new.write_all(&serde_json::to_vec_pretty(kept)?)?;
    new.persist(file).map(drop).map_err(|e| e.error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryLevel;
    use std::cell::Cell;

    fn made(threads: usize, bandwidth: f64) -> Peaks {
        let levels = vec![MemoryLevel { name: "memory".into(), capacity: None, bandwidth }];
        Peaks { machine: machine::processor(), threads, arithmetic: vec![], levels, busy: false }
    }

    #[test]
    fn they_are_measured_once() {
        let folder = tempfile::tempdir().unwrap();
        let count = Cell::new(0);
        let measure = |threads| {
            count.set(count.get() + 1);
            made(threads, f64::from(count.get()))
        };
        let get = |threads, anew| Peaks::kept_in(Some(folder.path()), threads, anew, &measure).0.levels[0].bandwidth;
        assert_eq!([get(1, false), get(1, false), get(2, false), get(1, false)], [1.0, 1.0, 2.0, 1.0]);
        assert_eq!([get(1, true), get(1, false)], [3.0, 3.0]);
        // Damaged files are measured anew: cut off, of another version, with figures that are none.
        let damages: [&dyn Fn(String) -> String; 4] = [
            &|text| text[..text.len() / 2].to_owned(),
            &|text| text.replace(&version(), "0, 0.0.0"),
            &|text| text.replace(": 4.0", ": 0.0").replace(": 5.0", ": 0.0").replace(": 6.0", ": 0.0"),
            &|_| String::new(),
        ];
        for damage in damages {
            let before = get(1, true);
            for entry in fs::read_dir(folder.path()).unwrap() {
                let path = entry.unwrap().path();
                fs::write(&path, damage(fs::read_to_string(&path).unwrap())).unwrap();
            }
            let damaged = get(1, false);
            assert!(damaged >= before, "{damaged} {before}");
            assert_eq!(get(1, false), damaged);
        }
    }

    #[test]
    fn a_cache_that_cannot_be_written_is_no_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let (peaks, warning) = Peaks::kept_in(Some(&file), 1, false, &|n| made(n, 1.0));
        assert_eq!(peaks.threads, 1);
        assert!(warning.unwrap().message.starts_with("cannot keep the machine's peaks in `"));
        assert_eq!(Peaks::kept_in(None, 1, false, &|n| made(n, 1.0)).1, None);
    }
}
