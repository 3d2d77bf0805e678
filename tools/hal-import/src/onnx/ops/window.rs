//! Sliding windows: shared by convolutions and poolings.
use crate::onnx::{
    Body, Context, Dim, Elem, Iter, Node, Num, Outcome, Scalar, Value,
    context::require::Rule,
    problem::{invalid, unsupported},
};

/// How a window slides over the spatial dimensions (those after batch and channels).
pub(super) struct Window {
    pub(super) kernel: Vec<i64>,
    pub(super) strides: Vec<i64>,
    pub(super) dilations: Vec<i64>,
    /// The spatial sizes without padding.
    pub(super) input: Vec<Dim>,
    /// The padding before each dimension, as the model requests.
    pub(super) low: Vec<Dim>,
    pub(super) high: Vec<Dim>,
    /// Padding needed at the end so that the last window fits: `high`, but for `ceil_mode`.
    pub(super) reach: Vec<Dim>,
    pub(super) output: Vec<Dim>,
}

/// An attribute of `count` numbers, for `rank` spatial dimensions. Errors: there are more or fewer.
pub(super) fn numbers(n: &Node, rank: usize, name: &str, count: usize, default: i64) -> Outcome<Vec<i64>> {
    let list = n.ints(name).filter(|l| !l.is_empty()).unwrap_or_else(|| vec![default; count]);
    if list.len() == count {
        Ok(list)
    } else {
        invalid(format!("`{name}` has {} numbers for {rank} spatial dimensions", list.len()))
    }
}

impl Window {
    /// Reads `strides`, `dilations`, `pads`, `auto_pad` and `ceil_mode`. Errors: they do not fit the rank.
    pub(super) fn of(c: &mut Context<'_>, n: &Node, input: &[Dim], kernel: Vec<i64>) -> Outcome<Self> {
        let kernel: Vec<_> = kernel.into_iter().map(Dim::fixed).collect();
        Self::of_dims(c, n, input, &kernel)
    }

    /// Does the same as [`Window::of`] for a kernel whose sizes may be known only at run time; if they are unknown,
    /// `kernel` is ignored.
    pub(super) fn of_dims(c: &mut Context<'_>, n: &Node, input: &[Dim], kernel: &[Dim]) -> Outcome<Self> {
        let rank = input.len();
        let list = |name, count, default| numbers(n, rank, name, count, default);
        let (strides, dilations, pads) =
            (list("strides", rank, 1)?, list("dilations", rank, 1)?, list("pads", 2 * rank, 0)?);
        if kernel.len() != rank {
            return invalid(format!("the kernel has {} sizes for {rank} spatial dimensions", kernel.len()));
        }
        let known: Vec<_> = kernel.iter().map(|k| k.get().unwrap_or(1)).collect();
        if strides.iter().chain(&dilations).chain(&known).any(|&v| v < 1) {
            return invalid("a stride, dilation or kernel size is not positive");
        }
        if strides.iter().chain(&dilations).chain(&known).chain(&pads).any(|&v| i32::try_from(v).is_err()) {
            return unsupported("a stride, dilation, kernel size or padding has more than 32 bits");
        }
        for (d, k) in kernel.iter().enumerate() {
            let text = format!("the kernel is {{0}} large along spatial dimension {d}");
            c.require(Rule::AtLeast(k.clone(), Dim::fixed(1)), &text, &[k])?;
        }
        let auto = n.string("auto_pad", "NOTSET");
        let ceil = n.int("ceil_mode", 0) != 0;
        let mut window = Self {
            kernel: known,
            strides,
            dilations,
            input: input.to_vec(),
            low: Vec::new(),
            high: Vec::new(),
            reach: Vec::new(),
            output: Vec::new(),
        };
        for d in 0..rank {
            let stride = window.strides[d];
            let extent = kernel[d].offset(-1).times(window.dilations[d]).offset(1);
            let (low, high) = match auto.as_str() {
                "NOTSET" | "" => (Dim::fixed(pads[d]), Dim::fixed(pads[rank + d])),
                "VALID" => (Dim::fixed(0), Dim::fixed(0)),
                same @ ("SAME_UPPER" | "SAME_LOWER") => {
                    let count = c.size_over(&input[d].offset(stride - 1), &Dim::fixed(stride));
                    let needed = count.offset(-1).times(stride).plus(&extent).minus(&input[d]);
                    let total = c.size_max(&needed, &Dim::fixed(0));
                    let less = c.size_over(&total, &Dim::fixed(2));
                    let more = total.minus(&less);
                    if same == "SAME_UPPER" { (less, more) } else { (more, less) }
                }
                other => return unsupported(format!("`auto_pad` is `{other}`")),
            };
            // With `ceil_mode` the last window, which may be the only one, may end beyond the padding.
            let span = input[d].plus(&low).plus(&high).minus(&extent).offset(if ceil { stride - 1 } else { 0 });
            if let (Some(..0), Some(extent)) = (span.get(), extent.get()) {
                return invalid(format!(
                    "a window of {extent} is larger than the padded input along spatial dimension {d}"
                ));
            }
            let padded = input[d].plus(&low).plus(&high);
            let text =
                format!("a window of {{1}} is larger than the padded input of {{0}} along spatial dimension {d}");
            c.require(Rule::AtLeast(span.clone(), Dim::fixed(0)), &text, &[&padded, &extent])?;
            let mut output = c.size_over(&span, &Dim::fixed(stride)).offset(1);
            let mut reach = high.clone();
            if ceil {
                // A window that starts in the padding at the end does not count.
                let last = c.size_over(&input[d].plus(&low).offset(-1), &Dim::fixed(stride)).offset(1);
                output = c.size_min(&output, &last);
                let needed = output.offset(-1).times(stride).plus(&extent).minus(&input[d]).minus(&low);
                reach = c.size_max(&needed, &high);
            }
            window.low.push(low);
            window.high.push(high);
            window.reach.push(reach);
            window.output.push(output);
        }
        Ok(window)
    }

    pub(super) fn rank(&self) -> usize {
        self.kernel.len()
    }

    /// Pads the spatial dimensions.
    pub(super) fn pad(&self, c: &mut Context<'_>, x: &Value, with: Num) -> Value {
        let keep = vec![Dim::fixed(0); x.rank() - self.rank()];
        c.pad(x, &[keep.clone(), self.low.clone()].concat(), &[keep, self.reach.clone()].concat(), with)
    }

    /// ` {dilations = …, strides = …}` of the named operations.
    pub(super) fn attributes(&self) -> String {
        let list = |v: &[i64]| v.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let rank = self.rank();
        format!(
            "{{dilations = dense<[{}]> : tensor<{rank}xi64>, strides = dense<[{}]> : tensor<{rank}xi64>}}",
            list(&self.dilations),
            list(&self.strides)
        )
    }

    /// `d2 * 2 + d5`: where window element `k` of output position `o` lies.
    pub(super) fn place(&self, d: usize, o: usize, k: usize) -> String {
        let times = |dim: usize, by: i64| if by == 1 { format!("d{dim}") } else { format!("d{dim} * {by}") };
        format!("{} + {}", times(o, self.strides[d]), times(k, self.dilations[d]))
    }

    /// A tensor of the kernel's shape, of which only the shape counts.
    pub(super) fn shape_only(&self, c: &mut Context<'_>, elem: Elem) -> Value {
        let shape: Vec<_> = self.kernel.iter().map(|&k| Dim::fixed(k)).collect();
        c.empty(elem, &shape)
    }

    /// A reduction over windows of a padded input `[N, C, …]` into tensors filled with `starts`. `body` is given the
    /// element, then the accumulators.
    pub(super) fn reduce(
        &self,
        c: &mut Context<'_>,
        padded: &Value,
        starts: &[(Elem, Num)],
        body: impl FnOnce(&mut Body<'_>, &[Scalar]) -> Vec<Scalar>,
    ) -> Vec<Value> {
        let rank = self.rank();
        let shape = [padded.shape[..2].to_vec(), self.output.clone()].concat();
        let outs: Vec<_> = starts.iter().map(|(elem, start)| c.filled(*elem, &shape, *start)).collect();
        let window = self.shape_only(c, padded.elem);
        let places: Vec<_> = (0..rank).map(|d| self.place(d, 2 + d, 2 + rank + d)).collect();
        let kernel: Vec<_> = (2 + rank..2 + 2 * rank).collect();
        let all = crate::onnx::generic::map(&(0..2 + rank).collect::<Vec<_>>());
        let iters = [vec![Iter::Parallel; 2 + rank], vec![Iter::Reduction; rank]].concat();
        let ins = [(padded, format!("d0, d1, {}", places.join(", "))), (&window, crate::onnx::generic::map(&kernel))];
        let outs: Vec<_> = outs.iter().map(|v| (v, all.clone())).collect();
        c.generic(&iters, &ins, &outs, |b, v| body(b, &[&v[..1], &v[2..]].concat()))
    }
}
