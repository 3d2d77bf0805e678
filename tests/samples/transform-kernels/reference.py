"""Random inputs of the three models, and what they make of them."""

import numpy as np

random = np.random.default_rng(1)


def normal(*shape):
    return random.standard_normal(shape, np.float32)


def save(**arrays):
    for name, array in arrays.items():
        np.save(f"{name}.npy", array.astype(np.float32))


a, b = normal(512, 512), normal(512, 512)
save(a=a, b=b, product=a.astype(np.float64) @ b)

image, filters = normal(1, 58, 58, 64), normal(3, 3, 64, 64)
windows = (image[:, y : y + 56, x : x + 56].astype(np.float64) @ filters[y, x] for y in range(3) for x in range(3))
save(image=image, filters=filters, convolution=sum(windows))

q, k, v = normal(8, 256, 64), normal(8, 256, 64), normal(8, 256, 64)
scores = q.astype(np.float64) @ k.transpose(0, 2, 1) / 8
powers = np.exp(scores - scores.max(axis=2, keepdims=True))
save(q=q, k=k, v=v, attention=powers / powers.sum(axis=2, keepdims=True) @ v)
