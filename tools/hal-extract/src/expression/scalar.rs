//! Arithmetic on scalars, operation by operation.
mod calls;
mod floats;
mod integers;

use super::{
    Scope,
    helper::Helper,
    index::{affine, atom},
    language::Language,
};
use calls::{library, suffix};
pub(crate) use floats::{as_stored, loaded, note_narrow};
use floats::{bitcast, compare_floats, from_float, rounded, to_float};
use halyard_ir::{Attr, Op, Type};
use integers::{compare_integers, integer_operation};

/// A value of a scalar operation: a name or a literal. Errors: what the language cannot say.
pub(crate) fn scalar(scope: &mut impl Scope, op: Op) -> Result<(), String> {
    let result = op.result(0);
    let (text, is_name) = expression(scope, op, result.ty())?;
    let value = if is_name || !result.has_uses() { text } else { scope.define("v", result.ty(), &text)? };
    scope.bind(result, value);
    Ok(())
}

/// Returns the expression, and whether it needs no parentheses.
fn expression(scope: &mut impl Scope, op: Op, ty: Type) -> Result<(String, bool), String> {
    let name = op.name();
    let l = scope.text().language;
    let args: Vec<String> =
        op.operands().into_iter().filter(|v| !v.ty().is_tensor()).map(|v| scope.value(v)).collect::<Result<_, _>>()?;
    let from = op.operands().first().map(|v| v.ty());
    let (a, b) = (args.first().cloned().unwrap_or_default(), args.get(1).cloned().unwrap_or_default());
    let text = match &*name {
        "arith.constant" => {
            let value = op.attr("value").ok_or("a constant has no value")?;
            return Ok((literal(l, value, ty)?, true));
        }
        "linalg.index" => {
            let dim = op.attr("dim").and_then(Attr::as_int).ok_or("linalg.index has no dimension")?;
            let variable = scope.loop_variable(dim as usize).ok_or("linalg.index stands outside of a loop nest")?;
            return Ok((atom(&variable), true));
        }
        "tensor.dim" => {
            let dim = args.first().and_then(|d| d.parse::<usize>().ok());
            let size = dim.and_then(|d| scope.shape(op.operand(0)).ok()?.get(d).cloned());
            let size = size.ok_or("tensor.dim of a dimension that is not constant")?;
            return Ok((atom(&size), true));
        }
        "tensor.extract" => scope.extract(op.operand(0), &args)?,
        "affine.apply" => {
            let map = op.attr("map").and_then(Attr::as_affine_map).ok_or("affine.apply has no map")?;
            let (dims, symbols) = args.split_at(map.dims());
            affine(scope.text(), &map.results()[0], dims, symbols)
        }
        "arith.addf" => rounded(scope.text(), format!("{a} + {b}"), ty),
        "arith.subf" => rounded(scope.text(), format!("{a} - {b}"), ty),
        "arith.mulf" => rounded(scope.text(), format!("{a} * {b}"), ty),
        "arith.divf" => rounded(scope.text(), format!("{a} / {b}"), ty),
        "arith.negf" => format!("-{a}"),
        "arith.maximumf" | "arith.minimumf" => {
            let word = if name.contains("max") { "maximum" } else { "minimum" };
            scope.text().helpers.insert(match (word, suffix(ty)) {
                ("maximum", "") => Helper::Maximum,
                ("maximum", _) => Helper::MaximumOfFloats,
                (_, "") => Helper::Minimum,
                _ => Helper::MinimumOfFloats,
            });
            from_float(l, format!("{word}{}({}, {})", suffix(ty), to_float(l, &a, ty), to_float(l, &b, ty)), ty)
        }
        "arith.cmpf" => return Ok((l.truth(&compare_floats(l, op, &a, &b)?), false)),
        "arith.cmpi" => l.truth(&compare_integers(l, op, &a, &b)?),
        "arith.select" => {
            let other = args.get(2).ok_or("a select has three operands")?;
            format!("{} ? {b} : {other}", l.condition(&a))
        }
        "arith.extf" if ty.bits() == 64 => l.cast("double", &l.cast("float", &a)),
        "arith.extf" => l.cast(l.computed(ty)?, &a),
        "arith.truncf" if ty.to_string() == "f16" && from.is_some_and(|f| f.bits() == 64) => {
            let text = scope.text();
            text.helpers.insert(Helper::DoubleToHalf);
            let half = format!("double_to_half({a})");
            match note_narrow(text, ty) {
                Some((read, _)) => format!("{read}({half})"),
                None => half,
            }
        }
        "arith.truncf" => rounded(scope.text(), l.cast(l.computed(ty)?, &a), ty),
        "arith.sitofp" | "arith.uitofp" => {
            let from = from.ok_or("a conversion has an operand")?;
            let source = if name == "arith.uitofp" {
                l.cast(l.unsigned(from), &a)
            } else if from.bits() == 1 {
                format!("-{}", l.cast("int", &a))
            } else {
                a
            };
            rounded(scope.text(), l.cast(l.computed(ty)?, &source), ty)
        }
        "arith.fptoui" => l.cast(l.computed(ty)?, &l.cast(l.unsigned(ty), &a)),
        "arith.fptosi" => l.cast(l.computed(ty)?, &a),
        "arith.bitcast" => return bitcast(scope.text(), &a, from.ok_or("a bitcast has an operand")?, ty),
        "arith.index_cast" | "arith.extsi" | "arith.trunci" | "arith.index_castui" | "arith.extui" => {
            let from = from.ok_or("a conversion has an operand")?;
            let source = match &*name {
                "arith.extui" | "arith.index_castui" => l.cast(l.unsigned(from), &a),
                "arith.trunci" if ty.bits() == 1 => format!("({a} & 1)"),
                _ if from.is_integer() && from.bits() == 1 => format!("-{}", l.cast("int", &a)),
                _ => a,
            };
            l.cast(l.computed(ty)?, &source)
        }
        _ => match integer_operation(l, &name, &a, &b, ty) {
            Some(text) => text?,
            None => library(scope.text(), op, &name, &args, ty)?,
        },
    };
    Ok((text, false))
}

/// Writes an element of an attribute.
pub(crate) fn literal(l: Language, value: Attr, ty: Type) -> Result<String, String> {
    let text = match (value.as_int(), value.as_float()) {
        (Some(v), _) => l.integer(v, ty),
        (_, Some(v)) => l.float(v, ty),
        _ => return Err(format!("a constant of type `{ty}` is not written in {}", l.name())),
    };
    // A minus sign must not meet another one.
    Ok(if text.starts_with('-') { format!("({text})") } else { text })
}
