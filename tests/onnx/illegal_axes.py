"""Axes, steps, pads and counts that only the run knows, and results whose size depends on data."""

from illegal_harness import Row

X = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
FLAGS = [[0.0, 2.0, 0.0], [1.0, 0.0, 3.0]]
BOXES = [[[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 10, 1, 11], [0, -0.1, 1, 0.9]]]
SCORES = [[[0.9, 0.75, 0.6, 0.95], [0.1, 0.2, 0.3, 0.1]]]
reduce = lambda op, **more: Row(op, "x:f[M,N,K] a:l[1]", [[(2, 3, 4), [0]], [(2, 3, 4), [-1]], [(2, 1, 4), [1]]],
    [((2, 3, 4), [3], ["3", "rank 3"]), ((2, 3, 4), [-4], "-4")], opset=18, name=f"{op} of one axis {more}", **more)  # fmt: skip
several = lambda op, **more: Row(op, "x:f[M,N,K] a:l[2]", [[(2, 3, 4), [0, 2]], [(2, 3, 4), [-1, 1]], [(1, 1, 5), [1, 0]]],
    [((2, 3, 4), [0, -3], "twice"), ((2, 3, 4), [1, 5], "5")], opset=18, name=f"{op} of two axes {more}", **more)  # fmt: skip
many = lambda op, **more: Row(op, "x:f[M,N,K] a:l[A]", [[(2, 3, 4), []], [(2, 3, 4), [1]], [(2, 3, 4), [2, 0]], [(2, 3, 4), [0, 1, 2]]],
    [((2, 3, 4), [0, 0], "twice"), ((2, 3, 4), [1, 7], "out of range"), ((2, 3, 4), [-9], "out of range")], opset=18, name=f"{op} of any axes {more}", **more)  # fmt: skip
ROWS = [
    *[reduce(op) for op in ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceLogSumExp")],
    *[reduce(op, keepdims=0) for op in ("ReduceProd", "ReduceMin", "ReduceL2")],
    *[several(op) for op in ("ReduceSum", "ReduceL1", "ReduceSumSquare")], *[several(op, keepdims=0) for op in ("ReduceMean", "ReduceMax")],
    *[many(op) for op in ("ReduceSum", "ReduceMean", "ReduceLogSumExp")],
    Row("ReduceSum", "x:f[M,N] a:l[A]", [[X, []], [X, [1]]], [(X, [2], "out of range")], noop_with_empty_axes=1, name="ReduceSum that may do nothing"),
    Row("ReduceMean", "x:f[M,N] a:l[1]", [[X, [0]], [(0, 2), [1]]], [((0, 2), [0], "no mean")], opset=18, name="ReduceMean of nothing"),
    Row("Squeeze", "x:f[M,N] a:l[1]", [[(1, 3), [0]], [(3, 1), [-1]]], [((2, 3), [0], "2"), ((1, 3), [2], "2"), ((1, 3), [-3], "-3")]),
    Row("Squeeze", "x:f[M,2,N] a:l[2]", [[(1, 2, 1), [2, 0]]], [((1, 2, 1), [0, 0], "twice"), ((1, 2, 1), [0, 1], "2"), ((1, 2, 3), [0, 2], "3")], name="Squeeze of two"),
    Row("Squeeze", "x:f[M,1,N]", [[(2, 1, 3)], [(0, 1, 3)]], [((1, 1, 3), ["is 1", "name the axes"])], name="Squeeze of what is known to be 1"),
    Row("Unsqueeze", "x:f[M,N] a:l[2]", [[X, [0, 2]], [X, [-1, 0]], [X, [1, 3]]], [(X, [0, 0], "twice"), (X, [0, 4], "4"), (X, [-5, 0], "-5")]),
    Row("CumSum", "x:f[M,N] a:l[]", [[X, 0], [X, 1], [X, -2], [(70, 300), 1], [(0, 2), 0]], [(X, 2, "2"), (X, -3, "-3")]),
    Row("Slice", "x:f[M,N] s:l[2] e:l[2] a:l[2] p:l[2]", [[X, [2, 0], [-9, 2], [0, 1], [-1, 1]], [X, [0, 1], [2, 3], [-1, 0], [2, 1]], [X, [5, 0], [9, 2], [0, 1], [3, 1]]],
        [(X, [0, 0], [1, 1], [0, 1], [1, 0], "a step is 0"), (X, [0, 0], [1, 1], [0, 2], [1, 1], "2")], name="Slice by axes and steps"),
    Row("Slice", "x:f[M,N] s:l[K] e:l[K] a:l[K] p:l[K]", [[X, [2], [0], [0], [-1]], [X, [0, 1], [2, 3], [-1, 0], [2, 1]]],
        [(X, [0], [1], [2], [1], "2")], name="Slice by lists of any length"),
    Row("Slice", "x:f[M,N] s:l[K] e:l[L]", [[X, [1], [3]], [X, [1, 1], [3, 2]]], [(X, [0, 0, 0], [1, 1, 1], ["3", "2"])], name="Slice of the first axes"),
    Row("Pad", "x:f[M,N] p:l[4]", [[X, [1, 0, 0, 2]], [X, [-1, 0, 0, -1]], [X, [-2, 1, 3, -1]]], [(X, [-2, 0, -2, 0], ["-1", "3"])]),
    Row("Pad", "x:f[M,N] p:l[K] v:f[] a:l[A]", [[X, [1, 2], 7, [-1]], [X, [0, 1, 1, 0], 0, [1, 0]]], [(X, [1, 2, 3], 0, [0], "3"), (X, [1, 2], 0, [2], "2")], name="Pad of any axes"),
    Row("Pad", "x:f[M,N] p:l[4]", [[X, [1, 0, 0, 1]], [X, [2, 1, 2, 1]]], [(X, [3, 0, 0, 0], "3"), (X, [0, 0, 0, 2], "2")], mode="reflect", name="Pad by reflection"),
    Row("CenterCropPad", "x:f[M,N] s:l[2]", [[X, [2, 5]], [X, [4, 1]], [X, [0, 2]]], [(X, [-1, 2], "-1")]),
    Row("Tile", "x:f[M,N] r:l[K]", [[X, [2, 3]], [X, [0, 1]]], [(X, [2], "1"), (X, [1, -1], "-1")], name="Tile by a list of any length"),
    Row("NonZero", "x:f[M,N]", [[FLAGS], [(0, 3)], [[[0.0]]], [(40, 50)]], [], outputs="l"),
    Row("Compress", "x:f[M,2] c:b[N]", [[X, [1, 0, 1]], [X, [0, 1]], [X, [0, 0, 0]], [X, []]], [(X, [1, 0, 1, 1], ["4", "3"])], axis=0),
    Row("Compress", "x:f[M,2] c:b[N]", [[X, [1, 0, 1, 0, 0, 1]], [(40, 2), (80,)]], [(X, [1] * 7, ["7", "6"])], name="Compress of all elements"),
    Row("Unique", "x:f[N]", [[[2.0, 1.0, 1.0, 3.0, 4.0, 3.0]], [[5.0]]], [], outputs="flll", sorted=1),
    Row("Unique", "x:l[M,N]", [[[[1, 0, 0], [1, 0, 0], [2, 3, 4]]], [[[1, 1], [0, 1]]]], [], outputs="llll", axis=0, name="Unique rows"),
    Row("TopK", "x:f[N] k:l[1]", [[(5,), [3]], [(700,), [700]], [(3,), [0]]], [((3,), [4], ["4", "3"]), ((3,), [-1], "-1")], outputs="fl", name="TopK of any length"),
    Row("NonMaxSuppression", "b:f[B,N,4] s:f[B,C,N] m:l[1] i:f[1] t:f[1]", [[BOXES, SCORES, [3], [0.5], [0.0]], [BOXES, SCORES, [1], [0.9], [0.25]], [BOXES, SCORES, [0], [0.5], [0.0]]],
        [((1, 4, 4), (1, 2, 5), [3], [0.5], [0.0], ["4", "5"]), ((1, 4, 4), (2, 2, 4), [3], [0.5], [0.0], ["1", "2"])], outputs="l"),
    Row("NegativeLogLikelihoodLoss", "x:f[B,C,N] t:l[B,N] w:f[C]", [[(2, 3, 4), (2, 4), [0.2, 0.3, 0.5]]], [((2, 3, 2), [[0, 3], [1, 2]], [1, 1, 1], "3"), ((2, 3, 2), (2, 3), [1, 1, 1], ["2", "3"])]),
    Row("NegativeLogLikelihoodLoss", "x:f[B,C] t:l[B]", [[(3, 3), [0, -1, 2]]], [((2, 3), [0, 3], "3"), ((2, 3), [-2, 0], "-2")], ignore_index=-1, name="NegativeLogLikelihoodLoss that ignores"),
    Row("SoftmaxCrossEntropyLoss", "x:f[B,C] t:i[B]", [[(3, 4), [0, 3, 2]]], [((2, 3), [0, 3], "3"), ((2, 3), [0, 1, 2], ["2", "3"])], outputs="ff"),
]  # fmt: skip
