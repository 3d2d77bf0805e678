//! Products with matrices of floats: 32 of the results of a row have their weights side by side, so that lanes of vectors go along the
//! results, no sum runs across lanes, and short floats are made wide in registers.
use super::Weights;
use super::site::{is_zero, sizes};
use halyard_ir::{Builder, Op, Structured, Type, Value, WeightLayout, is_contraction};

const COLUMNS: u64 = WeightLayout::BLOCK;
/// At most so many rows of activations are few. Products of more rows are fast without packed matrices for bf16 times bf16.
const FEW: i64 = 8;
/// The least bytes of a matrix that is packed: those of smaller ones are in a cache.
const LEAST: i64 = 1 << 16;
/// A single row reads the matrix once. Panels whose padding makes them more than so many times as large take longer to read; without padding
/// they are read from memory 1.4 to 2.1 times as fast (AVX-512, 2026-11-28).
const MOST_PADDED: f64 = 1.4;

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
    let rows = found.rows;
    let leading: String = (0..rows).map(|d| format!("d{d}, ")).collect();
    let (column, step) = (format!("d{rows}"), format!("d{}", rows + 1));
    let panels = format!("{column} floordiv {COLUMNS}, {step}, {column} mod {COLUMNS}");
    let maps = [format!("{leading}{step}"), panels, format!("{leading}{column}")];
    let f32 = Type::f32(product.context());
    let made = at.generic(
        &[found.activations, matrix],
        &maps.each_ref().map(|m| &**m),
        (rows + 1, 1),
        init,
        |inside, elements| {
            let wide = |v: Value| if v.ty() == f32 { v } else { inside.value("arith.extf", &[v], f32, &[]) };
            let product = inside.value("arith.mulf", &[wide(elements[0]), wide(elements[1])], f32, &[]);
            inside.value("arith.addf", &[elements[2], product], f32, &[])
        },
    );
    product.result(0).replace_all_uses(made.result(0));
    product.erase();
    Some(())
}

/// A product of activations `[…, M, K]` and a matrix, of f32.
pub(super) struct Product {
    pub(super) activations: Value,
    /// The dimensions of the activations but the last.
    pub(super) rows: usize,
    pub(super) matrix: Value,
    /// Whether the matrix is `[N, K]`, else `[K, N]`.
    pub(super) columns_first: bool,
}

impl Product {
    fn of(op: Op) -> Option<Self> {
        let found = Self::of_any(op)?;
        let float = |v: Value| v.ty().element().is_float() && v.ty().element().bits() <= 32;
        let init = op.operand(2);
        let plain = is_zero(init) && init.ty().element() == Type::f32(op.context()) && adds_products(op);
        let floats = plain && float(found.activations) && float(found.matrix);
        floats.then(|| Self { matrix: narrow(found.matrix), ..found })
    }

    /// What an operation multiplies, whatever its numbers are.
    pub(super) fn of_any(op: Op) -> Option<Self> {
        if !is_contraction(op) || op.operand_count() != 3 || op.result_count() != 1 {
            return None;
        }
        let (left, right) = (op.operand(0), op.operand(1));
        let structured = Structured::of(op)?;
        let maps: Vec<Vec<usize>> = structured.maps.iter().map(|m| m.projected_permutation()).collect::<Option<_>>()?;
        let (&n, rows) = maps[2].split_last()?;
        let one_sum = !rows.is_empty() && structured.loops() == rows.len() + 2;
        let k = one_sum.then(|| (0..structured.loops()).find(|d| !maps[2].contains(d)))??;
        let row_by_row: Vec<usize> = rows.iter().copied().chain([k]).collect();
        if maps[0] != row_by_row {
            return None;
        }
        let columns_first = match maps[1][..] {
            [a, b] if (a, b) == (n, k) => true,
            [a, b] if (a, b) == (k, n) => false,
            _ => return None,
        };
        Some(Self { activations: left, rows: rows.len(), matrix: right, columns_first })
    }

    /// Whether packed weights make it faster.
    fn pays(&self) -> bool {
        let types = [self.activations, self.matrix].map(|v| v.ty().element().to_string());
        let rows =
            self.activations.ty().shape()[..self.rows].iter().try_fold(1, |rows: i64, d| rows.checked_mul((*d)?));
        let few = rows.is_some_and(|rows| rows <= FEW);
        let elements: i64 = sizes(self.matrix).map_or(0, |s| s.iter().product());
        let bytes = elements * i64::from(self.matrix.ty().element().bits() / 8);
        bytes >= LEAST
            && match types.each_ref().map(|t| &**t) {
                ["bf16", "bf16"] => few,
                [_, "f32"] => rows != Some(1) || !self.columns_first || self.padded() <= MOST_PADDED,
                [_, "f16" | "bf16"] => true,
                _ => false,
            }
    }

    /// How many times as large as the matrix the panels are.
    fn padded(&self) -> f64 {
        let columns = sizes(self.matrix).map_or(1, |s| s[usize::from(!self.columns_first)].max(1)) as u64;
        columns.next_multiple_of(COLUMNS) as f64 / columns as f64
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
