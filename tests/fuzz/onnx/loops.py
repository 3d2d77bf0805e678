"""Loops and scans that graphs grow by: bodies of arithmetic that carry values, make rows, and read what lies around them."""

import numpy as np
from grow import BOOL, F32, I64, Reject, Value, elem
from onnx import helper

STEPS = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": lambda a, b: a * b,
    "Max": np.maximum,
    "Min": np.minimum,
}


def value_info(name, dtype, rank):
    return helper.make_tensor_value_info(name, elem(dtype), [None] * rank)


def damped(g, operands, stem):
    """A step that neither grows nor dies: half of one value, with another one. Nodes, its name, and what it computes of arrays by name."""
    a, b, op = g.r.choice(operands), g.r.choice(operands), g.r.choice(list(STEPS))
    half, made = f"{stem}_half", f"{stem}_out"
    nodes = [helper.make_node("Mul", [a, f"{stem}_c"], [half]), helper.make_node(op, [half, b], [made])]
    constant = helper.make_node("Constant", [], [f"{stem}_c"], value=helper.make_tensor(f"{stem}_v", 1, [], [0.5]))
    return [constant, *nodes], made, lambda env: STEPS[op](env[a] * np.float32(0.5), env[b])


def finish(g, proto, reads, results):
    makes = [Value(name, arrays, shadows) for name, arrays, shadows in results]
    g.add(proto, reads, makes, "known")
    for v in makes:
        g.look_at(v)
        g.values.append(v)
    return makes


def loop(g):
    """A Loop of a fixed or given number of turns, or until a condition: one value carried, perhaps a row per turn."""
    if g.opset < 13:
        raise Reject
    x = g.pick(lambda v: v.dtype == F32 and v.rank > 0)
    around = [v for v in g.values if v.dtype == F32 and v.dims == x.dims]
    around = g.r.sample(around, min(len(around), 2))
    # How often it turns; with a condition it ends when its counter reaches a number.
    turns = g.r.choice([1, 2, 3, 5])
    until = g.r.randint(1, 5) if g.r.random() < 0.4 else None
    given = g.r.random() < 0.3
    trip = g.input(I64, [], 0, 6) if given else g.constant(np.asarray(turns, np.int64), plain=True)
    stem = g.fresh("loop")
    nodes, made, compute = damped(g, [f"{stem}_x", *[v.name for v in around]], stem)
    rows = g.r.random() < 0.5
    body = list(nodes)
    if until is None:
        body.append(helper.make_node("Identity", [f"{stem}_go"], [f"{stem}_on"]))
    else:
        body.append(
            helper.make_node("Constant", [], [f"{stem}_n"], value=helper.make_tensor(f"{stem}_nv", 7, [], [until - 1]))
        )
        body.append(helper.make_node("Less", [f"{stem}_i", f"{stem}_n"], [f"{stem}_on"]))
    outputs = [value_info(f"{stem}_on", BOOL, 0), value_info(made, F32, x.rank)]
    if rows:
        body.append(helper.make_node("Identity", [made], [f"{stem}_row"]))
        outputs.append(value_info(f"{stem}_row", F32, x.rank))
    graph = helper.make_graph(
        body,
        stem,
        [value_info(f"{stem}_i", I64, 0), value_info(f"{stem}_go", BOOL, 0), value_info(f"{stem}_x", F32, x.rank)],
        outputs,
    )
    names = [g.fresh() for _ in range(2 if rows else 1)]
    go = g.constant(np.asarray(True), plain=True)
    proto = helper.make_node("Loop", [trip.name, go.name, x.name], names, body=graph)

    def run(k, arrays):
        value, all_rows = arrays(x)[k], []
        for i in range(int(trip.arrays[k])):
            value = compute({f"{stem}_x": value, **{v.name: arrays(v)[k] for v in around}})
            all_rows.append(value)
            if until is not None and i >= until - 1:
                break
        return value, (np.stack(all_rows) if all_rows else np.zeros((0, *value.shape), value.dtype))

    plain = [run(k, lambda v: v.arrays) for k in range(g.bindings)]
    wide = [run(k, lambda v: v.shadows) for k in range(g.bindings)]
    results = [
        (name, [p[i] for p in plain], [g.noisy(w[i].astype(np.float32)) for w in wide]) for i, name in enumerate(names)
    ]
    return finish(g, proto, [trip, go, x, *around], results)


def scan(g):
    """A Scan along an axis, forward or backward: a state of one row, and what becomes of each row."""
    if g.opset < 11:
        raise Reject
    x = g.pick(lambda v: v.dtype == F32 and v.rank > 1 and all(min(d) for d in v.dims))
    axis, back, out_back = g.r.randrange(x.rank), g.r.choice([0, 1]), g.r.choice([0, 1])
    row = [d for i, d in enumerate(x.dims) if i != axis]
    state = g.input(F32, row)
    stem = g.fresh("scan")
    nodes, made, compute = damped(g, [f"{stem}_s", f"{stem}_r"], stem)
    body = [*nodes, helper.make_node("Identity", [made], [f"{stem}_row"])]
    graph = helper.make_graph(body, stem, [value_info(f"{stem}_s", F32, len(row)), value_info(f"{stem}_r", F32, len(row))],
                              [value_info(made, F32, len(row)), value_info(f"{stem}_row", F32, len(row))])  # fmt: skip
    out_axis = g.r.randrange(x.rank)
    names = [g.fresh(), g.fresh()]
    proto = helper.make_node("Scan", [state.name, x.name], names, body=graph, num_scan_inputs=1, scan_input_axes=[axis], scan_input_directions=[back],
                             scan_output_axes=[out_axis], scan_output_directions=[out_back])  # fmt: skip

    def run(k, arrays):
        s, rows, data = arrays(state)[k], [], arrays(x)[k]
        order = range(data.shape[axis])
        for i in reversed(order) if back else order:
            s = compute({f"{stem}_s": s, f"{stem}_r": np.take(data, i, axis)})
            rows.append(s)
        return s, np.stack(rows[::-1] if out_back else rows, out_axis)

    plain = [run(k, lambda v: v.arrays) for k in range(g.bindings)]
    wide = [run(k, lambda v: v.shadows) for k in range(g.bindings)]
    results = [
        (name, [p[i] for p in plain], [g.noisy(w[i].astype(np.float32)) for w in wide]) for i, name in enumerate(names)
    ]
    return finish(g, proto, [state, x], results)


LOOPS = [loop, loop, scan]
