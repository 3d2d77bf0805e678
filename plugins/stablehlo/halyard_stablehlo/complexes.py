"""Complex numbers as pairs of real tensors. On functions a complex tensor is one real tensor with a last dimension of 2, as
numpy has it in memory."""

from jaxlib.mlir.dialects import stablehlo as hlo

from . import complex_math
from .build import (
    Unsupported,
    array,
    attributes,
    before,
    dim,
    i1,
    ir,
    is_complex,
    make,
    one,
    shape,
    shaped,
    slice_of,
    tensor,
    terminator,
)
from .constants import dense, like
from .constants import read as read_constant
from .fft import fft
from .moves import MOVES

# Operations that are linear in each of two operands.
BILINEAR = {"dot_general", "dot", "convolution", "dynamic_conv"}
# Operations whose operands are arguments of their regions, or elements of them.
WITH_REGIONS = {"while", "if", "case", "reduce", "reduce_window", "sort", "scatter", "map"}


def split(module):
    """Rewrites all functions."""
    for f in module.body.operations:
        if f.operation.name == "func.func" and len(f.operation.regions[0].blocks):
            Pairs().function(f.operation)


def real_part(t):
    """The tensor type of one part."""
    t = ir.RankedTensorType(t)
    return tensor(t.shape, ir.ComplexType(t.element_type).element_type)


def complex_type(t):
    return isinstance(t, ir.RankedTensorType) and is_complex(t.element_type)


def interface(t):
    """The type on functions."""
    return tensor([*ir.RankedTensorType(t).shape, 2], real_part(t).element_type) if complex_type(t) else t


class Pairs:
    """One function."""

    def __init__(self):
        self.parts = {}
        self.dead = []

    def function(self, f):
        t = ir.FunctionType(ir.TypeAttr(f.attributes["function_type"]).value)
        block = f.regions[0].blocks[0]
        complex_arguments = [a for a in block.arguments if complex_type(a.type)]
        operations = list(block.operations)
        first = operations[0].operation
        for a in complex_arguments:
            old = a.type
            a.set_type(interface(old))
            with before(first):
                last = shaped(a).rank - 1
                self.parts[a] = tuple(slice_of(a, last, k, k + 1, drop=True) for k in (0, 1))
        self.operations(operations)
        end = terminator(block)
        if any(complex_type(v.type) for v in end.operands):
            with before(end):
                values = [
                    joined(self.parts[v]) if v in self.parts and complex_type(v.type) else v for v in end.operands
                ]
                make("func.return", [], values)
            end.erase()
        for op in reversed(self.dead):
            op.erase()
        types = ir.FunctionType.get([interface(x) for x in t.inputs], [interface(x) for x in t.results])
        f.attributes["function_type"] = ir.TypeAttr.get(types)

    def pair(self, v):
        """The parts of a complex tensor."""
        return self.parts[v]

    def part(self, v, k):
        """One part of a complex tensor; a real one as it is."""
        return self.parts[v][k] if v in self.parts else v

    def flat(self, values):
        """Values with the imaginary parts of complex ones after all others."""
        values = list(values)
        return [self.part(v, 0) for v in values] + [self.parts[v][1] for v in values if v in self.parts]

    def operations(self, operations):
        for op in operations:
            op = op.operation
            if op.name == "func.return":
                continue
            values = [*op.operands, *op.results]
            if any(complex_type(v.type) or v in self.parts for v in values):
                # Outer ones first: inner ones, which use arguments of their blocks, are erased before them.
                self.dead.append(op)
                if op.name == "stablehlo.return":
                    with before(op):
                        make(op.name, [], self.flat(op.operands))
                else:
                    self.rewrite(op)
                continue
            for r in op.regions:
                for inner in r.blocks:
                    self.operations(list(inner.operations))

    def rewrite(self, op):
        name = op.name.split(".", 1)[1]
        with before(op):
            if name in WITH_REGIONS:
                self.with_regions(op, name)
            elif name == "compare":
                self.give(op, [self.compare(op)])
            else:
                self.give(op, self.values(op, name))

    def give(self, op, values):
        """Says what stands for the results: a pair for a complex one."""
        for old, new in zip(op.results, values):
            if isinstance(new, tuple):
                self.parts[old] = new
            else:
                old.replace_all_uses_with(new)

    def values(self, op, name):
        if name in complex_math.ELEMENTWISE:
            return [complex_math.ELEMENTWISE[name](*[self.pair(v) for v in op.operands])]
        if name in MOVES:
            both = [self.copy(op, k) for k in (0, 1)]
            return [tuple(c) if complex_type(r.type) else c[0] for r, c in zip(op.results, zip(*both))]
        if name in BILINEAR:
            return [self.bilinear(op)]
        if name == "constant":
            found = read_constant(op)
            e = real_part(op.results[0].type).element_type
            return [(dense(found.real, e), dense(found.imag, e))]
        if name == "complex":
            return [tuple(op.operands)]
        if name in ("real", "imag"):
            return [self.pair(op.operands[0])[name == "imag"]]
        if name == "abs":
            return [complex_math.magnitude(self.pair(op.operands[0]))]
        if name == "is_finite":
            flags = [one("stablehlo.is_finite", tensor(shape(p), i1()), [p]) for p in self.pair(op.operands[0])]
            return [hlo.and_(*flags)]
        if name == "convert":
            return [self.convert(op)]
        if name == "fft":
            return [fft(op, self.pair)]
        if name == "get_dimension_size":
            return [
                one(
                    op.name,
                    op.results[0].type,
                    [self.part(op.operands[0], 0)],
                    {"dimension": op.attributes["dimension"]},
                )
            ]
        if name == "shape_of" or op.name == "tensor.dim":
            return [one(op.name, op.results[0].type, self.flat(op.operands)[: len(op.operands)])]
        what = name
        if name == "custom_call":
            what = f"custom_call @{ir.StringAttr(op.attributes['call_target_name']).value}"
        raise Unsupported(op, f"`{what}` on complex numbers")

    def copy(self, op, k):
        """The results of the operation on one part."""
        types = [real_part(r.type) if complex_type(r.type) else r.type for r in op.results]
        return list(make(op.name, types, [self.part(v, k) for v in op.operands], attributes(op)).results)

    def bilinear(self, op):
        """Four products; fewer where an operand is real."""
        t = real_part(op.results[0].type)
        attrs = attributes(op)
        x, y, *rest = op.operands

        def product(j, k):
            a, b = self.part(x, j), self.part(y, k)
            return one(op.name, t, [a, b, *rest], attrs)

        if x not in self.parts:
            return product(0, 0), product(0, 1)
        if y not in self.parts:
            return product(0, 0), product(1, 0)
        return hlo.subtract(product(0, 0), product(1, 1)), hlo.add(product(0, 1), product(1, 0))

    def compare(self, op):
        (a, b), (c, d) = self.pair(op.operands[0]), self.pair(op.operands[1])
        how = "EQ" if "EQ" in str(op.attributes["comparison_direction"]) else "NE"
        first, second = complex_math.compare(a, c, how), complex_math.compare(b, d, how)
        return hlo.and_(first, second) if how == "EQ" else hlo.or_(first, second)

    def convert(self, op):
        source, target = op.operands[0], op.results[0].type
        if not complex_type(target):
            return one(op.name, target, [self.part(source, 0)])
        t = real_part(target)
        parts = [one(op.name, t, [v]) for v in (self.pair(source) if source in self.parts else (source,))]
        return tuple(parts) if len(parts) == 2 else (parts[0], like(parts[0], 0.0))

    def with_regions(self, op, name):
        """The operation on more operands: imaginary parts after each group of operands that belong together."""
        results = list(op.results)
        count = len(results)
        operands = list(op.operands)
        if name in ("while", "if", "case"):
            groups = [operands]
        elif name in ("reduce", "reduce_window"):
            groups = [operands[:count], operands[count:]]
        elif name == "scatter":
            groups = [operands[:count], operands[count : count + 1], operands[count + 1 :]]
        else:
            groups = [operands]
        types = [real_part(r.type) if complex_type(r.type) else r.type for r in results]
        types += [real_part(r.type) for r in results if complex_type(r.type)]
        new = make(op.name, types, [v for g in groups for v in self.flat(g)], attributes(op), regions=len(op.regions))
        for k, r in enumerate(op.regions):
            self.region(r.blocks[0], new, k, name)
        imaginary = iter(list(new.results)[count:])
        self.give(op, [(v, next(imaginary)) if complex_type(r.type) else v for r, v in zip(results, new.results)])

    def region(self, block, new, k, name):
        """Moves a block into a new operation, with arguments for the parts."""
        arguments = list(block.arguments)
        # Arguments come in pairs (sort) or in two halves (reduce, scatter); the new ones in the same way.
        if name == "sort":
            groups = [arguments[0::2], arguments[1::2]]
        elif name in ("reduce", "reduce_window", "scatter"):
            groups = [arguments[: len(arguments) // 2], arguments[len(arguments) // 2 :]]
        else:
            groups = [arguments]
        expanded = [[(a, 0) for a in g] + [(a, 1) for a in g if complex_type(a.type)] for g in groups]
        order = [x for pair in zip(*expanded) for x in pair] if name == "sort" else [x for g in expanded for x in g]
        types = [real_part(a.type) if complex_type(a.type) else a.type for a, _ in order]
        inside = ir.Block.create_at_start(new.regions[k], types, [new.location] * len(types))
        found = {}
        for (a, part), v in zip(order, inside.arguments):
            if complex_type(a.type):
                found.setdefault(a, {})[part] = v
            else:
                a.replace_all_uses_with(v)
        for a, both in found.items():
            self.parts[a] = (both[0], both[1])
        for op in list(block.operations):
            inside.append(op.operation)
        self.operations(list(inside.operations))


def joined(pair):
    """Both parts in one tensor, side by side."""
    re, im = pair
    t = shaped(re)
    kind = tensor([*t.shape, 2], t.element_type)
    rank = t.rank
    unknown = [dim(re, d) for d in range(rank) if t.is_dynamic_dim(d)]
    out = one("tensor.empty", kind, unknown)
    for k, v in enumerate((re, im)):
        attrs = {
            "static_offsets": array([0] * rank + [k]),
            "static_sizes": array([*t.shape, 1]),
            "static_strides": array([1] * (rank + 1)),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 1, 0, len(unknown), 0]),
        }
        out = one("tensor.insert_slice", kind, [v, out, *unknown], attrs)
    return out
