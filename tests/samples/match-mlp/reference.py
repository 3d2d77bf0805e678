"""Random inputs, and what the model makes of them."""

import numpy as np

random = np.random.default_rng(7)
sizes = [64, 32, 32, 10]
x = y = random.standard_normal((8, 64), np.float32)
np.save("x.npy", x)
for i, (depth, columns) in enumerate(zip(sizes, sizes[1:])):
    w = random.standard_normal((depth, columns), np.float32) / np.float32(np.sqrt(depth))
    b = random.standard_normal(columns, np.float32)
    np.save(f"w{i}.npy", w)
    np.save(f"b{i}.npy", b)
    y = y @ w + b
    if i < 2:
        y = np.maximum(y, 0)
np.save("y.npy", y)
