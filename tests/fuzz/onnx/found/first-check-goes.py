# RUN: %python %s
"""The first check of a program may hold for sure, and go.

Found by `graphs.py --seed=40078`, made smaller since.
"""

import os
import sys

import ml_dtypes  # noqa: F401
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from replay import main  # noqa: E402

MODEL = """
<
   ir_version: 8,
   opset_import: ["" : 14],
   producer_name: "fuzz"
>
graph_40078 (float[1,2,7] v7, float[1,3,1] x29) => (float[?,?,?,?] v32) 
   <float[1,3,7] c28 =  {-0.671875,-0.65625,-0.90625,-0.03125,-0.921875,-0.484375,0.78125,0.53125,0.734375,-0.328125,-0.9375,-0.875,-0.828125,-0.46875,0.796875,0.734375,-0.765625,-0.671875,-0.5,-0.5,0.953125}, float[1,6] c30 =  {-0.890625,-0.390625,0.09375,-0.140625,-0.65625,0.5625}, int32[2] c31 =  {1,1}>
{
   v32, v33 = GRU <direction: string = "forward", hidden_size: int = 1, linear_before_reset: int = 1> (v7, c28, x29, c30, c31)
}
"""

# What it is given, and what the reference evaluator makes of it.
RUNS = [
    (
        {
            "v7": np.array(
                [
                    [
                        [-0.453125, 0.03125, -0.171875, 0.515625, -0.078125, 1.03125, 1.96875],
                        [1.375, -0.984375, -0.0625, 1.1875, -0.15625, -0.4375, -1.359375],
                    ]
                ],
                np.float32,
            ),
            "x29": np.array([[[-0.65625], [0.453125], [0.375]]], np.float32),
        },
        [np.array([[[[0.2802869975566864], [-0.7141155004501343]]]], np.float32)],
    )
]

if __name__ == "__main__":
    main(MODEL, RUNS, rtol=0.0001, atol=1e-05)
