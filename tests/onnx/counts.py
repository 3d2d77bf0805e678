"""Attributes that count things, with numbers that no list of the model bears out: hal-import takes the model or refuses it, with little memory and at once."""

import resource
import subprocess
import sys

import onnx
from onnx import TensorProto as T
from onnx import helper as h


def model(name, op, ins, outs, domain="", **attributes):
    node = h.make_node(op, [i[0] for i in ins], [o[0] for o in outs], domain=domain, **attributes)
    graph = h.make_graph(
        [node], "g", [h.make_tensor_value_info(*i) for i in ins], [h.make_tensor_value_info(*o) for o in outs]
    )
    versions = [h.make_opsetid("", 20), h.make_opsetid("ai.onnx.ml", 3), h.make_opsetid("com.microsoft", 1)]
    onnx.save(h.make_model(graph, opset_imports=versions, ir_version=9), f"{name}.onnx")
    tried.append(name)


tried = []
leaf = {
    "nodes_treeids": [0],
    "nodes_nodeids": [0],
    "nodes_featureids": [0],
    "nodes_values": [0.0],
    "nodes_modes": ["LEAF"],
    "nodes_truenodeids": [0],
    "nodes_falsenodeids": [0],
    "target_treeids": [0],
    "target_nodeids": [0],
    "target_ids": [0],
    "target_weights": [1.0],
}
x3 = [("x", T.FLOAT, [2, 3])]
y = [("y", T.FLOAT, None)]
for size, tag in ((1 << 62, "huge"), (1 << 40, "big"), (1 << 27, "mid")):
    model(f"split-{tag}", "Split", [("x", T.FLOAT, [2, "n"])], y, axis=1, num_outputs=size)
    model(f"tree-{tag}", "TreeEnsembleRegressor", x3, y, domain="ai.onnx.ml", n_targets=size, **leaf)
    model(f"linear-{tag}", "LinearRegressor", x3, y, domain="ai.onnx.ml", targets=size, coefficients=[1.0, 2.0, 3.0])
    model(
        f"ngram-{tag}",
        "NGramRepeatBlock",
        [("i", T.INT64, [2, 5]), ("s", T.FLOAT, [2, 9])],
        [("y", T.FLOAT, [2, 9])],
        domain="com.microsoft",
        ngram_size=size,
    )
    model(f"pool-{tag}", "LpPool", [("x", T.FLOAT, [1, 1, 9])], y, kernel_shape=[size])
    model(
        f"avg-{tag}",
        "AveragePool",
        [("x", T.FLOAT, [1, 1, "n"])],
        y,
        kernel_shape=[size],
        pads=[5, size - 1],
        count_include_pad=1,
    )
    model(
        f"roi-{tag}",
        "RoiAlign",
        [("x", T.FLOAT, [1, 1, 9, 9]), ("r", T.FLOAT, [2, 4]), ("b", T.INT64, [2])],
        y,
        output_height=size,
        output_width=size,
        sampling_ratio=size,
    )
    model(f"d2s-{tag}", "DepthToSpace", [("x", T.FLOAT, [1, "c", 9, 9])], y, blocksize=size)
    model(
        f"lstm-{tag}",
        "LSTM",
        [("x", T.FLOAT, ["s", 1, 3]), ("w", T.FLOAT, [1, "h", 3]), ("r", T.FLOAT, [1, "h", "k"])],
        y,
        hidden_size=size,
    )
    model(f"lppow-{tag}", "LpPool", [("x", T.FLOAT, [1, 1, 9])], y, kernel_shape=[2], p=size)
    model(f"eye-{tag}", "EyeLike", [("x", T.FLOAT, [3, 3])], y, k=size)
    model(
        f"group-{tag}",
        "GroupNormalization",
        [("x", T.FLOAT, [1, "c", 9]), ("s", T.FLOAT, ["g"]), ("b", T.FLOAT, ["g"])],
        y,
        num_groups=size,
    )
    model(
        f"attn-{tag}",
        "MultiHeadAttention",
        [("q", T.FLOAT, [1, 2, "c"]), ("k", T.FLOAT, [1, 2, "c"]), ("v", T.FLOAT, [1, 2, "c"])],
        y,
        domain="com.microsoft",
        num_heads=size,
    )
    model(f"lrn-{tag}", "LRN", [("x", T.FLOAT, [1, "c", 9, 9])], y, size=size)
    model(
        f"max-{tag}",
        "MaxPool",
        [("x", T.FLOAT, [1, 1, "n", "n"])],
        y,
        kernel_shape=[size, size],
        dilations=[size, size],
    )
    model(
        f"nbits-{tag}",
        "MatMulNBits",
        [("x", T.FLOAT, [1, "k"]), ("w", T.UINT8, ["a", "b", "c"]), ("s", T.FLOAT, ["z"])],
        y,
        domain="com.microsoft",
        N=size,
        K=size,
        bits=4,
        block_size=32,
    )
    model(f"unfold-{tag}", "UnfoldTensor", [("x", T.FLOAT, [1, "k"])], y, domain="com.microsoft", size=size, step=size)
    model(
        f"conv-{tag}",
        "Conv",
        [("x", T.FLOAT, [1, "c", "n"]), ("w", T.FLOAT, ["m", "k", 3])],
        y,
        group=size,
        dilations=[size],
        strides=[size],
    )
    model(f"shape-{tag}", "Shape", [("x", T.FLOAT, [1, "c", "n"])], [("y", T.INT64, None)], start=-size, end=size)
    model(
        f"rot-{tag}",
        "RotaryEmbedding",
        [("x", T.FLOAT, [1, 2, "c"]), ("p", T.INT64, [1, 2]), ("co", T.FLOAT, [9, "h"]), ("si", T.FLOAT, [9, "h"])],
        y,
        domain="com.microsoft",
        num_heads=size,
        rotary_embedding_dim=size,
    )


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))


wrong = []
for name in tried:
    command = ["hal-import", f"{name}.onnx", "-o", f"{name}.mlir"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, preexec_fn=limit, check=False)  # noqa: PLW1509
    if done.returncode not in (0, 1) or (done.returncode == 1 and "error[" not in done.stderr):
        wrong.append(f"{name}: exit {done.returncode}: {done.stderr[:500]}")
if wrong:
    sys.exit("\n".join(wrong))
print(f"{len(tried)} models are taken or refused")
