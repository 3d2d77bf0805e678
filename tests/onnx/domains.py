#!/usr/bin/env python3
"""Operators of ai.onnx.ml and com.microsoft with symbolic sizes, compared with onnxruntime; inputs that do not fit; labels that are strings.

Usage: domains.py FOLDER [OPERATOR]. FOLDER is for temporary files; OPERATOR is the only one to test.
"""

import os
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

R = np.random.default_rng(7)
ML, MS = "ai.onnx.ml", "com.microsoft"
f = lambda *shape: R.standard_normal(shape).astype(np.float32)
i32 = lambda *values: np.array(values, np.int32)
u8 = lambda *shape: R.integers(0, 256, shape).astype(np.uint8)
i8 = lambda *shape: R.integers(-128, 128, shape).astype(np.int8)
flat = lambda a: np.asarray(a).ravel().tolist()
ids = lambda low, high, *shape: R.integers(low, high, shape).astype(np.int64)


def model(op, domain, inputs, constants=(), outputs=1, version=None, results=None, **attributes):
    """A model of one node; `constants` are the inputs that are stored in it."""
    names = ["" if a is None else f"x{i}" for i, a in enumerate(inputs)]
    given = [i for i, a in enumerate(inputs) if a is not None and i not in constants]
    kind = lambda i: helper.np_dtype_to_tensor_dtype(inputs[i].dtype)
    infos = [
        helper.make_tensor_value_info(names[i], kind(i), [f"d{i}_{k}" for k in range(inputs[i].ndim)]) for i in given
    ]
    stored = [numpy_helper.from_array(inputs[i], names[i]) for i in constants]
    made = results or [f"y{i}" for i in range(outputs)]
    out = [onnx.ValueInfoProto(name=n) for n in made if n]
    graph = helper.make_graph(
        [helper.make_node(op, names, made, domain=domain, name=f"my {op}", **attributes)], "g", infos, out, stored
    )
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(domain, version or (3 if domain == ML else 1))]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9), {names[i]: inputs[i] for i in given}


def run(command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


def compiled(m, path, *flags):
    onnx.save(m, f"{path}.onnx")
    return run(["hal-compile", f"{path}.onnx", "-o", f"{path}.so", "-q", *flags])


def outputs(m, feeds, path):
    for name, a in feeds.items():
        np.save(f"{path}-{name}.npy", a)
    count = len(m.graph.output)
    done = run(
        [
            "hal-run",
            f"{path}.so",
            *[f"--input=@{path}-{n}.npy" for n in feeds],
            *[f"--output={path}-out{i}.npy" for i in range(count)],
        ]
    )
    return done, [np.load(f"{path}-out{i}.npy") for i in range(count)] if done.returncode == 0 else []


def trees(modes, targets, several, prefix, count=6, depth=3, features=5):
    """Full trees with random branches; each leaf has a weight for one target, or for all."""
    a = {
        k: []
        for k in (
            "treeids",
            "nodeids",
            "featureids",
            "values",
            "modes",
            "truenodeids",
            "falsenodeids",
            "missing_value_tracks_true",
        )
    }
    w = {k: [] for k in ("treeids", "nodeids", "ids", "weights")}
    for tree in range(count):
        for i in range(2 ** (depth + 1) - 1):
            leaf = i >= 2**depth - 1
            row = (
                tree,
                i,
                int(R.integers(features)),
                float(R.integers(-3, 4) / 2),
                "LEAF" if leaf else str(R.choice(modes)),
                2 * i + 1,
                2 * i + 2,
                int(R.integers(2)),
            )
            for key, value in zip(a, row[:5] + ((0, 0) if leaf else row[5:7]) + row[7:]):
                a[key].append(value)
            for target in (range(targets) if several else [tree % targets]) if leaf else []:
                for key, value in zip(w, (tree, i, target, float(np.float32(R.standard_normal())))):
                    w[key].append(value)
    return {f"nodes_{k}": v for k, v in a.items()} | {f"{prefix}_{k}": v for k, v in w.items()}


def cases():
    x, whole, grid = f(5, 4), ids(-3, 4, 5, 4), (R.integers(-4, 5, (40, 5)) / 2).astype(np.float32)
    grid[3, 2], grid[7, :] = np.nan, np.nan
    every = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"]
    yield model("TreeEnsembleRegressor", ML, [grid], n_targets=1, **trees(every, 1, False, "target"))
    for how, targets, several in (("AVERAGE", 3, False), ("MIN", 3, True), ("MAX", 20, True)):
        some = trees(["BRANCH_LEQ"], targets, several, "target")
        yield model(
            "TreeEnsembleRegressor",
            ML,
            [grid],
            n_targets=targets,
            aggregate_function=how,
            base_values=flat(f(targets)),
            **some,
        )
    yield model(
        "TreeEnsembleClassifier",
        ML,
        [grid],
        outputs=2,
        classlabels_int64s=[3, 1, 2],
        post_transform="SOFTMAX",
        **trees(["BRANCH_LT"], 3, False, "class"),
    )
    yield model(
        "TreeEnsembleClassifier",
        ML,
        [grid],
        outputs=2,
        classlabels_int64s=[3, 1],
        post_transform="LOGISTIC",
        base_values=[0.3],
        **trees(["BRANCH_LT"], 1, False, "class"),
    )
    for post in ("NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"):
        yield model(
            "LinearClassifier",
            ML,
            [x],
            outputs=2,
            coefficients=flat(f(4)),
            intercepts=[0.1],
            classlabels_ints=[7, 9],
            post_transform=post,
        )
        yield model(
            "LinearClassifier",
            ML,
            [whole],
            outputs=2,
            coefficients=flat(f(12)),
            intercepts=[0.3, 0.4, 0.5],
            classlabels_ints=[7, 9, 2],
            post_transform=post,
        )
    svm = {"kernel_params": [0.5, 0.3, 3.0], "support_vectors": flat(f(6, 4))}
    for kind in ("LINEAR", "POLY", "RBF", "SIGMOID"):
        yield model("SVMRegressor", ML, [x], kernel_type=kind, coefficients=flat(f(6)), n_supports=6, rho=[0.2], **svm)
    more = dict(
        svm,
        kernel_type="RBF",
        coefficients=flat(f(2, 6)),
        vectors_per_class=[2, 1, 3],
        rho=flat(f(3)),
        classlabels_ints=[4, 2, 8],
    )
    yield model("SVMClassifier", ML, [x], outputs=2, **more)
    yield model("SVMClassifier", ML, [x], outputs=2, prob_a=flat(-abs(f(3))), prob_b=flat(f(3)), **more)
    yield model(
        "Imputer", ML, [grid], imputed_value_floats=[1.0, 2.0, 3.0, 4.0, 5.0], replaced_value_float=float("nan")
    )
    yield model("OneHotEncoder", ML, [x * 2], cats_int64s=[-1, 0, 1])
    yield model(
        "LabelEncoder",
        ML,
        [whole],
        version=2,
        keys_int64s=list(range(-2, 20)),
        values_floats=flat(f(22)),
        default_float=9.0,
    )
    yield model("ArrayFeatureExtractor", ML, [x, np.array([1, 3, 0], np.int64)])
    for norm in ("MAX", "L1", "L2"):
        yield model("Normalizer", ML, [x], norm=norm)
    bits, scales, zeros = u8(6, 4, 8), abs(f(24)) / 10, u8(12)
    yield model("MatMulNBits", MS, [f(2, 3, 64), bits, scales, zeros], (1, 2, 3), bits=4, block_size=16, N=6, K=64)
    yield model(
        "SkipLayerNormalization",
        MS,
        [f(2, 3, 8), f(2, 3, 8), f(8), f(8), f(8)],
        epsilon=1e-5,
        results=["y0", "", "", "y3"],
    )
    yield model(
        "Attention",
        MS,
        [f(2, 5, 6), f(6, 24), f(24), (R.random((2, 8)) > 0.3).astype(np.int32), f(2, 2, 2, 3, 4)],
        (1, 2),
        outputs=2,
        num_heads=2,
    )
    yield model("MultiHeadAttention", MS, [f(2, 5, 8), f(2, 7, 8), f(2, 7, 8), f(24), i32(4, 7)], num_heads=2)
    cache, angles = f(2, 2, 6, 16), f(16, 8)
    query = [
        f(2, 1, 64),
        f(2, 1, 32),
        f(2, 1, 32),
        cache,
        f(2, 2, 6, 16),
        i32(6, 3),
        np.array(7, np.int32),
        angles,
        f(16, 8),
    ]
    yield model("GroupQueryAttention", MS, query, outputs=3, num_heads=4, kv_num_heads=2, do_rotary=1)
    packed = [f(2, 1, 128), None, None, f(2, 2, 6, 16), f(2, 2, 6, 16), i32(5, 3), np.array(6, np.int32)]
    packed += [f(16, 8), f(16, 8)]
    yield model("GroupQueryAttention", MS, packed, (7, 8), outputs=3, num_heads=4, kv_num_heads=2, do_rotary=1)
    for last in (0, 1):
        for dilation in (1, 3):
            x, past = f(2, 4, 9), f(2, 4, 2 * dilation)
            parts = [x.swapaxes(1, 2) if last else x, f(4, 1, 3), f(4), past.swapaxes(1, 2) if last else past]
            words = {"ndim": 1, "channels_last": last, "dilation": dilation, "activation": ["none", "silu"][last]}
            yield model("CausalConvWithState", MS, parts, outputs=2, **words)
            yield model("CausalConvWithState", MS, parts[:2], outputs=2, **words)
    number = lambda v, kind=np.float32: np.array(v, kind)
    byte = lambda v: number(v, np.uint8)
    yield model(
        "QLinearAdd",
        MS,
        [u8(2, 3, 4), number(0.03), byte(12), u8(3, 4), number(0.05), byte(100), number(0.07), byte(90)],
    )
    yield model(
        "QGemm",
        MS,
        [
            u8(3, 4),
            number(0.02),
            byte(100),
            # Where the CPU has no VNNI, onnxruntime adds pairs of products in 16 bits, which larger weights saturate.
            i8(5, 4) // 2,
            number(0.03),
            number(0, np.int8),
            ids(-99, 99, 5).astype(np.int32),
            number(0.5),
            byte(120),
        ],
        (3,),
        transB=1,
    )
    yield model("Inverse", MS, [f(2, 4, 4) + 3 * np.eye(4, dtype=np.float32)])
    yield model("FusedMatMul", MS, [f(3, 2, 4), f(5, 2, 4)], transBatchA=1, transBatchB=1, transB=1, alpha=0.5)
    regions = R.uniform(-0.2, 1.2, (5, 4)).astype(np.float32)
    for mode in ("bilinear", "nearest"):
        for size in (i32(3, 4), i32(1, 5), i32(6, 1)):
            crops = [f(2, 3, 6, 7), regions, i32(0, 1, 1, 0, 1), size]
            yield model("CropAndResize", MS, crops, mode=mode, extrapolation_value=2.5)
            yield model("CropAndResize", MS, crops, (3,), mode=mode)


def wrong():
    """Inputs that do not fit, and what the message names."""
    good = model("OneHotEncoder", ML, [np.array([1, 2], np.int64)], cats_int64s=[1, 2], zeros=0)
    yield good[0], {"x0": np.array([1, 5], np.int64)}, "an element is of no category, and `zeros` is 0"
    m, _ = model("TreeEnsembleRegressor", ML, [f(2, 9)], n_targets=1, **trees(["BRANCH_LEQ"], 1, False, "target"))
    yield m, {"x0": f(2, 1)}, "dimension 1 of `x0` is 1, but trees ask for 5 features"
    m, _ = model(
        "SVMRegressor", ML, [f(2, 3)], coefficients=[1.0, 2.0], support_vectors=flat(f(2, 3)), n_supports=2, rho=[0.2]
    )
    yield m, {"x0": f(2, 4)}, "dimension 1 of `x0` is 4, not 3, as support vectors have elements"
    m, _ = model("CropAndResize", MS, [f(2, 3, 6, 7), f(2, 4), i32(0, 1), i32(3, 4)])
    crop = lambda images, rows, numbers, size: {"x0": images, "x1": f(rows, 4), "x2": numbers, "x3": size}
    yield m, crop(f(2, 3, 6, 7), 2, i32(0, 2), i32(3, 4)), "`x2` holds numbers from 0 to 2, where 0 to 1 are possible"
    yield m, crop(f(2, 3, 6, 7), 2, i32(0), i32(3, 4)), "dimension 0 of `x2` is 1, of `x1` 2; they must be equal"
    yield m, crop(f(2, 3, 6, 7), 2, i32(0, 1), i32(3, -4)), "the width of the result is -4, which is negative"
    yield m, crop(f(2, 3, 0, 7), 2, i32(0, 1), i32(3, 4)), "the image is empty"
    parts = [f(1, 1, 16), f(1, 1, 16), f(1, 1, 16), f(1, 1, 6, 16), f(1, 1, 6, 16), i32(9), np.array(10, np.int32)]
    m, feeds = model("GroupQueryAttention", MS, parts, num_heads=1, kv_num_heads=1)
    yield m, feeds, "`seqlens_k` holds numbers from 9 to 9, where 0 to 6 are possible"
    words = {"num_heads": 1, "kv_num_heads": 1, "sliding_window_cache": 1, "local_window_size": 8}
    m, feeds = model("GroupQueryAttention", MS, parts, outputs=3, **words)
    yield m, feeds, "the cache has room for 6 tokens, fewer than the window of 8"


def strings(path):
    labels = {"coefficients": [1.0, -1.0], "intercepts": [0.0, 0.0], "classlabels_strings": ["no", "yes"]}
    m, feeds = model("LinearClassifier", ML, [np.array([[1], [-1]], np.float32)], outputs=2, **labels)
    done = compiled(m, path, "--onnx-strings=number")
    assert done.returncode == 0, done.stderr
    assert outputs(m, feeds, path)[1][0].tolist() == [0, 1]
    # Strings that are looked up again are no strings for long.
    m.graph.node.append(
        helper.make_node("LabelEncoder", ["y0"], ["z"], domain=ML, keys_strings=["yes", "no"], values_int64s=[10, 20])
    )
    m.graph.node.append(helper.make_node("ZipMap", ["y1"], ["map"], domain=ML, classlabels_strings=["no", "yes"]))
    del m.graph.output[:]
    m.graph.output.extend([onnx.ValueInfoProto(name="z"), onnx.ValueInfoProto(name="map")])
    done = compiled(m, path)
    assert done.returncode == 0, done.stderr
    numbers, scores = outputs(m, feeds, path)[1]
    assert numbers.tolist() == [20, 10] and scores.tolist() == [[1, -1], [-1, 1]], (numbers, scores)
    m.graph.node.append(helper.make_node("Neg", ["y0"], ["w"]))
    m.graph.output.append(onnx.ValueInfoProto(name="w"))
    done = compiled(m, path)
    assert "input 0 holds strings, which this operator does not know" in done.stderr, done.stderr


def main(folder, only=None):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "m")
    wanted_here = lambda case: only in (None, case[0].graph.node[0].op_type)
    right, refused = list(filter(wanted_here, cases())), list(filter(wanted_here, wrong()))
    if not right:
        sys.exit(f"no case is of the operator {only}")
    for m, feeds in right:
        op = m.graph.node[0].op_type
        done = compiled(m, path)
        assert done.returncode == 0, f"{op}: {done.stderr}"
        done, results = outputs(m, feeds, path)
        assert done.returncode == 0, f"{op}: {done.stderr}"
        wanted = onnxruntime.InferenceSession(m.SerializeToString(), providers=["CPUExecutionProvider"]).run(
            None, feeds
        )
        for got, want in zip(results, wanted):
            got = got.view(want.dtype) if want.dtype.kind in "iu" else got
            np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-4, err_msg=op)
    for m, feeds, message in refused:
        done = compiled(m, path)
        assert done.returncode == 0, done.stderr
        done, _ = outputs(m, feeds, path)
        assert done.returncode == 1 and message in done.stderr, f"{message}\n{done.stderr}"
    if only is None:
        strings(path)
    print(f"{len(right)} cases as onnxruntime computes them, {len(refused)} inputs refused")


if __name__ == "__main__":
    main(*sys.argv[1:])
