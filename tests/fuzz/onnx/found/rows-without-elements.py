# RUN: %python %s
"""A loop may gather rows that have no elements.

Found by `graphs.py --seed=90419`, made smaller since.
"""

import os
import sys

import ml_dtypes  # noqa: F401
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from replay import main  # noqa: E402

MODEL = """
<
   ir_version: 10,
   opset_import: ["" : 22],
   producer_name: "fuzz"
>
graph_90419 (int64 x20, float[7,2,0] v18) => (float[?,?,?] v22) 
   <bool c24 =  {1}>
{
   v22, v23 = Loop (x20, c24, v18) <body: graph = loop21 (int64 loop21_i, bool loop21_go, float[?,?,?] loop21_x) => (bool loop21_on, float[?,?,?] loop21_out, float[?,?,?] loop21_row) {
      loop21_c = Constant <value: tensor = float loop21_v {0.5}> ()
      loop21_half = Mul (loop21_x, loop21_c)
      loop21_out = Add (loop21_half, v18)
      loop21_n = Constant <value: tensor = int64 loop21_nv {4}> ()
      loop21_on = Less (loop21_i, loop21_n)
      loop21_row = Identity (loop21_out)
   }>
}
"""

# What it is given, and what the reference evaluator makes of it.
RUNS = [
    (
        {
            "x20": np.array(1, np.int64),
            "v18": np.array([[[], []], [[], []], [[], []], [[], []], [[], []], [[], []], [[], []]], np.float32).reshape(
                [7, 2, 0]
            ),
        },
        [
            np.array([[[], []], [[], []], [[], []], [[], []], [[], []], [[], []], [[], []]], np.float32).reshape(
                [7, 2, 0]
            )
        ],
    )
]

if __name__ == "__main__":
    main(MODEL, RUNS, rtol=0.0001, atol=1e-05)
