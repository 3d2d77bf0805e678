"""Numbers that do not fit: indices, divisors, lengths."""

import numpy as np
from illegal_harness import Row
from onnx import helper

ones = lambda *shape: np.ones(shape, np.float32)
X = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
BIG = 10**9
gather = lambda kind: Row("Gather", f"x:f[M,2] i:{kind}[N]", [[X, [0, 2, -3]], [X, []], [(0, 2), []]],
    [(X, [3], ["index 3", "3"]), (X, [0, -4], "-4"), (X, [BIG], str(BIG)), ((0, 2), [0], "0")], name=f"Gather by {kind}")  # fmt: skip
ROWS = [
    gather("l"), gather("i"),
    Row("Gather", "x:f[2,N] i:l[K]", [[(2, 3), [-1, 0]]], [((2, 3), [3], "3"), ((2, 3), [-10**18], "-1000000000000000000")], axis=1, name="Gather of columns"),
    Row([helper.make_node("Gather", ["w", "i"], ["e"], name="embedding"), helper.make_node("Add", ["e", "e"], ["y0"], name="twice")], "i:l[B,S]",
        [[[[0, 3], [1, -4]]], [(0, 3)], [(2, 0)]], [([[0, 4]], "4"), ([[BIG]], str(BIG)), ([[-BIG]], str(-BIG))], consts={"w": np.arange(32, dtype=np.float32).reshape(4, 8)}, name="an embedding", node="embedding"),
    Row("Gather", "w i:l[N]", [[[0, -4]], [(0,)]], [([4], "4"), ([-5], "-5")], consts={"w": ones(4, 8)}, name="an embedding of equal rows"),
    Row("GatherElements", "x:f[M,2] i:l[N,2]", [[X, [[0, 2], [-3, 1]]], [(0, 2), (0, 2)]], [((0, 2), [[0, 0]], "0"), (X, [[0, 3]], "3"), (X, [[-4, 0]], "-4"), (X, [[0, BIG]], str(BIG))]),
    Row("ScatterND", "x:f[M,N] i:l[K,L] u:f[P]", [[X, [[0, 1]], [5.0]]], [(X, [[0]], [5.0], ["is 1", "not 2", "rank of the updates"]), (X, [[0, 1]], [5.0, 6.0], ["1", "2"])],
        name="ScatterND by the rank of its updates"),
    Row("GatherND", "x:f[M,N] i:l[K,L]", [[X, [[0, 1], [-1, -2]]]], [(X, [[1]], ["is 1", "not 2", "declared rank"]), (X, [[3, 0]], "3")], shapes={"y0": ["P"]},
        name="GatherND by the rank of its result"),
    Row("GatherND", "x:f[M,N] i:l[K,2]", [[X, [[0, 1], [-1, -2]]], [X, (0, 2)], [(3, 0), (0, 2)], [(0, 0), (0, 2)]], [((3, 0), [[1, 0]], "0"), (X, [[3, 0]], "3"), (X, [[0, 2]], "2"), (X, [[0, -BIG]], str(-BIG))]),
    Row("ScatterElements", "x:f[M,2] i:l[K,2] u:f[K,2]", [[X, [[0, -1]], (1, 2)], [(0, 2), (0, 2), (0, 2)]], [(X, [[0, 3]], (1, 2), "3"), (X, [[-4, 0]], (1, 2), "-4"), ((0, 2), [[0, 0]], (1, 2), "0")]),
    Row("ScatterElements", "x:f[M,2] i:l[K,2] u:f[K,2]", [[X, [[0, -1]], (1, 2)]], [(X, [[0, BIG]], (1, 2), str(BIG))], reduction="add", name="ScatterElements that adds"),
    Row("ScatterND", "x:f[M,2] i:l[K,1] u:f[K,2]", [[X, [[2], [-3]], (2, 2)], [X, (0, 1), (0, 2)], [(0, 2), (0, 1), (0, 2)]], [((0, 2), [[0]], (1, 2), "0"), (X, [[3], [0]], (2, 2), "3"), (X, [[-4], [0]], (2, 2), "-4")]),
    Row([helper.make_node("ScatterND", ["x", "i", "u"], ["y0"], name="elements")], "x:f[M,N] i:l[K,L,2] u:f[K,L]", [[X, [[[0, 1], [2, -1]]], (1, 2)], [(2, 1), (2, 0, 2), (2, 0)], [(0, 0), (0, 0, 2), (0, 0)]],
        [((2, 0), [[[1, 0]]], (1, 1), "0"), (X, [[[0, 2]]], (1, 1), "2")], name="ScatterND of elements", node="elements"),
    Row("TensorScatter", "x:f[B,N,3] u:f[B,M,3] w:l[B]", [[(2, 4, 3), (2, 2, 3), [0, 2]]], [((2, 4, 3), (2, 2, 3), [0, 3], ["3", "2"]), ((2, 4, 3), (2, 2, 3), [-1, 0], "-1")],
        opset=24, axis=1),
    Row("RotaryEmbedding", "x:f[B,S,8] c:f[P,2] s:f[P,2] i:l[B,S]", [[(1, 2, 8), (3, 2), (3, 2), [[2, 0]]]],
        [((1, 2, 8), (3, 2), (3, 2), [[3, 0]], "3"), ((1, 2, 8), (3, 2), (3, 2), [[-1, 0]], "-1")], opset=23, num_heads=2),
    Row("Div", "a:l[N] b:l[N]", [[[7, -7], [2, 3]], [(0,), (0,)]], [([1, 2], [1, 0], "division by zero")], outputs="l"),
    Row("Div", "a:i[N] b:i[]", [[[8, -8], 3]], [([1, 2], 0, "division by zero")], outputs="i", name="Div by a scalar"),
    Row("Mod", "a:l[N] b:l[M]", [[[7, -7], [3]], [[7], [-3]]], [([1, 2], [0], "division by zero")], outputs="l"),
    Row("Mod", "a:i[N] b:i[N]", [[[7, -7], [3, 3]]], [([1, 2], [1, 0], "division by zero")], outputs="i", fmod=1, name="Mod as in C"),
    Row("LSTM", "x:f[S,B,3] w r - l:i[B]", [[(4, 2, 3), [4, 2]], [(4, 2, 3), [1, 3]]], [((4, 2, 3), [5, 2], ["5", "4"]), ((4, 2, 3), [4, -1], "-1")],
        consts={"w": ones(1, 8, 3) / 4, "r": ones(1, 8, 2) / 4}, outputs="fff", hidden_size=2),
    Row("GRU", "x:f[S,B,3] w r - l:i[B]", [[(4, 2, 3), [4, 2]]], [((4, 2, 3), [BIG, 2], [str(BIG), "4"])],
        consts={"w": ones(1, 6, 3) / 4, "r": ones(1, 6, 2) / 4}, outputs="ff", hidden_size=2),
    Row("Slice", "x:f[N] a:l[1] b:l[1]", [[(5,), [1], [4]], [(5,), [-2], [9]], [(5,), [-99], [99]], [(5,), [4], [1]], [(5,), [99], [100]], [(0,), [0], [1]]], []),
    Row("Slice", "x:f[N] a:l[1] b:l[1] c d", [[(5,), [-1], [-99]], [(5,), [9], [1]], [(5,), [-99], [-99]], [(1,), [0], [-9]]], [],
        consts={"c": np.array([0]), "d": np.array([-2])}, name="Slice backwards"),
    Row("Range", "a:l[] b:l[] c:l[]", [[0, 5, 2], [5, 0, -2], [0, 0, 1], [3, 1, 1]], [(0, 5, 0, "`delta` is 0")], outputs="l"),
    Row("Range", "a:f[] b:f[] c:f[]", [[0, 5, 2], [5, 0, -2.5]], [(0, 5, 0, "0"), (0, np.inf, 1, "inf"), (0, np.nan, 1, "NaN")], name="Range of floats"),
]  # fmt: skip
