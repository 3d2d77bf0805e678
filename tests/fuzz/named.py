"""Named operations of linalg: each is a generic operation with another text."""

import maps
import scalars
from bodies import Body
from generics import STEPS, Generic
from program import Impossible, Node, Value
from values import is_float


class Named(Node):
    """A generic operation that is written as `linalg.NAME`, with attributes."""

    def __init__(self, name, generic, attributes="", after=""):
        self.name, self.generic, self.attributes, self.after = name, generic, attributes, after
        self.operands, self.results = generic.operands, generic.results

    def emit(self, text):
        g, result = self.generic, self.results[0]
        start, exprs = g.outs[0]
        sources = g.sources()
        own = {at: sources.get(e[1]) for at, e in enumerate(exprs) if e[0] == "d"}
        out = (
            text.name(start)
            if isinstance(start, Value)
            else text.empty(result, own)
            if start is None
            else text.filled(result, own, start)
        )
        ins = f"ins({', '.join(text.name(v) for v, _ in g.ins)} : {', '.join(v.type() for v, _ in g.ins)})"
        arrow = f" -> {result.type()}" if not self.after else self.after
        text.line(
            f"{text.name(result)} = linalg.{self.name} {self.attributes} {ins} outs({out} : {result.type()}){arrow}"
        )

    def evaluate(self, arrays):
        return self.generic.evaluate(arrays)

    def simpler(self):
        yield self.generic


def letters(text, order):
    return [("d", order.index(c)) for c in text]


def total(body, out_dtype, products):
    """Out plus the product of the inputs, in the type of the out."""
    refs = []
    for k, dtype in enumerate(body.ins[:products]):
        ways = [
            w for w in scalars.conversions(dtype, out_dtype) if w[0] in ("arith.extf", "arith.extsi", "arith.truncf")
        ]
        refs.append(body.add(ways[0][0], ways[0][1], [("in", k)], out_dtype) if dtype != out_dtype else ("in", k))
    names = (
        ("arith.mulf", "arith.addf", scalars.F2) if is_float(out_dtype) else ("arith.muli", "arith.addi", scalars.I2)
    )
    product = refs[0]
    for ref in refs[1:]:
        product = body.add(names[0], names[2][names[0]], [product, ref], out_dtype)
    body.yields = [body.add(names[1], names[2][names[1]], [("out", 0), product], out_dtype)]


# Letters of the inputs and of the result.
PRODUCTS = {"matmul": "mk,kn->mn", "batch_matmul": "bmk,bkn->bmn", "matvec": "mk,k->m", "vecmat": "k,kn->n", "dot": "k,k->",
            "batch_matvec": "bmk,bk->bm", "batch_vecmat": "bk,bkn->bn", "mmt4d": "mkab,nkcb->mnac", "batch_mmt4d": "zmkab,znkcb->zmnac"}  # fmt: skip
PAIRS = [("f32", "f32")] * 5 + [
    ("f64", "f64"),
    ("f16", "f32"),
    ("bf16", "f32"),
    ("f16", "f16"),
    ("i8", "i32"),
    ("i8", "i32"),
    ("i32", "i32"),
    ("i16", "i16"),
    ("i64", "i64"),
]


def product(r, pool):
    """A product of matrices and its kin, or any contraction."""
    name, given = r.choice([*list(PRODUCTS.items()), *[("contract", None)] * 4, *[("turned", None)] * 2])
    if name == "contract":
        a = "".join(r.sample("abcde", r.randint(1, 4)))
        b = "".join(r.sample("abcde", r.randint(1, 4)))
        kept = [c for c in dict.fromkeys(a + b) if not (c in a and c in b) or r.flag(0.3)]
        r.shuffle(kept)
        if not set(a) & set(b) - set(kept):
            raise Impossible("nothing is summed up")
        # What is summed up stands in both.
        given = f"{a},{b}->{''.join(kept)}"
    elif name == "turned":
        given = r.choice(["km,kn->mn", "mk,nk->mn", "km,nk->mn"])
    ins, out = given.split("->")
    a, b = ins.split(",")
    order = "".join(dict.fromkeys(out + a + b))
    pairs = [p for p in PAIRS if p[0] in r.dtypes]
    narrow, wide = r.choice(pairs)
    sizes = r.shape(len(order), 6000)
    steps = 1
    for c, n in zip(order, sizes):
        steps *= 1 if c in out else n
    if steps > STEPS * 2:
        raise Impossible("too many steps")
    size = dict(zip(order, sizes))
    unknown = {c: r.flag(r.dynamic) for c in order}
    inputs = []
    for text in (a, b):
        value = r.argument(narrow, [size[c] for c in text], [unknown[c] for c in text])
        same = [v for v in pool if (v.dtype, v.shape, v.dyn) == (value.dtype, value.shape, value.dyn)]
        inputs.append((r.choice(same) if same and r.flag() else value, letters(text, order)))
    body = Body([narrow, narrow], [wide])
    total(body, wide, 2)
    result = Value(wide, [size[c] for c in out], [unknown[c] for c in out])
    same = [v for v in pool if (v.dtype, v.shape, v.dyn) == (result.dtype, result.shape, result.dyn)]
    start = (
        r.choice(same)
        if same and r.flag()
        else r.argument(wide, result.shape, result.dyn)
        if r.flag(0.2)
        else r.number(wide)
    )
    iterators = ["parallel" if c in out else "reduction" for c in order]
    generic = Generic(sizes, iterators, inputs, [(start, letters(out, order))], body, [result])
    attributes = ""
    if name in ("contract", "turned"):
        shown = order if name == "contract" else "mnk"
        exprs = [letters(t, shown) for t in (a, b, out)]
        attributes = f"indexing_maps = [{', '.join(maps.map_text(e, len(shown)) for e in exprs)}]"
    return [Named("matmul" if name == "turned" else name, generic, attributes)]


# Loops of the result and of the window; the input's and the filter's letters, upper case for the window; g is a group.
WINDOWS = {"conv_1d_nwc_wcf": ("nwc,Wcf->nwf", 1), "conv_1d_ncw_fcw": ("ncw,fcW->nfw", 1), "conv_2d_nhwc_hwcf": ("nhwc,HWcf->nhwf", 2),
           "conv_2d_nchw_fchw": ("nchw,fcHW->nfhw", 2), "conv_2d_nhwc_fhwc": ("nhwc,fHWc->nhwf", 2), "conv_3d_ndhwc_dhwcf": ("ndhwc,DHWcf->ndhwf", 3),
           "conv_2d_ngchw_fgchw": ("ngchw,fgcHW->ngfhw", 2), "conv_2d_ngchw_gfchw": ("ngchw,gfcHW->ngfhw", 2),
           "depthwise_conv_1d_nwc_wc": ("nwc,Wc->nwc", 1), "depthwise_conv_2d_nhwc_hwc": ("nhwc,HWc->nhwc", 2),
           "depthwise_conv_2d_nchw_chw": ("nchw,cHW->nchw", 2), "depthwise_conv_2d_nhwc_hwcm": ("nhwc,HWcm->nhwcm", 2),
           "pooling_nhwc_sum": ("nhwc,HW->nhwc", 2), "pooling_nchw_sum": ("nchw,HW->nchw", 2), "pooling_nhwc_max": ("nhwc,HW->nhwc", 2),
           "pooling_nchw_max": ("nchw,HW->nchw", 2), "pooling_nhwc_min": ("nhwc,HW->nhwc", 2), "pooling_nwc_max": ("nwc,W->nwc", 1),
           "pooling_ncw_sum": ("ncw,W->ncw", 1), "pooling_nhwc_max_unsigned": ("nhwc,HW->nhwc", 2), "pooling_nhwc_min_unsigned": ("nhwc,HW->nhwc", 2)}  # fmt: skip
POOLS = {"sum": ("arith.addf", "arith.addi"), "max": ("arith.maximumf", "arith.maxsi"), "min": ("arith.minimumf", "arith.minsi"),
         "max_unsigned": ("", "arith.maxui"), "min_unsigned": ("", "arith.minui")}  # fmt: skip


def window(r, pool):
    """A convolution or pooling."""
    name = r.choice(list(WINDOWS))
    given, rank = WINDOWS[name]
    ins, out = given.split("->")
    x, w = ins.split(",")
    order = "".join(dict.fromkeys(out + x + w))
    kind = name.split("hwc_", 1)[-1] if name.startswith("pooling_nhwc") else name.rsplit("_", 1)[-1]
    pooled = name.startswith("pooling")
    pairs = [p for p in PAIRS if p[0] in r.dtypes and (not pooled or p[0] == p[1])]
    if "unsigned" in name:
        pairs = [p for p in pairs if not is_float(p[0])]
    narrow, wide = r.choice(pairs)
    size = {
        c: r.choice([1, 1, 2, 3, 3])
        if c.isupper()
        else r.choice([1, 2, 3, 4, 5, 8, 9, 16, 17] if c in "hwdf" else [1, 1, 2, 3, 4, 8, 17])
        for c in order
    }
    volume, steps = 1, 1
    for c in order:
        volume *= size[c]
        steps *= 1 if c in out else size[c]
    if volume > 40000 or steps > STEPS * 3:
        raise Impossible("too large")
    space = [c for c in "dhw" if c.upper() in order]
    stride = {c: r.choice([1, 1, 1, 2, 3]) for c in space}
    dilation = {c: r.choice([1, 1, 1, 2]) for c in space}
    at = order.index
    exprs, shape = [], []
    for c in x:
        if c in space:
            exprs.append(("+", ("*", ("d", at(c)), stride[c]), ("*", ("d", at(c.upper())), dilation[c])))
            shape.append(
                (size[c] - 1) * stride[c]
                + (size[c.upper()] - 1) * dilation[c]
                + 1
                + r.choice([0, 0, 1]) * (stride[c] > 1)
            )
        else:
            exprs.append(("d", at(c)))
            shape.append(size[c])
    unknown = {c: r.flag(r.dynamic) for c in order}
    image = r.argument(narrow, shape, [unknown[c] for c in x])
    filters = r.argument(narrow, [size[c] for c in w], [unknown[c] and not pooled for c in w])
    body = Body([narrow, narrow], [wide])
    if pooled:
        op = POOLS[kind][0 if is_float(wide) else 1]
        body.yields = [body.add(op, (scalars.F2 if is_float(wide) else scalars.I2)[op], [("out", 0), ("in", 0)], wide)]
    else:
        total(body, wide, 2)
    result = Value(wide, [size[c] for c in out], [unknown[c] for c in out])
    start = r.number(wide) if r.flag(0.8) else r.argument(wide, result.shape, result.dyn)
    generic = Generic([size[c] for c in order], ["parallel" if c in out else "reduction" for c in order], [(image, exprs), (filters, letters(w, order))],
                      [(start, letters(out, order))], body, [result])  # fmt: skip
    numbers = lambda d: ", ".join(str(d[c]) for c in space)  # noqa: E731
    attributes = f"{{dilations = dense<[{numbers(dilation)}]> : tensor<{rank}xi64>, strides = dense<[{numbers(stride)}]> : tensor<{rank}xi64>}}"
    return [Named(name, generic, attributes)]
