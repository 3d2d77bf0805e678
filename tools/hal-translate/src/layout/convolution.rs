//! The convolutions that have fast forms, with or without groups.
use super::Site;
use super::site::{OPEN, is_zero, open_sizes, pads_with_zeros, sizes, unknown_sizes_of};
use halyard_ir::{Attr, Builder, Op, Value};

/// A convolution that starts from zero. The sizes of its filters are known.
pub(super) struct Convolution {
    pub(super) op: Op,
    pub(super) x: Value,
    pub(super) w: Value,
    /// Of the input; those that only a run knows are [`OPEN`].
    pub(super) input: Vec<i64>,
    /// Of one group: filters, channels, rows, columns.
    pub(super) filter: [i64; 4],
    pub(super) output: Vec<i64>,
    /// The sizes of the result that only a run knows, in order.
    pub(super) open: Vec<Value>,
    /// Whether the tensors have a dimension for groups.
    pub(super) grouped: bool,
    pub(super) stride: [i64; 2],
    pub(super) dilation: [i64; 2],
    /// Whether input and filters are f16, which the products make wider.
    pub(super) halves: bool,
}

impl Convolution {
    /// What an operation convolves, of floats.
    pub(super) fn of(op: Op) -> Option<Self> {
        Self::any(op).filter(|c| c.halves || c.has_types(["f32", "f32", "f32"]))
    }

    /// The same of 32-bit integers.
    pub(super) fn of_integers(op: Op) -> Option<Self> {
        Self::any(op).filter(|c| c.has_types(["i32", "i32", "i32"]))
    }

    fn any(op: Op) -> Option<Self> {
        let grouped = op.is("linalg.conv_2d_ngchw_gfchw");
        let (x, w, init) = (op.operand(0), op.operand(1), op.operand(2));
        let pair = |name: &str| match op.attr(name).map(Attr::as_i64s) {
            None => Some([1, 1]),
            Some(list) => list?.try_into().ok(),
        };
        let mut found = Self {
            op,
            x,
            w,
            input: open_sizes(x),
            filter: *sizes(w)?.last_chunk()?,
            output: open_sizes(init),
            open: if open_sizes(init).contains(&OPEN) { unknown_sizes_of(init)? } else { Vec::new() },
            grouped,
            stride: pair("strides")?,
            dilation: pair("dilations")?,
            halves: false,
        };
        found.halves = found.has_types(["f16", "f16", "f32"]);
        (is_zero(init) && found.opens_images_alone()).then_some(found)
    }

    /// Whether input, filters and result have these elements.
    fn has_types(&self, types: [&str; 3]) -> bool {
        [self.x, self.w, self.op.operand(2)].map(|v| v.ty().element().to_string()) == types
    }

    /// Whether what follows it is stored with channels last.
    pub(super) fn ends_with_channels_last(&self) -> bool {
        let mut at = self.op;
        while let [(user, _)] = at.result(0).uses()[..] {
            if user.is("linalg.transpose") {
                return user.attr("permutation").and_then(Attr::as_i64s).is_some_and(|order| order.last() == Some(&1));
            }
            if !user.is("linalg.generic") || user.result_count() != 1 {
                return false;
            }
            at = user;
        }
        false
    }

    /// Whether only the number of images, rows and columns may be unknown before the run; those of the input only if those of the result are.
    fn opens_images_alone(&self) -> bool {
        let between = [&self.input, &self.output].into_iter().all(|sizes| !sizes[1..sizes.len() - 2].contains(&OPEN));
        let given = self.input.last_chunk().is_some_and(|places: &[i64; 2]| !places.contains(&OPEN));
        between && (given || self.places().is_none())
    }

    /// Rows and columns of the result, if they are known.
    pub(super) fn places(&self) -> Option<[i64; 2]> {
        self.output.last_chunk().copied().filter(|places: &[i64; 2]| !places.contains(&OPEN))
    }

    /// Where its form goes.
    pub(super) fn site(&self) -> Site {
        let elem = self.op.operand(2).ty().element();
        Site { at: Builder::before(self.op), elem, open: self.open.clone() }
    }

    /// The input as f32. Padding stays the last thing that happens to it.
    pub(super) fn wide_input(&self) -> Value {
        if !self.halves {
            return self.x;
        }
        let site = self.site();
        let Some(pad) = self.x.def().filter(|d| d.is("tensor.pad") && pads_with_zeros(*d)) else {
            return site.at.as_f32(self.x);
        };
        let amounts = |name: &str| pad.attr(name).and_then(Attr::as_i64s).unwrap_or_default();
        site.padded(site.at.as_f32(pad.operand(0)), &amounts("static_low"), &amounts("static_high"), &self.input)
    }

    /// Takes the place of the operation.
    pub(super) fn becomes(&self, y: Value) {
        self.op.result(0).replace_all_uses(y);
        self.op.erase();
    }
}
