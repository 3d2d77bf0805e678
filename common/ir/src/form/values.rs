//! The model's names of the tensors that kernels compute: in locations until executables are formed, then on the
//! calls.
//!
//! A name in a location changes nothing: passes keep it with the operation or lose it, and equal operations stay
//! equal. It is in the metadata of a fused location, with the tensor's type, as a pair for each result of the
//! operation.
use crate::{Attr, Block, Op, Type, Value, names};
use mlir_sys::*;
use std::collections::{HashMap, HashSet};

/// Notes in its location what the model calls a result of an operation. The first name stays.
pub fn note_value(result: Value, name: &str) {
    let Some(op) = result.def() else { return };
    let context = op.context();
    let mut list = noted(op);
    list.resize_with(op.result_count(), || None);
    if list[result.index()].is_some() {
        return;
    }
    list[result.index()] = Some((name.to_owned(), result.ty()));
    let pair = |noted: Option<(String, Type)>| match noted {
        Some((name, ty)) => Attr::array(context, &[Attr::string(context, &name), Attr::ty(ty)]),
        None => Attr::array(context, &[]),
    };
    let metadata = Attr::array(context, &list.into_iter().map(pair).collect::<Vec<_>>());
    let inner = inner_locations(op.loc());
    // SAFETY: the locations and the attribute are live objects of the operation's context.
    unsafe {
        let fused = mlirLocationFusedGet(context, inner.len() as isize, inner.as_ptr(), metadata.0);
        mlirOperationSetLocation(op.0, fused);
    }
}

/// The locations that a noted one was made of, or the location itself.
fn inner_locations(loc: MlirLocation) -> Vec<MlirLocation> {
    // SAFETY: the location is live, and only fused ones are queried as such.
    unsafe {
        if !mlirLocationIsAFused(loc) || mlirLocationFusedGetMetadata(loc).ptr.is_null() {
            return vec![loc];
        }
        let mut parts = vec![loc; mlirLocationFusedGetNumLocations(loc) as usize];
        mlirLocationFusedGetLocations(loc, parts.as_mut_ptr());
        parts
    }
}

/// Returns the name and type recorded for each result of an operation; empty if there are none.
fn noted(op: Op) -> Vec<Option<(String, Type)>> {
    // SAFETY: the location is live, and only fused ones are queried as such.
    let metadata = unsafe {
        let loc = op.loc();
        if !mlirLocationIsAFused(loc) {
            return Vec::new();
        }
        mlirLocationFusedGetMetadata(loc)
    };
    if metadata.ptr.is_null() {
        return Vec::new();
    }
    let pair = |item: Attr| {
        let pair = item.as_array()?;
        Some((pair.first()?.as_string()?, pair.get(1)?.as_type()?))
    };
    Attr(metadata).as_array().unwrap_or_default().into_iter().map(pair).collect()
}

/// Returns the values of a block, without nested blocks, that are tensors of the model, with their names. Rewrites
/// copy the location of an operation to all operations that replace it. So a name belongs to the last operation that
/// has it and a result of its type, and to reshapes of that result.
pub fn named_values(block: Block) -> HashMap<Value, String> {
    let mut all: Vec<(Value, String)> = Vec::new();
    for op in block.ops() {
        let list = noted(op);
        if list.len() == op.result_count() {
            let fitting = op.results().into_iter().zip(list).filter_map(|(value, noted)| {
                let (name, ty) = noted?;
                holds_the_same(value.ty(), ty).then_some((value, name))
            });
            all.extend(fitting);
        }
    }
    let mut found = HashMap::new();
    let mut seen = HashSet::new();
    for (value, name) in all.into_iter().rev().filter(|(_, name)| seen.insert(name.clone())) {
        let mut value = value;
        loop {
            found.entry(value).or_insert_with(|| name.clone());
            match value.def().filter(|def| is_reshape(*def)) {
                Some(reshape) => value = reshape.operand(0),
                None => break,
            }
        }
    }
    found
}

/// Whether an operation returns the elements of its first operand in the same order.
fn is_reshape(op: Op) -> bool {
    ["tensor.expand_shape", "tensor.collapse_shape", "tensor.cast"].iter().any(|name| op.is(name))
}

/// Whether tensors of two types have the same elements in different shapes, as far as the types show.
fn holds_the_same(a: Type, b: Type) -> bool {
    let count = |t: Type| if t.is_static() { t.element_count() } else { None };
    a.is_ranked_tensor()
        && b.is_ranked_tensor()
        && a.element() == b.element()
        && count(a).zip(count(b)).is_none_or(|(a, b)| a == b)
}

/// Returns the model's names of the results of a call of an entry, empty for those without a name; none if it is not
/// such a call.
pub fn call_values(call: Op) -> Vec<String> {
    let list = call.attr(names::VALUES).and_then(Attr::as_array).unwrap_or_default();
    list.into_iter().map(|name| name.as_string().unwrap_or_default()).collect()
}

/// Writes that to a call; nothing if no result has a name.
pub fn set_call_values(call: Op, list: &[String]) {
    if list.iter().any(|name| !name.is_empty()) {
        let context = call.context();
        let list: Vec<Attr> = list.iter().map(|name| Attr::string(context, name)).collect();
        call.set_attr(names::VALUES, Attr::array(context, &list));
    }
}

/// Reports a call without a valid list of names for its results.
pub(super) fn verify_call_values(op: Op, say: &mut dyn FnMut(Op, String)) {
    let Some(list) = op.attr(names::VALUES) else { return };
    let strings =
        list.as_array().is_some_and(|l| l.len() == op.result_count() && l.iter().all(|n| n.as_string().is_some()));
    if !strings || !op.is("func.call") {
        let count = op.result_count();
        say(op, format!("`{}` is no list of {count} strings on a call, one for each result", names::VALUES));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Session;

    const TEXT: &str = r#"
        func.func @f(%a: tensor<2x3xf32>) -> tensor<6xf32> {
          %0 = arith.negf %a : tensor<2x3xf32>
          %1 = arith.mulf %0, %0 : tensor<2x3xf32>
          %2 = tensor.collapse_shape %1 [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
          return %2 : tensor<6xf32>
        }"#;

    #[test]
    fn names_go_to_the_last_operation_and_what_it_reshapes() {
        let session = Session::new();
        let module = session.parse(TEXT.as_bytes(), "test").unwrap();
        let function = Op::from(&module).body().unwrap().ops()[0];
        let body = function.body().unwrap();
        let ops = body.ops();
        // As if a rewrite had made three operations of the one that computed `y`.
        for op in &ops[..3] {
            note_value(op.result(0), "y");
            note_value(op.result(0), "later");
        }
        let found = named_values(body);
        let name = |i: usize| found.get(&ops[i].result(0)).map(String::as_str);
        assert_eq!((name(0), name(1), name(2)), (None, Some("y"), Some("y")));
    }

    #[test]
    fn names_need_the_type_that_they_were_given_to() {
        let session = Session::new();
        let module = session.parse(TEXT.as_bytes(), "test").unwrap();
        let function = Op::from(&module).body().unwrap().ops()[0];
        let ops = function.body().unwrap().ops();
        note_value(ops[0].result(0), "y");
        ops[0].result(0).set_ty(Type::tensor(&[Some(7)], ops[0].result(0).ty().element()));
        assert!(named_values(function.body().unwrap()).is_empty());
    }
}
