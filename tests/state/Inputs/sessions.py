"""Sessions of programs with states beside models that get them from the caller: `sessions.py LIBRARY_FOLDER TARGET`."""

import subprocess
import sys
import tempfile

import models
import numpy as np
import onnxruntime
from libhalyard import Library

LIBRARY, TARGET = Library(sys.argv[1]), sys.argv[2]
RNG = np.random.default_rng(7)


def build(model, *states):
    output = model.rsplit(".", 1)[0] + ".so"
    subprocess.run(
        ["hal-compile", model, "-o", output, "-q", f"--target={TARGET}", *[f"--state={s}" for s in states]], check=True
    )
    return LIBRARY.load(output, TARGET)


def same(got, want, what, tolerance=1e-5):
    assert got.shape == want.shape and got.dtype == want.dtype, (
        f"{what}: {got.dtype}{got.shape}, {want.dtype}{want.shape}"
    )
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance, err_msg=what)


def cell(folder):
    """An RNN cell for several steps, beside onnxruntime with explicit states; two instances; reset; one that was saved."""
    path = models.lstm(folder)
    program = build(path, "h=h1", "c=c1,keep")
    assert program.states() == {"h": ("f4", [1, 2, 6]), "c": ("f4", [1, 2, 6])}, program.states()
    ort = onnxruntime.InferenceSession(path)
    steps = [models.random(1, 2, 5) for _ in range(6)]

    def run(instance, steps, h, c):
        for x in steps:
            y, h, c = ort.run(["y", "h1", "c1"], {"x": x, "h": h, "c": c})
            got = instance.call([x])
            same(got[0], y, "y")
            same(got[1], c, "the state that is returned, too")
        same(instance.state("h"), h, "h")
        same(instance.state("c"), c, "c")
        return h, c

    zero = np.zeros((1, 2, 6), "f4")
    first, second = program.instance(), program.instance(2)
    h, c = run(first, steps[:3], zero, zero)
    run(second, steps[3:], zero, zero)
    run(first, steps[3:], h, c)
    second.set_state("h", h)
    second.set_state("c", c)
    run(second, steps[3:], h, c)
    first.reset()
    run(first, steps[:2], zero, zero)
    second.reset("h")
    same(second.state("h"), zero, "reset")
    assert np.abs(second.state("c")).max() > 0


def cache(folder):
    """Decoders whose caches grow: a prompt, then tokens one by one, beside onnxruntime."""
    path = models.decoder(folder)
    program = build(path, "past_key_values.*=present.*,batch=1")
    assert len(program.states()) == 6 and program.states()["past_key_values.2.value"] == ("f4", [-1, 2, -1, 8])
    ort = onnxruntime.InferenceSession(path)
    names = [i.name for i in ort.get_inputs()[1:]]

    def run(instance, batch):
        past = [np.zeros((batch, 2, 0, 8), "f4")] * len(names)
        for length in [4, 1, 1, 3] + [1] * 12:
            ids = RNG.integers(0, 11, (batch, length))
            logits, *past = ort.run(None, {"ids": ids, **dict(zip(names, past))})
            same(instance.call([ids])[0], logits, f"logits of batch {batch}", 1e-4)
        for name, value in zip(names, past):
            same(instance.state(name), value, name, 1e-4)

    instance = program.instance()
    run(instance, 1)
    instance.reset()
    run(instance, 1)
    # Another batch starts with empty caches of that batch.
    for name in names:
        instance.set_state(name, np.zeros((3, 2, 0, 8), "f4"))
    run(instance, 3)
    before = {name: instance.state(name) for name in names}
    try:
        instance.call([np.zeros((2, 1), "i8")])
        raise AssertionError("a batch that does not fit was taken")
    except RuntimeError:
        pass
    assert all((instance.state(name) == before[name]).all() for name in names)


def fixed(folder):
    """Caches of fixed size that are updated in place."""
    program = build(models.scatter(folder), "past=present")
    instance, want = program.instance(), np.zeros((16, 4), "f4")
    for at in [(0, 1), (2, -1), (0, 7)]:
        x = models.random(2, 4)
        want[list(at)] = x
        same(instance.call([x, np.array(at)[:, None]])[0], want.sum(0), "sum")
    same(instance.state("past"), want, "ScatterND")
    try:
        instance.call([models.random(2, 4), np.array([[3], [16]])])
        raise AssertionError("row 16 of 16 was taken")
    except RuntimeError as e:
        assert "ScatterND" in str(e), e
    # Some of it was written when that was found out.
    try:
        instance.call([models.random(2, 4), np.array([[3], [4]])])
        raise AssertionError("a state that is lost was taken")
    except RuntimeError as e:
        assert "state `past` was being updated in place by a call that failed" in str(e), e
    instance.set_state("past", want)
    same(instance.state("past"), want, "what was saved")

    program = build(models.tensor_scatter(folder), "past=present")
    instance, want = program.instance(), np.zeros((2, 2, 8, 4), "f4")
    for at in [(0, 1), (1, 2), (7, 3)]:
        x = models.random(2, 2, 1, 4)
        for batch in range(2):
            want[batch, :, at[batch]] = x[batch, :, 0]
        instance.call([x, np.array(at)])
    same(instance.state("past"), want, "TensorScatter")

    program = build(models.insert(folder), "past=present")
    instance, want = program.instance(), np.zeros((2, 16, 4), "f4")
    for at in [0, 1, 15, 1]:
        x = models.random(2, 1, 4)
        want[:, at] = x[:, 0]
        same(instance.call([x, np.array(at)])[0], want.sum((1, 2)), "sum")
    same(instance.state("past"), want, "insert_slice")
    # What a check refuses before anything is written leaves the state as it is.
    try:
        instance.call([models.random(2, 1, 4), np.array(16)])
        raise AssertionError("row 16 of 16 was taken")
    except RuntimeError:
        pass
    same(instance.state("past"), want, "insert_slice, refused")


def types(folder):
    """States of other types than f32."""
    program = build(models.counters(folder), "s.*=s.*1")
    instance = program.instance()
    assert {n: t for n, (t, _) in program.states().items()} == {
        "s.bytes": "u1",
        "s.halves": "f2",
        "s.flags": "?",
        "s.count": "i8",
    }
    byte, half = np.array([1, 100, 200], "u1"), np.full((2, 2), 0.5, "f2")
    instance.set_state("s.halves", np.full((2, 2), 8, "f2"))
    for step in range(1, 5):
        assert instance.call([byte, half])[0] == step
        assert (instance.state("s.bytes") == byte * np.uint8(step)).all()
        assert (instance.state("s.halves") == 8 * 0.5**step).all()
        assert (instance.state("s.flags") == bool(step % 2)).all()


with tempfile.TemporaryDirectory() as folder:
    for part in [cell, cache, fixed, types]:
        part(folder)
        print(part.__name__, "is right")
