"""Sizes and numbers that do not fit: sampling of images, regions, spectra, recurrences over tokens."""

import numpy as np
from illegal_harness import Row

ones = lambda *shape: np.ones(shape, np.float32)
list_of = lambda *numbers: np.array(numbers, np.int64)
FLAT = {"w": ones(2, 3, 2, 2) / 4}

SIZES = [
    Row("GridSample", "x:f[N,C,H,W] g:f[M,P,Q,R]", [[(2, 3, 4, 5), (2, 2, 3, 2)], [(2, 3, 4, 5), (2, 0, 3, 2)], [(0, 3, 4, 5), (0, 2, 3, 2)]],
        [((2, 3, 4, 5), (1, 2, 3, 2), ["1", "2"]), ((2, 3, 4, 5), (2, 2, 3, 3), ["dimension 3 of `g` is 3, not 2"]), ((2, 3, 0, 5), (2, 2, 3, 2), "nothing to sample")]),
    Row("GridSample", "x:f[1,1,H,W] g:f[1,P,Q,2]", [[(1, 1, 1, 1), (1, 2, 3, 2)], [(1, 1, 1, 4), (1, 2, 3, 2)]], [((1, 1, 2, 0), (1, 2, 3, 2), "nothing to sample")],
        padding_mode="reflection", mode="cubic", opset=20, name="GridSample of few elements"),
    Row("AffineGrid", "t:f[N,A,B] s:l[4]", [[(2, 2, 3), [2, 1, 3, 4]], [(1, 2, 3), [1, 1, 2, 2]]],
        [((3, 2, 3), [2, 1, 3, 4], ["`t` is 3, not 2"]), ((2, 3, 3), [2, 1, 3, 4], ["dimension 1 of `t` is 3, not 2"]), ((1, 2, 3), [1, 1, -3, 4], ["size 2", "-3"])], opset=20),
    Row("Det", "x:f[B,M,N]", [[(2, 3, 3)], [(2, 1, 1)], [(0, 3, 3)]], [((2, 3, 4), ["3", "4"])]),
    Row("ReverseSequence", "x:f[T,B,C] l:l[L]", [[(4, 2, 3), [4, 1]], [(4, 2, 0), [0, 2]]], [((4, 2, 3), [4], ["`l` is 1", "2"])]),
    Row("Col2Im", "x:f[N,C,L] i b", [[(1, 12, 9)], [(2, 6, 9)]], [((1, 6, 8), ["`x` is 8, not 9"]), ((1, 7, 9), ["7", "6"])],
        consts={"i": list_of(4, 5), "b": list_of(2, 3)}),
    Row("Col2Im", "x:f[1,6,L] i:l[2] b", [[(1, 6, 9), [4, 5]]], [((1, 6, 9), [1, 5], ["block of 2", "image of 1"]), ((1, 6, 9), [4, 4], ["9", "6"])], consts={"b": list_of(2, 3)}, name="Col2Im of a size that is data"),
    Row("MaxUnpool", "x:f[N,C,H,W] i:l[N,C,H,V]", [[ones(1, 1, 1, 2), [[[[1, 4]]]]]], [(ones(1, 1, 1, 2), [[[[1]]]], ["1", "2"])], kernel_shape=[2, 2], strides=[2, 2]),
    Row("RoiAlign", "x:f[N,C,H,W] r:f[K,F] b:l[J]", [[(2, 3, 4, 5), (2, 4), [0, 1]], [(2, 3, 4, 5), (0, 4), []]],
        [((2, 3, 4, 5), (2, 5), [0, 1], ["`r` is 5, not 4"]), ((2, 3, 4, 5), (2, 4), [0], ["`b` is 1", "2"]), ((2, 3, 0, 5), (1, 4), [0], "the image is empty")], output_height=2, output_width=2),
    Row("MaxRoiPool", "x:f[N,C,H,W] r:f[K,F]", [[(2, 3, 4, 5), [[0, 0, 0, 2, 2], [1, 1, 1, 3, 3]]]], [((2, 3, 4, 5), (2, 4), ["`r` is 4, not 5"])], pooled_shape=[2, 2]),
    Row("DeformConv", "x:f[N,C,H,W] w o:f[M,K,P,Q]", [[(1, 3, 4, 4), np.zeros((1, 8, 3, 3))]],
        [((1, 2, 4, 4), (1, 8, 3, 3), ["2", "3"]), ((1, 3, 4, 4), (1, 7, 3, 3), ["7", "8"]), ((1, 3, 4, 4), (1, 8, 2, 3), ["2", "3"]), ((1, 3, 1, 4), (1, 8, 3, 3), ["window of 2"])], consts=FLAT, opset=19),
    Row("DFT", "x:f[B,N,P]", [[(2, 6, 1)], [(2, 70, 2)], [(1, 1, 1)]], [((2, 6, 3), "not 1 or 2"), ((2, 0, 1), "no elements")], opset=20),
    Row("DFT", "x:f[B,N,2] l:l[]", [[(2, 6, 2), 6], [(2, 6, 2), 9], [(2, 6, 2), 3]], [((2, 6, 2), 0, "transform is 0"), ((2, 6, 2), -4, "-4")], inverse=1, opset=20, name="DFT of a length that is data"),
    Row("STFT", "x:f[B,N,1] s:l[] w:f[W]", [[(2, 16, 1), 4, (8,)], [(1, 8, 1), 3, (8,)]], [((2, 16, 1), 0, (8,), "`frame_step` is 0"), ((2, 6, 1), 4, (8,), ["frames of 8", "6"])]),
    Row("STFT", "x:f[B,N,1] s - l:l[]", [[(2, 16, 1), 8]], [((2, 16, 1), 0, "frame is 0"), ((2, 16, 1), 17, ["17", "16"])], consts={"s": np.array(4)}, onesided=0, name="STFT without a window"),
    Row("HannWindow", "s:l[]", [[5], [0]], [(-1, "-1")]),
    Row("LinearAttention", "q:f[B,T,H] k:f[B,T,K] v:f[B,S,V]", [[(2, 3, 8), (2, 3, 4), (2, 3, 6)], [(2, 0, 8), (2, 0, 4), (2, 0, 6)]],
        [((2, 3, 8), (2, 3, 6), (2, 3, 6), ["`k` is 6, not 4"]), ((2, 3, 8), (2, 3, 4), (2, 2, 6), ["2", "3"]), ((2, 3, 7), (2, 3, 4), (2, 3, 6), ["7", "4 heads"])],
        outputs="ff", opset=27, q_num_heads=4, kv_num_heads=2, update_rule="linear"),
    Row("LinearAttention", "q:f[B,T,8] k:f[B,T,8] v:f[B,T,4] - d:f[B,T,D]", [[(2, 3, 8), (2, 3, 8), (2, 3, 4), (2, 3, 2)], [(2, 3, 8), (2, 3, 8), (2, 3, 4), (2, 3, 8)]],
        [((2, 3, 8), (2, 3, 8), (2, 3, 4), (2, 3, 4), ["are 2", "4 keys"])], outputs="ff", opset=27, q_num_heads=2, kv_num_heads=2, update_rule="gated", name="LinearAttention that decays"),
    Row("CausalConvWithState", "x:f[B,C,L] w:f[D,1,K] b:f[E] s:f[B,C,S]", [[(2, 3, 4), (3, 1, 3), (3,), (2, 3, 2)], [(2, 3, 1), (3, 1, 3), (3,), (2, 3, 2)]],
        [((2, 3, 4), (2, 1, 3), (3,), (2, 3, 2), ["2", "3"]), ((2, 3, 4), (3, 1, 3), (2,), (2, 3, 2), ["`b` is 2, not 3"]), ((2, 3, 4), (3, 1, 3), (3,), (2, 3, 1), ["`s` is 1, not 2"]), ((2, 3, 4), (3, 1, 0), (3,), (2, 3, 2), "kernel has 0")],
        outputs="ff", opset=27),
    Row("Attention", "q:f[B,2,S,4] k:f[B,2,T,4] v:f[B,2,T,4] m:f[S,M] - - n:l[N]", [[(2, 2, 3, 4), (2, 2, 5, 4), (2, 2, 5, 4), (3, 5), [5, 2]], [(2, 2, 3, 4), (2, 2, 5, 4), (2, 2, 5, 4), (3, 4), [3, 4]]],
        [((2, 2, 3, 4), (2, 2, 5, 4), (2, 2, 5, 4), (3, 6), [5, 2], ["`m` is 6", "5 keys"]), ((2, 2, 3, 4), (2, 2, 5, 4), (2, 2, 5, 4), (3, 5), [5], ["`n` is 1", "2"])], opset=24, name="Attention over a cache"),
    Row("Attention", "q:f[B,H,S,4] k:f[B,G,T,4] v:f[B,G,T,4]", [[(2, 4, 3, 4), (2, 2, 5, 4), (2, 2, 5, 4)], [(1, 3, 2, 4), (1, 3, 2, 4), (1, 3, 2, 4)]],
        [((2, 3, 3, 4), (2, 2, 5, 4), (2, 2, 5, 4), ["3 heads", "2 heads"])], opset=24, name="Attention of heads that a run knows"),
    Row("BatchNormalization", "x:f[N,C,L] s:f[S] b m v", [[(2, 3, 4), (3,)], [(1, 3, 1), (3,)]], [((2, 2, 4), (3,), ["2", "3"]), ((0, 3, 4), (3,), "0 elements")],
        consts={"b": ones(3), "m": ones(3), "v": ones(3)}, outputs="fff", opset=15, training_mode=1, name="BatchNormalization that trains"),
    Row("SwiGLU", "a:f[N] b:f[M]", [[(3,), (3,)], [(0,), (0,)]], [((3,), (1,), ["3", "1"])], opset=28),
]  # fmt: skip

DATA = [
    Row("ReverseSequence", "x:f[T,B] l:l[B]", [[(4, 2), [4, 0]]], [((4, 2), [5, 1], "5"), ((4, 2), [-1, 1], "-1")]),
    Row("MaxUnpool", "x:f[N,C,H,W] i:l[N,C,H,W]", [[ones(1, 1, 1, 2), [[[[0, 7]]]]]], [(ones(1, 1, 1, 2), [[[[0, 8]]]], "8"), (ones(1, 1, 1, 2), [[[[-1, 0]]]], "-1")], kernel_shape=[2, 2], strides=[2, 2]),
    Row("RoiAlign", "x:f[N,C,H,W] r:f[K,4] b:l[K]", [[(2, 3, 4, 5), (2, 4), [0, 1]]], [((2, 3, 4, 5), (2, 4), [0, 2], "2"), ((2, 3, 4, 5), (2, 4), [-1, 0], "-1")]),
    Row("MaxRoiPool", "x:f[N,C,H,W] r:f[K,5]", [[(2, 3, 4, 5), [[1, 0, 0, 2, 2]]]], [((2, 3, 4, 5), [[2, 0, 0, 2, 2]], "2")], pooled_shape=[2, 2]),
    Row("DFT", "x:f[2,N,3,1] - a:l[]", [[(2, 4, 3, 1), 1], [(2, 4, 3, 1), -2], [(2, 4, 3, 1), 0]], [((2, 4, 3, 1), 3, "axis 3"), ((2, 4, 3, 1), -1, "axis -1"), ((2, 4, 3, 1), -5, "axis -5")], opset=20),
    Row("MelWeightMatrix", "b:l[] d:l[] r:l[] l:f[] h:f[]", [[4, 16, 8000, 0, 4000]], [(4, 16, 8000, 0, 9000, "frequencies"), (4, 16, 0, 0, 4000, "`sample_rate` is 0"), (-1, 16, 8000, 0, 4000, "-1")]),
]  # fmt: skip
