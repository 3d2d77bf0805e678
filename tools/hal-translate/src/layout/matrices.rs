//! Products with matrices of floats: 32 of the results of a row have their weights side by side, so that lanes of vectors go along the
//! results, no sum runs across lanes, and short floats are made wide in registers.
use super::Weights;
use super::site::{is_zero, sizes};
use halyard_ir::{Builder, Op, Structured, Type, Value, WeightLayout, is_contraction};

const COLUMNS: u64 = WeightLayout::BLOCK;
/// The rows of activations up to which matrices are worth packing that have fast kernels for more: f32, and bf16 times bf16.
const FEW: i64 = 8;
/// The least bytes of a matrix that is packed: those of smaller ones are in a cache.
const LEAST: i64 = 1 << 16;

/// Rewrites one product with a matrix, if it is of the kind and it pays.
pub(super) fn rewrite(product: Op, weights: &mut Weights) -> Option<()> {
    let found = Product::of(product)?;
    if !found.pays() {
        return None;
    }
    let layout = if found.columns_first { WeightLayout::RowPanels } else { WeightLayout::ColumnPanels };
    let matrix = weights.pack(weights.packed(found.matrix, layout)?);
    let init = product.operand(product.operand_count() - 1);
    let at = Builder::before(product);
    let maps = ["d0, d2".to_owned(), format!("d1 floordiv {COLUMNS}, d2, d1 mod {COLUMNS}"), "d0, d1".to_owned()];
    let f32 = Type::f32(product.context());
    let made =
        at.generic(&[found.activations, matrix], &maps.each_ref().map(|m| &**m), (2, 1), init, |inside, elements| {
            let wide = |v: Value| if v.ty() == f32 { v } else { inside.value("arith.extf", &[v], f32, &[]) };
            let product = inside.value("arith.mulf", &[wide(elements[0]), wide(elements[1])], f32, &[]);
            inside.value("arith.addf", &[elements[2], product], f32, &[])
        });
    product.result(0).replace_all_uses(made.result(0));
    product.erase();
    Some(())
}

/// A product of activations `[M, K]` and a matrix, of f32.
struct Product {
    activations: Value,
    matrix: Value,
    /// Whether the matrix is `[N, K]`, else `[K, N]`.
    columns_first: bool,
}

impl Product {
    fn of(op: Op) -> Option<Self> {
        if !is_contraction(op) || op.operand_count() != 3 || op.result_count() != 1 {
            return None;
        }
        let (left, right, init) = (op.operand(0), op.operand(1), op.operand(2));
        let structured = Structured::of(op)?;
        let maps: Vec<Vec<usize>> = structured.maps.iter().map(|m| m.projected_permutation()).collect::<Option<_>>()?;
        let [m, n] = maps[2][..] else { return None };
        let k = (structured.loops() == 3).then(|| 3 - m - n)?;
        let float = |v: Value| v.ty().element().is_float() && v.ty().element().bits() <= 32;
        let plain = is_zero(init) && init.ty().element() == Type::f32(op.context()) && adds_products(op);
        if !plain || !float(left) || !float(right) || maps[0] != [m, k] {
            return None;
        }
        let columns_first = match maps[1][..] {
            [a, b] if (a, b) == (n, k) => true,
            [a, b] if (a, b) == (k, n) => false,
            _ => return None,
        };
        Some(Self { activations: left, matrix: narrow(right), columns_first })
    }

    /// Whether packed weights make it faster.
    fn pays(&self) -> bool {
        let types = [self.activations, self.matrix].map(|v| v.ty().element().to_string());
        let few = self.activations.ty().shape()[0].is_some_and(|rows| rows <= FEW);
        let elements: i64 = sizes(self.matrix).map_or(0, |s| s.iter().product());
        let bytes = elements * i64::from(self.matrix.ty().element().bits() / 8);
        bytes >= LEAST
            && match types.each_ref().map(|t| &**t) {
                // Lanes along the sum read rows as fast as memory gives them.
                [_, "f32"] => few && !self.columns_first,
                ["bf16", "bf16"] => few,
                [_, "f16" | "bf16"] => true,
                _ => false,
            }
    }
}

/// Where a factor is made wider for the product alone, what it is made of.
fn narrow(factor: Value) -> Value {
    let source = || {
        let op = factor.def().filter(|d| d.is("linalg.generic") && factor.uses().len() == 1)?;
        let structured = Structured::of(op)?;
        let moved = |map: usize| structured.maps[map].projected_permutation().as_deref() == Some(&[0, 1]);
        let [cast, end] = op.body()?.ops()[..] else { return None };
        let only = structured.inputs == 1 && structured.loops() == 2 && moved(0) && moved(1);
        let widens = cast.is("arith.extf") && cast.operand(0) == op.body()?.args()[0];
        (only && widens && end.operand(0) == cast.result(0)).then(|| op.operand(0))
    };
    source().unwrap_or(factor)
}

/// Whether the body adds a product of the elements, which may be made wider first, and does nothing else.
fn adds_products(op: Op) -> bool {
    let Some(body) = op.body() else { return false };
    let plain = |name: &str| ["arith.extf", "arith.mulf", "arith.addf", "linalg.yield"].contains(&name);
    body.ops().iter().all(|op| plain(&op.name()))
}
