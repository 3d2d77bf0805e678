"""Loops and branches: `stablehlo.while`, `case` and `if` as `scf`."""

from .build import (
    at_end,
    before,
    box,
    element,
    i1,
    i64,
    index,
    index_type,
    integer,
    ir,
    is_integer,
    is_unsigned,
    make,
    number,
    one,
    paste,
    recast,
    replace,
    scalar,
    signless,
    terminate,
    terminator,
)


def while_loop(op):
    """A loop that counts becomes `scf.for`, any other one `scf.while`."""
    counted = counter(op)
    with before(op):
        results = count(op, *counted) if counted else repeat(op)
    replace(op, results)


def repeat(op):
    new = make("scf.while", [r.type for r in op.results], op.operands, regions=2)
    for k in (0, 1):
        op.regions[k].blocks[0].append_to(new.regions[k])
    condition, body = new.regions[0].blocks[0], new.regions[1].blocks[0]
    end = terminator(condition)
    holds = end.operands[0]
    end.erase()
    with at_end(condition, op.location):
        make("scf.condition", [], [scalar(holds), *condition.arguments])
    terminate(body, "scf.yield")
    return list(new.results)


def counter(op):
    """Which argument counts, the bound (a value from outside of the loop), and the step; none if nothing counts."""
    condition, body = op.regions[0].blocks[0], op.regions[1].blocks[0]
    holds = defining(terminator(condition).operands[0])
    if holds is None or holds.name != "stablehlo.compare" or "LT" not in str(holds.attributes["comparison_direction"]):
        return None
    arguments = list(condition.arguments)
    if holds.operands[0] not in arguments:
        return None
    k = arguments.index(holds.operands[0])
    bound = invariant(op, holds.operands[1], condition, body)
    t = element(holds.operands[0])
    if bound is None or not is_integer(t) or is_unsigned(t):
        return None
    new = defining(terminator(body).operands[k])
    if new is None or new.name != "stablehlo.add":
        return None
    a, b = new.operands
    if a != body.arguments[k]:
        a, b = b, a
    step = known(b)
    return (k, bound, step) if a == body.arguments[k] and step is not None and step > 0 else None


def invariant(op, v, condition, body):
    """A value outside of the loop that is always this one of its condition; none if there is none."""
    if isinstance(v.owner, ir.Block):
        if v.owner != condition:
            return v
        k = list(condition.arguments).index(v)
        return op.operands[k] if terminator(body).operands[k] == body.arguments[k] else None
    owner = v.owner.operation
    if owner.block != condition:
        return v
    return v if owner.name == "stablehlo.constant" else None


def defining(v):
    return None if isinstance(v.owner, ir.Block) else v.owner.operation


def known(v):
    """The number that a tensor of rank 0 holds, if it is a constant."""
    op = defining(v)
    if op is None or op.name != "stablehlo.constant" or not is_integer(element(v)):
        return None
    return integer(ir.DenseElementsAttr(op.attributes["value"]).get_splat_value())


def count(op, k, bound, step):
    """The `scf.for` of a loop; its counter is known without it."""
    body = op.regions[1].blocks[0]
    t = element(op.operands[k])
    if defining(bound) is not None and defining(bound).block == op.regions[0].blocks[0]:
        bound = defining(bound).clone().results[0]
    low, high = (one("arith.index_cast", index_type(), [scalar(v)]) for v in (op.operands[k], bound))
    others = [j for j in range(len(op.operands)) if j != k]
    init = [op.operands[j] for j in others]
    new = make("scf.for", [v.type for v in init], [low, high, index(step), *init], regions=1)
    block = ir.Block.create_at_start(
        new.regions[0], [index_type(), *[v.type for v in init]], [op.location] * (1 + len(init))
    )

    def boxed(v):
        return box(one("arith.index_cast", t, [v]))

    with at_end(block, op.location):
        arguments = list(body.arguments)
        inside = {j: v for j, v in zip(others, list(block.arguments)[1:])}
        inside[k] = boxed(block.arguments[0])
        for j, argument in enumerate(arguments):
            argument.replace_all_uses_with(inside[j])
    end = terminator(body)
    returned = [end.operands[j] for j in others]
    end.erase()
    for inner in list(body.operations):
        inner.operation.move_after(block.operations[len(block.operations) - 1])
    with at_end(block, op.location):
        make("scf.yield", [], returned)
    # How far it came: the first number of its steps that is not below the bound.
    span = one("arith.maxsi", index_type(), [one("arith.subi", index_type(), [high, low]), index(0)])
    rounds = one("arith.ceildivsi", index_type(), [span, index(step)])
    last = one("arith.addi", index_type(), [low, one("arith.muli", index_type(), [rounds, index(step)])])
    results = dict(zip(others, new.results))
    results[k] = boxed(last)
    return [results[j] for j in range(len(op.operands))]


def case(op):
    """Nested `scf.if`; an index out of range means the last branch."""
    with before(op):
        t = signless(element(op.operands[0]))
        k = recast(scalar(op.operands[0]), t)
        equal = ir.IntegerAttr.get(i64(), 0)
        chosen = [
            one("arith.cmpi", i1(), [k, one("arith.constant", t, attrs={"value": number(t, j)})], {"predicate": equal})
            for j in range(len(op.regions) - 1)
        ]
        results = branches(op, chosen)
    replace(op, results)


def if_else(op):
    """One `scf.if`."""
    with before(op):
        results = branches(op, [scalar(op.operands[0])])
    replace(op, results)


def branches(op, chosen):
    """`chosen[k]` says that region `k` is it; the last region is for the rest."""
    if not chosen:
        return paste(op.regions[0].blocks[0], [])
    types = [r.type for r in op.results]

    def nest(k):
        new = make("scf.if", types, [chosen[k]], regions=2)
        op.regions[k].blocks[0].append_to(new.regions[0])
        if k + 1 == len(chosen):
            op.regions[k + 1].blocks[0].append_to(new.regions[1])
        else:
            block = ir.Block.create_at_start(new.regions[1], [])
            with at_end(block, op.location):
                make("stablehlo.return", [], nest(k + 1).results)
        for r in new.regions:
            terminate(r.blocks[0], "scf.yield")
        return new

    return list(nest(0).results)
