//! Which products tensor cores multiply.
use crate::gpu::contraction::Product;
use crate::machine::tensor_cores::{Cores, Factor};
use crate::schedule::planner::Planner;

impl Planner<'_> {
    /// What tensor cores would multiply for a product, if they can: `f16` and `bf16` added up in `f32`, bytes added up in
    /// `i32`, and `f32` as `tf32` where that is allowed.
    pub(in crate::gpu) fn cores(&self, product: &Product) -> Option<Cores> {
        let gpu = self.target.gpu.as_ref()?;
        let instructions = gpu.tensor_cores?;
        let elems = [0, 1].map(|s| self.graph.tensors[product.sides[s].tensor].elem);
        let [rows, columns] = [0, 1].map(|s| {
            let casts = &product.sides[s].casts;
            (casts.len() <= 1).then(|| casts.first().map(|c| c.name()))
        });
        let (rows, columns) = (rows?, columns?);
        let total = product.total;
        let plain = |cast: &Option<String>| cast.as_deref().is_none_or(|c| c == "arith.extf");
        let format = match elems[0].to_string().as_str() {
            "f16" => Factor::Half,
            "bf16" => Factor::Brain,
            "f32" if gpu.tf32 => Factor::Tf32,
            _ if elems.iter().all(|e| e.is_integer() && e.bits() == 8) && total.is_integer() && total.bits() == 32 => {
                let signed = |cast: Option<String>| match cast?.as_str() {
                    "arith.extsi" => Some(Factor::Signed),
                    "arith.extui" => Some(Factor::Unsigned),
                    _ => None,
                };
                return Some(Cores { elem: elems[0], formats: [signed(rows)?, signed(columns)?], instructions });
            }
            _ => return None,
        };
        let sums = total.is_float() && (total.bits() == 32 || total == elems[0]);
        let fine = elems[0] == elems[1] && sums && plain(&rows) && plain(&columns);
        fine.then_some(Cores { elem: elems[0], formats: [format; 2], instructions })
    }
}
