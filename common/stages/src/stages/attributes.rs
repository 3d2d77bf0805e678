//! Values of stages as attributes of MLIR: of the kind that the place wants.
use crate::grammar::OptionValue;
use halyard_ir::{Attr, Op, Session, Type};

/// The attribute that a place takes.
#[derive(Clone, Copy)]
pub(super) enum Wanted {
    /// The same kind as this.
    Like(Attr),
    /// An attribute of this type.
    Of(Type),
    /// Anything.
    Any,
}

impl Wanted {
    /// In words: what is taken.
    fn words(self) -> String {
        match self {
            Self::Like(a) if a.as_array().is_some() || a.to_string().starts_with("array<") => {
                format!("a list, as `{a}`")
            }
            Self::Like(a) if a.as_string().is_some() => "a string".into(),
            Self::Like(a) if a.as_int().is_some() || a.as_float().is_some() => Self::Of(a.value_type()).words(),
            Self::Like(a) => format!("an attribute as `{a}`"),
            Self::Of(t) if t.to_string() == "i1" => "`true` or `false`".into(),
            Self::Of(t) if t.is_integer() || t.is_index() => format!("an integer (`{t}`)"),
            Self::Of(t) if t.is_float() => format!("a number (`{t}`)"),
            Self::Of(t) => format!("an attribute of type `{t}`"),
            Self::Any => "anything".into(),
        }
    }
}

/// Makes the attribute. Errors: a value of another kind, in words.
pub(super) fn attribute(session: &Session, at: Op, value: &OptionValue, wanted: Wanted) -> Result<Attr, String> {
    let context = at.context();
    let parse = |text: &str| quietly(session, || Attr::parse(context, text));
    let refuse = || format!("takes {}, not {}", wanted.words(), value.kind());
    match (wanted, value) {
        (Wanted::Like(like), OptionValue::List(items)) => {
            let text = like.to_string();
            if let Some(element) = text.strip_prefix("array<").and_then(|t| t.split([':', '>']).next()) {
                let items: Vec<String> = items.iter().map(|v| plain(v).ok_or_else(refuse)).collect::<Result<_, _>>()?;
                let colon = if items.is_empty() { "" } else { ": " };
                return parse(&format!("array<{element}{colon}{}>", items.join(", "))).ok_or_else(refuse);
            }
            let element = like.as_array().ok_or_else(refuse)?.first().copied().map_or(Wanted::Any, Wanted::Like);
            let items: Result<Vec<_>, _> = items.iter().map(|v| attribute(session, at, v, element)).collect();
            Ok(Attr::array(context, &items?))
        }
        (Wanted::Like(like), OptionValue::String(text)) if like.as_string().is_some() => {
            Ok(Attr::string(context, text))
        }
        (Wanted::Like(like), _) if like.as_int().is_some() || like.as_float().is_some() => {
            attribute(session, at, value, Wanted::Of(like.value_type()))
        }
        (Wanted::Of(ty), OptionValue::Bool(b)) if ty.to_string() == "i1" => Ok(Attr::integer(ty, i64::from(*b))),
        (Wanted::Of(ty), OptionValue::Int(n)) if (ty.is_integer() && ty.to_string() != "i1") || ty.is_index() => {
            parse(&format!("{n} : {ty}")).ok_or_else(|| format!("takes {}; {n} does not fit", wanted.words()))
        }
        (Wanted::Of(ty), OptionValue::Int(n)) if ty.is_float() => Ok(Attr::float(ty, *n as f64)),
        (Wanted::Of(ty), OptionValue::Float(n)) if ty.is_float() => Ok(Attr::float(ty, *n)),
        // In MLIR's own words.
        (Wanted::Of(ty), OptionValue::String(text)) => parse(text)
            .filter(|a| text.contains(':') && a.value_type().to_string() == ty.to_string())
            .ok_or_else(refuse),
        (Wanted::Like(_), OptionValue::String(text)) => parse(text).ok_or_else(refuse),
        (Wanted::Any, OptionValue::None) => Err("takes a value, not nothing".into()),
        (Wanted::Any, OptionValue::Bool(b)) => Ok(Attr::integer(Type::integer(context, 1), i64::from(*b))),
        (Wanted::Any, OptionValue::Int(n)) => Ok(Attr::integer(Type::integer(context, 64), *n)),
        (Wanted::Any, OptionValue::Float(n)) => Ok(Attr::float(Type::f64(context), *n)),
        (Wanted::Any, OptionValue::String(text)) => Ok(Attr::string(context, text)),
        (Wanted::Any, OptionValue::List(items)) => {
            let items: Result<Vec<_>, _> = items.iter().map(|v| attribute(session, at, v, Wanted::Any)).collect();
            Ok(Attr::array(context, &items?))
        }
        _ => Err(refuse()),
    }
}

/// A number or boolean as MLIR writes it in a list.
fn plain(value: &OptionValue) -> Option<String> {
    matches!(value, OptionValue::Bool(_) | OptionValue::Int(_) | OptionValue::Float(_)).then(|| value.to_string())
}

/// Runs something that may make MLIR complain, and forgets the complaint.
fn quietly<T>(session: &Session, run: impl FnOnce() -> T) -> T {
    let before = session.take_diagnostics();
    let result = run();
    session.take_diagnostics();
    before.into_iter().for_each(|d| session.say(d));
    result
}
