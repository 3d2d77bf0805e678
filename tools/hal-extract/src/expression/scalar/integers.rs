//! Writes integer arithmetic and comparisons as expressions.
use super::super::language::Language;
use halyard_ir::{Attr, Op, Type};

pub(super) fn integer_operation(l: Language, name: &str, a: &str, b: &str, ty: Type) -> Option<Result<String, String>> {
    let own = match l.computed(ty) {
        Ok(own) => own,
        Err(e) => return Some(Err(e)),
    };
    let u = l.unsigned(ty);
    let (ua, ub) = (l.cast(u, a), l.cast(u, b));
    // Signed overflow wraps in MLIR and is undefined in C; `index` does not overflow.
    let wraps = |sign: &str| match ty {
        _ if ty.is_index() => format!("{a} {sign} {b}"),
        _ if ty.bits() == 1 => format!("({a} {sign} {b}) & 1"),
        _ => l.cast(own, &format!("{ua} {sign} {ub}")),
    };
    let signed = |sign: &str| l.cast(own, &format!("{a} {sign} {b}"));
    let unsigned = |sign: &str| l.cast(own, &format!("{ua} {sign} {ub}"));
    Some(Ok(match name {
        "arith.addi" => wraps("+"),
        "arith.subi" => wraps("-"),
        "arith.muli" => wraps("*"),
        "arith.andi" => signed("&"),
        "arith.ori" => signed("|"),
        "arith.xori" => signed("^"),
        "arith.shli" => l.cast(own, &format!("{ua} << {b}")),
        "arith.shrui" => l.cast(own, &format!("{ua} >> {b}")),
        "arith.shrsi" => signed(">>"),
        "arith.divsi" | "arith.remsi" | "arith.floordivsi" | "arith.ceildivsi" => {
            let quotient = signed_division(l, name, a, b, own);
            // The least number by -1 wraps in MLIR. C and GLSL leave it open, and a CPU ends the program.
            if ty.bits() == 1 || b.trim_matches(['(', ')']).parse::<i64>().is_ok_and(|b| b != -1) {
                quotient
            } else {
                let zero = l.cast(u, "0");
                let wrapped = if name == "arith.remsi" { zero } else { format!("{zero} - {ua}") };
                format!("{b} == -1 ? {} : {quotient}", l.cast(own, &wrapped))
            }
        }
        "arith.divui" => unsigned("/"),
        "arith.remui" => unsigned("%"),
        "arith.ceildivui" => {
            let q = format!("{ua} / {ub}");
            l.cast(own, &format!("{ua} % {ub} != 0 ? {q} + 1 : {q}"))
        }
        "arith.maxsi" => format!("{a} > {b} ? {a} : {b}"),
        "arith.minsi" => format!("{a} < {b} ? {a} : {b}"),
        "arith.maxui" => format!("{ua} > {ub} ? {a} : {b}"),
        "arith.minui" => format!("{ua} < {ub} ? {a} : {b}"),
        _ => return None,
    }))
}

/// Writes a signed quotient or remainder.
fn signed_division(l: Language, name: &str, a: &str, b: &str, own: &str) -> String {
    let q = format!("{a} / {b}");
    let text = match name {
        "arith.divsi" => q,
        // In GLSL, `%` of a negative number is undefined.
        "arith.remsi" if l == Language::Glsl => format!("{a} - {a} / {b} * {b}"),
        "arith.remsi" => format!("{a} % {b}"),
        "arith.floordivsi" => format!("{q} * {b} != {a} && ({a} < 0) != ({b} < 0) ? {q} - 1 : {q}"),
        _ => format!("{q} * {b} != {a} && ({a} < 0) == ({b} < 0) ? {q} + 1 : {q}"),
    };
    l.cast(own, &text)
}

pub(super) fn predicate(op: Op) -> i64 {
    op.attr("predicate").and_then(Attr::as_int).unwrap_or(-1)
}

pub(super) fn compare_integers(l: Language, op: Op, a: &str, b: &str) -> Result<String, String> {
    let ty = op.operand(0).ty();
    // The 1 of a signed `i1` is -1.
    let signed = |v: &str| {
        let negative = ty.bits() == 1 && ty.is_integer();
        if negative { format!("-{}", l.cast("int", v)) } else { v.to_owned() }
    };
    let (sa, sb) = (signed(a), signed(b));
    let (ua, ub) = (l.cast(l.unsigned(ty), a), l.cast(l.unsigned(ty), b));
    let predicate = predicate(op);
    let sign = match predicate {
        0 => "==",
        1 => "!=",
        2 | 6 => "<",
        3 | 7 => "<=",
        4 | 8 => ">",
        5 | 9 => ">=",
        _ => return Err("a comparison is of an unknown kind".into()),
    };
    Ok(match predicate {
        0 | 1 => format!("{a} {sign} {b}"),
        2..=5 => format!("{sa} {sign} {sb}"),
        _ => format!("{ua} {sign} {ub}"),
    })
}
