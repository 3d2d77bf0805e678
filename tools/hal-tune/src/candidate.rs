//! A candidate: a schedule's differences from the compiler's own choice, or a file.
use crate::subject::Schedules;
use halyard_ir::{
    Attr, Session,
    form::{KernelSchedule, ScheduleSetting},
};
use std::{fmt, path::PathBuf};

/// The result of a script on an executable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Scripted {
    /// The script with a value for each knob, as `--stage` takes it.
    pub(crate) stage: String,
    /// The MLIR that it makes of the first executable of a subject.
    pub(crate) text: String,
}

/// The origin of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum KernelSource {
    /// The compiler, with these changes of its schedule.
    Schedule(Candidate),
    /// A file, or a generator; the hash of its code once that is there.
    File(PathBuf, Option<blake3::Hash>),
    /// A transform script.
    Script(Scripted),
}

impl KernelSource {
    /// The changes of a schedule, if that is what it is.
    pub(crate) fn into_schedule(self) -> Option<Candidate> {
        if let Self::Schedule(candidate) = self { Some(candidate) } else { None }
    }

    /// What identifies it among candidates of its kind.
    pub(crate) fn identity(&self) -> String {
        match self {
            Self::Schedule(candidate) => candidate.text(),
            // Not the file: the compiler's flags and the workgroups make other code of it.
            Self::File(_, Some(code)) => format!("code {code}"),
            Self::File(path, None) => {
                std::fs::read(path).map_or_else(|_| String::new(), |b| blake3::hash(&b).to_string())
            }
            // Another version of the script is another one, and a script that fails is known by its text.
            Self::Script(s) => format!("{} {}", s.stage, blake3::hash(s.text.as_bytes())),
        }
    }

    /// Its description in lines of trials.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Schedule(candidate) => candidate.text(),
            Self::File(path, _) => path.display().to_string(),
            Self::Script(s) => s.stage.clone(),
        }
    }

    /// Its name in lines of trials.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Schedule(_) => "schedule",
            Self::File(..) => "file",
            Self::Script(_) => "script",
        }
    }
}

impl fmt::Display for KernelSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Schedule(candidate) => candidate.fmt(f),
            Self::File(path, _) => path.display().fmt(f),
            Self::Script(s) => s.stage.fmt(f),
        }
    }
}

/// Changes of a schedule: the nest, the key, the value. The compiler chooses everything else to go with them.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Candidate {
    changes: Vec<(usize, String, ScheduleSetting)>,
}

impl Candidate {
    /// Reads what [`Self::text`] wrote; `None` for any other text.
    pub(crate) fn read(session: &Session, text: &str) -> Option<Self> {
        let nests = KernelSchedule::read(Attr::parse(session.raw(), text)?).ok()?.for_all()?.to_vec();
        let changes =
            nests.into_iter().enumerate().flat_map(|(n, nest)| nest.0.into_iter().map(move |(k, v)| (n, k, v)));
        let mut changes: Vec<_> = changes.collect();
        changes.sort();
        Some(Self { changes })
    }

    /// The number that it says first of a nest.
    pub(crate) fn number(&self, nest: usize) -> Option<i64> {
        self.changes.iter().find_map(|(n, _, value)| match value {
            ScheduleSetting::Number(number) if *n == nest => Some(*number),
            _ => None,
        })
    }

    /// The nests that it changes.
    pub(crate) fn nests(&self) -> impl Iterator<Item = usize> {
        self.changes.iter().map(|(nest, ..)| *nest)
    }

    /// What it says of a key of a nest.
    pub(crate) fn get(&self, nest: usize, key: &str) -> Option<&ScheduleSetting> {
        self.changes.iter().find(|(n, k, _)| *n == nest && k == key).map(|(.., value)| value)
    }

    /// All of it, as the value of `hal.schedule`: for files and databases.
    pub(crate) fn text(&self) -> String {
        self.schedule(self.changes.iter().map(|(nest, ..)| nest + 1).max().unwrap_or(1))
    }

    /// The same with one more change. Another family has other keys: earlier changes of the nest are dropped.
    pub(crate) fn with(&self, nest: usize, key: &str, value: ScheduleSetting) -> Self {
        let mut changes = self.changes.clone();
        changes.retain(|(n, k, _)| *n != nest || (key != "family" && k != key));
        changes.push((nest, key.to_owned(), value));
        changes.sort();
        Self { changes }
    }

    /// The value of `hal.schedule` for each export, which have so many nests; `None` for one without.
    pub(crate) fn schedules(&self, exports: &[usize]) -> Schedules {
        let mut first = 0;
        let mut next = |&count: &usize| {
            let from = first;
            first += count;
            (count > 0).then(|| self.listed(from, count))
        };
        exports.iter().map(&mut next).collect()
    }

    /// The value of `hal.schedule` for a kernel of so many nests.
    pub(crate) fn schedule(&self, nests: usize) -> String {
        self.listed(0, nests)
    }

    fn listed(&self, from: usize, count: usize) -> String {
        let nest = |n: usize| {
            let items: Vec<String> = self
                .changes
                .iter()
                .filter(|(of, ..)| *of == n)
                .map(|(_, key, value)| format!("{key} = {value}"))
                .collect();
            format!("{{{}}}", items.join(", "))
        };
        match count {
            1 => nest(from),
            _ => format!("[{}]", (from..from + count).map(nest).collect::<Vec<_>>().join(", ")),
        }
    }
}

impl fmt::Display for Candidate {
    /// `tile = [64, 6], workgroups = 4`; with several nests, their numbers before the keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let several = self.changes.iter().any(|(nest, ..)| *nest > 0);
        let item = |(nest, key, value): &(usize, String, ScheduleSetting)| match several {
            true => format!("nest {nest}: {key} = {value}"),
            false => format!("{key} = {value}"),
        };
        f.write_str(&self.changes.iter().map(item).collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let session = Session::new();
        let one = Candidate::default().with(0, "tile", ScheduleSetting::Numbers(vec![4, 8]));
        for candidate in [one.clone(), one.with(2, "pack", ScheduleSetting::Flag(true))] {
            assert_eq!(Candidate::read(&session, &candidate.text()), Some(candidate));
        }
        assert_eq!(Candidate::read(&session, "{tile"), None);
        assert_eq!(Candidate::read(&session, "{nonsense = 1}"), None);
    }

    #[test]
    fn another_family_has_other_keys() {
        let base = Candidate::default().with(0, "tile", ScheduleSetting::Numbers(vec![4, 8])).with(
            1,
            "lanes",
            ScheduleSetting::Number(8),
        );
        assert_eq!(base.schedule(2), "[{tile = [4, 8]}, {lanes = 8}]");
        let other = base.with(0, "family", ScheduleSetting::Word("nest".into()));
        assert_eq!(other.schedule(2), "[{family = \"nest\"}, {lanes = 8}]");
        assert_eq!(
            base.with(0, "tile", ScheduleSetting::Numbers(vec![2, 8])).to_string(),
            "nest 0: tile = [2, 8], nest 1: lanes = 8"
        );
    }
}
