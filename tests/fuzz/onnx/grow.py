"""Grows random ONNX graphs node by node.

Each value has its arrays for a few bindings of the model's symbols, computed as the graph grows, so that a node that the
reference evaluator does not take, or whose result would say nothing, never gets into the graph. Beside the arrays stand shadows:
the same computation in a wider type with a little noise in every step. What a shadow is away from its array is what rounding
may do; a node that lets it explode (a step at a rounded number, a division by almost nothing) is dropped, so that a difference
that remains is a mistake.
"""

import functools
import math
import random
import warnings

import numpy as np
import onnx
import onnxruntime
from ml_dtypes import bfloat16
from onnx import helper
from onnx.reference import ReferenceEvaluator

warnings.simplefilter("ignore")
np.seterr(all="ignore")

F16, F32, F64, BF16 = np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64), np.dtype(bfloat16)
FLOATS = [F32, F64, F16, BF16]
INTS = [np.dtype(t) for t in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")]
I8, U8, I32, I64, BOOL = (np.dtype(t) for t in ("int8", "uint8", "int32", "int64", "bool"))
# By float type: what shadows are computed in, noise in each step, by how much results may differ in any case, largest value.
KINDS = {
    F32: (F64, 1e-6, 1e-5, 1e4),
    F64: (F64, 1e-14, 1e-12, 1e6),
    F16: (F32, 1.5e-3, 4e-3, 200),
    BF16: (F32, 1.2e-2, 3e-2, 1e3),
}
SIZES = [1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 33]
# No value has more elements, and in most graphs none has more than the first number.
LARGEST = (6000, 24000)


class Reject(Exception):
    """A node that does not fit; another one is tried."""


class Value:
    """A tensor of the graph: an array, and a shadow of it, for each binding."""

    def __init__(self, name, arrays, shadows=None):
        self.name, self.arrays, self.dtype = name, arrays, arrays[0].dtype
        # Without shadows of its own it is exact.
        self.shadows, self.exact = shadows or arrays, shadows is None
        self.rank = arrays[0].ndim
        self.dims = tuple(zip(*(a.shape for a in arrays))) if self.rank else ()
        self.constant = self.node = None

    @property
    def shape(self):
        """The sizes, where they are the same for all bindings."""
        return [static(d) for d in self.dims]

    def largest(self):
        return max((np.abs(a.astype(np.float64)).max(initial=0) for a in self.arrays), default=0)

    def least(self):
        return min((a.astype(np.float64).min(initial=np.inf) for a in self.arrays), default=0)

    def deviation(self, k):
        """How far rounding may carry this array for binding k."""
        if self.exact or not self.arrays[k].size:
            return 0.0
        return float(np.abs(self.arrays[k].astype(np.float64) - self.shadows[k].astype(np.float64)).max())


def static(dim):
    """The size of a dimension, or None if it differs among bindings."""
    return dim[0] if len(set(dim)) == 1 else None


def elem(dtype):
    return helper.np_dtype_to_tensor_dtype(np.dtype(dtype))


class Node:
    """A node and the values that it reads (those of its branches, too) and makes."""

    def __init__(self, proto, reads, makes, engine="reference"):
        # A value of an engine "known" was computed otherwise.
        self.proto, self.reads, self.makes, self.engine = proto, reads, makes, engine

    def second(self, arrays, k, opset):
        """What the other engine makes of arrays for binding k, or the same one where the other has no such node."""
        engines = ("reference", "ort") if self.engine == "ort" else ("ort", "reference")
        for engine in engines if self.reads and self.engine != "known" else ():
            try:
                made = Evaluator(self.proto, opset, engine)(arrays)
                if [a.dtype for a in made] == [v.dtype for v in self.makes]:
                    return made
            except Exception:  # whatever an engine does not take
                continue
        return [v.arrays[k] for v in self.makes]


@functools.cache
def schema(op, opset):
    """By input, the types that an operator takes, and how many it takes at least."""
    found = onnx.defs.get_schema(op, opset)
    words = {t.type_param_str: set(t.allowed_type_strs) for t in found.type_constraints}
    types = [words.get(i.type_str, {i.type_str}) for i in found.inputs]
    return types, bool(types) and found.inputs[-1].option == onnx.defs.OpSchema.FormalParameterOption.Variadic


def takes(op, opset, dtypes):
    """Whether an operator takes operands of these types (None: left out)."""
    try:
        types, variadic = schema(op, opset)
    except onnx.defs.SchemaError:
        return False
    if variadic:
        types = types + types[-1:] * len(dtypes)
    names = {
        d: f"tensor({'bool' if d == BOOL else 'float' if d == F32 else 'double' if d == F64 else d.name})"
        for d in dtypes
        if d
    }
    return len(dtypes) <= len(types) and all(d is None or names[d] in t for d, t in zip(dtypes, types))


def one_node_model(proto, arrays, opset):
    """A model of a node alone."""
    names = [n for n in proto.input if n]
    inputs = [helper.make_tensor_value_info(n, elem(a.dtype), a.shape) for n, a in zip(names, arrays)]
    outputs = [onnx.ValueInfoProto(name=n) for n in proto.output if n]
    return helper.make_model(helper.make_graph([proto], "g", inputs, outputs), opset_imports=opsets([proto], opset),
                             ir_version=10 if opset < 24 else 12)  # fmt: skip


def opsets(protos, opset):
    """The operator sets that nodes are from."""
    others = sorted({n.domain for n in protos} - {""})
    return [helper.make_opsetid("", opset), *(helper.make_opsetid(d, 1) for d in others)]


def session(model):
    """onnxruntime without its graph optimisations, which reorder sums."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


class Evaluator:
    """Computes what a node makes, by the reference evaluator or by onnxruntime."""

    def __init__(self, proto, opset, engine):
        self.proto, self.opset, self.engine = proto, opset, engine
        self.names = [n for n in proto.input if n]
        if engine == "reference":
            graph = onnx.GraphProto(name="g")
            graph.node.append(proto)
            for n in dict.fromkeys(self.names):
                graph.input.append(onnx.ValueInfoProto(name=n))
            for n in proto.output:
                if n:
                    graph.output.append(onnx.ValueInfoProto(name=n))
            self.known = ReferenceEvaluator(graph, opsets={"": opset})

    def __call__(self, arrays):
        feeds = dict(zip(self.names, arrays))
        if self.engine == "reference":
            made = self.known.run(None, feeds)
        else:
            made = session(one_node_model(self.proto, arrays, self.opset)).run(None, feeds)
        return [np.asarray(m) for m in made]


class Graph:
    """A graph that grows. The same seed makes the same graph."""

    def __init__(self, seed, dynamic=None, opset=None):
        self.seed, self.r, self.np = seed, random.Random(seed), np.random.default_rng(seed)
        r = self.r
        self.dynamic = r.random() < 0.5 if dynamic is None else dynamic
        self.opset = opset or r.choice([11, 12, 13, 14, 15, 16, 17, 17, 18, 18, 19, 20, 21, 21, 22, 23, 24])
        self.bindings = 3 if self.dynamic else 1
        self.float = r.choice([F32] * 7 + [F16, F16, F64, BF16])
        self.largest = LARGEST[r.random() < 0.1]
        self.symbols, self.inputs, self.initializers, self.nodes, self.values = {}, [], [], [], []
        self.counter, self.refusals = 0, {}
        if self.dynamic:
            for _ in range(r.randint(1, 3)):
                self.symbol(self.sizes_of_symbol())

    # Sizes.

    def sizes_of_symbol(self):
        r = self.r
        while True:
            sizes = (
                r.choice([2, 3, 4, 5, 6, 8]),
                r.choice([1, 1, 7, 9, 11, 16]),
                r.choice([0, 1, 3, 13, 17] if self.seed % 3 == 0 else [1, 3, 5, 13, 17]),
            )
            if len(set(sizes)) == 3 and sizes not in self.symbols:
                return sizes

    def symbol(self, sizes):
        """The name of a dimension with these sizes."""
        if sizes not in self.symbols:
            self.symbols[sizes] = (
                ("N", "M", "L", "batch", "width")[len(self.symbols)]
                if len(self.symbols) < 5
                else f"s{len(self.symbols)}"
            )
        return self.symbols[sizes]

    def fixed(self, n):
        return (n,) * self.bindings

    def dim(self):
        """A dimension for a new input."""
        if self.dynamic and self.r.random() < 0.5:
            return self.r.choice(list(self.symbols)[:4])
        return self.fixed(self.r.choice(SIZES))

    # Values.

    def fresh(self, stem="v"):
        self.counter += 1
        return f"{stem}{self.counter}"

    def random(self, dtype, shape, low=None, high=None):
        """An array of random numbers; of floats, multiples of 1/64 in about [-2, 2)."""
        dtype = np.dtype(dtype)
        if dtype == BOOL:
            return self.np.integers(0, 2, shape).astype(bool)
        if dtype in INTS:
            low = (0 if dtype.kind == "u" else -9) if low is None else low
            return self.np.integers(low, (10 if high is None else high), shape).astype(dtype)
        low, high = -2 if low is None else low, 2 if high is None else high
        step = 64 if dtype != BF16 else 16
        return (
            self.np.integers(math.ceil(low * step), max(math.floor(high * step), math.ceil(low * step) + 1), shape)
            / step
        ).astype(dtype)

    def noisy(self, array):
        """A shadow: an array in a wider type, a little aside."""
        wide, noise, _, _ = KINDS[array.dtype]
        return self.blur(array.astype(wide), noise)

    def blur(self, array, noise):
        return array * (1 + noise * self.np.choice([-1, 1], array.shape).astype(array.dtype))

    def input(self, dtype, dims, low=None, high=None, exact=None):
        """A new input of the model."""
        if math.prod(max(d) for d in dims) > self.largest:
            raise Reject
        dims = [tuple(d) for d in dims]
        arrays = [self.random(dtype, [d[k] for d in dims], low, high) for k in range(self.bindings)]
        exact = (self.r.random() < 0.25 if exact is None else exact) or arrays[0].dtype not in KINDS
        value = Value(self.fresh("x"), arrays, None if exact else [self.noisy(a) for a in arrays])
        for d in dims:
            if static(d) is None:
                self.symbol(d)
        self.inputs.append(value)
        self.values.append(value)
        return value

    def given(self, array):
        """A new input whose elements are the same for all bindings: indices."""
        value = Value(self.fresh("x"), [array] * self.bindings)
        self.inputs.append(value)
        self.values.append(value)
        return value

    def constant(self, array, plain=False):
        """Weights and shapes: an initializer, or a Constant node; a weight may be an input as well."""
        array = np.asarray(array)
        value = Value(self.fresh("c"), [array] * self.bindings)
        value.constant = array
        if not plain and self.r.random() < 0.15:
            tensor = onnx.numpy_helper.from_array(array, value.name)
            self.add(helper.make_node("Constant", [], [value.name], value=tensor), [], [value])
        else:
            self.initializers.append(value)
        if not plain and array.ndim and self.r.random() < 0.05:
            # Others may read it, too: constants are folded.
            self.values.append(value)
        return value

    def weight(self, dtype, shape, low=None, high=None):
        """An operand of known sizes: mostly a constant, else an input."""
        if self.r.random() < 0.2:
            return self.input(dtype, [self.fixed(n) for n in shape], low, high)
        return self.constant(self.random(dtype, shape, low, high))

    def pick(self, fits=lambda v: True):
        """A value, later ones more often: chains rather than bushes."""
        found = [v for v in self.values if fits(v)]
        if not found:
            raise Reject
        return found[max(self.r.randrange(len(found)), self.r.randrange(len(found)))]

    def pick_float(self, ranks=range(7), fits=lambda v: True):
        return self.pick(lambda v: v.dtype in KINDS and v.rank in ranks and fits(v))

    # Nodes.

    def add(self, proto, reads, makes, engine="reference"):
        node = Node(proto, reads, makes, engine)
        for v in makes:
            v.node = node
        self.nodes.append(node)

    def node(self, op, reads, outputs=1, engine="reference", exact=False, keep=None, **attributes):
        """Adds a node, if it fits; gives its values. `reads` may have None for what is left out; `exact` says that results of exact
        operands are exact; only the outputs in `keep` are offered to others. With `domain` the engine says what fits."""
        reads = list(reads)
        while reads and reads[-1] is None:
            reads.pop()
        if "domain" not in attributes and not takes(op, self.opset, [v and v.dtype for v in reads]):
            raise Reject
        names = [self.fresh() for _ in range(outputs)]
        proto = helper.make_node(op, [v.name if v else "" for v in reads], names, **attributes)
        there = [v for v in reads if v]
        makes = self.compute(proto, there, exact, engine)
        self.add(proto, there, makes, engine)
        kept = makes if keep is None else [makes[i] for i in keep]
        self.values += kept
        return kept[0] if len(kept) == 1 else kept

    def compute(self, proto, reads, exact, engine):
        try:
            evaluate = Evaluator(proto, self.opset, engine)
            made = [evaluate([v.arrays[k] for v in reads]) for k in range(self.bindings)]
        except Exception as e:  # whatever the evaluator says of a node that does not fit
            self.refusals[proto.op_type] = repr(e)[:200]
            raise Reject from None
        if any(
            a.dtype not in KINDS and a.dtype not in INTS and a.dtype != BOOL or a.size > self.largest
            for m in made
            for a in m
        ):
            raise Reject
        exact_reads = all(v.exact for v in reads)
        if exact_reads and all(exact or a.dtype not in KINDS for a in made[0]):
            shadows = None
        elif exact_reads:
            shadows = [[self.noisy(a) if a.dtype in KINDS else a for a in m] for m in made]
        else:
            shadows = self.shadows(evaluate, reads, made, engine)
        makes = [
            Value(name, [m[i] for m in made], [s[i] for s in shadows] if shadows else None)
            for i, name in enumerate(proto.output)
        ]
        for v in makes:
            self.look_at(v)
        return makes

    def shadows(self, evaluate, reads, made, engine):
        try:
            # onnxruntime does not compute everything in every type.
            back = engine != "reference"
            found = [
                evaluate([v.shadows[k].astype(v.dtype) if back else v.shadows[k] for v in reads])
                for k in range(self.bindings)
            ]
        except Exception as e:
            self.refusals[evaluate.proto.op_type] = repr(e)[:200]
            raise Reject from None
        for k, (arrays, shadows) in enumerate(zip(made, found)):
            for i, (a, s) in enumerate(zip(arrays, shadows)):
                if a.shape != s.shape:
                    raise Reject
                if a.dtype in KINDS:
                    wide, noise, _, _ = KINDS[a.dtype]
                    found[k][i] = self.blur(s.astype(wide), noise)
                elif (a != s).any():
                    raise Reject
                else:
                    found[k][i] = a
        return found

    def look_at(self, value):
        """A value that says nothing, or that rounding may change, is dropped."""
        if len({a.dtype for a in value.arrays}) > 1 or len({a.ndim for a in value.arrays}) > 1:
            raise Reject
        if value.dtype in KINDS:
            _, noise, _, top = KINDS[value.dtype]
            for k, (a, s) in enumerate(zip(value.arrays, value.shadows)):
                if not np.isfinite(a.astype(np.float64)).all() or not np.isfinite(s.astype(np.float64)).all():
                    raise Reject
                size = np.abs(a.astype(np.float64)).max(initial=0)
                if size > top or value.deviation(k) > 60 * noise * max(size, 0.05):
                    raise Reject

    # The whole.

    def grow(self, operators, nodes=None):
        """Adds nodes by `operators`, a list of functions of a graph."""
        r = self.r
        for _ in range(r.randint(1, 3)):
            dims = [self.dim() for _ in range(r.choice([1, 2, 2, 3, 3, 4, 4]))]
            if math.prod(max(d) for d in dims) <= 2000:
                self.input(self.float, dims)
        if not self.inputs:
            self.input(self.float, [self.dim()])
        wanted, tries = nodes or r.choice([1, 2, 3, 5, 5, 8, 8, 12, 12, 16, 22, 30]), 0
        while len([n for n in self.nodes if n.proto.op_type != "Constant"]) < wanted and tries < 8 * wanted:
            tries += 1
            self.attempt(r.choice(operators))
        return self

    def attempt(self, build):
        """Lets a function add nodes; what it added is taken back if one does not fit."""
        marks = [len(x) for x in (self.inputs, self.initializers, self.nodes, self.values)]
        try:
            build(self)
            return True
        except Reject:
            for x, mark in zip((self.inputs, self.initializers, self.nodes, self.values), marks):
                del x[mark:]
            return False

    def outputs(self):
        """What nobody reads, and sometimes a value that others read, too."""
        read = {id(v) for n in self.nodes for v in n.reads}
        made = [v for v in self.values if v.node is not None and v.constant is None]
        found = [v for v in made if id(v) not in read or self.r.random() < 0.1]
        return found or made[-1:]

    def model(self, nodes=None, outputs=None):
        """The model of some of the nodes: what they read and do not make is an input."""
        nodes = self.nodes if nodes is None else nodes
        made, read = {v.name for n in nodes for v in n.makes}, {}
        for n in nodes:
            read.update({v.name: v for v in n.reads})
        free = [v for v in read.values() if v.name not in made]
        constants = [v for v in free if v.constant is not None]
        inputs = [v for v in free if v.constant is None]
        outputs = self.outputs() if outputs is None else outputs
        graph = helper.make_graph([n.proto for n in nodes], f"graph_{self.seed}", [self.declare(v) for v in inputs],
                                  [helper.make_tensor_value_info(v.name, elem(v.dtype), [None] * v.rank) for v in outputs],
                                  [onnx.numpy_helper.from_array(v.constant, v.name) for v in constants])  # fmt: skip
        return (
            helper.make_model(
                graph,
                opset_imports=opsets(graph.node, self.opset),
                ir_version=8 if self.opset < 21 else 10,
                producer_name="fuzz",
            ),
            inputs,
            outputs,
        )

    def declare(self, value):
        shape = [static(d) if static(d) is not None else self.symbol(d) for d in value.dims]
        return helper.make_tensor_value_info(value.name, elem(value.dtype), shape)
