//! Choices from outside: each choice that a schedule may name is made by way of [`Choices`]. It gives what the schedule
//! asks for, if that is legal, and what the compiler would choose if nothing is asked for; and it notes what was chosen in
//! the end. Whatever was asked for and is not what was chosen is refused, with what is legal: no key is ignored.

use halyard_ir::form::{KEYS, NestSchedule, ScheduleSetting};
use std::fmt;

/// How a kernel was made: the choices for each of its nests (on a GPU, for each result that has workgroups of its own).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChosenSchedule {
    /// In the order of the code.
    pub nests: Vec<Vec<Choice>>,
}

impl ChosenSchedule {
    /// The family that made the kernel; `None` if it is nests of loops.
    pub fn family(&self) -> Option<&str> {
        let choice = self.nests.first()?.iter().find(|choice| choice.key == "family")?;
        let ScheduleSetting::Word(family) = &choice.value else { return None };
        (family != "nest").then_some(family)
    }
}

/// A choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What it is about: one of [`KEYS`].
    pub key: &'static str,
    /// The value that was chosen.
    pub value: ScheduleSetting,
    /// The values that could have been chosen.
    pub legal: Legal,
}

/// The values that a key may have in a kernel, as long as the other keys stay as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Legal {
    /// One of these.
    OneOf(Vec<ScheduleSetting>),
    /// An array with a number out of each of these lists; not all of them may go together.
    Each(Vec<Vec<i64>>),
}

impl Legal {
    /// One of some numbers.
    pub(crate) fn numbers(all: impl IntoIterator<Item = i64>) -> Self {
        Self::OneOf(all.into_iter().map(ScheduleSetting::Number).collect())
    }

    /// One of some words.
    pub(crate) fn words<'w>(all: impl IntoIterator<Item = &'w str>) -> Self {
        Self::OneOf(all.into_iter().map(|w| ScheduleSetting::Word(w.to_owned())).collect())
    }

    /// Yes or no.
    pub(crate) fn flags() -> Self {
        Self::OneOf(vec![ScheduleSetting::Flag(false), ScheduleSetting::Flag(true)])
    }

    /// One of some arrays of numbers.
    pub(crate) fn arrays(all: impl IntoIterator<Item = Vec<i64>>) -> Self {
        Self::OneOf(all.into_iter().map(ScheduleSetting::Numbers).collect())
    }
}

impl fmt::Display for Legal {
    /// As JSON: an array of values, or of `{"each": …}`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OneOf(list) => {
                let list: Vec<String> = list.iter().map(ScheduleSetting::to_string).collect();
                write!(f, "[{}]", list.join(", "))
            }
            Self::Each(lists) => write!(f, "{{\"each\": {lists:?}}}"),
        }
    }
}

/// Values listed in a message, at most.
const LISTED: usize = 24;

/// The choices of a kernel that is being made.
#[derive(Debug, Default)]
pub(crate) struct Choices {
    given: Option<Vec<NestSchedule>>,
    /// The nest that is open, if it is one that schedules speak of.
    at: Option<usize>,
    /// Whether what is given counts just now.
    ignored: bool,
    nests: Vec<Vec<Choice>>,
    refused: Vec<String>,
    /// The families that a kernel of nests could be of, too.
    families: Vec<&'static str>,
}

impl Choices {
    pub(crate) fn new(given: Option<&[NestSchedule]>) -> Self {
        Self { given: given.map(<[_]>::to_vec), ..Self::default() }
    }

    /// Opens the next nest; gives its number.
    pub(crate) fn begin(&mut self) -> usize {
        self.nests.push(Vec::new());
        self.reopen(Some(self.nests.len() - 1));
        self.nests.len() - 1
    }

    /// The nest that is open.
    pub(crate) fn open(&self) -> Option<usize> {
        self.at
    }

    /// Opens the only nest of a family that recognised its form, unless nests of loops are asked for.
    pub(crate) fn begin_family(&mut self, family: &'static str) -> bool {
        self.reopen(Some(0));
        let wanted = self.word("family", |word| word == family || word == "nest");
        self.reopen(None);
        self.families = vec![family];
        if wanted.as_deref() == Some("nest") {
            return false;
        }
        self.begin();
        self.record("family", ScheduleSetting::Word(family.to_owned()), Legal::words([family, "nest"]));
        true
    }

    /// Notes that a nest of loops is what was chosen.
    pub(crate) fn record_nest(&mut self) {
        let others = if self.at == Some(0) { self.families.clone() } else { Vec::new() };
        self.record("family", ScheduleSetting::Word("nest".into()), Legal::words(others.into_iter().chain(["nest"])));
    }

    /// Opens a nest again, or none.
    pub(crate) fn reopen(&mut self, at: Option<usize>) {
        self.at = at;
    }

    /// Does without what is given, for a while.
    pub(crate) fn ignore(&mut self, ignored: bool) {
        self.ignored = ignored;
    }

    /// Whether something is given for the open nest.
    pub(crate) fn is_given(&self) -> bool {
        self.schedule().is_some_and(|nest| !nest.0.is_empty())
    }

    fn schedule(&self) -> Option<&NestSchedule> {
        self.given.as_ref()?.get(self.at?).filter(|_| !self.ignored)
    }

    /// What is given for a key.
    pub(crate) fn requested(&self, key: &str) -> Option<&ScheduleSetting> {
        self.schedule()?.get(key)
    }

    /// The number that is given, if it is legal, or ours.
    pub(crate) fn number(&self, key: &str, ours: i64, legal: impl Fn(i64) -> bool) -> i64 {
        match self.requested(key) {
            Some(ScheduleSetting::Number(n)) if legal(*n) => *n,
            _ => ours,
        }
    }

    /// The numbers that are given, if they are legal, or ours.
    pub(crate) fn numbers(&self, key: &str, ours: Vec<i64>, legal: impl Fn(&[i64]) -> bool) -> Vec<i64> {
        match self.requested(key) {
            Some(ScheduleSetting::Numbers(list)) if legal(list) => list.clone(),
            _ => ours,
        }
    }

    /// What is given, or ours.
    pub(crate) fn flag(&self, key: &str, ours: bool) -> bool {
        match self.requested(key) {
            Some(ScheduleSetting::Flag(flag)) => *flag,
            _ => ours,
        }
    }

    /// The same, noted: both are legal.
    pub(crate) fn recorded_flag(&mut self, key: &'static str, ours: bool) -> bool {
        let flag = self.flag(key, ours);
        self.record(key, ScheduleSetting::Flag(flag), Legal::flags());
        flag
    }

    /// The word that is given, if it is legal.
    pub(crate) fn word(&self, key: &str, legal: impl Fn(&str) -> bool) -> Option<String> {
        match self.requested(key) {
            Some(ScheduleSetting::Word(word)) if legal(word) => Some(word.clone()),
            _ => None,
        }
    }

    /// Notes what was chosen in the open nest.
    pub(crate) fn record(&mut self, key: &'static str, value: ScheduleSetting, legal: Legal) {
        let Some(at) = self.at else { return };
        self.nests[at].retain(|choice| choice.key != key);
        self.nests[at].push(Choice { key, value, legal });
    }

    /// Notes a number.
    pub(crate) fn record_number(&mut self, key: &'static str, value: i64, legal: impl IntoIterator<Item = i64>) {
        self.record(key, ScheduleSetting::Number(value), Legal::numbers(legal));
    }

    /// Takes back what was noted of some keys in all nests: they have no effect.
    pub(crate) fn forget(&mut self, keys: &[&str]) {
        self.nests.iter_mut().for_each(|nest| nest.retain(|choice| !keys.contains(&choice.key)));
    }

    /// Notes why what is given for a key cannot be done.
    pub(crate) fn refuse(&mut self, key: &str, why: &str) {
        if let (Some(at), Some(value)) = (self.at, self.requested(key)) {
            self.refused.push(format!("nest {at} cannot have `{key} = {value}`: {why}"));
        }
    }

    /// What was chosen. Errors: what was given and is not possible, all of it.
    pub(crate) fn finish(mut self) -> Result<ChosenSchedule, Vec<String>> {
        let order = |key: &str| KEYS.iter().position(|(known, _)| *known == key);
        self.nests.iter_mut().for_each(|nest| nest.sort_by_key(|choice| order(choice.key)));
        let reasons = std::mem::take(&mut self.refused);
        let mut refused = Vec::new();
        let given = self.given.take().unwrap_or_default();
        if given.len() > self.nests.len() {
            let (wanted, has) = (given.len(), self.nests.len());
            refused.push(format!("there are choices for {wanted} nests, and the kernel has {has}"));
        }
        for (at, (nest, chosen)) in given.iter().zip(&self.nests).enumerate() {
            for (key, value) in &nest.0 {
                let remarks = |text: &&String| text.starts_with(&format!("nest {at} cannot have `{key} = "));
                refused.extend(reasons.iter().find(remarks).cloned().or_else(|| unmet(at, key, value, chosen)));
            }
        }
        if refused.is_empty() { Ok(ChosenSchedule { nests: self.nests }) } else { Err(refused) }
    }
}

/// What is wrong with a choice that was asked for.
fn unmet(at: usize, key: &str, value: &ScheduleSetting, chosen: &[Choice]) -> Option<String> {
    let Some(choice) = chosen.iter().find(|choice| choice.key == key) else {
        let keys: Vec<String> = chosen.iter().map(|choice| format!("`{}`", choice.key)).collect();
        return Some(format!("nest {at} has no use for `{key}`; it has {}", keys.join(", ")));
    };
    if choice.value == *value {
        return None;
    }
    let legal = match &choice.legal {
        Legal::OneOf(list) if list.len() > LISTED => {
            let some: Vec<String> = list.iter().take(LISTED).map(|v| format!("`{v}`")).collect();
            format!("legal are {}, …", some.join(", "))
        }
        Legal::OneOf(list) if list.len() == 1 => format!("only `{}` is legal", list[0]),
        Legal::OneOf(list) => {
            format!("legal are {}", list.iter().map(|v| format!("`{v}`")).collect::<Vec<_>>().join(", "))
        }
        Legal::Each(lists) => format!("it is an array of {} numbers, one out of each of `{lists:?}`", lists.len()),
    };
    Some(format!("nest {at} cannot have `{key} = {value}`: {legal}"))
}

impl fmt::Display for ChosenSchedule {
    /// As the value of `hal.schedule`: a dictionary, or an array of several.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nest = |nest: &Vec<Choice>| {
            NestSchedule(nest.iter().map(|c| (c.key.to_owned(), c.value.clone())).collect()).to_string()
        };
        match self.nests.as_slice() {
            [only] => f.write_str(&nest(only)),
            several => write!(f, "[{}]", several.iter().map(nest).collect::<Vec<_>>().join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choices(key: &str, value: ScheduleSetting) -> Choices {
        let mut choices = Choices::new(Some(&[NestSchedule(vec![(key.to_owned(), value)])]));
        choices.begin();
        choices
    }

    #[test]
    fn what_is_given_counts_if_it_is_legal() {
        let mut lanes = choices("lanes", ScheduleSetting::Number(4));
        assert_eq!(lanes.number("lanes", 8, |n| n <= 8), 4);
        assert_eq!(lanes.number("lanes", 8, |n| n > 4), 8);
        lanes.record_number("lanes", 4, [4, 8]);
        assert_eq!(lanes.finish().unwrap().to_string(), "{lanes = 4}");
    }

    #[test]
    fn nothing_that_is_given_is_ignored() {
        let mut other = choices("lanes", ScheduleSetting::Number(7));
        other.record_number("lanes", 8, [4, 8]);
        assert_eq!(other.finish().unwrap_err(), ["nest 0 cannot have `lanes = 7`: legal are `4`, `8`"]);
        let unused = choices("stages", ScheduleSetting::Number(2));
        assert!(unused.finish().unwrap_err()[0].contains("no use for `stages`"));
        let more = Choices::new(Some(&[NestSchedule::default(), NestSchedule::default()]));
        assert!(more.finish().unwrap_err()[0].contains("2 nests"));
    }
}
