//! Convolutions whose window is the whole input, such as those of one pixel after a global pooling, become products with a matrix: what is
//! fast for those is fast for them.
use super::dims::dynamic_dims;
use halyard_ir::{Builder, Op, Type, Value};

/// Named convolutions, and whether the filters are the first dimension of their weights, else the last one. All other dimensions come in the
/// order of the input's.
const FORMS: &[(&str, bool)] = &[
    ("linalg.conv_1d_ncw_fcw", true),
    ("linalg.conv_1d_nwc_wcf", false),
    ("linalg.conv_2d_nchw_fchw", true),
    ("linalg.conv_2d_nhwc_fhwc", true),
    ("linalg.conv_2d_nhwc_hwcf", false),
    ("linalg.conv_3d_ncdhw_fcdhw", true),
    ("linalg.conv_3d_ndhwc_dhwcf", false),
];

/// Rewrites these convolutions in a function. Of their sizes, only the number of images may be unknown.
pub(super) fn see_whole_windows_as_products(function: Op) {
    let mut found = Vec::new();
    function.walk(&mut |op| {
        let form = FORMS.iter().find(|(name, _)| op.is(name));
        found.extend(form.and_then(|(_, filters_first)| WholeWindow::of(op, *filters_first)));
    });
    found.into_iter().for_each(WholeWindow::rewrite);
}

struct WholeWindow {
    op: Op,
    filters_first: bool,
    images: Option<i64>,
    filters: i64,
    /// The elements of an image.
    elements: i64,
}

impl WholeWindow {
    fn of(op: Op, filters_first: bool) -> Option<Self> {
        let (x, w, y) = (op.operand(0), op.operand(1), op.operand(2));
        let image = x.ty().shape().split_off(1);
        let mut window = w.ty().shape();
        let filters = if filters_first { window.remove(0) } else { window.pop()? }.filter(|n| *n > 0)?;
        let product = |sizes: &[Option<i64>]| sizes.iter().try_fold(1i64, |n, size| n.checked_mul((*size)?));
        let elements = product(&image).filter(|n| *n > 0)?;
        let whole = image == window && product(&y.ty().shape()[1..]) == Some(filters);
        // A padded image is made for a product; a convolution leaves the padding out.
        let plain = op.operand_count() == 3 && x.def().is_none_or(|d| !d.is("tensor.pad"));
        let [left, right, sum] = [x, w, y].map(|v| v.ty().element());
        let types = left == right && (left == sum || left.is_float() && sum.is_float() && left.bits() < sum.bits());
        (whole && plain && types).then(|| Self { op, filters_first, images: x.ty().shape()[0], filters, elements })
    }

    fn rewrite(self) {
        let b = Builder::before(self.op);
        let (x, w, y) = (self.op.operand(0), self.op.operand(1), self.op.operand(2));
        let matrix =
            |like: Value, rows: Option<i64>, columns: i64| Type::tensor(&[rows, Some(columns)], like.ty().element());
        let (rank, images) = (x.ty().rank(), self.images);
        let first = || vec![vec![0], (1..rank).collect()];
        let image_rows = b.reshape(x, matrix(x, images, self.elements), &first());
        let (weights, read) = match self.filters_first {
            true => (b.reshape(w, matrix(w, Some(self.filters), self.elements), &first()), "d1, d2"),
            false => {
                let last = vec![(0..rank - 1).collect(), vec![rank - 1]];
                (b.reshape(w, matrix(w, Some(self.elements), self.filters), &last), "d2, d1")
            }
        };
        let start = self.start(&b, matrix(y, images, self.filters), &first());
        let ty = y.ty().element();
        let sums = b.generic(&[image_rows, weights], &["d0, d2", read, "d0, d1"], (2, 1), start, |at, elements| {
            let wide = |v: Value| if v.ty() == ty { v } else { at.value("arith.extf", &[v], ty, &[]) };
            let [multiply, add] =
                if ty.is_float() { ["arith.mulf", "arith.addf"] } else { ["arith.muli", "arith.addi"] };
            let product = at.value(multiply, &[wide(elements[0]), wide(elements[1])], ty, &[]);
            at.value(add, &[elements[2], product], ty, &[])
        });
        let sums = sums.result(0);
        let result = b.expand(sums, &sizes_of(&b, sums), self.op.result(0).ty(), &first());
        self.op.result(0).replace_all_uses(result);
        self.op.erase();
    }

    /// What the sums start from. A filled tensor is made in the new shape.
    fn start(&self, b: &Builder, ty: Type, groups: &[Vec<usize>]) -> Value {
        let y = self.op.operand(2);
        match y.def().filter(|d| d.is("linalg.fill")) {
            Some(fill) => {
                let sizes = sizes_of(b, y);
                b.fill(fill.operand(0), b.value("tensor.empty", &sizes, ty, &[]))
            }
            None => b.reshape(y, ty, groups),
        }
    }
}

/// The sizes of a value that only a run knows.
fn sizes_of(b: &Builder, value: Value) -> Vec<Value> {
    dynamic_dims(b, value, &[]).expect("without a group each size can be read")
}
