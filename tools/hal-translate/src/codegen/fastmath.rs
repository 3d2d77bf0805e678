//! Sets fast-math flags of floating-point operations.
use halyard_ir::{Attr, Op};

/// Allows a product and a sum to be fused, as every relevant CPU supports it; with `fast`, also allows reordered sums,
/// divisions as products with approximate reciprocals, and lost signs of zeros. Infinities and NaNs keep their
/// meaning. Operations that already have flags keep them.
pub(super) fn set(root: Op, fast: bool) {
    let text = if fast { "#arith.fastmath<reassoc,nsz,arcp,contract,afn>" } else { "#arith.fastmath<contract>" };
    let flags = Attr::parse(root.context(), text).expect("an attribute of the arith dialect");
    root.walk(&mut |op| {
        let name = op.name();
        let chosen = match &*name {
            "arith.addf" | "arith.subf" | "arith.mulf" => true,
            "arith.divf" | "arith.negf" | "arith.maximumf" | "arith.minimumf" | "arith.maxnumf" | "arith.minnumf" => {
                fast
            }
            _ => fast && name.starts_with("math."),
        };
        if chosen && op.attr("fastmath").is_some_and(|f| f.to_string().contains("none")) {
            op.set_attr("fastmath", flags);
        }
    });
}
