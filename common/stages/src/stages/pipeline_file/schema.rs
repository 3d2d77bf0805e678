//! What stands in a pipeline file, read with places:
//!
//! ```yaml
//! description: Tiles matrix products            # for --list-stages
//! variables:
//!   tile: 32                                     # the default
//!   name:                                        # no default: a value is needed
//! pipeline:
//!   - pass: canonicalize{max-iterations=${n}}    # a pass or a pipeline
//!   - schedule: tile.mlir{tile=${tile}}          # a schedule, patterns, or Python; `transform` says the same
//!   - include: other.yaml{tile=${tile}}          # another pipeline file
//!   - when: scf.forall                           # only where there are such operations, or those of a dialect: `not tosa`
//!     pass: scf-forall-to-for                    # or several stages: `pipeline: [...]`
//! ```
use crate::grammar::{EntryKind, OptionValue, PipelineEntry, is_name};
use halyard_diag::{Error, Result, Source, Span, either, nearest};
use saphyr::{LoadableYamlNode, MarkedYaml, Scalar, YamlData};
use std::{ops::Range, sync::Arc};

/// A pipeline file.
#[derive(Debug)]
pub(in super::super) struct PipelineFile {
    pub(in super::super) description: String,
    pub(in super::super) variables: Vec<Variable>,
    pub(super) items: Vec<Item>,
}

/// A part of a pipeline.
#[derive(Debug)]
pub(super) enum Item {
    /// One stage.
    Stage(PipelineEntry),
    /// Stages that run where a condition holds.
    When {
        /// The condition as it is written.
        text: String,
        /// Where it stands.
        at: Range<usize>,
        /// The stages.
        items: Vec<Item>,
    },
}

/// A declared variable.
#[derive(Debug)]
pub(in super::super) struct Variable {
    pub(in super::super) name: String,
    pub(in super::super) default: Option<OptionValue>,
    pub(super) at: Range<usize>,
}

const KEYS: [&str; 3] = ["description", "variables", "pipeline"];
const ENTRIES: [(&str, EntryKind); 4] = [
    ("pass", EntryKind::Pass),
    ("transform", EntryKind::Transform),
    ("include", EntryKind::Include),
    // The former name of `transform`.
    ("schedule", EntryKind::Transform),
];

type Pairs<'p, 'y> = Vec<(&'p MarkedYaml<'y>, &'p MarkedYaml<'y>)>;

struct Reader<'s> {
    source: &'s Arc<Source>,
    /// Where each character begins; places in YAML count characters.
    bytes: Vec<usize>,
}

/// Reads a pipeline file. Errors: what is no YAML, unknown and missing keys, values of the wrong kind.
pub(in super::super) fn read(source: &Arc<Source>) -> Result<PipelineFile> {
    let bytes = source.text.char_indices().map(|(i, _)| i).chain([source.text.len()]).collect();
    Reader { source, bytes }.file()
}

impl Reader<'_> {
    fn file(&self) -> Result<PipelineFile> {
        let documents = MarkedYaml::load_from_str(&self.source.text).map_err(|e| {
            let at = self.byte(e.marker().index());
            self.error(at..at, format!("the pipeline file is no YAML: {}", e.info())).code("bad-bundle")
        })?;
        let root = match documents.as_slice() {
            [root] => root,
            [] => {
                return Err(self
                    .error(0..0, "the pipeline file is empty")
                    .hint("it needs a `pipeline`, a list of stages"));
            }
            [_, second, ..] => {
                return Err(self.error(self.range(second), "a pipeline file is one YAML document, not several"));
            }
        };
        let mut file = PipelineFile { description: String::new(), variables: Vec::new(), items: Vec::new() };
        let mut has_pipeline = false;
        for (key, value) in self.pairs(root, "a pipeline file")? {
            let name = self.name(key)?;
            // The names are written with a capital elsewhere.
            match name.to_lowercase().as_str() {
                "description" => file.description = self.text(value, "`description`")?.to_owned(),
                "variables" => file.variables = self.variables(value)?,
                "pipeline" => {
                    has_pipeline = true;
                    file.items = self.pipeline(value)?;
                }
                _ => return Err(self.unknown(key, name, &KEYS)),
            }
        }
        if !has_pipeline {
            return Err(self
                .error(self.range(root), "the pipeline file has no `pipeline`")
                .hint("it is a list of stages"));
        }
        Ok(file)
    }

    fn variables(&self, node: &MarkedYaml<'_>) -> Result<Vec<Variable>> {
        let mut variables = Vec::new();
        for (key, value) in self.pairs(node, "`variables`")? {
            let name = self.name(key)?;
            let at = self.range(key);
            if !is_name(name) {
                return Err(self
                    .error(at, format!("`{name}` cannot be the name of a variable"))
                    .note("names consist of letters, digits, `_` and `-`, and begin with a letter or `_`"));
            }
            let default = match &value.data {
                YamlData::Value(Scalar::Null) => None,
                _ => Some(self.value(value)?),
            };
            variables.push(Variable { name: name.to_owned(), default, at });
        }
        Ok(variables)
    }

    fn pipeline(&self, node: &MarkedYaml<'_>) -> Result<Vec<Item>> {
        let YamlData::Sequence(items) = &node.data else {
            return Err(self.error(self.range(node), "`pipeline` has to be a list").hint("write `- pass: NAME`"));
        };
        if items.is_empty() {
            return Err(self.error(self.range(node), "`pipeline` has no stages"));
        }
        items.iter().map(|item| self.item(item)).collect()
    }

    fn item(&self, node: &MarkedYaml<'_>) -> Result<Item> {
        let pairs = self.pairs(node, "a stage of a pipeline file").map_err(|e| e.hint("write `- pass: NAME`"))?;
        let (mut found, mut when): (Option<Vec<Item>>, Option<(String, Range<usize>)>) = (None, None);
        let mut nested = None;
        for (key, value) in pairs {
            let name = self.name(key)?;
            if name == "when" {
                let (at, _) = self.unquoted(value);
                when = Some((self.text(value, "`when`")?.to_owned(), at));
                continue;
            }
            let kind = ENTRIES.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind);
            if kind.is_none() && name != "pipeline" {
                return Err(self.unknown(key, name, &["pass", "transform", "include", "when", "pipeline"]));
            }
            if found.is_some() {
                return Err(self
                    .error(self.range(key), "a stage of a pipeline file has one key")
                    .note("beside `when`, which says where it runs")
                    .hint("start another one with `-`"));
            }
            found = Some(match kind {
                Some(kind) => vec![Item::Stage(self.entry(name, kind, value)?)],
                None => {
                    nested = Some(self.range(key));
                    self.pipeline(value)?
                }
            });
        }
        let mut items = found.ok_or_else(|| self.error(self.range(node), "a stage of a pipeline file is missing"))?;
        match (when, nested) {
            (Some((text, at)), _) => Ok(Item::When { text, at, items }),
            (None, Some(at)) => Err(self
                .error(at, "a pipeline inside of a pipeline needs `when`")
                .hint("write `when: CONDITION` beside it, or list its stages without it")),
            (None, None) => Ok(items.remove(0)),
        }
    }

    fn entry(&self, name: &str, kind: EntryKind, value: &MarkedYaml<'_>) -> Result<PipelineEntry> {
        let text = self.text(value, &format!("`{name}`"))?;
        let (at, raw) = self.unquoted(value);
        Ok(PipelineEntry { kind, text: text.to_owned(), at, verbatim: raw == text })
    }

    /// The place of a text without its quotes, and what stands there.
    fn unquoted(&self, value: &MarkedYaml<'_>) -> (Range<usize>, &str) {
        let at = self.range(value);
        let raw = &self.source.text[at.clone()];
        match ["\"", "'"].iter().find_map(|q| raw.strip_prefix(q)?.strip_suffix(q)) {
            Some(inside) => (at.start + 1..at.end - 1, inside),
            None => (at, raw),
        }
    }

    fn value(&self, node: &MarkedYaml<'_>) -> Result<OptionValue> {
        Ok(match &node.data {
            YamlData::Value(Scalar::Null) => OptionValue::None,
            YamlData::Value(Scalar::Boolean(b)) => OptionValue::Bool(*b),
            YamlData::Value(Scalar::Integer(n)) => OptionValue::Int(*n),
            YamlData::Value(Scalar::FloatingPoint(n)) if n.is_finite() => OptionValue::Float(n.into_inner()),
            YamlData::Value(Scalar::String(s)) => OptionValue::String(s.to_string()),
            YamlData::Sequence(items) => OptionValue::List(items.iter().map(|i| self.value(i)).collect::<Result<_>>()?),
            _ => {
                return Err(self
                    .error(self.range(node), "a variable cannot have this value")
                    .note("values are numbers, booleans, strings and lists of these"));
            }
        })
    }

    fn pairs<'p, 'y>(&self, node: &'p MarkedYaml<'y>, what: &str) -> Result<Pairs<'p, 'y>> {
        match &node.data {
            YamlData::Mapping(map) => Ok(map.iter().collect()),
            _ => Err(self.error(self.range(node), format!("{what} has to be keys with values"))),
        }
    }

    fn name<'n>(&self, key: &'n MarkedYaml<'_>) -> Result<&'n str> {
        match &key.data {
            YamlData::Value(Scalar::String(name)) => Ok(name),
            _ => Err(self.error(self.range(key), "a key has to be a name")),
        }
    }

    fn text<'n>(&self, node: &'n MarkedYaml<'_>, what: &str) -> Result<&'n str> {
        match &node.data {
            YamlData::Value(Scalar::String(text)) => Ok(text),
            _ => Err(self.error(self.range(node), format!("{what} has to be a text")).hint("write it in quotes")),
        }
    }

    fn unknown(&self, key: &MarkedYaml<'_>, name: &str, known: &[&str]) -> Error {
        let error = self.error(self.range(key), format!("unknown key `{name}`"));
        match nearest(name, known.iter().copied()).first() {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error.note(format!("known are {}", either(known).replace(" or ", " and "))),
        }
    }

    fn byte(&self, character: usize) -> usize {
        self.bytes.get(character).or(self.bytes.last()).copied().unwrap_or_default()
    }

    fn range(&self, node: &MarkedYaml<'_>) -> Range<usize> {
        let start = self.byte(node.span.start.index());
        let end = self.byte(node.span.end.index()).max(start);
        start..start + self.source.text[start..end].trim_end().len()
    }

    fn error(&self, at: Range<usize>, message: impl Into<String>) -> Error {
        // Of what goes over several lines, the first is enough.
        let line = self.source.text[at.clone()].find('\n').map_or(at.end, |i| at.start + i);
        Error::input(message).code("bad-bundle").at(Span::new(self.source, at.start..line))
    }
}
