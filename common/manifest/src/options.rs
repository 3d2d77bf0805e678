//! Options of plugins: declared with a type, set as in a stage.
use crate::toml_reader::{Node, Table, error, value};
use halyard_diag::{Diagnostic, Error, ErrorKind, Result, Source, Span, nearest};
use halyard_grammar::{Group, NameAt, OptionSetting, OptionValue, Variables, is_name};
use std::{ops::Range, sync::Arc};
use toml::de::DeValue;

/// The type of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionType {
    Bool,
    Int,
    Float,
    String,
    List,
}

impl OptionType {
    const ALL: [(&'static str, Self); 5] = [
        ("bool", Self::Bool),
        ("int", Self::Int),
        ("float", Self::Float),
        ("string", Self::String),
        ("list", Self::List),
    ];

    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, t)| *t == self).map_or("", |(name, _)| name)
    }

    fn of(value: &OptionValue) -> Option<Self> {
        Some(match value {
            OptionValue::None => return None,
            OptionValue::Bool(_) => Self::Bool,
            OptionValue::Int(_) => Self::Int,
            OptionValue::Float(_) => Self::Float,
            OptionValue::String(_) => Self::String,
            OptionValue::List(_) => Self::List,
        })
    }

    /// A value of this type: a `float` takes integers, a `list` a single value. `None` for others.
    fn take(self, value: &OptionValue) -> Option<OptionValue> {
        match (self, value) {
            (Self::Float, OptionValue::Int(n)) => Some(OptionValue::Float(*n as f64)),
            (Self::List, OptionValue::List(_)) => Some(value.clone()),
            (Self::List, OptionValue::None) => None,
            (Self::List, other) => Some(OptionValue::List(vec![other.clone()])),
            (wanted, other) => (Self::of(other) == Some(wanted)).then(|| other.clone()),
        }
    }
}

/// An option as a manifest declares it.
#[derive(Debug, Clone)]
pub struct DeclaredOption {
    pub name: String,
    pub ty: OptionType,
    /// Without one, a value has to be given.
    pub default: Option<OptionValue>,
    /// The only values that it may have; all of its type if there are none.
    pub values: Vec<OptionValue>,
    pub help: String,
    /// The byte range of its name.
    pub at: Range<usize>,
}

const KEYS: [&str; 4] = ["type", "default", "values", "help"];

impl DeclaredOption {
    /// Reads `NAME = DEFAULT` or `NAME = { type, default, values, help }`. Errors: a name that cannot be one, a type that
    /// is not known, a default that does not fit.
    pub fn read(source: &Arc<Source>, name: &str, at: Range<usize>, node: &Node<'_>) -> Result<Self> {
        let bad = |message: String| error(source, at.clone(), message);
        if !is_name(name) {
            return Err(bad(format!("`{name}` cannot be the name of an option"))
                .note("names consist of letters, digits, `_` and `-`, and begin with a letter or `_`"));
        }
        if name == "folder" {
            return Err(bad("`folder` is the folder of the plugin, and cannot be an option".into()));
        }
        let mut option = Self {
            name: name.to_owned(),
            ty: OptionType::String,
            default: None,
            values: Vec::new(),
            help: String::new(),
            at: at.clone(),
        };
        if !matches!(node.get_ref(), DeValue::Table(_)) {
            let default = value(source, node)?;
            option.ty = OptionType::of(&default).unwrap_or(OptionType::String);
            option.default = Some(default);
            return Ok(option);
        }
        let what = format!("option `{name}`");
        let table = Table::of(source, &what, node, &KEYS)?;
        option.help = table.text("help")?.unwrap_or_default().to_owned();
        let default = table.get("default").map(|node| value(source, node)).transpose()?;
        option.ty = match (table.text("type")?, &default) {
            (Some(word), _) => {
                OptionType::ALL.iter().find(|(name, _)| *name == word).map(|(_, t)| *t).ok_or_else(|| {
                    let known: Vec<_> = OptionType::ALL.iter().map(|(name, _)| format!("`{name}`")).collect();
                    error(source, table.span("type"), format!("unknown type `{word}`"))
                        .note(format!("types are {}", known.join(", ")))
                })?
            }
            (None, Some(default)) => OptionType::of(default).unwrap_or(OptionType::String),
            (None, None) => {
                return Err(table
                    .error(format!("{what} has neither a `type` nor a `default`"))
                    .hint("without a default, a value has to be given: `{ type = \"int\" }`"));
            }
        };
        let fits = |key: &str, v: &OptionValue| {
            let taken = option.ty.take(v);
            taken.ok_or_else(|| {
                error(
                    source,
                    table.span(key),
                    format!("`{v}` is {}, and {what} is of type `{}`", v.kind(), option.ty.name()),
                )
            })
        };
        option.default = default.map(|v| fits("default", &v)).transpose()?;
        if let Some(node) = table.get("values") {
            let OptionValue::List(all) = value(source, node)? else {
                return Err(error(source, node.span(), "`values` has to be a list of what the option may be"));
            };
            option.values = all.iter().map(|v| fits("values", v)).collect::<Result<_>>()?;
            if let Some(default) = option.default.as_ref().filter(|d| !option.values.contains(d)) {
                return Err(error(
                    source,
                    table.span("default"),
                    format!("`{default}` is not among the values of {what}"),
                ));
            }
        }
        Ok(option)
    }

    /// Returns the option's syntax for help.
    pub fn form(&self) -> String {
        let values: Vec<_> = self.values.iter().map(ToString::to_string).collect();
        match values.len() {
            0 => format!("{}={}", self.name, self.ty.name().to_uppercase()),
            _ => format!("{}={}", self.name, values.join("|")),
        }
    }

    /// A value that is given. Errors: the wrong type, not among its values.
    fn take(&self, owner: &str, given: &OptionSetting, source: &Arc<Source>) -> Result<OptionValue> {
        let at = Span::new(source, given.value_at.clone());
        let v = &given.value;
        let Some(value) = self.ty.take(v) else {
            let message = format!(
                "`{v}` is {}, and option `{}` of plugin `{owner}` is of type `{}`",
                v.kind(),
                self.name,
                self.ty.name()
            );
            let e = Error::usage(message).code("bad-option").at(at);
            return Err(if self.ty == OptionType::String { e.hint("quote it to make it text") } else { e });
        };
        if !self.values.is_empty() && !self.values.contains(&value) {
            let list: Vec<_> = self.values.iter().map(|v| format!("`{v}`")).collect();
            let e = Error::usage(format!("option `{}` of plugin `{owner}` cannot be `{v}`", self.name));
            return Err(e.code("bad-option").at(at).note(format!("it is one of {}", list.join(", "))));
        }
        Ok(value)
    }
}

/// The values of a plugin's options: given, or by default. `manifest` is where they are declared. Errors: one that it does
/// not have, of the wrong type, without a value.
pub(crate) fn bind(
    declared: &[DeclaredOption],
    (name, group): (&NameAt, &Group),
    source: &Arc<Source>,
    manifest: &Arc<Source>,
) -> Result<Variables> {
    let owner = &name.text;
    let known: Vec<&str> = declared.iter().map(|d| &*d.name).collect();
    if let Some(unknown) = group.settings.iter().find(|s| !known.contains(&&*s.name)) {
        let e = Error::usage(format!("plugin `{owner}` has no option `{}`", unknown.name));
        let e = e.code("unknown-name").at(Span::new(source, unknown.name_at.clone()));
        let list: Vec<_> = known.iter().map(|k| format!("`{k}`")).collect();
        let e =
            e.note(if list.is_empty() { "it has no options".into() } else { format!("it has {}", list.join(", ")) });
        return Err(match nearest(&unknown.name, known).first() {
            Some(near) => e.hint(format!("did you mean `{near}`?")),
            None => e,
        });
    }
    let mut values = Variables::new("option", "NAME = …` below `[options]");
    for option in declared {
        let given = group.settings.iter().find(|s| s.name == option.name);
        let value = given.map(|g| option.take(owner, g, source)).transpose()?.or_else(|| option.default.clone());
        let Some(value) = value else {
            let d = Diagnostic::error(format!("option `{}` of plugin `{owner}` needs a value", option.name))
                .code("missing-parameter")
                .at(Span::new(source, name.at.clone()))
                .label(Span::new(manifest, option.at.clone()), "declared here without a default")
                .hint(format!("write `{owner}{{{}}}`", option.form()));
            return Err(Error::new(ErrorKind::Usage, d));
        };
        values.set(&option.name, value);
    }
    Ok(values)
}
