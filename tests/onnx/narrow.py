#!/usr/bin/env python3
"""Casts from and to floats of at most eight bits and integers of less: every code, numbers at and around every one of them and every
middle of two, infinities and NaNs, as ml_dtypes has them; as inputs, and as constants, which fold."""

import argparse
import os
import subprocess

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper, numpy_helper

FLOATS = {
    "e4m3fn": (T.FLOAT8E4M3FN, ml_dtypes.float8_e4m3fn, 8),
    "e4m3fnuz": (T.FLOAT8E4M3FNUZ, ml_dtypes.float8_e4m3fnuz, 8),
    "e5m2": (T.FLOAT8E5M2, ml_dtypes.float8_e5m2, 8),
    "e5m2fnuz": (T.FLOAT8E5M2FNUZ, ml_dtypes.float8_e5m2fnuz, 8),
    "e8m0": (T.FLOAT8E8M0, ml_dtypes.float8_e8m0fnu, 8),
    "e2m3": (T.FLOAT6E2M3, ml_dtypes.float6_e2m3fn, 6),
    "e3m2": (T.FLOAT6E3M2, ml_dtypes.float6_e3m2fn, 6),
    "e2m1": (T.FLOAT4E2M1, ml_dtypes.float4_e2m1fn, 4),
}
INTEGERS = {
    "i4": (T.INT4, ml_dtypes.int4, 4),
    "u4": (T.UINT4, ml_dtypes.uint4, 4),
    "i2": (T.INT2, ml_dtypes.int2, 2),
    "u2": (T.UINT2, ml_dtypes.uint2, 2),
}
WIDE = {"f32": (T.FLOAT, np.float32), "f64": (T.DOUBLE, np.float64), "f16": (T.FLOAT16, np.float16)}


def codes(kind):
    """Every number of a narrow type."""
    _, dtype, bits = (FLOATS | INTEGERS)[kind]
    return np.arange(1 << bits, dtype=np.uint8).view(dtype)


def numbers(wide):
    """Numbers at which conversions go wrong, of a wide type."""
    dtype, out = (
        WIDE[wide][1],
        [
            0.0,
            -0.0,
            np.inf,
            -np.inf,
            np.nan,
            1e-300,
            1e300,
            3.4e38,
            1e-45,
            65504.0,
            448.0,
            463.99,
            464.0,
            464.01,
            61440.0,
            61439.0,
        ],
    )
    for kind in FLOATS:
        values = codes(kind).astype(np.float64)
        values = np.unique(values[np.isfinite(values)])
        middles = (values[:-1] + values[1:]) / 2
        for v in np.concatenate([values, middles, [2 * values[-1] - values[-2], 1.5 * values[-1] - values[-2] / 2]]):
            with np.errstate(over="ignore"):
                here = dtype(v)
                out += [here, np.nextafter(here, dtype(np.inf)), np.nextafter(here, dtype(-np.inf))]
    with np.errstate(over="ignore"):
        list_ = np.array(out, np.float64)
        list_ = np.concatenate(
            [
                list_,
                -list_,
                np.random.default_rng(3).standard_normal(4000) * 10.0 ** np.random.default_rng(4).integers(-9, 6, 4000),
            ]
        )
        return list_.astype(dtype)


def power_of_two(x, saturate, mode):
    """f8E8M0 as the specification has it."""
    out = []
    for v in np.abs(x.astype(np.float64)):
        beyond, below = (0xFE, 0) if saturate else (0xFF, 0xFF)
        if np.isnan(v):
            out.append(0xFF)
        elif v < 2.0**-127:
            out.append(below)
        elif np.isinf(v):
            out.append(beyond)
        else:
            fraction, power = np.frexp(v)
            fraction, power = fraction * 2, int(power) - 1
            up = {"up": fraction > 1, "down": False, "nearest": fraction >= 1.5}[mode]
            code = power + 127 + int(up)
            out.append(beyond if code > 0xFE else code)
    return np.array(out, np.uint8)


def narrowed(x, kind, saturate, mode):
    """The bytes that numbers become."""
    if kind in INTEGERS:
        _, dtype, bits = INTEGERS[kind]
        whole = np.trunc(x).astype(np.int64) & ((1 << bits) - 1)
        return (
            whole.astype(np.uint8).view(dtype).astype(np.int8).view(np.uint8)
            if kind[0] == "i"
            else whole.astype(np.uint8)
        )
    if kind == "e8m0":
        return power_of_two(x, saturate, mode)
    dtype = FLOATS[kind][1]
    if saturate:
        x = np.clip(x.astype(np.float64), float(ml_dtypes.finfo(dtype).min), float(ml_dtypes.finfo(dtype).max))
    with np.errstate(all="ignore"):
        return to_odd(x).astype(dtype).view(np.uint8)


def to_odd(x):
    """f64 as f32, of the two next to it the odd one: ml_dtypes rounds to f32 before it rounds again, so that a tie is one that was none."""
    if x.dtype != np.float64:
        return x
    near = x.astype(np.float32)
    other = np.nextafter(near, np.where(near < x, np.float32(np.inf), np.float32(-np.inf)))
    return np.where((near == x) | (x != x) | (near.view(np.uint32) % 2 == 1), near, other)


def pack(array, bits):
    """As a model stores them."""
    flat, out = array.view(np.uint8).reshape(-1), 0
    for i, v in enumerate(flat):
        out |= int(v & ((1 << bits) - 1)) << (bits * i)
    return out.to_bytes((len(flat) * bits + 7) // 8, "little")


class Case:
    """A model of many casts, its inputs, and what must come out."""

    def __init__(self, constant):
        self.constant, self.nodes, self.given, self.stored, self.outputs, self.expected = constant, [], {}, [], [], {}

    def take(self, name, elem, array, bits=None):
        if not self.constant:
            self.given[name] = (elem, array)
        elif bits:
            self.stored.append(
                onnx.TensorProto(name=name, data_type=elem, dims=array.shape, raw_data=pack(array, bits))
            )
        else:
            self.stored.append(numpy_helper.from_array(array, name))

    def cast(self, source, to, expected, **attributes):
        name = f"y{len(self.outputs)}"
        self.nodes.append(helper.make_node("Cast", [source], [name], to=to, **attributes))
        self.outputs.append((name, to))
        self.expected[name] = (expected, f"{source} to {to} {attributes}")

    def model(self):
        info = lambda name, elem: helper.make_tensor_value_info(name, elem, ["N_" + name])
        graph = helper.make_graph(
            self.nodes, "g", [info(n, e) for n, (e, _) in self.given.items()],
            [helper.make_tensor_value_info(n, e, None) for n, e in self.outputs], self.stored)  # fmt: skip
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 24)], ir_version=11)


def case(constant, target):
    c = Case(constant)
    wides = [(T.FLOAT, np.float32), (T.FLOAT16, np.float16), (T.DOUBLE, np.float64)]
    if target == "cpu":  # Vulkan has no bf16.
        wides.append((T.BFLOAT16, ml_dtypes.bfloat16))
    for kind, (elem, _, bits) in (FLOATS | INTEGERS).items():
        c.take(f"x_{kind}", elem, codes(kind), bits)
        for to, wide in wides:
            with np.errstate(all="ignore"):
                c.cast(f"x_{kind}", to, codes(kind).astype(np.float64).astype(wide))
        for other in FLOATS:
            for saturate in (0, 1):
                with np.errstate(all="ignore"):
                    c.cast(
                        f"x_{kind}",
                        FLOATS[other][0],
                        narrowed(codes(kind).astype(np.float64), other, saturate, "up")
                        if other != kind
                        else codes(kind).view(np.uint8),
                        saturate=saturate,
                    )
        if kind in INTEGERS:
            c.cast(f"x_{kind}", T.INT8, codes(kind).astype(np.int8))
            c.cast(f"x_{kind}", T.INT64, codes(kind).astype(np.int64))
            c.cast(f"x_{kind}", T.BOOL, codes(kind).astype(np.int8) != 0)
            for other in INTEGERS:
                c.cast(f"x_{kind}", INTEGERS[other][0], narrowed(codes(kind).astype(np.int64), other, 1, "up"))
    for wide, (elem, _) in WIDE.items():
        x = numbers(wide)
        c.take(f"x_{wide}", elem, x)
        for kind, (to, _, _) in FLOATS.items():
            for saturate in (0, 1):
                for mode in ("up", "down", "nearest") if kind == "e8m0" else ("up",):
                    c.cast(f"x_{wide}", to, narrowed(x, kind, saturate, mode), saturate=saturate, round_mode=mode)
        small = x[np.abs(x.astype(np.float64)) < 1e6]
        c.take(f"x_small_{wide}", elem, small)
        for kind, (to, _, _) in INTEGERS.items():
            c.cast(f"x_small_{wide}", to, narrowed(small, kind, 1, "up"))
    integers = np.arange(-300, 300, dtype=np.int32)
    c.take("x_i32", T.INT32, integers)
    for kind, (to, _, _) in (FLOATS | INTEGERS).items():
        c.cast("x_i32", to, narrowed(integers, kind, 1, "up"))
    return c


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)[:300]}\n{done.stderr}"


def main(folder, target):
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    for constant in (False, True):
        c = case(constant, target)
        onnx.save(c.model(), "model.onnx")
        run("hal-compile", "model.onnx", "-o", "model.so", f"--target={target}")
        command = ["hal-run", "model.so", f"--device={target}"]
        for name, (_, array) in c.given.items():
            np.save(
                f"{name}.npy",
                array
                if array.dtype.kind == "f" and array.itemsize > 1 or array.dtype == np.int32
                else array.view(np.uint8),
            )
            command.append(f"--input={name}=@{name}.npy")
        run(*command, *(f"--output={name}.npy" for name, _ in c.outputs))
        count = 0
        for name, (expected, what) in c.expected.items():
            got = np.load(f"{name}.npy")
            wide = expected.dtype.itemsize > 1 or expected.dtype == bool
            if wide:
                got = got.view(expected.dtype)
                same = (got == expected) | (got != got) & (expected != expected)
            else:
                kind = next(
                    (k for k, v in (FLOATS | INTEGERS).items() if what.split(" to ")[1].split()[0] == str(v[0])), None
                )
                got, expected = got.view(np.uint8), expected.view(np.uint8)
                same = got == expected
                if kind in INTEGERS:
                    # The bits above those of the number do not count.
                    same = got.view(INTEGERS[kind][1]) == expected.view(INTEGERS[kind][1])
                if kind in FLOATS:
                    # One NaN is as good as another one; a type without NaN has anything in its place.
                    a, b = (v.view(FLOATS[kind][1]).astype(np.float32) for v in (got, expected))
                    same |= np.isnan(a) & np.isnan(b)
                    if FLOATS[kind][2] < 8 or kind == "e8m0":
                        source = what.split()[0]
                        x = (
                            c.given[source][1]
                            if source in c.given
                            else numpy_helper.to_array(next(t for t in c.stored if t.name == source))
                        )
                        same |= np.isnan(np.asarray(x).astype(np.float64))
            bad = np.flatnonzero(~same)
            assert not len(bad), f"{what}: at {bad[:5]} {got[bad[:5]]} instead of {expected[bad[:5]]}"
            count += len(expected)
        print(f"{'constants' if constant else 'inputs'}: {count} conversions as expected")


if __name__ == "__main__":
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder", help="where files go")
    p.add_argument("--target", default="cpu", help="as for hal-compile; it must run here (default %(default)s)")
    a = p.parse_args()
    main(a.folder, a.target)
