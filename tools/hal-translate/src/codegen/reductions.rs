//! Lowers reductions of vectors along their last dimensions. Upstream uses one form for all reductions of a function:
//! the form that is good along the first dimensions, vector by vector, adds the elements of one vector lane by lane.
use halyard_ir::{Attr, Builder, Op, Type, Value};

/// Makes a `vector.reduction` of each row. Those along other dimensions stay.
pub(super) fn rewrite(module: Op) {
    let mut found = Vec::new();
    module.walk(&mut |op| {
        let masked = op.parent().is_some_and(|p| p.is("vector.mask"));
        if op.is("vector.multi_reduction") && !masked && op.operand(0).ty().is_static() {
            found.push(op);
        }
    });
    for op in found {
        let rank = op.operand(0).ty().rank();
        let dims = op.attr("reduction_dims").and_then(Attr::as_i64s).unwrap_or_default();
        let outer = rank - dims.len();
        let last = dims.iter().enumerate().all(|(i, &d)| usize::try_from(d) == Ok(outer + i));
        if last && !dims.is_empty() {
            op.result(0).replace_all_uses(rows(op, outer));
            op.erase();
        }
    }
}

/// The reduction of each row: of all dimensions from `outer` on.
fn rows(op: Op, outer: usize) -> Value {
    let at = Builder::before(op);
    let (source, start) = (op.operand(0), op.operand(1));
    let shape: Vec<i64> = source.ty().shape().into_iter().flatten().collect();
    let element = source.ty().element();
    let kind = op.attr("kind").expect("a reduction has a kind");
    let flat = Type::vector(shape[outer..].iter().product(), element);
    let mut all = start;
    for number in 0..shape[..outer].iter().product() {
        let mut rest: i64 = number;
        let mut position: Vec<i64> = shape[..outer].iter().rev().map(|n| (rest % n, rest /= n).0).collect();
        position.reverse();
        let place = [("static_position", Attr::i64s(at.context(), &position))];
        let (mut row, mut before) = (source, start);
        if outer > 0 {
            let ty = vector(&shape[outer..], element);
            row = at.value("vector.extract", &[source], ty, &place);
            before = at.value("vector.extract", &[start], element, &place);
        }
        if row.ty() != flat {
            row = at.value("vector.shape_cast", &[row], flat, &[]);
        }
        let sum = at.value("vector.reduction", &[row, before], element, &[("kind", kind)]);
        all = if outer > 0 { at.value("vector.insert", &[sum, all], all.ty(), &place) } else { sum };
    }
    all
}

fn vector(shape: &[i64], element: Type) -> Type {
    let sizes: String = shape.iter().map(|n| format!("{n}x")).collect();
    Type::parse(element.context(), &format!("vector<{sizes}{element}>")).expect("a vector type")
}
