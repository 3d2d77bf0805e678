//! What a transform script leaves to a tuner: its knobs and alternatives, with their values.
use super::{
    knobs, parameters,
    python::Interpreter,
    reading::{Found, Reading, StageArgs},
    sequences::sequences,
    transform_script,
};
use crate::grammar::{self, FileKind, StageText};
use halyard_diag::{Error, Result, Source};
use halyard_ir::{Attr, Op, Session};

/// As many values of one knob are listed.
const MOST: usize = 4096;

/// A knob of a transform script, or a choice between alternatives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptKnob {
    /// Its name.
    pub name: String,
    /// Its values, as they are written between the braces of a stage.
    pub values: Vec<String>,
    /// The place of the value that it has if none is given.
    pub default: usize,
}

/// The knobs of a stage that its text does not set, in the order of the script; `None` if the file is no transform script. Errors: a stage that is malformed; a knob whose
/// values cannot be listed.
pub(super) fn of(session: &Session, args: &StageArgs, flag: &str, text: &str) -> Result<Option<Vec<ScriptKnob>>> {
    let python = Interpreter::shared(args.stage_timeout);
    let source = Source::new(flag, text.to_owned());
    let reading = Reading::new(args, &source, &python);
    let StageText::File(stage) = grammar::stage(&source, 0..text.len())? else { return Ok(None) };
    if stage.kind != FileKind::Mlir {
        return Ok(None);
    }
    let Found { path, bytes, .. } = reading.find(&stage.path.text, stage.path.at.clone())?;
    let Ok(module) = session.parse_beside(&bytes, &path.display().to_string()) else {
        session.take_diagnostics();
        return Ok(None);
    };
    session.take_diagnostics();
    let root = Op::from(&module);
    let all = sequences(root);
    let known: Vec<String> = all.iter().filter_map(|s| s.symbol()).collect();
    let wanted = transform_script::wanted(stage.pick.as_ref().map(|p| &*p.text), &known);
    let Some(sequence) = all.iter().find(|s| s.symbol().as_deref() == Some(&*wanted)) else {
        // Whoever reads the stage says what there is.
        return Ok((!all.is_empty()).then(Vec::new));
    };
    let given = |name: &str| stage.parameters.settings.iter().any(|s| s.name == name);
    let mut found: Vec<ScriptKnob> = Vec::new();
    for p in parameters::of(session, root, *sequence)?.into_iter().filter(|p| p.is_choice() && !given(&p.name)) {
        let values = if p.is_alternatives() {
            (0..p.op().regions().len()).map(|n| n.to_string()).collect()
        } else {
            knob_values(p.op()).map_err(|why| {
                let error = Error::input(format!("knob `{}` of `{}` {why}", p.name, path.display()));
                let error = error.code("bad-schedule").hint(format!("or set it: `{{{}=…}}` after the file", p.name));
                match session.span(p.op()) {
                    Some(span) => error.at(span),
                    None => error,
                }
            })?
        };
        let default = p.default.and_then(|d| values.iter().position(|v| *v == written(d))).unwrap_or(0);
        match found.iter_mut().find(|k| k.name == p.name) {
            // One name, one choice: what all places of it take.
            Some(other) => {
                other.values.retain(|v| values.contains(v));
                other.default = other.default.min(other.values.len().saturating_sub(1));
            }
            None => found.push(ScriptKnob { name: p.name, values, default }),
        }
    }
    match found.iter().find(|k| k.values.is_empty()) {
        Some(idle) => Err(Error::input(format!("knob `{}` of `{}` has no value", idle.name, path.display()))
            .code("bad-schedule")
            .note("several places of one name take no value in common, or its options are empty")),
        None => Ok(Some(found)),
    }
}

/// The values of `transform.tune.knob`. Errors: why they cannot be listed.
fn knob_values(knob: Op) -> Result<Vec<String>, String> {
    let options = knob.attr("options").ok_or("has no options")?;
    let dict = options.as_dict().unwrap_or_else(|| vec![("options".to_owned(), options)]);
    let bound = |key: &str| dict.iter().find(|(k, _)| k == key).map(|(_, v)| *v);
    let number = |key: &str| bound(key).and_then(Attr::as_int);
    let all: Vec<Attr> = match (bound("options").and_then(Attr::as_array), number("divides")) {
        (Some(list), _) => list,
        (None, divides) => {
            let last = number("upper_bound").or(divides).ok_or("has no list of options and no upper bound")?;
            let step = number("divisible_by").unwrap_or(1).max(1);
            let first = number("lower_bound").unwrap_or(step);
            let like = dict.iter().map(|(_, v)| *v).find(|v| v.as_int().is_some()).ok_or("has no numbers")?;
            let first = first.checked_add((step - first.rem_euclid(step)) % step).ok_or("begins too high")?;
            let count = usize::try_from((last - first) / step + 1).unwrap_or(0);
            if count > MOST {
                return Err(format!("has {count} values; list fewer than {MOST} of them as `options`"));
            }
            (0..count).map(|i| Attr::integer(like.value_type(), first + i as i64 * step)).collect()
        }
    };
    Ok(all.into_iter().filter(|a| knobs::check(knob, *a).is_ok()).map(written).collect())
}

/// A value as stages are written.
fn written(value: Attr) -> String {
    match (value.as_int(), value.as_string()) {
        (Some(_), _) if value.to_string() == "true" || value.to_string() == "false" => value.to_string(),
        (Some(n), _) => n.to_string(),
        (None, Some(text)) => grammar::quoted(&text),
        (None, None) => grammar::quoted(&value.to_string()),
    }
}
