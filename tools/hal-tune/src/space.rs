//! The choices for a kernel: each key with its value and its legal values.
use crate::{candidate::Candidate, subject::Schedules};
use halyard_ir::form::{KEYS, ScheduleSetting, SettingKind};
use serde_json::Value;

/// The choices of a kernel that was built.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Space {
    /// The nests of all exports, in order.
    nests: Vec<Vec<Choice>>,
    /// How many nests each export has.
    exports: Vec<usize>,
}

/// A key of a nest.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Choice {
    pub(crate) key: &'static str,
    pub(crate) value: ScheduleSetting,
    /// Other values than the current one.
    pub(crate) others: Vec<ScheduleSetting>,
}

/// Numbers on either side of the current one that one change of an array may take.
const REACH: usize = 3;

impl Space {
    /// Reads the nests that `hal-translate --schedules-json` writes for the kernels of an executable. `None` if none has a schedule.
    pub(crate) fn read(exports: &[Vec<Value>]) -> Option<Self> {
        let nest = |nest: &Value| {
            KEYS.iter().filter_map(|&(key, kind)| Choice::read(key, kind, nest.get(key)?)).collect::<Vec<_>>()
        };
        let nests: Vec<Vec<Choice>> = exports.iter().flatten().map(nest).collect();
        (!nests.is_empty()).then(|| Self { nests, exports: exports.iter().map(Vec::len).collect() })
    }

    /// The space of these choices.
    pub(crate) fn of(nests: Vec<Vec<Choice>>) -> Self {
        Self { exports: vec![nests.len()], nests }
    }

    /// How many nests each export has.
    pub(crate) fn exports(&self) -> &[usize] {
        &self.exports
    }

    /// The whole schedule of each export, as the value of `hal.schedule`; `None` of one without.
    pub(crate) fn schedules(&self) -> Schedules {
        let mut nests = self.nests.iter();
        self.exports.iter().map(|&count| (count > 0).then(|| listed(nests.by_ref().take(count)))).collect()
    }

    /// The same for all nests, as generators write it.
    pub(crate) fn schedule(&self) -> String {
        listed(self.nests.iter())
    }

    /// All candidates that differ from one, which has this space, in one value. Not all of them need be legal.
    pub(crate) fn neighbours(&self, of: &Candidate) -> Vec<Candidate> {
        let mut all = Vec::new();
        for (n, nest) in self.nests.iter().enumerate() {
            for choice in nest {
                all.extend(choice.others.iter().map(|value| of.with(n, choice.key, value.clone())));
            }
        }
        all
    }
}

/// A dictionary for one nest, a list of them for several.
fn listed<'a>(nests: impl Iterator<Item = &'a Vec<Choice>>) -> String {
    let nest = |choices: &Vec<Choice>| {
        let items: Vec<String> = choices.iter().map(|c| format!("{} = {}", c.key, c.value)).collect();
        format!("{{{}}}", items.join(", "))
    };
    let mut all: Vec<String> = nests.map(nest).collect();
    if all.len() == 1 { all.remove(0) } else { format!("[{}]", all.join(", ")) }
}

impl Choice {
    fn read(key: &'static str, kind: SettingKind, json: &Value) -> Option<Self> {
        let value = setting(kind, &json["value"])?;
        let legal = &json["legal"];
        let others = match (legal["each"].as_array(), &value) {
            (Some(lists), ScheduleSetting::Numbers(now)) => {
                let mut others = Vec::new();
                for (at, list) in lists.iter().enumerate().take(now.len()) {
                    let list: Vec<i64> = list.as_array()?.iter().filter_map(Value::as_i64).collect();
                    others.extend(near(&list, now[at]).into_iter().map(|n| {
                        let mut changed = now.clone();
                        changed[at] = n;
                        ScheduleSetting::Numbers(changed)
                    }));
                }
                others
            }
            _ => {
                let list: Vec<_> = legal.as_array()?.iter().filter_map(|v| setting(kind, v)).collect();
                match (&value, list.len() > 4 * REACH) {
                    // Of many numbers those around the current one, and a few others.
                    (ScheduleSetting::Number(now), true) => {
                        let numbers: Vec<i64> = list
                            .iter()
                            .filter_map(|v| if let ScheduleSetting::Number(n) = v { Some(*n) } else { None })
                            .collect();
                        let mut kept = near(&numbers, *now);
                        kept.extend(numbers.iter().step_by(numbers.len().div_ceil(2 * REACH)).filter(|n| *n != now));
                        kept.sort_unstable();
                        kept.dedup();
                        kept.into_iter().map(ScheduleSetting::Number).collect()
                    }
                    _ => list,
                }
            }
        };
        let others = others.into_iter().filter(|other| *other != value).collect();
        Some(Self { key, value, others })
    }
}

/// The numbers of an ordered list next to one, on both sides.
fn near(list: &[i64], now: i64) -> Vec<i64> {
    let below = list.iter().rev().filter(|n| **n < now).take(REACH);
    let above = list.iter().filter(|n| **n > now).take(REACH);
    below.chain(above).copied().collect()
}

/// A value as JSON has it.
fn setting(kind: SettingKind, json: &Value) -> Option<ScheduleSetting> {
    Some(match kind {
        SettingKind::Flag => ScheduleSetting::Flag(json.as_bool()?),
        SettingKind::Number(_) => ScheduleSetting::Number(json.as_i64()?),
        SettingKind::Numbers(_) => {
            ScheduleSetting::Numbers(json.as_array()?.iter().map(Value::as_i64).collect::<Option<_>>()?)
        }
        SettingKind::Word(_) => ScheduleSetting::Word(json.as_str()?.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn space() -> Space {
        Space::read(&[vec![json!({
            "family": {"value": "nest", "legal": ["nest"]},
            "lanes": {"value": 16, "legal": [8, 16]},
            "tile": {"value": [48, 9], "legal": {"each": [[16, 32, 48, 64], [8, 9]]}},
            "workgroups": {"value": 4, "legal": (1..=100).collect::<Vec<_>>()}
        })]])
        .unwrap()
    }

    #[test]
    fn neighbours_differ_in_one_value() {
        let all: Vec<String> = space().neighbours(&Candidate::default()).iter().map(ToString::to_string).collect();
        for wanted in [
            "lanes = 8",
            "tile = [16, 9]",
            "tile = [64, 9]",
            "tile = [48, 8]",
            "workgroups = 3",
            "workgroups = 7",
            "workgroups = 86",
        ] {
            assert!(all.iter().any(|c| c == wanted), "{wanted} is not in {all:?}");
        }
        assert!(!all.iter().any(|c| c.contains("[48, 9]") || c.contains("family")), "{all:?}");
        assert!(all.len() < 30, "{}", all.len());
    }

    #[test]
    fn a_schedule_is_read_back() {
        assert_eq!(space().schedule(), "{family = \"nest\", lanes = 16, tile = [48, 9], workgroups = 4}");
        assert_eq!(Space::read(&[]), None);
        let lanes = |n: i64| json!({"lanes": {"value": n, "legal": [n]}});
        let several = Space::read(&[vec![lanes(4)], vec![], vec![lanes(8), lanes(2)]]).unwrap();
        let schedules = several.schedules();
        assert_eq!(schedules, [Some("{lanes = 4}".into()), None, Some("[{lanes = 8}, {lanes = 2}]".into())]);
        assert_eq!(several.schedule(), "[{lanes = 4}, {lanes = 8}, {lanes = 2}]");
        let changed = Candidate::default().with(2, "lanes", ScheduleSetting::Number(4));
        let schedules = changed.schedules(several.exports());
        assert_eq!(schedules, [Some("{}".into()), None, Some("[{}, {lanes = 4}]".into())]);
    }
}
