"""libhalyard by ctypes, as an application in Python uses it: programs, instances, states."""

import ctypes
from ctypes import POINTER, Structure, byref, c_char_p, c_int, c_int64, c_size_t, c_void_p

import numpy as np

DTYPES = ["f4", "f8", "f2", None, "?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]


class CTensor(Structure):
    _fields_ = [("dtype", c_int), ("rank", c_size_t), ("shape", POINTER(c_int64)), ("data", c_void_p)]


class CSpec(Structure):
    _fields_ = [("name", c_char_p), ("dtype", c_int), ("rank", c_size_t), ("shape", POINTER(c_int64))]


class Library:
    def __init__(self, folder):
        self.c = ctypes.CDLL(f"{folder}/libhalyard.so")
        self.c.halyard_last_error.restype = c_char_p
        for name in ["loader_create", "loader_load", "instance_create"]:
            getattr(self.c, f"halyard_{name}").restype = c_void_p
        for name in ["program_state_count", "instance_output_count"]:
            getattr(self.c, f"halyard_{name}").restype = c_size_t

    def check(self, ok):
        if not ok:
            raise RuntimeError(self.c.halyard_last_error().decode())

    def load(self, path, device="cpu"):
        loader = c_void_p(self.c.halyard_loader_create())
        self.check(self.c.halyard_loader_set_device(loader, device.encode()) == 0)
        program = self.c.halyard_loader_load(loader, path.encode())
        self.c.halyard_loader_free(loader)
        self.check(program)
        return Program(self, c_void_p(program))


class Program:
    def __init__(self, library, handle):
        self.library, self.handle = library, handle

    def __del__(self):
        self.library.c.halyard_program_free(self.handle)

    def states(self):
        c, specs = self.library.c, {}
        for i in range(c.halyard_program_state_count(self.handle)):
            spec = CSpec()
            self.library.check(c.halyard_program_state(self.handle, c_size_t(i), byref(spec)) == 0)
            specs[spec.name.decode()] = (DTYPES[spec.dtype], [spec.shape[d] for d in range(spec.rank)])
        return specs

    def instance(self, threads=1):
        made = self.library.c.halyard_instance_create(self.handle, c_size_t(threads))
        self.library.check(made)
        return Instance(self, c_void_p(made))


class Instance:
    def __init__(self, program, handle):
        self.program, self.library, self.handle = program, program.library, handle

    def __del__(self):
        self.library.c.halyard_instance_free(self.handle)

    def call(self, inputs, function="main"):
        arrays = [np.asarray(a, order="C") for a in inputs]
        tensors = (CTensor * max(1, len(arrays)))(*[as_c(a) for a in arrays])
        c = self.library.c
        self.library.check(c.halyard_instance_call(self.handle, function.encode(), tensors, c_size_t(len(arrays))) == 0)
        outputs = []
        for i in range(c.halyard_instance_output_count(self.handle)):
            tensor = CTensor()
            self.library.check(c.halyard_instance_output(self.handle, c_size_t(i), byref(tensor)) == 0)
            outputs.append(as_numpy(tensor))
        return outputs

    def state(self, name):
        tensor = CTensor()
        self.library.check(self.library.c.halyard_instance_state(self.handle, name.encode(), byref(tensor)) == 0)
        return as_numpy(tensor)

    def set_state(self, name, array):
        array = np.asarray(array, order="C")
        self.library.check(
            self.library.c.halyard_instance_set_state(self.handle, name.encode(), byref(as_c(array))) == 0
        )

    def reset(self, name=None):
        self.library.check(self.library.c.halyard_instance_reset_state(self.handle, name and name.encode()) == 0)


def as_c(array):
    shape = (c_int64 * max(1, array.ndim))(*array.shape)
    return CTensor(DTYPES.index(array.dtype.str.lstrip("<|=").replace("b1", "?")), array.ndim, shape, array.ctypes.data)


def as_numpy(tensor):
    shape = [tensor.shape[d] for d in range(tensor.rank)]
    dtype = np.dtype(DTYPES[tensor.dtype])
    count = int(np.prod(shape)) * dtype.itemsize
    return np.frombuffer(ctypes.string_at(tensor.data, count), dtype).reshape(shape)
