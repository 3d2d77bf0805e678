"""Sizes that do not fit: layers of networks."""

import numpy as np

from illegal_harness import Row

ones = lambda *shape: np.ones(shape, np.float32)
CONV = {"consts": {"w": ones(4, 3, 3, 3)}, "pads": [1, 1, 1, 1]}
LSTM = {"hidden_size": 2}
RNN_WEIGHTS = {"w": ones(1, 2, 3) / 4, "r": ones(1, 2, 2) / 4}
ROWS = [
    Row("Conv", "x:f[N,C,H,W] w", [[(1, 3, 5, 4)], [(0, 3, 5, 4)], [(1, 3, 1, 1)]],
        [((1, 4, 5, 4), ["4", "3"]), ((1, 3, 0, 4), ["window of 3", "of 2"]), ((1, 0, 4, 4), ["0", "3"])], **CONV),
    Row("Conv", "x:f[N,C,H,W] w b:f[B]", [[(1, 3, 3, 4), (4,)]], [((1, 3, 3, 4), (3,), ["`b` is 3", "4"]), ((1, 3, 2, 4), (4,), ["window of 3", "of 2"])],
        consts={"w": ones(4, 3, 3, 3)}, name="Conv with a bias"),
    Row("Conv", "x:f[N,C,H] w:f[F,D,2]", [[(1, 4, 5), (6, 2, 2)]], [((1, 4, 5), (5, 2, 2), ["5", "2"]), ((1, 6, 5), (6, 2, 2), ["6 channels", "2 in 2 groups"])],
        group=2, name="Conv in groups"),
    Row("ConvTranspose", "x:f[N,C,H,W] w", [[(1, 3, 5, 4)], [(0, 3, 5, 4)]], [((1, 4, 5, 4), ["4", "3"]), ((1, 3, 0, 4), "is 0")],
        consts={"w": ones(3, 2, 2, 2)}, strides=[2, 2]),
    Row("ConvTranspose", "x:f[N,C,H] w", [[(1, 3, 4)]], [((1, 3, 1), ["-2", "1"])], consts={"w": ones(3, 2, 2)}, pads=[2, 2], name="ConvTranspose that cuts"),
    Row("MaxPool", "x:f[N,C,H,W]", [[(1, 2, 5, 4)], [(0, 2, 5, 4)], [(1, 0, 3, 3)]], [((1, 2, 2, 4), ["window of 3", "of 2"]), ((1, 2, 4, 0), "of 0")], kernel_shape=[3, 3]),
    Row("AveragePool", "x:f[N,C,H]", [[(1, 2, 5)]], [((1, 2, 1), ["window of 2", "of 1"])], kernel_shape=[2], strides=[2]),
    Row("LpPool", "x:f[N,C,H]", [[(1, 2, 5)]], [((1, 2, 1), ["window of 3", "of 2"])], kernel_shape=[2], dilations=[2], pads=[0, 1], opset=18),
    Row("GlobalAveragePool", "x:f[N,C,H,W]", [[(1, 2, 3, 3)], [(0, 2, 3, 3)]], [((1, 2, 0, 3), "0 elements")]),
    Row("GlobalMaxPool", "x:f[N,C,H,W]", [[(1, 2, 3, 3)]], [((1, 2, 3, 0), "0 elements")]),
    Row("BatchNormalization", "x:f[N,C,H] s:f[S] b:f[T] m:f[U] v", [[(2, 3, 4), (3,), (3,), (3,)], [(0, 3, 4), (3,), (3,), (3,)]],
        [((2, 4, 4), (4,), (4,), (4,), ["3", "4"]), ((2, 3, 4), (2,), (3,), (3,), ["2", "3"]), ((2, 3, 4), (1,), (3,), (3,), ["1", "3"])], consts={"v": ones(3)}),
    Row("InstanceNormalization", "x:f[N,C,H] s:f[S] b:f[T]", [[(2, 3, 4), (3,), (3,)]], [((2, 3, 4), (3,), (2,), ["`b` is 2", "3"])]),
    Row("LayerNormalization", "x:f[N,D] s:f[S] b", [[(2, 4), (4,)], [(0, 4), (4,)], [(2, 4), (1,)]], [((2, 5), (5,), ["5", "4"]), ((2, 4), (3,), ["3", "4"])],
        consts={"b": ones(4)}),
    Row("LayerNormalization", "x:f[N,D] s", [[(2, 6)]], [((2, 5), ["`s` is 6", "5"])], consts={"s": ones(6)}, name="LayerNormalization by weights"),
    Row("RMSNormalization", "x:f[N,D] s", [[(2, 6)], [(0, 6)]], [((2, 5), ["`s` is 6", "5"])], consts={"s": ones(6)}, opset=23),
    Row("GroupNormalization", "x:f[N,C,H] s:f[S] b:f[T]", [[(2, 4, 3), (4,), (4,)], [(0, 4, 3), (4,), (4,)]],
        [((2, 5, 3), (5,), (5,), ["5", "2 groups"]), ((2, 4, 3), (2,), (4,), ["2", "4"])], num_groups=2),
    Row("LRN", "x:f[N,C,H,W]", [[(2, 3, 4, 2)], [(0, 3, 4, 2)], [(2, 1, 4, 1)]], [], size=3),
    Row("Attention", "q:f[B,S,D] k:f[C,T,E] v:f[F,U,G]", [[(2, 3, 8), (2, 5, 8), (2, 5, 6)], [(0, 3, 8), (0, 5, 8), (0, 5, 6)], [(1, 1, 4), (1, 1, 4), (1, 1, 2)]],
        [((2, 3, 7), (2, 5, 8), (2, 5, 6), ["7", "2 heads"]), ((2, 3, 8), (3, 5, 8), (3, 5, 6), ["2", "3"]), ((2, 3, 8), (2, 5, 8), (2, 4, 6), ["5", "4"]),
         ((2, 3, 8), (2, 5, 6), (2, 5, 6), ["4", "3"])], opset=23, q_num_heads=2, kv_num_heads=2),
    Row("Attention", "q:f[B,2,S,D] k:f[C,2,T,E] v:f[C,2,T,G] m:f[M,O]", [[(1, 2, 3, 4), (1, 2, 5, 4), (1, 2, 5, 4), (3, 5)], [(1, 2, 3, 4), (1, 2, 5, 4), (1, 2, 5, 4), (3, 4)]],
        [((1, 2, 3, 4), (1, 2, 5, 4), (1, 2, 5, 4), (3, 6), ["`m` is 6", "5 keys"]), ((1, 2, 3, 4), (1, 2, 5, 4), (1, 2, 5, 4), (2, 5), ["2", "3"])], opset=23, name="Attention with a mask"),
    Row("RotaryEmbedding", "x:f[B,S,D] c:f[P,Q] s:f[R,T] i:l[A,L]", [[(2, 3, 8), (5, 2), (5, 2), [[0, 1, 4], [2, 3, 0]]], [(0, 3, 8), (5, 2), (5, 2), (0, 3)]],
        [((2, 3, 7), (5, 2), (5, 2), (2, 3), ["7", "2 heads"]), ((2, 3, 8), (5, 3), (5, 3), (2, 3), ["`c` is 3", "2"]), ((2, 3, 8), (5, 2), (4, 2), (2, 3), ["5", "4"]),
         ((2, 3, 8), (5, 2), (5, 2), (2, 2), ["2", "3"]), ((2, 3, 6), (5, 1), (5, 1), (2, 3), ["is 3", "2 halves"])], opset=23, num_heads=2),
    Row("RotaryEmbedding", "x:f[B,2,S,4] c:f[P,Q,2] s:f[P,Q,2]", [[(2, 2, 3, 4), (2, 3, 2), (2, 3, 2)]], [((2, 2, 3, 4), (2, 2, 2), (2, 2, 2), ["2", "3"])],
        opset=23, name="RotaryEmbedding of rank 4"),
    Row("RNN", "x:f[S,B,I] w r b:f[1,G]", [[(4, 2, 3), (1, 4)], [(1, 1, 3), (1, 4)], [(0, 2, 3), (1, 4)]], [((4, 2, 2), (1, 4), ["2", "3"]), ((4, 2, 3), (1, 3), ["`b` is 3", "4"])],
        consts=RNN_WEIGHTS, outputs="ff", **LSTM),
    Row("GRU", "x:f[S,B,3] w r - - h:f[1,C,H]", [[(4, 2, 3), (1, 2, 2)]], [((4, 2, 3), (1, 3, 2), ["3", "2"]), ((4, 2, 3), (1, 2, 3), ["3", "2"])],
        consts={"w": ones(1, 6, 3) / 4, "r": ones(1, 6, 2) / 4}, outputs="ff", **LSTM),
    Row("LSTM", "x:f[S,B,3] w:f[1,G,3] r - l:i[L]", [[(4, 2, 3), (1, 8, 3), [4, 2]]], [((4, 2, 3), (1, 6, 3), [4, 2], ["6", "8"]), ((4, 2, 3), (1, 8, 3), [4], ["`l` is 1", "2"])],
        consts={"r": ones(1, 8, 2) / 4}, outputs="fff", **LSTM),
    Row("QuantizeLinear", "x:f[N,C] s:f[S] z", [[(2, 3), (3,)], [(0, 3), (3,)]], [((2, 4), (4,), ["3", "4"]), ((2, 3), (2,), ["2", "3"])],
        consts={"z": np.zeros(3, np.uint8)}, outputs="u", axis=1),
    Row("DequantizeLinear", "x:u[N,C] s:f[S] z:u[Z]", [[(2, 3), (3,), (3,)]], [((2, 3), (2,), (2,), ["2", "3"]), ((2, 3), (3,), (2,), ["`z` is 2", "3"])], axis=1),
    Row("DynamicQuantizeLinear", "x:f[N]", [[(5,)]], [((0,), "0 elements")], outputs="ufu"),
    Row("MatMulInteger", "a:u[M,K] b:u[L,N]", [[(2, 3), (3, 4)]], [((2, 3), (4, 4), ["3", "4"])], outputs="i"),
    Row("ConvInteger", "x:u[N,C,H] w", [[(1, 2, 4)]], [((1, 3, 4), ["3", "2"]), ((1, 2, 1), ["window of 2", "of 1"])], consts={"w": np.ones((3, 2, 2), np.uint8)}, outputs="i"),
    Row("QLinearMatMul", "a:u[M,K] s p b:u[L,N] s p s p", [[(2, 3), (3, 4)]], [((2, 3), (4, 4), ["3", "4"])], outputs="u",
        consts={"s": np.float32(0.5), "p": np.uint8(3)}),
]  # fmt: skip
