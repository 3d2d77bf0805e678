//! Names that say what an executable does: `conv_1x64x56x56_f32`, `matmul_16x128x784_f32`, `elementwise_add_relu_4xD_f32`.
use super::{
    guards::protects,
    structure::{Kind, Structure},
};
use halyard_ir::{Op, Structured, Type};

/// At most this many words describe an elementwise chain.
const MAX_WORDS: usize = 4;

/// What a group does: kind of its root, sizes, element type. A valid C identifier.
pub(super) fn describe(group: &[Op]) -> String {
    let structures: Vec<(Op, Structure)> = group.iter().filter_map(|op| Structure::of(*op).map(|s| (*op, s))).collect();
    let find = |f: &dyn Fn(Kind) -> bool| structures.iter().find(|(_, s)| f(s.kind)).map(|(op, s)| (*op, s.clone()));
    let (root, text) = if let Some((op, s)) = find(&Kind::is_heavy) {
        let sizes = if s.kind == Kind::Contraction { loop_sizes(op, &s) } else { shape(op.result(0).ty()) };
        // Two products with a softmax between them.
        let attends = s.kind == Kind::Contraction && find(&Kind::is_row).is_some();
        let text = if attends { "attention".to_owned() } else { heavy(op, s.kind) };
        return identifier(&[text, sizes, element(op.result(0).ty())]);
    } else if let Some((op, _)) = find(&Kind::is_row) {
        (op, row(&structures))
    } else if let Some((op, s)) = find(&|k| matches!(k, Kind::Movement | Kind::Loop)) {
        (op, movement(op, s.kind))
    } else {
        (structures.last().map_or(group[0], |(op, _)| *op), elementwise(&structures))
    };
    // A row kernel is known by what it reads, everything else by what it makes.
    let is_row = structures.iter().any(|(_, s)| s.kind.is_row());
    let value = if is_row { root.operand(0) } else { root.result(0) };
    identifier(&[text, shape(value.ty()), element(value.ty())])
}

fn identifier(parts: &[String]) -> String {
    let text: Vec<&str> = parts.iter().map(|p| &**p).filter(|p| !p.is_empty()).collect();
    text.join("_").chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

fn shape(ty: Type) -> String {
    if !ty.is_ranked_tensor() {
        return String::new();
    }
    ty.shape().into_iter().map(size).collect::<Vec<_>>().join("x")
}

fn size(size: Option<i64>) -> String {
    size.map_or_else(|| "D".into(), |n| n.to_string())
}

fn element(ty: Type) -> String {
    ty.element().to_string()
}

/// The extents of all loops, parallel ones first: M, N, K of a matmul, with the batch before them.
fn loop_sizes(op: Op, s: &Structure) -> String {
    let mut sizes = vec![None; s.parallel.len()];
    for (value, access) in op.operands().into_iter().zip(&s.operands) {
        let Some(access) = access.as_ref().filter(|_| value.ty().is_ranked_tensor()) else { continue };
        for (l, n) in access.iter().zip(value.ty().shape()) {
            if let Some(l) = l {
                sizes[*l] = sizes[*l].or(n);
            }
        }
    }
    let written: Vec<usize> = s.results[0].iter().flatten().copied().collect();
    let reduced = (0..sizes.len()).filter(|l| !written.contains(l));
    let order: Vec<usize> = written.iter().copied().chain(reduced).collect();
    order.into_iter().map(|l| size(sizes[l])).collect::<Vec<_>>().join("x")
}

fn heavy(op: Op, kind: Kind) -> String {
    let name = op.name();
    let short = name.trim_start_matches("linalg.");
    match kind {
        Kind::Pool => {
            let what = ["max", "min", "sum"].into_iter().find(|w| short.contains(*w)).unwrap_or(
                match combiner(op).as_deref() {
                    Some("max") => "max",
                    Some("min") => "min",
                    _ => "sum",
                },
            );
            format!("pool_{what}")
        }
        Kind::Conv if short.contains("depthwise") => "depthwise_conv".into(),
        Kind::Conv if short.contains("conv_1d") => "conv1d".into(),
        Kind::Conv if short.contains("conv_3d") => "conv3d".into(),
        Kind::Conv => "conv".into(),
        _ => contraction(op),
    }
}

/// Named by its loops: batch dimensions stand in both inputs and the result, M and N in one input each.
fn contraction(op: Op) -> String {
    let Some(s) = Structured::of(op) else { return "matmul".into() };
    let dims = |i: usize| s.maps[i].projected_permutation().unwrap_or_default();
    let (a, b, c) = (dims(0), dims(1), dims(2));
    let batch = c.iter().filter(|d| a.contains(d) && b.contains(d)).count();
    let m = c.iter().filter(|d| a.contains(d) && !b.contains(d)).count();
    let n = c.iter().filter(|d| b.contains(d) && !a.contains(d)).count();
    let base = match (m, n) {
        (0, 0) => "dot",
        (_, 0) => "matvec",
        (0, _) => "vecmat",
        _ => "matmul",
    };
    if batch > 0 { format!("batch_{base}") } else { base.into() }
}

/// The word for the operation that combines elements in a reduction: the last one before the yield.
fn combiner(op: Op) -> Option<String> {
    let body = op.body()?;
    let end = body.terminator()?;
    let combine = end.operand(0).def()?;
    Some(match word(combine)?.as_str() {
        "add" => "sum".into(),
        "mul" => "prod".into(),
        other => other.to_owned(),
    })
}

fn row(structures: &[(Op, Structure)]) -> String {
    let words: Vec<String> = structures.iter().flat_map(|(op, _)| words(*op)).collect();
    let has = |w: &str| words.iter().any(|x| x == w);
    let reductions: Vec<Op> = structures.iter().filter(|(_, s)| s.kind.is_row()).map(|(op, _)| *op).collect();
    if reductions.iter().any(|op| op.is("linalg.softmax")) || (reductions.len() > 1 && has("exp") && has("max")) {
        return "softmax".into();
    }
    if has("rsqrt") || (has("sqrt") && has("div")) {
        if reductions.len() > 1 {
            return "layernorm".into();
        }
        return "rmsnorm".into();
    }
    let first = reductions[0];
    if first.result_count() == 2 && first.result(1).ty().element().is_integer() || has("argmax") {
        let what = combiner_of_any(first);
        return if what == "min" { "argmin".into() } else { "argmax".into() };
    }
    format!("reduce_{}", combiner(first).unwrap_or_else(|| "generic".into()))
}

fn combiner_of_any(op: Op) -> String {
    let less = op.body_ops().iter().any(|o| {
        o.is("arith.minimumf")
            || o.is("arith.minsi")
            || o.attr("predicate").is_some_and(|p| p.as_int().is_some_and(|p| matches!(p, 4 | 5)) && o.is("arith.cmpf"))
    });
    if less { "min".into() } else { "max".into() }
}

fn movement(op: Op, kind: Kind) -> String {
    if kind == Kind::Loop {
        return "loop".into();
    }
    match &*op.name() {
        "tensor.insert_slice" => "insert".into(),
        "linalg.generic" => "generic".into(),
        name => name.rsplit('.').next().unwrap_or("move").to_owned(),
    }
}

fn elementwise(structures: &[(Op, Structure)]) -> String {
    let gathers = structures.iter().any(|(op, s)| {
        s.kind == Kind::Elementwise && op.body().is_some_and(|b| b.ops().iter().any(|o| o.is("tensor.extract")))
    });
    if gathers {
        return "gather".into();
    }
    let mut list: Vec<String> = structures.iter().flat_map(|(op, _)| words(*op)).collect();
    list.dedup();
    if !list.is_empty() {
        list.truncate(MAX_WORDS);
        return format!("elementwise_{}", list.join("_"));
    }
    match structures.last().map(|(op, s)| (op, s.kind)) {
        Some((_, Kind::Fill)) => "fill".into(),
        Some((_, Kind::Broadcast)) => "broadcast".into(),
        Some((_, Kind::Pad)) => "pad".into(),
        Some((_, Kind::Slice)) => "slice".into(),
        Some((op, _)) if op.operand_count() == 1 => "iota".into(),
        Some((op, _)) => {
            let same = op.operand(0).ty() == op.result(0).ty();
            let identity = Structured::of(*op)
                .is_none_or(|s| s.maps[0].projected_permutation() == s.maps[s.inputs].projected_permutation());
            if same && identity { "copy".into() } else { "transpose".into() }
        }
        None => "empty".into(),
    }
}

/// The words for what an operation computes, in order.
fn words(op: Op) -> Vec<String> {
    let Some(body) = op.body() else { return Vec::new() };
    if matches!(&*op.name(), "linalg.fill" | "tensor.pad" | "linalg.transpose" | "linalg.broadcast" | "linalg.copy") {
        return Vec::new();
    }
    let ops = body.ops();
    // A comparison that only chooses is part of the choice.
    let chooses = |op: Op| {
        op.name().starts_with("arith.cmp") && op.result(0).uses().iter().all(|(user, _)| user.is("arith.select"))
    };
    ops.into_iter().filter(|op| !chooses(*op) && !protects(*op)).filter_map(word).collect()
}

/// The word for a choice between two values: `relu` and `max` where it is one of them.
fn choice(op: Op) -> &'static str {
    let Some(compare) = op.operand(0).def().filter(|d| d.is("arith.cmpf") || d.is("arith.cmpi")) else {
        return "select";
    };
    let (a, b) = (op.operand(1), op.operand(2));
    let compared = [compare.operand(0), compare.operand(1)];
    if !(compared.contains(&a) && compared.contains(&b)) {
        return "select";
    }
    // The predicates of `arith.cmpf` (ogt, oge, ugt, uge) and `arith.cmpi` (sgt, sge, ugt, uge) that mean greater.
    let predicate = compare.attr("predicate").and_then(halyard_ir::Attr::as_int).unwrap_or(-1);
    let greater =
        if compare.is("arith.cmpf") { matches!(predicate, 2 | 3 | 9 | 10) } else { matches!(predicate, 4 | 5 | 8 | 9) };
    let zero =
        |v: halyard_ir::Value| v.constant_attr().is_some_and(|v| v.as_float() == Some(0.0) || v.as_int() == Some(0));
    match (greater == (compared[0] == a), zero(a) || zero(b)) {
        (true, true) => "relu",
        (true, false) => "max",
        (false, _) => "min",
    }
}

/// The word for one scalar operation; `None` for what is not worth one.
fn word(op: Op) -> Option<String> {
    let name = op.name();
    let (dialect, short) = name.split_once('.')?;
    let constant_zero =
        |i: usize| op.operand(i).constant_attr().is_some_and(|v| v.as_float() == Some(0.0) || v.as_int() == Some(0));
    let known = match (dialect, short) {
        ("arith", "addf" | "addi") => "add",
        ("arith", "subf" | "subi") => "sub",
        ("arith", "mulf" | "muli") => "mul",
        ("arith", "divf" | "divsi" | "divui") => "div",
        ("arith", "maximumf" | "maxnumf" | "maxsi") if constant_zero(1) || constant_zero(0) => "relu",
        ("arith", "maximumf" | "maxnumf" | "maxsi" | "maxui") => "max",
        ("arith", "minimumf" | "minnumf" | "minsi" | "minui") => "min",
        ("arith", "negf") => "neg",
        ("arith", "cmpf" | "cmpi") => "cmp",
        ("arith", "select") => choice(op),
        ("arith", "andi") => "and",
        ("arith", "ori") => "or",
        ("arith", "xori") => "xor",
        ("arith", "remf" | "remsi" | "remui") => "rem",
        (
            "arith",
            "extf" | "truncf" | "sitofp" | "uitofp" | "fptosi" | "fptoui" | "extsi" | "extui" | "trunci" | "index_cast",
        ) => "cast",
        ("arith", "constant") => return None,
        ("math", other) => other,
        _ => return None,
    };
    Some(known.to_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn identifiers_have_no_strange_characters() {
        assert_eq!(super::identifier(&["conv".into(), "1x2".into(), "f8E4M3FN".into()]), "conv_1x2_f8E4M3FN");
        assert_eq!(super::identifier(&["fill".into(), String::new(), "i-1".into()]), "fill_i_1");
    }
}
