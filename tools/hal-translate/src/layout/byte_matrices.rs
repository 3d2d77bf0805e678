//! Products with matrices of bytes: 32 of the results of a row have their weights side by side, four bytes of each together, as instructions
//! that add four products want them, or two. Lanes go along the results.
use super::bytes::{multiply, widened_bytes};
use super::matrices::Product;
use super::{Weights, sizes};
use halyard_ir::{Op, WeightLayout};

const COLUMNS: u64 = WeightLayout::BLOCK;
/// The least bytes of a matrix that is packed: smaller ones are packed in no time by a kernel.
const LEAST: i64 = 1 << 14;

/// Rewrites one product, if its matrix is of signed bytes that are made wider first. An instruction adds products of `group` bytes.
pub(super) fn rewrite(op: Op, weights: &mut Weights, group: i64) -> Option<()> {
    let product = Product::of_any(op)?;
    let (wider, bytes) = widened_bytes(product.matrix, 2)?;
    let adds = op.body()?.ops();
    let plain = |op: &Op| ["arith.muli", "arith.addi", "linalg.yield"].contains(&&*op.name());
    if sizes(bytes)?.iter().product::<i64>() < LEAST || !adds.iter().all(plain) {
        return None;
    }
    let layout = WeightLayout::byte_panels(group as u64, product.columns_first)?;
    let packed = weights.pack(weights.packed(bytes, layout)?);
    let rows = product.rows;
    let leading: String = (0..rows).map(|d| format!("d{d}, ")).collect();
    let (column, step) = (format!("d{rows}"), format!("d{}", rows + 1));
    let panels =
        format!("{column} floordiv {COLUMNS}, {step} floordiv {group}, {column} mod {COLUMNS}, {step} mod {group}");
    let maps = [format!("{leading}{step}"), panels, format!("{leading}{column}")];
    multiply(op, (product.activations, packed), wider, &maps.each_ref().map(|m| &**m), (rows + 1, 1));
    Some(())
}
