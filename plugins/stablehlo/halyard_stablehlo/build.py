"""Short names for building MLIR by the bindings: operations, types, constants."""

import jaxlib.mlir.ir as ir


class Unsupported(Exception):
    """An operation that is not lowered: what it is, why, and where it stands."""

    def __init__(self, op, why, hint=""):
        super().__init__(why)
        self.op, self.why, self.hint = op, why, hint


DYNAMIC = ir.ShapedType.get_dynamic_size()


def make(name, results, operands=(), attrs=None, regions=0):
    """An operation with any number of results, at the insertion point."""
    return ir.Operation.create(name, list(results), list(operands), attributes=dict(attrs or {}), regions=regions)


def one(name, result, operands=(), attrs=None):
    """The result of an operation that has one."""
    return make(name, [result], operands, attrs).results[0]


def before(op):
    """The place before an operation, whose location new operations take."""
    return _Place(ir.InsertionPoint(op), op.location)


def at_end(block, location):
    """The place at the end of a block."""
    return _Place(ir.InsertionPoint(block), location)


class _Place:
    def __init__(self, point, location):
        self.managers = (point, location)

    def __enter__(self):
        for manager in self.managers:
            manager.__enter__()

    def __exit__(self, *error):
        for manager in reversed(self.managers):
            manager.__exit__(*error)


def tensor(shape, element):
    """A ranked tensor type."""
    return ir.RankedTensorType.get(list(shape), element)


def is_tensor(v):
    """Whether a value is a ranked tensor."""
    return isinstance(v.type, ir.RankedTensorType)


def shaped(v):
    """The type of a value that is a ranked tensor."""
    return ir.RankedTensorType(v.type)


def shape(v):
    """The sizes of a tensor; `DYNAMIC` for one that is not known."""
    return list(shaped(v).shape)


def element(v):
    """The element type of a tensor."""
    return shaped(v).element_type


def is_integer(t):
    """Whether a type is an integer, of any sign."""
    return isinstance(t, ir.IntegerType)


def is_unsigned(t):
    """Whether a type is an unsigned integer."""
    return isinstance(t, ir.IntegerType) and t.is_unsigned


def is_complex(t):
    """Whether an element type is complex."""
    return isinstance(t, ir.ComplexType)


def signless(t):
    """An element type without its sign."""
    return ir.IntegerType.get_signless(t.width) if is_integer(t) else t


def index_type():
    """The type `index`."""
    return ir.IndexType.get()


def i1():
    """The type of truth values."""
    return ir.IntegerType.get_signless(1)


def i32():
    """The type `i32`."""
    return ir.IntegerType.get_signless(32)


def i64():
    """The type `i64`."""
    return ir.IntegerType.get_signless(64)


def number(t, value):
    """An attribute that holds a number of an element type."""
    if is_integer(t) and not t.is_unsigned and t.width < 64:
        value = int(value) & ((1 << t.width) - 1)
        value = bool(value) if t.width == 1 else value - (1 << t.width) if value >> (t.width - 1) else value
        return ir.IntegerAttr.get(t, int(value))
    if is_integer(t) or isinstance(t, ir.IndexType):
        value = int(value)
        return ir.IntegerAttr.get(
            t, value - (1 << 64) if value >> 63 == 1 else value
        )  # the bits of large unsigned ones
    return ir.FloatAttr.get(t, float(value))


def index(n):
    """A constant of type `index`."""
    return one("arith.constant", index_type(), attrs={"value": number(index_type(), n)})


def splat(t, value):
    """A constant tensor, StableHLO's, with one number everywhere."""
    return one(
        "stablehlo.constant", t, attrs={"value": ir.DenseElementsAttr.get_splat(t, number(t.element_type, value))}
    )


def scalar(v):
    """The element of a tensor of rank 0."""
    return one("tensor.extract", element(v), [v])


def box(v):
    """A tensor of rank 0 around a number."""
    return one("tensor.from_elements", tensor([], v.type), [v])


def dim(v, k):
    """A size of a tensor, as `index`."""
    t = shaped(v)
    return one("tensor.dim", index_type(), [v, index(k)]) if t.is_dynamic_dim(k) else index(t.shape[k])


def index_at(v, where=()):
    """An element of a tensor of integers as `index`; unsigned ones are not below zero."""
    t = element(v)
    x = one("tensor.extract", signless(t), [unsigned_less(v), *where])
    if isinstance(t, ir.IndexType):
        return x
    return one("arith.index_castui" if is_unsigned(t) else "arith.index_cast", index_type(), [x])


def recast(v, t):
    """A value under another type with the same bits, which differs in signs only."""
    if v.type == t:
        return v
    return one("builtin.unrealized_conversion_cast", t, [v])


def unsigned_less(v):
    """A tensor whose integers have no sign."""
    t = shaped(v)
    return recast(v, tensor(t.shape, signless(t.element_type)))


def ints(attr):
    """A dense array of 64-bit integers as a list."""
    return list(ir.DenseI64ArrayAttr(attr))


def array(values):
    """A dense array of 64-bit integers."""
    return ir.DenseI64ArrayAttr.get([int(v) for v in values])


def integer(attr):
    """The value of an integer attribute."""
    return ir.IntegerAttr(attr).value


def text(attr):
    """The value of a string attribute."""
    return ir.StringAttr(attr).value


def attributes(op):
    """The attributes of an operation, by name."""
    found = {}
    for a in op.attributes:  # newer bindings list names, older ones pairs
        found[a if isinstance(a, str) else a.name] = op.attributes[a] if isinstance(a, str) else a.attr
    return found


def walk(root, name):
    """All operations of a name below an operation, inner ones first."""
    found = []

    def visit(op):
        if op.operation.name == name:
            found.append(op.operation)
        return ir.WalkResult.ADVANCE

    root.operation.walk(visit, ir.WalkOrder.POST_ORDER)
    return found


def replace(op, values):
    """Puts values into the place of an operation's results."""
    for old, new in zip(op.results, values):
        if old.type != new.type:
            raise Unsupported(op, f"its type `{old.type}` became `{new.type}`")
        old.replace_all_uses_with(new)
    op.erase()


def terminator(block):
    """The last operation of a block."""
    return block.operations[len(block.operations) - 1].operation


def terminate(block, name, values=None, location=None):
    """Puts another terminator into a block; it takes the values of the old one unless others are given."""
    old = terminator(block)
    values = list(old.operands) if values is None else values
    location = location or old.location
    old.erase()
    with at_end(block, location):
        make(name, [], values)


def remap(op, env):
    """Lets an operation and all below it use other values."""
    for k, v in enumerate(op.operands):
        if v in env:
            op.operands[k] = env[v]
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                remap(inner.operation, env)


def paste(block, arguments):
    """Copies the operations of a block, but its terminator, to the insertion point; the values that it returns."""
    env = dict(zip(block.arguments, arguments))
    operations = list(block.operations)
    for op in operations[:-1]:
        new = op.operation.clone()
        remap(new, env)
        env.update(zip(op.operation.results, new.results))
    return [env.get(v, v) for v in operations[-1].operands]


def region(op, k, types, body):
    """Gives a region of an operation its block; `body` gets the arguments."""
    block = ir.Block.create_at_start(op.regions[k], list(types), [op.location] * len(types))
    with at_end(block, op.location):
        body(*block.arguments)
    return block


def slice_of(v, d, low, high, drop=False):
    """A part of one dimension of a tensor; `drop` leaves the dimension out."""
    t = shaped(v)
    sizes = [high - low if k == d else n for k, n in enumerate(t.shape)]
    kept = [n for k, n in enumerate(sizes) if k != d or not drop]
    unknown = [dim(v, k) for k, n in enumerate(sizes) if n == DYNAMIC]
    attrs = {
        "static_offsets": array([low if k == d else 0 for k in range(t.rank)]),
        "static_sizes": array(sizes),
        "static_strides": array([1] * t.rank),
        "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 0, len(unknown), 0]),
    }
    return one("tensor.extract_slice", tensor(kept, t.element_type), [v, *unknown], attrs)
