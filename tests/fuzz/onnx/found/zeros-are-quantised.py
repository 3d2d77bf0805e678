# RUN: %python %s
"""DynamicQuantizeLinear of zeros alone has a scale that is not 0, so that it can be divided by: 1, as onnxruntime has it."""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from replay import main  # noqa: E402

MODEL = """
<ir_version: 8, opset_import: ["" : 18]>
graph (float[2,3] x) => (uint8[2,3] y, float scale, uint8 zero)
{
  y, scale, zero = DynamicQuantizeLinear (x)
}
"""
X = np.array([[0, -1, 2], [4.1, 0, 0]], np.float32)
SCALE = np.float32(5.1 / 255)

if __name__ == "__main__":
    main(MODEL, [({"x": np.zeros((2, 3), np.float32)}, [np.zeros((2, 3), np.uint8), np.array(1, np.float32), np.array(0, np.uint8)]),
                 ({"x": X}, [np.rint(X / SCALE + 50).astype(np.uint8), np.array(SCALE), np.array(50, np.uint8)])], 1e-6, 0)  # fmt: skip
