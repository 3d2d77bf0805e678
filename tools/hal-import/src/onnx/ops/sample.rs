//! Reads a tensor between its elements: shared by sampling at a grid and deformable convolutions.
use crate::onnx::{Body, Elem, Order, Scalar};

/// How the elements around a position are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Nearest,
    Linear,
    Cubic,
}

/// The values outside the tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Padding {
    Zeros,
    Border,
    Reflection,
}

/// The tensor that is read, with its mode.
pub(super) struct Sampler<'v> {
    pub(super) ssa: &'v str,
    pub(super) ty: &'v str,
    pub(super) elem: Elem,
    /// The type of sums.
    pub(super) wide: Elem,
    pub(super) mode: Mode,
    pub(super) padding: Padding,
    /// Whether the borders are the centres of the outermost elements rather than their outer edges; matters for
    /// reflections.
    pub(super) corners: bool,
}

/// An element beside a place along a dimension.
struct Tap {
    index: Scalar,
    /// The weight; `None` if this is the only element.
    weight: Option<Scalar>,
    /// Whether it lies within the tensor, if that matters.
    inside: Option<Scalar>,
}

/// `x` between two bounds; the lower one if it is NaN.
pub(super) fn clamp(b: &mut Body<'_>, x: &Scalar, low: &Scalar, high: &Scalar) -> Scalar {
    let above = b.compare(Order::Ge, x, low);
    let x = b.select(&above, x, low);
    let below = b.compare(Order::Le, &x, high);
    b.select(&below, &x, high)
}

/// A whole float as an index that is surely within a dimension of this size.
pub(super) fn index_within(b: &mut Body<'_>, x: &Scalar, size: &Scalar) -> Scalar {
    let whole = b.cast(x, Elem::I64);
    let index = b.to_index(&whole);
    let (zero, one) = (b.index_constant(0), b.index_constant(1));
    let last = b.sub(size, &one);
    let index = b.max(&index, &zero);
    b.min(&index, &last)
}

/// A float that is reflected at two borders as often as it takes.
fn reflected(b: &mut Body<'_>, x: &Scalar, low: &Scalar, high: &Scalar) -> Scalar {
    let (under, over) = (b.sub(low, x), b.sub(x, high));
    let beyond = b.max(&under, &over);
    let (zero, half, two) = (b.like(x, 0.0), b.like(x, 0.5), b.like(x, 2.0));
    let outside = b.compare(Order::Gt, &beyond, &zero);
    let span = b.sub(high, low);
    let ratio = b.div(&beyond, &span);
    let times = b.math("floor", &ratio);
    let whole = b.mul(&times, &span);
    let rest = b.sub(&beyond, &whole);
    let halves = b.mul(&times, &half);
    let halves = b.math("floor", &halves);
    let pairs = b.mul(&halves, &two);
    let odd = b.compare(Order::Gt, &times, &pairs);
    // An odd number of reflections ends at the other border.
    let is_under = b.compare(Order::Gt, &under, &zero);
    let from_high = b.xor(&is_under, &odd);
    let from_high = b.not(&from_high);
    let (up, down) = (b.add(low, &rest), b.sub(high, &rest));
    let result = b.select(&from_high, &down, &up);
    b.select(&outside, &result, x)
}

/// Keys' weights for the four elements around a place, `x` behind the second.
fn cubic(b: &mut Body<'_>, x: &Scalar) -> [Scalar; 4] {
    const A: f64 = -0.75;
    let one = b.like(x, 1.0);
    let near = |b: &mut Body<'_>, x: &Scalar| {
        let (two, three, one) = (b.like(x, A + 2.0), b.like(x, A + 3.0), b.like(x, 1.0));
        let value = b.mul(&two, x);
        let value = b.sub(&value, &three);
        let value = b.mul(&value, x);
        let value = b.mul(&value, x);
        b.add(&value, &one)
    };
    let far = |b: &mut Body<'_>, x: &Scalar| {
        let (a, five, eight, four) = (b.like(x, A), b.like(x, 5.0 * A), b.like(x, 8.0 * A), b.like(x, 4.0 * A));
        let value = b.mul(&a, x);
        let value = b.sub(&value, &five);
        let value = b.mul(&value, x);
        let value = b.add(&value, &eight);
        let value = b.mul(&value, x);
        b.sub(&value, &four)
    };
    let rest = b.sub(&one, x);
    let (before, behind) = (b.add(x, &one), b.add(&rest, &one));
    [far(b, &before), near(b, x), near(b, &rest), far(b, &behind)]
}

impl Sampler<'_> {
    /// The value at `outer` and places along the dimensions that follow, of these sizes.
    pub(super) fn read(&self, b: &mut Body<'_>, outer: &[Scalar], places: &[Scalar], sizes: &[Scalar]) -> Scalar {
        let taps: Vec<_> = places.iter().zip(sizes).map(|(x, size)| self.taps(b, x, size)).collect();
        self.sum(b, &taps, outer, None)
    }

    fn taps(&self, b: &mut Body<'_>, x: &Scalar, size: &Scalar) -> Vec<Tap> {
        let elem = x.elem.expect("a float");
        let length = b.cast(size, elem);
        let (one, half) = (b.float(elem, 1.0), b.float(elem, 0.5));
        let last = b.sub(&length, &one);
        let zero = b.float(elem, 0.0);
        let (low, high) =
            if self.corners { (zero.clone(), last.clone()) } else { (b.neg(&half), b.sub(&length, &half)) };
        let mut x = x.clone();
        if self.mode == Mode::Nearest {
            x = b.math("roundeven", &x);
        }
        match self.padding {
            Padding::Zeros => {}
            Padding::Border => {
                // What lies within the outer edges stays, which counts for cubes: as other implementations do.
                let (from, to) = (b.compare(Order::Ge, &x, &low), b.compare(Order::Le, &x, &high));
                let within = b.and(&from, &to);
                let moved = clamp(b, &x, &zero, &last);
                x = b.select(&within, &x, &moved);
            }
            Padding::Reflection => x = reflected(b, &x, &low, &high),
        }
        // Nothing is read farther outside, and the clamped value fits into integers.
        let (least, two) = (b.float(elem, -3.0), b.float(elem, 2.0));
        let most = b.add(&length, &two);
        let x = clamp(b, &x, &least, &most);
        let whole = if self.mode == Mode::Nearest { b.math("trunc", &x) } else { b.math("floor", &x) };
        let rest = b.sub(&x, &whole);
        let (first, weights) = match self.mode {
            Mode::Nearest => (0, vec![None]),
            Mode::Linear => {
                let other = b.sub(&one, &rest);
                (0, vec![Some(other), Some(rest)])
            }
            Mode::Cubic => (-1, cubic(b, &rest).map(Some).to_vec()),
        };
        let mut taps = Vec::new();
        for (k, weight) in weights.into_iter().enumerate() {
            let by = b.float(elem, (first + k as i64) as f64);
            let mut at = b.add(&whole, &by);
            let mut inside = None;
            match self.padding {
                Padding::Zeros => {
                    let (from, to) = (b.compare(Order::Ge, &at, &zero), b.compare(Order::Le, &at, &last));
                    inside = Some(b.and(&from, &to));
                }
                Padding::Border => {}
                Padding::Reflection => {
                    at = reflected(b, &at, &low, &high);
                    at = b.math("trunc", &at);
                }
            }
            // A size of 1 has borders that fall together, and reflects nothing.
            let at = clamp(b, &at, &zero, &last);
            let index = index_within(b, &at, size);
            taps.push(Tap { index, weight: weight.map(|w| b.cast(&w, self.wide)), inside });
        }
        taps
    }

    fn sum(&self, b: &mut Body<'_>, taps: &[Vec<Tap>], at: &[Scalar], inside: Option<&Scalar>) -> Scalar {
        let Some((own, rest)) = taps.split_first() else {
            let element = b.extract(self.ssa, self.ty, self.elem, at);
            let element = if self.mode == Mode::Nearest { element } else { b.cast(&element, self.wide) };
            let Some(inside) = inside else { return element };
            let zero = b.like(&element, 0.0);
            return b.select(inside, &element, &zero);
        };
        let mut total: Option<Scalar> = None;
        for tap in own {
            let inside = match (inside, &tap.inside) {
                (Some(outer), Some(own)) => Some(b.and(outer, own)),
                (outer, own) => outer.or(own.as_ref()).cloned(),
            };
            let value = self.sum(b, rest, &[at, std::slice::from_ref(&tap.index)].concat(), inside.as_ref());
            let part = match &tap.weight {
                Some(weight) => b.mul(weight, &value),
                None => value,
            };
            total = Some(match total {
                Some(sum) => b.add(&sum, &part),
                None => part,
            });
        }
        total.expect("there is an element")
    }
}
