"""Random inputs, and what the model makes of them."""

import numpy as np

random = np.random.default_rng(1)
a = random.standard_normal((64, 48), np.float32)
b = random.standard_normal((48, 64), np.float32)
np.save("a.npy", a)
np.save("b.npy", b)
np.save("c.npy", a @ b)
