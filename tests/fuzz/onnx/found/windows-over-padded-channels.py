# RUN: %python %s
"""A sum over a window of padded channels, of which there is one, is right for every image: loops over images and rows are merged
only where nothing is padded between them.
"""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from replay import main  # noqa: E402

MODEL = """
<ir_version: 8, opset_import: ["" : 12]>
graph (float[4,1,25,1] x) => (float[4,1,25,1] y)
{
  y = LRN <alpha: float = 0.1, beta: float = 0.75, bias: float = 1.5, size: int = 3> (x)
}
"""
X = np.random.default_rng(0).standard_normal((4, 1, 25, 1)).astype(np.float32)

if __name__ == "__main__":
    main(
        MODEL, [({"x": X}, [(X / (1.5 + 0.1 / 3 * X.astype(np.float64) ** 2) ** 0.75).astype(np.float32)])], 1e-5, 1e-6
    )
