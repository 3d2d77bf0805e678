//! Schedules in the exchange form: `hal.schedule` on an export overrides decisions of the kernel compiler.
//!
//! ```text
//! hal.schedule = {family = "nest", lanes = 16, tile = [6, 32]}
//! hal.schedule = [{family = "nest"}, {family = "nest", workgroups = 4}]
//! hal.schedule = {cpu = {workgroups = 4}, "cuda:sm_90" = {tile = [64, 64]}}
//! ```
//! A dictionary has the choices for one loop nest, an array those for several. Keys that are targets limit their
//! values to these targets. The table [`KEYS`] lists the other keys; the kernel compiler determines which of them
//! apply to a kernel, and which values are legal.
use super::device::DEVICES;
use crate::{Attr, Op, Session, names};
use halyard_diag::{Error, Result, either, nearest};
use std::fmt;

/// The value of a key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ScheduleSetting {
    /// A boolean.
    Flag(bool),
    /// An integer.
    Number(i64),
    /// A list of integers.
    Numbers(Vec<i64>),
    /// A keyword.
    Word(String),
}

impl fmt::Display for ScheduleSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Number(n) => write!(f, "{n}"),
            Self::Numbers(list) => write!(f, "{list:?}"),
            Self::Word(word) => write!(f, "\"{word}\""),
        }
    }
}

/// The type of a key's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingKind {
    /// `true` or `false`.
    Flag,
    /// An integer, at least this.
    Number(i64),
    /// An array of numbers, each at least this.
    Numbers(i64),
    /// One of these words.
    Word(&'static [&'static str]),
}

/// The families of kernels.
pub const FAMILIES: &[&str] = &[
    "nest",
    "pooling",
    "winograd",
    "direct_convolution",
    "depthwise_convolution",
    "short_product",
    "block_product",
    "panel_product",
    "elements",
    "product",
    "rows",
    "fused_rows",
    "transposition",
];

/// The keys of a schedule and the types of their values, in the order in which they are printed.
pub const KEYS: &[(&str, SettingKind)] = &[
    ("family", SettingKind::Word(FAMILIES)),
    ("merge", SettingKind::Flag),
    ("vector_loop", SettingKind::Number(-1)),
    ("lanes", SettingKind::Number(1)),
    ("loop_order", SettingKind::Numbers(0)),
    ("tile", SettingKind::Numbers(1)),
    ("thread_tile", SettingKind::Numbers(1)),
    ("k_block", SettingKind::Number(1)),
    ("k_slices", SettingKind::Number(1)),
    ("stages", SettingKind::Number(1)),
    ("tensor_cores", SettingKind::Flag),
    ("transpose_loop", SettingKind::Number(-1)),
    ("pack", SettingKind::Flag),
    ("compute_at", SettingKind::Numbers(-1)),
    ("band", SettingKind::Number(0)),
    ("sweep", SettingKind::Number(0)),
    ("store", SettingKind::Word(&["cached", "nontemporal"])),
    ("stripe", SettingKind::Number(1)),
    ("filter_parts", SettingKind::Number(1)),
    ("channels_last", SettingKind::Flag),
    ("matrix_tiles", SettingKind::Flag),
    ("finish_rows", SettingKind::Flag),
    ("rows", SettingKind::Number(1)),
    ("per_thread", SettingKind::Number(1)),
    ("parallel", SettingKind::Word(&["batch", "rows", "panels"])),
    ("parallel_loop", SettingKind::Number(0)),
    ("second_parallel_loop", SettingKind::Number(-1)),
    ("threads", SettingKind::Number(1)),
    ("workgroups", SettingKind::Number(1)),
];

/// The choices for one nest, by key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NestSchedule(pub Vec<(String, ScheduleSetting)>);

impl NestSchedule {
    /// Returns the value of a key.
    pub fn get(&self, key: &str) -> Option<&ScheduleSetting> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }
}

impl fmt::Display for NestSchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let items: Vec<String> = self.0.iter().map(|(key, value)| format!("{key} = {value}")).collect();
        write!(f, "{{{}}}", items.join(", "))
    }
}

/// The choices that the attribute `hal.schedule` of an export makes, for all targets and for some.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KernelSchedule {
    /// The choices for the nests of the kernel, whatever the target.
    all: Option<Vec<NestSchedule>>,
    /// The choices for specific targets.
    targets: Vec<(String, Vec<NestSchedule>)>,
}

impl KernelSchedule {
    /// Reads the attribute of an export; `None` if it has none. Errors: what is wrong with it.
    pub fn of(export: Op) -> Result<Option<Self>, String> {
        export.attr(names::SCHEDULE).map(Self::read).transpose()
    }

    /// Reads the attribute. Errors: what is wrong with it.
    pub fn read(attr: Attr) -> Result<Self, String> {
        let by_target = |(key, value): &(String, Attr)| is_target(key) && nests_of(*value).is_some();
        match attr.as_dict() {
            Some(items) if !items.is_empty() && items.iter().any(by_target) => {
                if let Some((key, _)) = items.iter().find(|item| !by_target(item)) {
                    return Err(format!(
                        "`{key}` is not a target, but other keys are; each target has its own dictionary or array of dictionaries"
                    ));
                }
                let read = |(key, value): (String, Attr)| {
                    let nests = read_nests(value).map_err(|why| format!("for `{key}`: {why}"))?;
                    Ok((key, nests))
                };
                let targets = items.into_iter().map(read).collect::<Result<Vec<_>, String>>()?;
                Ok(Self { all: None, targets })
            }
            _ => Ok(Self { all: Some(read_nests(attr)?), targets: Vec::new() }),
        }
    }

    /// Returns the choices that apply to every target.
    pub fn for_all(&self) -> Option<&[NestSchedule]> {
        self.all.as_deref()
    }

    /// Returns the choices for specific targets, with the targets' names.
    pub fn by_target(&self) -> &[(String, Vec<NestSchedule>)] {
        &self.targets
    }

    /// Returns the choices for a target of these names, the most specific first; `None` if there are none.
    pub fn for_target(&self, names: &[String]) -> Option<&[NestSchedule]> {
        let named = names.iter().find_map(|name| self.targets.iter().find(|(target, _)| target == name));
        named.map(|(_, nests)| nests.as_slice()).or(self.all.as_deref())
    }
}

/// Whether a key is a target: the name of a device, optionally with a chip.
fn is_target(key: &str) -> bool {
    let name = key.split(':').next();
    DEVICES.iter().any(|device| Some(device.name) == name)
}

fn nests_of(attr: Attr) -> Option<Vec<Attr>> {
    match attr.as_dict() {
        Some(_) => Some(vec![attr]),
        None => attr.as_array().filter(|list| !list.is_empty() && list.iter().all(|a| a.as_dict().is_some())),
    }
}

fn read_nests(attr: Attr) -> Result<Vec<NestSchedule>, String> {
    let nests = nests_of(attr).ok_or_else(|| {
        format!("it is `{attr}`, not a dictionary of choices, nor an array of dictionaries, one for each nest")
    })?;
    nests.into_iter().map(read_nest).collect()
}

fn read_nest(attr: Attr) -> Result<NestSchedule, String> {
    let mut found = Vec::new();
    let items = attr.as_dict().unwrap_or_default();
    for (key, value) in &items {
        let Some((_, kind)) = KEYS.iter().find(|(known, _)| known == key) else {
            let near = nearest(key, KEYS.iter().map(|(known, _)| *known));
            let help = if near.is_empty() { String::new() } else { format!("; did you mean {}?", either(&near)) };
            return Err(format!("`{key}` is not a key of a schedule{help}"));
        };
        found.push((
            key.clone(),
            read_setting(*value, *kind).ok_or_else(|| format!("`{key}` is `{value}`, not {}", wanted(*kind)))?,
        ));
    }
    found.sort_by_key(|(key, _)| KEYS.iter().position(|(known, _)| known == key));
    Ok(NestSchedule(found))
}

fn read_setting(value: Attr, kind: SettingKind) -> Option<ScheduleSetting> {
    let number = |a: Attr| a.as_int().filter(|_| !is_flag(a));
    match kind {
        SettingKind::Flag => value.as_int().filter(|_| is_flag(value)).map(|n| ScheduleSetting::Flag(n != 0)),
        SettingKind::Number(least) => number(value).filter(|n| *n >= least).map(ScheduleSetting::Number),
        SettingKind::Numbers(least) => {
            let list = match value.as_array() {
                Some(list) => list.into_iter().map(number).collect::<Option<Vec<_>>>()?,
                None => value.as_i64s()?,
            };
            list.iter().all(|n| *n >= least).then_some(ScheduleSetting::Numbers(list))
        }
        SettingKind::Word(words) => {
            value.as_string().filter(|w| words.contains(&w.as_str())).map(ScheduleSetting::Word)
        }
    }
}

fn is_flag(value: Attr) -> bool {
    matches!(value.to_string().as_str(), "true" | "false")
}

fn wanted(kind: SettingKind) -> String {
    let least = |least: i64| if least == i64::MIN { String::new() } else { format!(" of at least {least}") };
    match kind {
        SettingKind::Flag => "`true` or `false`".into(),
        SettingKind::Number(n) => format!("a number{}", least(n)),
        SettingKind::Numbers(n) => format!("an array of numbers{}", least(n)),
        SettingKind::Word(words) => {
            format!("one of {}", words.iter().map(|w| format!("`\"{w}\"`")).collect::<Vec<_>>().join(", "))
        }
    }
}

/// A file of schedules: `hal.schedule @EXPORT = …` for each export, with comments (`//`) between.
#[derive(Debug, Clone, Default)]
pub struct ScheduleFile {
    /// The exports and the values of the attribute.
    pub schedules: Vec<(String, Attr)>,
}

impl ScheduleFile {
    /// Reads a file. Errors: what is wrong with it.
    pub fn read(session: &Session, text: &str) -> Result<Self> {
        let start = format!("{} @", names::SCHEDULE);
        let lines: Vec<&str> = text.lines().collect();
        let is_start = |line: &str| line.trim_start().starts_with(&start);
        let mut starts: Vec<usize> = (0..lines.len()).filter(|&at| is_start(lines[at])).collect();
        let before = lines.iter().take(starts.first().copied().unwrap_or(lines.len()));
        if let Some(other) = before.map(|line| line.trim()).find(|line| !line.is_empty() && !line.starts_with("//")) {
            return Err(bad(format!("`{other}` is no schedule")));
        }
        starts.push(lines.len());
        let mut schedules = Vec::new();
        for range in starts.windows(2) {
            let text = lines[range[0]..range[1]].join("\n");
            let Some((name, value)) = text.split_once('=') else {
                return Err(bad(format!("`{}` has no value", lines[range[0]].trim())));
            };
            let name = name.trim().trim_start_matches(start.as_str()).trim().trim_matches('"').to_owned();
            let value = Attr::parse(session.raw(), value.trim()).ok_or_else(|| {
                session.error("it is not an MLIR attribute").note(format!("in the schedule of `@{name}`"))
            })?;
            KernelSchedule::read(value).map_err(|why| bad(format!("in the schedule of `@{name}`: {why}")))?;
            schedules.push((name, value));
        }
        Ok(Self { schedules })
    }
}

fn bad(message: String) -> Error {
    Error::input(message)
        .code("bad-schedule")
        .hint("a file of schedules has `hal.schedule @EXPORT = {…}` for each export")
}

/// Checks `hal.schedule` on an export: its form, and that there is something to schedule.
pub(super) fn verify_schedule(export: Op, say: &mut dyn FnMut(Op, String)) {
    if !export.has_attr(names::SCHEDULE) {
        return;
    }
    let name = export.symbol().unwrap_or_default();
    if let Err(why) = KernelSchedule::of(export) {
        return say(export, format!("`{}` of export `@{name}`: {why}", names::SCHEDULE));
    }
    if super::is_lowered(export) {
        say(export, format!("export `@{name}` is lowered already; `{}` is for exports on tensors", names::SCHEDULE));
    }
}
