"""Halyard as an `onnx.backend`: models are compiled by the tools and run by hal-run, as a person would."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

import numpy as np
import onnx
import variants
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
    raise ToolFailed(
        f"{os.path.basename(command[0])} ended with exit code {done.returncode}: {'; '.join(messages) or 'no message'}"
    )


def held(ty):
    """The type that an optional holds; any other one itself."""
    return held(ty.optional_type.elem_type) if ty.WhichOneof("value") == "optional_type" else ty


def is_tensor(info):
    return info.type.WhichOneof("value") == "tensor_type"


def shape_flag(name, value):
    """What an input is, where its type does not say: the shapes of a sequence's elements, or that an optional holds nothing."""
    shape = lambda array: "x".join(map(str, np.shape(array))) or "scalar"
    text = (
        "none"
        if value is None
        else "[" + ",".join(map(shape, value)) + "]"
        if isinstance(value, list)
        else shape(value)
    )
    return f"--input-shape={name}={text}"


class Rep(BackendRep):
    """A compiled model. Sequences and optionals are compiled for the inputs of the first run: how many tensors they are is part of a program."""

    def __init__(self, model, folder):
        self.folder = folder
        self.inputs, self.outputs = model.graph.input, model.graph.output
        stored = {t.name for t in model.graph.initializer}
        self.inputs = [i for i in self.inputs if i.name not in stored]
        self.holders = [i for i in self.inputs if not is_tensor(i)]
        self.lists = [o for o in self.outputs if not is_tensor(o)]
        self.constants = []
        self.compiled = False
        if not self.holders and not self.lists:
            self.compile([])

    def __del__(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def compile(self, flags):
        run_tool(
            [
                "hal-compile",
                "model.onnx",
                "-o",
                "model.so",
                "-j1",
                f"--target={TARGET}",
                "--message-format=json",
                *flags,
            ],
            self.folder,
        )
        self.compiled = True

    def compile_for(self, inputs):
        """Compiles for inputs. Where the number of tensors depends on numbers, these are constants of the program."""
        flags = [shape_flag(i.name, v) for i, v in zip(self.inputs, inputs) if not is_tensor(i)]
        try:
            self.compile(flags)
        except unittest.SkipTest:
            numbers = [
                (i, v)
                for i, v in zip(self.inputs, inputs)
                if is_tensor(i) and self.array(v).dtype.kind in "ib" and self.array(v).ndim < 2
            ]
            if not numbers:
                raise
            for k, (info, value) in enumerate(numbers):
                np.save(os.path.join(self.folder, f"constant{k}.npy"), self.array(value))
                flags.append(f"--input-value={info.name}=@constant{k}.npy")
            self.compile(flags)
            self.constants = [info.name for info, _ in numbers]

    @staticmethod
    def array(value):
        return np.asarray(value) if isinstance(value, np.generic) else value

    def run(self, inputs, **_):
        """Arrays in, arrays out, by way of .npy files."""
        if not self.compiled:
            self.compile_for(inputs)
        command = ["hal-run", "model.so", "--message-format=json", f"--device={TARGET.split(':')[0].split(',')[0]}"]
        arrays = []
        for info, value in zip(self.inputs, inputs):
            if info.name not in self.constants:
                arrays += value if isinstance(value, list) else [] if value is None else [value]
        for i, array in enumerate(map(self.array, arrays)):
            if not isinstance(array, np.ndarray):
                raise unittest.SkipTest(f"input {i} is no tensor")
            if array.dtype == object:
                # Strings; files of objects would be pickles.
                array = array.astype(np.str_)
            # Numbers that numpy does not know are given as their bytes, which is how ml_dtypes has them.
            if array.dtype.itemsize == 1 and array.dtype.kind not in "iub":
                array = array.view(np.uint8)
            np.save(os.path.join(self.folder, f"in{i}.npy"), array)
            command.append(f"--input=@in{i}.npy")
        if self.lists:
            run_tool([*command, "--output=out.npz"], self.folder)
            with np.load(os.path.join(self.folder, "out.npz")) as found:
                return [self.collect(value, found) for value in self.outputs]
        command += [f"--output=out{i}.npy" for i in range(len(self.outputs))]
        run_tool(command, self.folder)
        return [
            self.typed(np.load(os.path.join(self.folder, f"out{i}.npy")), value.type)
            for i, value in enumerate(self.outputs)
        ]

    def collect(self, value, found):
        """An output of any kind from all arrays: a sequence `x` is `x.0`, `x.1`, …"""
        ty = held(value.type)
        if ty.WhichOneof("value") == "tensor_type":
            return self.typed(found[value.name], ty) if value.name in found else None
        names = [f"{value.name}.{i}" for i in range(len(found.files))]
        return [self.typed(found[n], ty.sequence_type.elem_type) for n in names if n in found]

    @staticmethod
    def typed(array, ty):
        """numpy writes bf16 as two opaque bytes, and MLIR's integers have no sign: the model knows both."""
        if ty.tensor_type.elem_type == onnx.TensorProto.STRING:
            return array.astype(object)
        want = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(ty.tensor_type.elem_type))
        same_bits = array.dtype.kind in "iu" and want.kind not in "b" and array.dtype.itemsize == want.itemsize
        return array.view(want) if same_bits or array.dtype.kind == "V" else array


class VariantRep(BackendRep):
    """A model that is compiled once its inputs are there: what becomes a constant is one of them."""

    def __init__(self, model):
        self.model = model

    def run(self, inputs, **_):
        if variants.CONSTANTS and not variants.SYMBOLIC and not variants.size_inputs(self.model):
            raise unittest.SkipTest(variants.SAME)
        arrays = [np.asarray(v) if isinstance(v, np.generic) else v for v in inputs]
        if variants.SYMBOLIC and variants.draws(self.model, arrays):
            raise unittest.SkipTest(variants.DRAWN)
        model, inputs = variants.variant(self.model, arrays)
        return Halyard.compiled(model).run(inputs)


class Halyard(Backend):
    """What `onnx.backend.test` asks of a backend."""

    @classmethod
    def supports_device(cls, device):
        return device == "CPU"

    @classmethod
    def prepare(cls, model, device="CPU", **_):
        return VariantRep(model) if variants.ACTIVE else cls.compiled(model)

    @classmethod
    def compiled(cls, model):
        folder = tempfile.mkdtemp(prefix="hal-onnx-")
        try:
            onnx.save(model, os.path.join(folder, "model.onnx"))
            return Rep(model, folder)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
