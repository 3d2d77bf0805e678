//! What an element of a quantised matrix is made of: the body that unpacks it, evaluated at each step of the sum, so that it does not
//! matter how the body is written.
use crate::graph::{Form, Node};
use halyard_ir::{AffineKind, Attr, Op, Value};
use std::collections::HashMap;

/// Some bits of a byte of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bits {
    pub(super) input: usize,
    pub(super) shift: i64,
    pub(super) mask: i64,
}

impl Bits {
    /// How many, if they are those that a byte has from the shift on.
    pub(super) fn count(self) -> Option<i64> {
        [2, 4, 8].into_iter().find(|bits| self.mask == (1 << bits) - 1 && self.shift % bits == 0)
    }
}

/// What is subtracted from a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ZeroPart {
    Constant(f64),
    Number(Bits),
    /// A float of an input.
    Float(usize),
}

/// What a number is multiplied by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ScalePart {
    Constant(f64),
    /// A float of an input.
    Float(usize),
}

/// An element: `(number - zero) · scale`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Element {
    pub(super) number: Bits,
    pub(super) zero: ZeroPart,
    pub(super) scale: ScalePart,
}

/// A value of the body.
#[derive(Clone, Copy)]
enum Part {
    Int(i64),
    Real(f64),
    Bits(Bits),
    /// Bits as a float.
    Number(Bits),
    /// An input that is a float.
    Float(usize),
    Centred(Bits, ZeroPart),
    Scaled(Element),
}

/// The element at step `k` of a row; `None` if the body makes something else. Its loops are rows and steps.
pub(super) fn element<F: Form>(node: &Node<F>, k: i64) -> Option<Element> {
    let mut known: HashMap<Value, Part> = HashMap::new();
    for (input, arg) in node.body.args().into_iter().enumerate().take(node.inputs.len()) {
        let ty = arg.ty();
        if ty.is_float() {
            known.insert(arg, Part::Float(input));
        } else if ty.is_integer() && ty.bits() == 8 {
            known.insert(arg, Part::Bits(Bits { input, shift: 0, mask: 255 }));
        }
    }
    for op in node.body.ops() {
        if op.is("linalg.yield") {
            return match part(&known, op.operand(0))? {
                Part::Scaled(element) => Some(element),
                _ => None,
            };
        }
        // What is not understood may not matter.
        if let Some(made) = made(op, &known, k) {
            known.insert(op.result(0), made);
        }
    }
    None
}

fn part(known: &HashMap<Value, Part>, value: Value) -> Option<Part> {
    known.get(&value).copied().or_else(|| {
        let number = value.constant_attr()?;
        if value.ty().is_float() { number.as_float().map(Part::Real) } else { number.as_int().map(Part::Int) }
    })
}

fn made(op: Op, known: &HashMap<Value, Part>, k: i64) -> Option<Part> {
    let name = op.name();
    if name == "arith.constant" {
        return part(known, op.result(0));
    }
    if name == "linalg.index" {
        return (op.attr("dim").and_then(Attr::as_int) == Some(1)).then_some(Part::Int(k));
    }
    let first = part(known, op.operand(0))?;
    if op.operand_count() == 1 {
        return cast(op, &name, first);
    }
    let second = part(known, op.operand(1))?;
    match (&*name, first, second) {
        (_, Part::Int(a), Part::Int(b)) => whole(&name, a, b).map(Part::Int),
        ("arith.shrui" | "arith.shrsi", Part::Bits(bits), Part::Int(by)) if wide(op) && (0..8).contains(&by) => {
            Some(Part::Bits(Bits { shift: bits.shift + by, mask: bits.mask >> by, ..bits }))
        }
        ("arith.andi", Part::Bits(bits), Part::Int(mask)) | ("arith.andi", Part::Int(mask), Part::Bits(bits)) => {
            Some(Part::Bits(Bits { mask: bits.mask & mask, ..bits }))
        }
        ("arith.subf", Part::Number(number), zero) => {
            let zero = match zero {
                Part::Real(c) => ZeroPart::Constant(c),
                Part::Number(zero) => ZeroPart::Number(zero),
                Part::Float(input) => ZeroPart::Float(input),
                _ => return None,
            };
            Some(Part::Centred(number, zero))
        }
        ("arith.mulf", Part::Float(_) | Part::Real(_), Part::Centred(..) | Part::Number(_)) => scaled(second, first),
        ("arith.mulf", _, _) => scaled(first, second),
        _ => None,
    }
}

fn scaled(number: Part, scale: Part) -> Option<Part> {
    let (number, zero) = match number {
        Part::Centred(number, zero) => (number, zero),
        Part::Number(number) => (number, ZeroPart::Constant(0.0)),
        _ => return None,
    };
    let scale = match scale {
        Part::Real(c) => ScalePart::Constant(c),
        Part::Float(input) => ScalePart::Float(input),
        _ => return None,
    };
    Some(Part::Scaled(Element { number, zero, scale }))
}

/// Whether a byte of an input is a number that is not negative there.
fn wide(op: Op) -> bool {
    op.result(0).ty().bits() > 8
}

fn cast(op: Op, name: &str, of: Part) -> Option<Part> {
    let (from, to) = (op.operand(0).ty(), op.result(0).ty());
    match (name, of) {
        // A byte that all blocks share.
        ("arith.extui", Part::Int(n)) if from.bits() == 8 => Some(Part::Int(n & 255)),
        ("arith.index_cast" | "arith.index_castui" | "arith.extsi" | "arith.extui" | "arith.trunci", Part::Int(n)) => {
            (to.is_index() || to.bits() >= 16).then_some(Part::Int(n))
        }
        ("arith.extui", Part::Bits(bits)) => Some(Part::Bits(bits)),
        ("arith.trunci", Part::Bits(bits)) if to.bits() >= 8 => Some(Part::Bits(bits)),
        ("arith.uitofp", Part::Bits(bits)) if to.bits() == 32 => Some(Part::Number(bits)),
        // The top bit of a byte would be a sign.
        ("arith.sitofp" | "arith.extsi", Part::Bits(bits)) if from.bits() > 8 || bits.mask < 128 => {
            if name == "arith.extsi" { Some(Part::Bits(bits)) } else { (to.bits() == 32).then_some(Part::Number(bits)) }
        }
        ("arith.extf", Part::Float(_) | Part::Real(_)) => Some(of),
        ("arith.uitofp" | "arith.sitofp", Part::Int(n)) if (0..128).contains(&n) || from.bits() > 8 => {
            Some(Part::Real(n as f64))
        }
        _ => None,
    }
}

fn whole(name: &str, a: i64, b: i64) -> Option<i64> {
    match name {
        "arith.addi" => a.checked_add(b),
        "arith.subi" => a.checked_sub(b),
        "arith.muli" => a.checked_mul(b),
        "arith.divsi" | "arith.divui" if a >= 0 && b > 0 => Some(a / b),
        "arith.remsi" | "arith.remui" if a >= 0 && b > 0 => Some(a % b),
        "arith.shrui" | "arith.shrsi" if a >= 0 && (0..32).contains(&b) => Some(a >> b),
        "arith.shli" if a >= 0 && (0..16).contains(&b) => a.checked_mul(1 << b),
        "arith.andi" => Some(a & b),
        _ => None,
    }
}

/// Indices at a place of the loops; `None` where they have symbols.
pub(super) fn indices(map: &[AffineKind], at: [i64; 2]) -> Option<Vec<i64>> {
    map.iter().map(|e| index(e, at)).collect()
}

fn index(expr: &AffineKind, at: [i64; 2]) -> Option<i64> {
    let both = |l: &AffineKind, r: &AffineKind| Some((index(l, at)?, index(r, at)?));
    match expr {
        AffineKind::Dim(d) => at.get(*d).copied(),
        AffineKind::Constant(c) => Some(*c),
        AffineKind::Symbol(_) => None,
        AffineKind::Add(l, r) => both(l, r).map(|(a, b)| a + b),
        AffineKind::Mul(l, r) => both(l, r).map(|(a, b)| a * b),
        AffineKind::Mod(l, r) => both(l, r).filter(|p| p.1 > 0).map(|(a, b)| a.rem_euclid(b)),
        AffineKind::FloorDiv(l, r) => both(l, r).filter(|p| p.1 > 0).map(|(a, b)| a.div_euclid(b)),
        AffineKind::CeilDiv(l, r) => both(l, r).filter(|p| p.1 > 0).map(|(a, b)| (a + b - 1).div_euclid(b)),
    }
}
