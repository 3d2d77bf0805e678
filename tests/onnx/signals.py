#!/usr/bin/env python3
"""Spectra of many lengths, pooled regions and random numbers, which the wheel's tests have few or none of, in one program each.

The references are numpy's; random numbers are looked at by their moments."""

import sys

import numpy as np
from backend import Halyard
from onnx import TensorProto as T
from onnx import helper, numpy_helper

RNG = np.random.default_rng(7)
F32 = lambda *shape: RNG.standard_normal(shape).astype(np.float32)


class Net:
    """A model under construction: nodes, inputs, constants, and what each output must satisfy."""

    def __init__(self, opset):
        self.opset, self.nodes, self.feeds, self.constants, self.checks, self.kinds = opset, [], {}, {}, [], []

    def value(self, array, constant):
        name = f"v{len(self.feeds) + len(self.constants)}"
        (self.constants if constant else self.feeds)[name] = np.asarray(array)
        return name

    def add(self, op, inputs, checks, kind=T.FLOAT, **attributes):
        """`inputs` are arrays, `None`, or `(array,)` for constants; a check is an array or a function that says what is wrong."""
        names = [
            "" if a is None else self.value(a[0], True) if isinstance(a, tuple) else self.value(a, False)
            for a in inputs
        ]
        outputs = [f"o{len(self.checks) + i}" for i in range(len(checks))]
        self.nodes.append(helper.make_node(op, names, outputs, **attributes))
        self.checks += [(f"{op} {attributes} of {[np.shape(a) for a in inputs if a is not None]}", c) for c in checks]
        self.kinds += kind if isinstance(kind, list) else [kind] * len(checks)

    def run(self):
        """Runs the program twice; returns what is wrong."""
        kind = lambda a: helper.np_dtype_to_tensor_dtype(a.dtype)
        inputs = [
            helper.make_tensor_value_info(n, kind(a), [f"{n}_{i}" for i in range(a.ndim)])
            for n, a in self.feeds.items()
        ]
        outputs = [helper.make_tensor_value_info(f"o{i}", k, None) for i, k in enumerate(self.kinds)]
        stored = [numpy_helper.from_array(a, n) for n, a in self.constants.items()]
        graph = helper.make_graph(self.nodes, "g", inputs, outputs, stored)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=10)
        program = Halyard.prepare(model)
        made, again = (program.run(list(self.feeds.values())) for _ in range(2))
        wrong = []
        for (name, check), array, other in zip(self.checks, made, again, strict=True):
            if not np.array_equal(array, other, equal_nan=True):
                wrong.append(f"{name}: the second call gives other numbers")
            if callable(check):
                wrong += [f"{name}: {said}" for said in [check(array)] if said]
            elif array.shape != check.shape or not np.allclose(array, check, 1e-4, 1e-4 * max(1, np.abs(check).max())):
                wrong.append(f"{name}: {array.shape} {array.ravel()[:6]} instead of {check.shape} {check.ravel()[:6]}")
        return wrong


def parts(z):
    return np.stack([z.real, z.imag], -1).astype(np.float32)


def spectra():
    net = Net(20)
    for known in (True, False):
        # What is known splits into factors; 97 is a prime, 1009 a large one.
        for length in (1, 2, 10, 64, 65, 97, 128, 240, 1009) if known else (1, 7, 128):
            x, z = F32(2, length, 1), F32(2, length, 2)
            give = lambda a: (a,) if known else a
            whole = z[..., 0] + 1j * z[..., 1]
            net.add("DFT", [give(x)], [parts(np.fft.fft(x[..., 0]))])
            net.add("DFT", [give(x)], [parts(np.fft.rfft(x[..., 0]))], onesided=1)
            net.add("DFT", [give(z)], [parts(np.fft.ifft(whole))], inverse=1)
            for back in (2 * length - 1, 2 * length):
                want = np.fft.irfft(whole, back)[..., None].astype(np.float32)
                net.add("DFT", [give(z), (np.array(back),)], [want], inverse=1, onesided=1)
    # Cut and padded, along other axes, and along one that is data.
    x = F32(3, 20, 5, 1)
    for length in (9, 72):
        net.add("DFT", [(x,), (np.array(length),), (np.array(1),)], [parts(np.fft.fft(x[..., 0], length, 1))])
        for axis in (0, -2):
            net.add(
                "DFT",
                [x, np.array(length), np.array(axis)],
                [parts(np.fft.rfft(x[..., 0], length, axis % 4))],
                onesided=1,
            )
    signal, window = F32(2, 300, 1), F32(128)
    frames = np.stack([signal[:, i : i + 128, 0] * window for i in range(0, 300 - 127, 40)], 1)
    net.add("STFT", [signal, np.array(40), window], [parts(np.fft.rfft(frames))])
    net.add("STFT", [(signal,), (np.array(40),), (window,), (np.array(128),)], [parts(np.fft.fft(frames))], onesided=0)
    return net


def regions():
    """Pooling of regions as Fast R-CNN does it: whole elements, both ends included, bins that overlap."""
    net = Net(22)
    x = F32(2, 3, 8, 10)
    rois = np.array([[0, 0, 0, 7, 9], [1, 1.5, 2, 3, 3.2], [1, -2, -1, 4, 12], [0, 20, 20, 30, 30]], np.float32)
    for scale in (1.0, 0.5):
        want = np.zeros((4, 3, 2, 3), np.float32)
        for r, roi in enumerate(rois):
            left, top, right, bottom = (int(np.copysign(np.floor(abs(v * scale) + 0.5), v)) for v in roi[1:])
            high, wide = max(bottom - top + 1, 1), max(right - left + 1, 1)
            for i in range(2):
                for j in range(3):
                    rows = np.clip([np.floor(i * high / 2) + top, np.ceil((i + 1) * high / 2) + top], 0, 8).astype(int)
                    columns = np.clip(
                        [np.floor(j * wide / 3) + left, np.ceil((j + 1) * wide / 3) + left], 0, 10
                    ).astype(int)
                    part = x[int(roi[0]), :, rows[0] : rows[1], columns[0] : columns[1]]
                    want[r, :, i, j] = part.max((1, 2)) if part.size else 0
        net.add("MaxRoiPool", [x, rois], [want], pooled_shape=[2, 3], spatial_scale=scale)
    return net


def random_numbers():
    net, seen = Net(22), []

    def moments(mean, deviation, near=0.05):
        def check(a):
            a = a.astype(np.float64)
            if not np.isfinite(a).all() or abs(a.mean() - mean) > near or abs(a.std() - deviation) > near:
                return f"mean {a.mean()}, deviation {a.std()}"
            # Neighbours and rows have nothing to do with each other.
            for b, c in [(a[:, 1:], a[:, :-1]), (a[1:], a[:-1])]:
                if abs(np.corrcoef(b.ravel(), c.ravel())[0, 1]) > 0.05:
                    return "neighbours are alike"
            if any(a.shape == b.shape and np.array_equal(a, b) for b in seen):
                return "another node gives the same numbers"
            seen.append(a)

        return check

    size, third = {"shape": [100, 120]}, np.sqrt(1 / 12)
    net.add("RandomUniform", [], [moments(1, 4 * third)], low=-1.0, high=3.0, seed=5.0, **size)
    net.add("RandomUniform", [], [moments(1, 4 * third)], low=-1.0, high=3.0, seed=6.0, **size)
    net.add("RandomUniform", [], [moments(0.5, third)], **size)
    net.add("RandomUniform", [], [moments(0.5, third)], **size)
    net.add("RandomUniform", [], [moments(0.5, third)], kind=T.FLOAT16, dtype=T.FLOAT16, **size)
    net.add("RandomNormal", [], [moments(-1, 2)], mean=-1.0, scale=2.0, **size)
    net.add("RandomNormal", [], [moments(0, 1)], kind=T.DOUBLE, dtype=T.DOUBLE, **size)
    net.add("RandomNormalLike", [F32(100, 90)], [moments(0, 1)])
    net.add("RandomUniformLike", [np.zeros((90, 110), np.int32)], [moments(0.5, third)], dtype=T.FLOAT)
    net.add("Bernoulli", [np.full((100, 100), 0.3, np.float32)], [moments(0.3, np.sqrt(0.21))])
    chances = np.array([0.1, 0.2, 0.7])
    drawn = lambda a: (
        None
        if np.abs(np.bincount(a.ravel(), minlength=3) / a.size - chances).max() < 0.02
        else f"{np.bincount(a.ravel())}"
    )
    net.add("Multinomial", [np.log([chances, chances]).astype(np.float32) + 3], [drawn], kind=T.INT32, sample_size=4000)
    for training in (True, False):
        rate = 0.7 if training else 1.0
        kept = lambda a, rate=rate: (
            None if abs((a != 0).mean() - rate) < 0.03 and np.allclose(a[a != 0], 1 / rate) else f"{a.ravel()[:6]}"
        )
        mask = lambda a, rate=rate: None if abs(a.mean() - rate) < 0.03 else f"{a.mean()}"
        inputs = [np.ones((70, 80), np.float32), np.float32(0.3), np.array(training)]
        net.add("Dropout", inputs, [kept, mask], kind=[T.FLOAT, T.BOOL])
    return net


if __name__ == "__main__":
    nets = [spectra(), regions(), random_numbers()]
    wrong = [said for net in nets for said in net.run()]
    print("\n".join(wrong))
    print(f"{sum(len(net.checks) for net in nets)} results of {len(nets)} programs, {len(wrong)} wrong")
    sys.exit(bool(wrong))
