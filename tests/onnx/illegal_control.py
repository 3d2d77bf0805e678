"""Loops, branches and sequences that go wrong: rows of different shapes, sizes that fit in the first step only, positions, lengths."""

import numpy as np
import onnx.parser
from illegal_harness import Row
from onnx import helper

BIG = 10**9


def loop(name, inputs, text, legal, illegal, node="the_node", **more):
    """A loop of `m` steps, whose body is given as text; the initialisers `yes`, `zero` and `one` are there."""
    body = onnx.parser.parse_graph("body " + text)
    for i, n in enumerate(body.node):
        n.name = f"{n.op_type}_{i}"
    op = helper.make_node(
        "Loop",
        ["m", "yes", *more.pop("state", [])],
        [f"y{i}" for i in range(len(more.get("outputs", "f")))],
        name="the_node",
        body=body,
    )
    consts = {"yes": np.array(True), "zero": np.array(0), "one": np.array(1), "five": np.array([5.0, 5.0], np.float32)}
    return Row([op], inputs, legal, illegal, name=name, node=node, consts=consts, opset=17, **more)


def nodes(*list_):
    """Nodes by operator, inputs and outputs; the last one is named."""
    made = [helper.make_node(op, i.split(), o.split()) for op, i, o in list_]
    made[-1].name = "the_node"
    return made


def growing(name, inputs, text, op, legal, illegal, *after):
    """A loop of `m` steps that appends to a sequence what the text computes, and nodes that take it."""
    body = onnx.parser.parse_graph(f"""body (int64 i, bool c, seq(float[A]) l) => (bool co, seq(float[B]) lo) {{
        co = Identity(c)  k = Add(i, one)  end = Unsqueeze(k, first)  {text}  lo = SequenceInsert(l, v) }}""")
    list_ = [
        helper.make_node("SequenceEmpty", [], ["none"]),
        helper.make_node("Loop", ["m", "yes", "none"], ["s"], body=body),
        op,
        *after,
    ]
    consts = {"yes": np.array(True), "one": np.array(1), "first": np.array([0])}
    return Row(list_, inputs, legal, illegal, name=name, node="the_node", consts=consts, opset=17)


ROWS = [
    loop("Loop whose rows are of different shapes", "m:l[]", """(int64 i, bool c) => (bool co, int64[K] row) { co = Identity(c)  k = Add(i, one)  row = Range(zero, k, one) }""",
        [[1]], [(2, ["step 1", "2", "1"]), (5, "dimension 0 of a row")], outputs="l"),
    loop("Loop whose second step does not fit", "m:l[] x:f[N]", """(int64 i, bool c, float[P] s) => (bool co, float[Q] so) { co = Identity(c)  t = Add(s, five)  so = Concat <axis = 0> (t, x) }""",
        [[1, [1.0, 2.0]], [0, [1.0, 2.0]], [1, [3.0]]], [(2, [1.0, 2.0], ["4", "2"]), (2, [3.0], ["3", "2"])], state=["x"], node="Add_1"),
    loop("Loop whose steps leave a list", "m:l[] x:f[N]", """(int64 i, bool c, float s) => (bool co, float so) { co = Identity(c)  v = Gather(x, i)  so = Add(s, v) }""",
        [[3, [1.0, 2.0, 3.0]], [0, [1.0]]], [(4, [1.0, 2.0, 3.0], ["3"]), (BIG, [1.0], "1")], state=["start"], node="Gather_1"),
    Row("Scan", "n:l[B] h:f[B,2] x:f[B,T,2]", [[[2, 1], (2, 2), (2, 2, 2)]], [([3, 1], (2, 2), (2, 2, 2), ["3", "2"]), ([-1, 1], (2, 2), (2, 2, 2), "-1")], outputs="f", opset=8, num_scan_inputs=1,
        body=onnx.parser.parse_graph("body (float[2] s, float[2] v) => (float[2] so) { so = Add(s, v) }"), name="Scan of batches"),
    Row("Scan", "h:f[2] x:f[T,2] z:f[S,2]", [[(2,), (3, 2), (3, 2)]], [((2,), (3, 2), (4, 2), ["3", "4"])], outputs="f", opset=17, num_scan_inputs=2,
        body=onnx.parser.parse_graph("body (float[2] s, float[2] v, float[2] w) => (float[2] so) { t = Add(s, v)  so = Add(t, w) }")),
    Row(nodes(("SequenceConstruct", "x z", "s"), ("SequenceAt", "s p", "y0")), "x:f[N] z:f[M] p:l[]", [[[1.0], [2.0, 3.0], 0], [[1.0], [2.0, 3.0], -1]],
        [([1.0], [2.0], 2, ["2"]), ([1.0], [2.0], -3, "-3")], name="SequenceAt"),
    Row([*nodes(("SequenceConstruct", "x z", "s"), ("SequenceInsert", "s x p", "t")), helper.make_node("ConcatFromSequence", ["t"], ["y0"], axis=0)], "x:f[N] z:f[M] p:l[]",
        [[[1.0], [2.0, 3.0], 0], [[1.0], [2.0, 3.0], 1], [[1.0], [2.0, 3.0], 2], [[1.0], [2.0, 3.0], -1], [[1.0], [2.0, 3.0], -2]], [([1.0], [2.0], 3, "3"), ([1.0], [2.0], -3, "-3")],
        name="SequenceInsert", node="the_node"),
    Row([*nodes(("SequenceConstruct", "x z x", "s"), ("SequenceErase", "s p", "t")), helper.make_node("ConcatFromSequence", ["t"], ["y0"], axis=0)], "x:f[N] z:f[M] p:l[]",
        [[[1.0], [2.0, 3.0], 0], [[1.0], [2.0, 3.0], 1], [[1.0], [2.0, 3.0], -1]], [([1.0], [2.0], 3, "3"), ([1.0], [2.0], -4, "-4")], name="SequenceErase", node="the_node"),
    Row([*nodes(("SplitToSequence", "x p", "s")), helper.make_node("SequenceAt", ["s", "one"], ["y0"])], "x:f[N] p:l[2]", [[(5,), [2, 3]], [(5,), [5, 0]]],
        [((5,), [2, 2], ["4", "5"]), ((5,), [6, -1], "-1")], consts={"one": np.array(1)}, name="SplitToSequence", node="the_node"),
    growing("SequenceAt of a sequence of unknown length", "m:l[] x:f[N] p:l[]", "v = Slice(x, first, end)", helper.make_node("SequenceAt", ["s", "p"], ["y0"], name="the_node"),
        [[3, [1.0, 2.0, 3.0], 0], [3, [1.0, 2.0, 3.0], -3]], [(3, [1.0, 2.0, 3.0], 3, "3"), (3, [1.0], -4, "-4"), (0, [1.0], 0, "0"), (0, [1.0], -1, "-1")]),
    growing("SequenceErase of a sequence of unknown length", "m:l[] x:f[N] p:l[]", "v = Slice(x, first, end)", helper.make_node("SequenceErase", ["s", "p"], ["t"], name="the_node"),
        [[3, [1.0, 2.0, 3.0], 0], [3, [1.0, 2.0, 3.0], -1]], [(3, [1.0, 2.0, 3.0], 3, "3"), (0, [1.0], 0, "0")], helper.make_node("ConcatFromSequence", ["t"], ["y0"], axis=0)),
    growing("ConcatFromSequence of elements of different sizes", "m:l[] x:f[N]", "v = Slice(x, first, end)", helper.make_node("ConcatFromSequence", ["s"], ["y0"], name="the_node", axis=0, new_axis=1),
        [[1, [1.0, 2.0, 3.0]], [3, [1.0]]], [(2, [1.0, 2.0, 3.0], ["3", "2"]), (0, [1.0, 2.0], "no element")]),
    Row([helper.make_node("SplitToSequence", ["x", "p"], ["s"], name="the_node"), helper.make_node("ConcatFromSequence", ["s"], ["y0"], axis=0)], "x:f[N] p:l[]", [[(5,), 2], [(5,), 9]],
        [((5,), 0, "0"), ((5,), -3, "-3")], name="SplitToSequence by a number", node="the_node"),
    Row([helper.make_node("If", ["f"], ["y0"], name="the_node", then_branch=onnx.parser.parse_graph("t () => (float[N,1] p) { p = Identity(x) }"),
        else_branch=onnx.parser.parse_graph("e () => (float[N] q) { q = Squeeze(x, axis) }"))], "f:b[] x:f[N,1]", [[True, (3, 1)]], [(False, (3, 1), "rank 2")],
        consts={"axis": np.array([1])}, opset=17, name="If with results of two ranks", shapes={"y0": ["N", 1]}),
    Row([helper.make_node("If", ["f"], ["z"], name="the_node", then_branch=onnx.parser.parse_graph("t () => (float[N] p) { p = Squeeze(x, axis) }"),
        else_branch=onnx.parser.parse_graph("e () => (float[N,1] q) { q = Identity(x) }")), helper.make_node("Transpose", ["z"], ["y0"], perm=[1, 0])],
        "f:b[] x:f[N,1]", [[False, (3, 1)]], [(True, (3, 1), ["rank 2", "the rest of the model"])],
        consts={"axis": np.array([1])}, opset=17, node="the_node", name="If of which one branch fits what follows"),
]  # fmt: skip
for row in ROWS:
    if "start" in [i for n in (row.op if isinstance(row.op, list) else []) for i in n.input]:
        row.consts["start"] = np.float32(0)
