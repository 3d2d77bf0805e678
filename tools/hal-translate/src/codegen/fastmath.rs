//! Sets fast-math flags of floating-point operations.
use halyard_ir::{Attr, Op};

/// Lets a product and a sum become one fused operation, as every CPU of interest has it; with `fast`, also lets sums be
/// reordered, divisions become products with approximate reciprocals, and signs of zeros get lost. Infinities and NaNs
/// keep their meaning. Operations that carry flags of their own keep them.
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
