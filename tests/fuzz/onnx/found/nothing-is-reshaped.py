# RUN: %python %s
"""Tensors without elements are reshaped, whatever else is known of their sizes."""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from replay import main  # noqa: E402

MODEL = """
<ir_version: 8, opset_import: ["" : 14]>
graph (float[9,0,M] x) => (float[?,?,?] y, float[?,?] z)
<int64[3] sizes = {3, 5, 1}>
{
  a, b, c = Split <axis: int = 0> (x, sizes)
  like = Shape (b)
  y = Expand (c, like)
  z = Flatten <axis: int = 2> (x)
}
"""

if __name__ == "__main__":
    main(
        MODEL,
        [
            ({"x": np.zeros((9, 0, m), np.float32)}, [np.zeros((5, 0, m), np.float32), np.zeros((0, m), np.float32)])
            for m in (0, 1, 7)
        ],
        0,
        0,
    )
