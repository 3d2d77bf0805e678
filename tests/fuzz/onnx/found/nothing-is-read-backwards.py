# RUN: %python %s
"""A slice with a negative step of a dimension without elements has none, known or not when the model is compiled."""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from replay import main  # noqa: E402

MODEL = """
<ir_version: 8, opset_import: ["" : 13]>
graph (float[0] x, float[2,N] y) => (float[?] a, float[?,?] b, float[?,?] c, float[?,?] d)
<int64[1] zero = {0}, int64[1] one = {1}, int64[1] minus = {-2}, int64[1] least = {-9223372036854775807}, int64[1] most = {9223372036854775807}>
{
  a = Slice (x, zero, zero, zero, minus)
  b = Slice (y, zero, least, one, minus)
  c = Slice (y, most, least, one, minus)
  d = Slice (y, least, least, one, minus)
}
"""


def run(n):
    y = np.arange(2 * n, dtype=np.float32).reshape(2, n)
    return {"x": np.zeros(0, np.float32), "y": y}, [np.zeros(0, np.float32), y[:, 0::-2], y[:, ::-2], y[:, 0::-2]]


if __name__ == "__main__":
    main(MODEL, [run(n) for n in (0, 1, 2, 5)], 0, 0)
