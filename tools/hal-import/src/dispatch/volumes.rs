//! Convolutions of volumes become those of images, where these are faster: a slice of the result is an image that follows from as many
//! slices of the volume as the filter is deep, which count as channels.
use super::{pads::padded, widenings::Widening};
use halyard_ir::{Attr, Builder, Op, Type, Value};

/// Floats: with fewer channels or filters, or smaller images, Winograd's algorithm does not pay, and slices of a volume are as fast as images.
const CHANNELS: i64 = 16;
const FILTERS: i64 = 20;
const OUTPUTS: i64 = 5;
/// Bytes: windows that do not overlap are worth a copy from so many steps of each sum (11 shapes on AVX-512 and AVX2, 2026-11-28: 1.05 to 4.7
/// times as fast, 0.65 to 1.06 with fewer).
const STEPS: i64 = 300;
/// Rows shorter than this leave lanes of vectors along them empty. Of images, the lanes can go along filters.
const SHORT: i64 = 8;

/// Rewrites the convolutions of volumes of known sizes in a function that are faster as those of images.
pub(super) fn see_volumes_as_images(function: Op) {
    let mut found = Vec::new();
    function.walk(&mut |op| {
        if op.is("linalg.conv_3d_ncdhw_fcdhw") {
            found.extend(Volumes::of(op));
        }
    });
    for volumes in found {
        if volumes.window[1..] == [1, 1] {
            if volumes.stride[1..] == [1, 1] && volumes.window[0] > 1 {
                volumes.join_rows();
            }
        } else if volumes.pays() {
            volumes.take_apart();
        }
    }
}

/// A convolution of volumes: of each size, the one along depth, rows and columns.
struct Volumes {
    op: Op,
    /// The input, which is `source` with zeros or other numbers around it.
    source: Value,
    padding: Option<(Value, [[i64; 3]; 2])>,
    /// What makes the input of bytes, or of other narrow numbers.
    widening: Option<Widening>,
    volumes: i64,
    channels: i64,
    filters: i64,
    input: [i64; 3],
    window: [i64; 3],
    output: [i64; 3],
    stride: [i64; 3],
    dilation: [i64; 3],
}

impl Volumes {
    fn of(op: Op) -> Option<Self> {
        let known = |v: Value| v.ty().shape().into_iter().collect::<Option<Vec<i64>>>();
        let (x, w, y) = (known(op.operand(0))?, known(op.operand(1))?, known(op.operand(2))?);
        let numbers = |name: &str| match op.attr(name) {
            None => Some([1; 3]),
            Some(list) => list.as_i64s()?.try_into().ok(),
        };
        if [&x, &w, &y].into_iter().flatten().any(|n| *n == 0) {
            return None;
        }
        if !op.operand(2).def().is_some_and(|d| d.is("linalg.fill")) {
            return None;
        }
        let padding = op.operand(0).def().and_then(around);
        let source = padding.map_or(op.operand(0), |(source, ..)| source);
        Some(Self {
            op,
            source,
            widening: Widening::of(source).filter(|widening| widening.narrow.ty().element().is_integer()),
            padding: padding.map(|(_, value, amounts)| (value, amounts)),
            volumes: x[0],
            channels: x[1],
            filters: w[0],
            input: *x.last_chunk()?,
            window: *w.last_chunk()?,
            output: *y.last_chunk()?,
            stride: numbers("strides")?,
            dilation: numbers("dilations")?,
        })
    }

    fn pays(&self) -> bool {
        if !self.source.ty().element().is_float() {
            // What does not overlap, as patches do, is read once, and copied it is read twice.
            let overlaps = self.stride != self.window;
            let steps = self.window.iter().product::<i64>().saturating_mul(self.channels);
            return (overlaps || steps >= STEPS) && self.widening.is_some_and(|widening| self.is_zero_known(widening));
        }
        let ones = |of: [i64; 3]| of[1..] == [1, 1];
        let [_, rows, columns] = self.output;
        let winograd =
            self.window[1..] == [3, 3] && ones(self.stride) && ones(self.dilation) && rows.min(columns) >= OUTPUTS;
        self.channels >= CHANNELS && self.filters >= FILTERS && (winograd || columns < SHORT)
    }

    /// Whether slices of zeros can be added before and after a volume of bytes.
    fn is_zero_known(&self, widening: Widening) -> bool {
        let Some((value, _)) = self.padding.filter(|(_, [low, high])| [low[0], high[0]] != [0, 0]) else { return true };
        let number = value.constant();
        number == Some(0) && widening.zero().is_some()
    }

    fn builder(&self) -> Builder {
        Builder::before(self.op)
    }

    /// A type of the input.
    fn tensor(&self, shape: &[i64]) -> Type {
        tensor(shape, self.source)
    }

    /// Filters of one row and column: depth becomes the rows of an image, and each slice one row.
    fn join_rows(&self) {
        let b = self.builder();
        let [depth, rows, columns] = self.input;
        let inside = depth - self.padding.map_or(0, |(_, [low, high])| low[0] + high[0]);
        let along = self.padding.map(|(value, [low, high])| (value, [low[0], high[0]]));
        let beside = self.padding.filter(|(_, [low, high])| low[1..] != [0, 0] || high[1..] != [0, 0]);
        let mut x = self.source;
        if let Some((value, [low, high])) = beside {
            let ty = self.tensor(&[self.volumes, self.channels, inside, rows, columns]);
            x = padded(&b, x, (&[0, 0, 0, low[1], low[2]], &[0, 0, 0, high[1], high[2]]), value, ty);
        }
        let joined = [vec![0], vec![1], vec![2], vec![3, 4]];
        let plane = rows * columns;
        let mut x = b.reshape(x, self.tensor(&[self.volumes, self.channels, inside, plane]), &joined);
        if let Some((value, [low, high])) = along.filter(|(_, amounts)| *amounts != [0, 0]) {
            let ty = self.tensor(&[self.volumes, self.channels, depth, plane]);
            x = padded(&b, x, (&[0, 0, low, 0], &[0, 0, high, 0]), value, ty);
        }
        let w = self.op.operand(1);
        let w = b.reshape(w, tensor(&[self.filters, self.channels, self.window[0], 1], w), &joined);
        let shape = [self.volumes, self.filters, self.output[0], plane];
        let y = self.convolve(&b, (x, w), &shape, [self.stride[0], 1], [self.dilation[0], 1]);
        self.becomes(b.reshape(y, self.op.result(0).ty(), &joined));
    }

    /// Each slice of the result becomes an image.
    fn take_apart(&self) {
        let b = self.builder();
        let [depth, rows, columns] = self.input;
        let none = [[0; 3]; 2];
        let (value, [low, high]) = self.padding.map_or((None, none), |(value, amounts)| (Some(value), amounts));
        let [rows, columns] = [rows - low[1] - high[1], columns - low[2] - high[2]];
        // Bytes stay bytes in memory.
        let mut slices = self.widening.map_or(self.source, |widening| widening.narrow);
        if let Some(value) = value.filter(|_| [low[0], high[0]] != [0, 0]) {
            let value = self.widening.map_or(value, |widening| b.constant(widening.zero().expect("`pays` saw it")));
            let ty = tensor(&[self.volumes, self.channels, depth, rows, columns], slices);
            slices = padded(&b, slices, (&[0, 0, low[0], 0, 0], &[0, 0, high[0], 0, 0]), value, ty);
        }
        let (deep, channels) = (self.output[0], self.channels * self.window[0]);
        let ty = tensor(&[self.volumes, deep, self.channels, self.window[0], rows, columns], slices);
        let empty = b.value("tensor.empty", &[], ty, &[]);
        let from = format!("d0, d2, d1 * {} + d3 * {}, d4, d5", self.stride[0], self.dilation[0]);
        let all = "d0, d1, d2, d3, d4, d5";
        let stacks = b.generic(&[slices], &[&from, all], (6, 0), empty, |_, elements| elements[0]).result(0);
        let images = self.volumes * deep;
        let joined = [vec![0, 1], vec![2, 3], vec![4], vec![5]];
        let mut x = b.reshape(stacks, tensor(&[images, channels, rows, columns], slices), &joined);
        if let Some(widening) = self.widening {
            x = widening.again(&b, x, &[]);
        }
        if let Some(value) = value.filter(|_| low[1..] != [0, 0] || high[1..] != [0, 0]) {
            let ty = self.tensor(&[images, channels, self.input[1], self.input[2]]);
            x = padded(&b, x, (&[0, 0, low[1], low[2]], &[0, 0, high[1], high[2]]), value, ty);
        }
        let w = self.op.operand(1);
        let filter = tensor(&[self.filters, channels, self.window[1], self.window[2]], w);
        let w = b.reshape(w, filter, &[vec![0], vec![1, 2], vec![3], vec![4]]);
        let [_, high, wide] = self.output;
        let ([_, stride @ ..], [_, dilation @ ..]) = (self.stride, self.dilation);
        let y = self.convolve(&b, (x, w), &[images, self.filters, high, wide], stride, dilation);
        self.becomes(self.stacked(&b, y));
    }

    /// The volumes that images are slices of: filters come before slices.
    fn stacked(&self, b: &Builder, images: Value) -> Value {
        let ([deep, high, wide], result) = (self.output, self.op.result(0).ty());
        let transposed = |value: Value, shape: &[i64], permutation: &[i64]| {
            let empty = b.value("tensor.empty", &[], tensor(shape, value), &[]);
            let attrs = [("permutation", Attr::i64s(b.context(), permutation))];
            b.named_linalg("linalg.transpose", &[value, empty], &[empty.ty()], &attrs).result(0)
        };
        if self.volumes == 1 {
            let one = transposed(images, &[self.filters, deep, high, wide], &[1, 0, 2, 3]);
            return b.reshape(one, result, &[vec![0, 1], vec![2], vec![3], vec![4]]);
        }
        let apart = [vec![0, 1], vec![2], vec![3], vec![4]];
        let slices = b.reshape(images, tensor(&[self.volumes, deep, self.filters, high, wide], images), &apart);
        transposed(slices, &[self.volumes, self.filters, deep, high, wide], &[0, 2, 1, 3, 4])
    }

    /// The convolution of images, from what that of volumes starts from.
    fn convolve(
        &self,
        b: &Builder,
        (x, w): (Value, Value),
        shape: &[i64],
        stride: [i64; 2],
        dilation: [i64; 2],
    ) -> Value {
        let context = b.context();
        let ty = tensor(shape, self.op.result(0));
        let empty = b.value("tensor.empty", &[], ty, &[]);
        let start = b.fill(self.start(), empty);
        let i64 = Type::integer(context, 64);
        let pair = |[a, b]: [i64; 2]| {
            Attr::parse(context, &format!("dense<[{a}, {b}]> : tensor<2x{i64}>")).expect("a pair of numbers")
        };
        let attrs = [
            ("strides", pair(stride)),
            ("dilations", pair(dilation)),
            ("operandSegmentSizes", Attr::i32s(context, &[2, 1])),
        ];
        b.named_linalg("linalg.conv_2d_nchw_fchw", &[x, w, start], &[ty], &attrs).result(0)
    }

    /// The number that all sums start from.
    fn start(&self) -> Value {
        self.op.operand(2).def().expect("`of` saw a fill").operand(0)
    }

    fn becomes(&self, y: Value) {
        let pad = self.padding.and_then(|_| self.op.operand(0).def());
        self.op.result(0).replace_all_uses(y);
        self.op.erase();
        // It would count as a user of what it surrounds.
        if let Some(pad) = pad {
            pad.erase();
        }
    }
}

/// A type with the elements of a value.
fn tensor(shape: &[i64], like: Value) -> Type {
    let shape: Vec<Option<i64>> = shape.iter().copied().map(Some).collect();
    Type::tensor(&shape, like.ty().element())
}

/// What a padding of slices, rows and columns with one number surrounds, the number, and how many of each come before and after.
fn around(pad: Op) -> Option<(Value, Value, [[i64; 3]; 2])> {
    if !pad.is("tensor.pad") || pad.operand_count() != 1 || !pad.operand(0).ty().is_static() {
        return None;
    }
    let value = pad.body()?.terminator()?.operand(0);
    let outside = value.def().is_none_or(|d| d.block() != pad.body() || d.is("arith.constant"));
    let amounts = |name: &str| -> Option<[i64; 3]> {
        let list = pad.attr(name).and_then(Attr::as_i64s)?;
        (matches!(list[..], [0, 0, ..]) && list.iter().all(|n| *n >= 0)).then_some(*list.last_chunk()?)
    };
    let amounts = [amounts("static_low")?, amounts("static_high")?];
    (outside && pad.result(0).uses().len() == 1).then_some((pad.operand(0), value, amounts))
}
