# RUN: %python %s
"""Shape arithmetic that is done at import says what the same arithmetic in a program says: remainders with the sign of the
divisor, integers that wrap, powers of -1, 0 and 1.
"""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from replay import main  # noqa: E402

REMAINDERS = """
<ir_version: 8, opset_import: ["" : 16]>
graph (float[N,3] x) => (int64[3] a, int64[2] b, int64[2] c)
<int64 zero = {0}, int64 three = {3}, int64 one = {1}, int64[3] divisors = {2, -2, -5}, int64[1] minus = {-4}, int64[1] five = {5}>
{
  numbers = Range (zero, three, one)
  a = Mod (numbers, divisors)
  shape = Shape (x)
  less = Sub (shape, five)
  b = Mod <fmod: int = 0> (less, minus)
  c = Mod <fmod: int = 1> (less, minus)
}
"""

WRAPPING = """
<ir_version: 8, opset_import: ["" : 16]>
graph (uint8[1] y) => (uint8[1] a, uint8[1] b, int8[1] c)
<uint8[1] large = {200}, uint8[1] half = {100}, int8[1] most = {127}, int8[1] one = {1}>
{
  sum = Add (large, half)
  a = Add (sum, y)
  b = Sub (half, large)
  c = Add (most, one)
}
"""

POWERS = """
<ir_version: 8, opset_import: ["" : 16]>
graph (int64[5] x, int64[5] y) => (int64[5] z)
{
  z = Pow (x, y)
}
"""


def int64(*numbers):
    return np.array(numbers, np.int64)


def rest(n):
    x = np.zeros((n, 3), np.float32)
    return {"x": x}, [int64(0, -1, -3), np.mod(int64(n - 5, -2), -4), np.fmod(int64(n - 5, -2), -4)]


if __name__ == "__main__":
    main(REMAINDERS, [rest(1), rest(5), rest(7)], 0, 0)
    main(
        WRAPPING,
        [
            (
                {"y": np.array([1], np.uint8)},
                [np.array([45], np.uint8), np.array([156], np.uint8), np.array([-128], np.int8)],
            )
        ],
        0,
        0,
    )
    main(POWERS, [({"x": int64(0, 1, -1, -1, 2), "y": int64(64, 70, 64, 71, 10)}, [int64(0, 1, 1, -1, 1024)]),
                  ({"x": int64(3, 1, -1, -1, 2), "y": int64(0, -7, -2, -3, -1)}, [int64(1, 1, 1, -1, 0)])], 0, 0)  # fmt: skip
