//! `transform.tune.knob` and `transform.tune.alternatives`: which values they take. The interpreter does not look.
use super::attributes::Wanted;
use halyard_ir::{Attr, Op};

/// The kind of value that a knob takes: that of its first option.
pub(super) fn wanted(knob: Op) -> Wanted {
    let Some(options) = knob.attr("options") else { return Wanted::Any };
    let first = |a: Attr| a.as_array().and_then(|all| all.first().copied());
    let like = match options.as_dict() {
        Some(dict) => dict.into_iter().find_map(|(key, value)| match key.as_str() {
            "options" => first(value),
            _ => value.as_int().map(|_| value),
        }),
        None => first(options),
    };
    like.map_or(Wanted::Any, Wanted::Like)
}

/// Checks a value against the options: a list, or a dictionary of `options`, `lower_bound`, `upper_bound` (both
/// inclusive), `divisible_by` and `divides`.
pub(super) fn check(knob: Op, value: Attr) -> Result<(), String> {
    let Some(options) = knob.attr("options") else { return Ok(()) };
    let among = |list: Attr| list.as_array().is_none_or(|all| all.iter().any(|o| o.to_string() == value.to_string()));
    let Some(dict) = options.as_dict() else {
        return if among(options) { Ok(()) } else { Err(format!("takes one of {options}, not {value}")) };
    };
    for (key, bound) in dict {
        let holds = match (key.as_str(), value.as_int(), bound.as_int()) {
            ("options", _, _) => among(bound),
            ("lower_bound", Some(v), Some(b)) => v >= b,
            ("upper_bound", Some(v), Some(b)) => v <= b,
            ("divisible_by", Some(v), Some(b)) => b != 0 && v % b == 0,
            ("divides", Some(v), Some(b)) => v != 0 && b % v == 0,
            _ => return Err(format!("cannot be checked: `{key} = {bound}` in its options is not known")),
        };
        if !holds {
            return Err(format!("takes {options}; {value} breaks `{key}`"));
        }
    }
    Ok(())
}

/// Checks the number of an alternative.
pub(super) fn check_region(alternatives: Op, value: Attr) -> Result<(), String> {
    let count = alternatives.regions().len();
    match value.as_int().and_then(|v| usize::try_from(v).ok()) {
        Some(v) if v < count => Ok(()),
        _ => Err(format!("chooses one of {count} alternatives, counted from 0; there is no {value}")),
    }
}
