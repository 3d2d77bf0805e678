"""Runs a model that was found by the fuzzer, at -O0 and -O3, on what it was given, and compares."""

import os
import subprocess
import sys
import tempfile

import ml_dtypes  # noqa: F401  numpy learns of bfloat16
import numpy as np
import onnx
from check import restore


def main(text, runs, rtol, atol, target=None):
    target = target or (sys.argv[1].removeprefix("--target=") if len(sys.argv) > 1 else "cpu")
    model = onnx.parser.parse_model(text)
    for level in (0, 3):
        with tempfile.TemporaryDirectory(prefix="hal-fuzz-") as folder:
            onnx.save(model, os.path.join(folder, "model.onnx"))
            subprocess.run(
                ["hal-compile", "model.onnx", "-o", "model.so", f"-O{level}", f"--target={target}"],
                cwd=folder,
                check=True,
            )
            for feeds, expected in runs:
                command = ["hal-run", "model.so", f"--device={target.split(':')[0].split(',')[0]}"]
                for name, array in feeds.items():
                    np.save(os.path.join(folder, f"{name}.npy"), array)
                    command.append(f"--input={name}=@{name}.npy")
                command += [f"--output=out{i}.npy" for i in range(len(expected))]
                subprocess.run(command, cwd=folder, check=True)
                for i, want in enumerate(expected):
                    got = restore(np.load(os.path.join(folder, f"out{i}.npy")), want.dtype)
                    assert got.shape == want.shape and got.dtype == want.dtype, (
                        f"-O{level}: {got.dtype}{got.shape}, expected {want.dtype}{want.shape}"
                    )
                    if want.dtype.kind in "iub":
                        np.testing.assert_array_equal(got, want, f"-O{level}")
                    else:
                        np.testing.assert_allclose(
                            got.astype(np.float64), want.astype(np.float64), rtol, atol, err_msg=f"-O{level}"
                        )
