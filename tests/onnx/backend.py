"""Halyard as an `onnx.backend`: models are compiled by the tools and run by hal-run, as a person would."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

import numpy as np
import onnx
from onnx.backend.base import Backend, BackendRep

# A model that compiles or runs longer than this has failed.
TIMEOUT = 600
# What models are compiled for, as `--target` has it; they run on the device of that kind.
TARGET = os.environ.get("HALYARD_TEST_TARGET", "cpu")


class ToolFailed(AssertionError):
    """A tool ended with an error that is not "not supported"."""


def run_tool(command, cwd):
    """Runs a tool. An error with a code such as `onnx-unsupported` skips the test, with what is not supported as the reason."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, timeout=TIMEOUT, check=False)
    if done.returncode == 0:
        return
    messages, unsupported = [], []
    for line in done.stderr.decode(errors="replace").splitlines():
        try:
            message = json.loads(line)
            messages.append(message["message"])
            if "unsupported" in (message.get("code") or ""):
                unsupported += message["notes"] or [message["message"]]
        except (ValueError, KeyError, TypeError):
            messages.append(line)
    # Exit code 1 is "the input was rejected"; anything else is no way to say that something is not supported.
    if unsupported and done.returncode == 1:
        raise unittest.SkipTest("; ".join(dict.fromkeys(unsupported)))
    raise ToolFailed(f"{os.path.basename(command[0])} ended with exit code {done.returncode}: {'; '.join(messages) or 'no message'}")


class Rep(BackendRep):
    """A compiled model."""

    def __init__(self, model, folder):
        self.folder = folder
        self.outputs = model.graph.output

    def __del__(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, inputs, **_):
        """Arrays in, arrays out, by way of .npy files."""
        command = ["hal-run", "model.so", "--message-format=json", f"--device={TARGET.split(':')[0].split(',')[0]}"]
        for i, array in enumerate(inputs):
            if isinstance(array, np.generic):
                array = np.asarray(array)
            if not isinstance(array, np.ndarray) or array.dtype == object:
                raise unittest.SkipTest(f"input {i} is no tensor of numbers")
            # Numbers that numpy does not know are given as their bytes, which is how ml_dtypes has them.
            if array.dtype.itemsize == 1 and array.dtype.kind not in "iub":
                array = array.view(np.uint8)
            np.save(os.path.join(self.folder, f"in{i}.npy"), array)
            command.append(f"--input=@in{i}.npy")
        command += [f"--output=out{i}.npy" for i in range(len(self.outputs))]
        run_tool(command, self.folder)
        return [self.load(i, value) for i, value in enumerate(self.outputs)]

    def load(self, i, value):
        """numpy writes bf16 as two opaque bytes, and MLIR's integers have no sign: the model knows both."""
        array = np.load(os.path.join(self.folder, f"out{i}.npy"))
        want = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type))
        same_bits = array.dtype.kind in "iu" and want.kind not in "b" and array.dtype.itemsize == want.itemsize
        return array.view(want) if same_bits or array.dtype.kind == "V" else array


class Halyard(Backend):
    """What `onnx.backend.test` asks of a backend."""

    @classmethod
    def supports_device(cls, device):
        return device == "CPU"

    @classmethod
    def prepare(cls, model, device="CPU", **_):
        folder = tempfile.mkdtemp(prefix="hal-onnx-")
        try:
            onnx.save(model, os.path.join(folder, "model.onnx"))
            run_tool(["hal-compile", "model.onnx", "-o", "model.so", "-j1", f"--target={TARGET}", "--message-format=json"], folder)
            return Rep(model, folder)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
