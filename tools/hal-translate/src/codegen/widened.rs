//! Hides comparisons of widened `bf16` from LLVM, which narrows a comparison of an extended value with a constant back
//! to `bf16`, for which its x86 code generator has no vector instruction (LLVM 22 exits with "cannot select"). It does
//! not narrow a shift.
use halyard_ir::{Attr, Builder, Op, Type, Value};

/// Rewrites the operands of a module's comparisons, on numbers and vectors.
pub(crate) fn rewrite(module: Op) {
    let mut found = Vec::new();
    module.walk(&mut |op| {
        if op.is("arith.cmpf") {
            found.push(op);
        }
    });
    for op in found {
        for (i, operand) in op.operands().into_iter().enumerate() {
            if let Some(wide) = operand.def().filter(|d| d.is("arith.extf")).and_then(shifted) {
                op.set_operand(i, wide);
            }
        }
    }
}

/// The bits of a `bf16` are the upper half of those of the same `f32`.
fn shifted(extension: Op) -> Option<Value> {
    let (from, to) = (extension.operand(0), extension.result(0).ty());
    let (narrow, wide) = (from.ty().to_string(), to.to_string());
    if from.ty().is_tensor()
        || !narrow.trim_end_matches('>').ends_with("bf16")
        || !wide.trim_end_matches('>').ends_with("f32")
    {
        return None;
    }
    let at = Builder::before(extension);
    let [half, word] =
        [narrow.replace("bf16", "i16"), wide.replace("f32", "i32")].map(|text| Type::parse(at.context(), &text));
    let (half, word) = (half?, word?);
    let sixteen = at.constant(Attr::integer(word.element(), 16));
    let by = if word.is_vector() { at.value("vector.broadcast", &[sixteen], word, &[]) } else { sixteen };
    let bits = at.value("arith.extui", &[at.value("arith.bitcast", &[from], half, &[])], word, &[]);
    let upper = at.value("arith.shli", &[bits, by], word, &[]);
    Some(at.value("arith.bitcast", &[upper], to, &[]))
}
