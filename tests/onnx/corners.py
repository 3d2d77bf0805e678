#!/usr/bin/env python3
"""Resize with align_corners: corners.py FOLDER. The judges are onnxruntime, for models that PyTorch exported, and onnx's reference evaluator."""

import os
import subprocess
import sys

import numpy as np
import onnx
import onnx.reference
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
path = os.path.join(folder, "m")
count = 0
for producer in ("pytorch", "another"):
    for mode in ("linear", "cubic", "nearest"):
        for scale in (1.5, 0.7):
            for symbols in (False, True):
                x = np.random.default_rng(count).standard_normal([1, 2, 7, 9]).astype(np.float32)
                words = {"mode": mode, "coordinate_transformation_mode": "align_corners"}
                shape = [1, 2, "h", "w"] if symbols else list(x.shape)
                graph = helper.make_graph(
                    [helper.make_node("Resize", ["x", "", "s"], ["y"], **words)],
                    "g",
                    [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                    [helper.make_tensor_value_info("y", TensorProto.FLOAT, [None] * 4)],
                    [numpy_helper.from_array(np.array([1, 1, scale, scale], np.float32), "s")],
                )
                opsets = [helper.make_opsetid("", 18)]
                model = helper.make_model(graph, opset_imports=opsets, ir_version=9, producer_name=producer)
                onnx.save(model, f"{path}.onnx")
                if producer == "pytorch":
                    session = onnxruntime.InferenceSession(f"{path}.onnx", providers=["CPUExecutionProvider"])
                    wanted = session.run(None, {"x": x})[0]
                else:
                    wanted = onnx.reference.ReferenceEvaluator(model).run(None, {"x": x})[0].astype(np.float32)
                np.save(f"{path}-x.npy", x)
                np.save(f"{path}-y.npy", wanted)
                subprocess.run(["hal-compile", "-q", f"{path}.onnx", "-o", f"{path}.so"], check=True)
                flags = [f"--input=@{path}-x.npy", f"--expect=@{path}-y.npy", "--rtol=1e-4", "--atol=1e-4"]
                done = subprocess.run(["hal-run", f"{path}.so", *flags], capture_output=True, text=True, check=False)
                assert done.returncode == 0, f"{producer} {mode} {scale} {symbols}: {done.stderr}"
                count += 1
print(f"{count} models are right")
