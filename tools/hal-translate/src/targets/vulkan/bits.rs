//! Lowers arithmetic on single bits, which are booleans in SPIR-V, and bit counts, which SPIR-V has for 32-bit words.
use halyard_ir::{Attr, Builder, Op, Type, Value};

/// Rewrites an operation on bits in operations that SPIR-V has; returns `None` for other operations.
pub(super) fn legal(at: &Builder, op: Op) -> Option<Value> {
    let name = op.name();
    if matches!(&*name, "arith.index_cast" | "arith.index_castui") {
        return cast(at, op);
    }
    let x = op.operands().first().copied().filter(|x| x.ty().is_integer())?;
    if matches!(&*name, "math.ctlz" | "math.cttz" | "math.ctpop") {
        return counted(at, &name, x);
    }
    if x.ty().bits() != 1 {
        return None;
    }
    let ty = op.result(0).ty();
    // The 1 of a signed bit is -1.
    let both = match &*name {
        "arith.addi" | "arith.subi" => "arith.xori",
        "arith.muli" | "arith.maxsi" | "arith.minui" => "arith.andi",
        "arith.minsi" | "arith.maxui" => "arith.ori",
        "arith.sitofp" => {
            let [yes, no] = [-1.0, 0.0].map(|n| at.constant(Attr::float(ty, n)));
            return Some(at.value("arith.select", &[x, yes, no], ty, &[]));
        }
        "arith.cmpi" => {
            let predicate = op.attr("predicate")?;
            let extension = if predicate.as_int()? < 6 { "arith.extsi" } else { "arith.extui" };
            let words: Vec<Value> = op
                .operands()
                .into_iter()
                .map(|v| at.value(extension, &[v], Type::integer(at.context(), 32), &[]))
                .collect();
            return Some(at.value("arith.cmpi", &words, ty, &[("predicate", predicate)]));
        }
        _ => return None,
    };
    Some(at.value(both, &op.operands(), ty, &[]))
}

/// Casts between an index and a single bit (the lowest one) through a word, since upstream's conversion treats bits as
/// booleans.
fn cast(at: &Builder, op: Op) -> Option<Value> {
    let (x, ty) = (op.operand(0), op.result(0).ty());
    let (word, is_bit) = (Type::integer(at.context(), 32), |ty: Type| ty.is_integer() && ty.bits() == 1);
    if is_bit(ty) {
        let wide = at.value("arith.index_cast", &[x], word, &[]);
        return Some(at.value("arith.trunci", &[wide], ty, &[]));
    }
    // An extension to a word would be folded with the cast of the word.
    is_bit(x.ty()).then(|| {
        let one = if op.is("arith.index_cast") { -1 } else { 1 };
        let [yes, no] = [one, 0].map(|n| at.constant(Attr::integer(ty, n)));
        at.value("arith.select", &[x, yes, no], ty, &[])
    })
}

fn counted(at: &Builder, name: &str, x: Value) -> Option<Value> {
    let (ty, bits) = (x.ty(), i64::from(x.ty().bits()));
    let word = Type::integer(at.context(), 32);
    let count = |x: Value| match name {
        "math.cttz" => trailing(at, x),
        "math.ctpop" => ones(at, x),
        _ => at.value(name, &[x], word, &[]),
    };
    if bits == 32 {
        return (name != "math.ctlz").then(|| count(x));
    }
    let number = |n: i64| at.constant(Attr::integer(word, n));
    if bits < 32 {
        let wide = at.value("arith.extui", &[x], word, &[]);
        let total = match name {
            "math.ctlz" => at.value("arith.subi", &[count(wide), number(32 - bits)], word, &[]),
            // A bit above the number ends the search.
            "math.cttz" => count(at.value("arith.ori", &[wide, number(1 << bits)], word, &[])),
            _ => count(wide),
        };
        return Some(at.value("arith.trunci", &[total], ty, &[]));
    }
    let half = at.constant(Attr::integer(ty, 32));
    let low = at.value("arith.trunci", &[x], word, &[]);
    let high = at.value("arith.trunci", &[at.value("arith.shrui", &[x, half], ty, &[])], word, &[]);
    let total = if name == "math.ctpop" {
        at.value("arith.addi", &[count(low), count(high)], word, &[])
    } else {
        let (first, second) = if name == "math.ctlz" { (high, low) } else { (low, high) };
        let further = at.value("arith.addi", &[count(second), number(32)], word, &[]);
        let equal = Attr::integer(Type::integer(at.context(), 64), 0);
        let none = at.value("arith.cmpi", &[first, number(0)], Type::integer(at.context(), 1), &[("predicate", equal)]);
        at.value("arith.select", &[none, further, count(first)], word, &[])
    };
    Some(at.value("arith.extui", &[total], ty, &[]))
}

/// Zeros below the lowest one of 32 bits: those above it, of the number that has this one only.
fn trailing(at: &Builder, x: Value) -> Value {
    let ty = x.ty();
    let number = |n: i64| at.constant(Attr::integer(ty, n));
    let negated = at.value("arith.subi", &[number(0), x], ty, &[]);
    let lowest = at.value("arith.andi", &[x, negated], ty, &[]);
    let above = at.value("math.ctlz", &[lowest], ty, &[]);
    let below = at.value("arith.subi", &[number(31), above], ty, &[]);
    let equal = Attr::integer(Type::integer(at.context(), 64), 0);
    let none = at.value("arith.cmpi", &[x, number(0)], Type::integer(at.context(), 1), &[("predicate", equal)]);
    at.value("arith.select", &[none, number(32), below], ty, &[])
}

/// The ones among 32 bits: those of two neighbours, of four, of eight, and all bytes together.
fn ones(at: &Builder, x: Value) -> Value {
    let ty = x.ty();
    let number = |n: i64| at.constant(Attr::integer(ty, n));
    let two = |name: &str, a: Value, b: Value| at.value(name, &[a, b], ty, &[]);
    let (pairs, fours, bytes) = (number(0x5555_5555), number(0x3333_3333), number(0x0f0f_0f0f));
    let above = |x: Value, by: i64, mask: Value| two("arith.andi", two("arith.shrui", x, number(by)), mask);
    let x = two("arith.subi", x, above(x, 1, pairs));
    let x = two("arith.addi", two("arith.andi", x, fours), above(x, 2, fours));
    let x = two("arith.andi", two("arith.addi", x, two("arith.shrui", x, number(4))), bytes);
    two("arith.shrui", two("arith.muli", x, number(0x0101_0101)), number(24))
}
