"""A linked program in this process, by the C interface (`halyard/halyard.h`)."""

import ctypes as c

import numpy as np

import common


class Tensor(c.Structure):
    _fields_ = [("dtype", c.c_int), ("rank", c.c_size_t), ("shape", c.POINTER(c.c_int64)), ("data", c.c_void_p)]


class Spec(c.Structure):
    _fields_ = [("name", c.c_char_p), ("dtype", c.c_int), ("rank", c.c_size_t), ("shape", c.POINTER(c.c_int64))]


F32 = 0


class Library:
    """The runtime."""

    def __init__(self, path=None):
        self.lib = c.CDLL(path or common.tool("libhalyard.so"))
        for name in ["last_error", "program_function_name"]:
            getattr(self.lib, f"halyard_{name}").restype = c.c_char_p
        for name in ["program_load", "instance_create"]:
            getattr(self.lib, f"halyard_{name}").restype = c.c_void_p
        self.lib.halyard_program_input_count.restype = c.c_size_t

    def check(self, good):
        if not good:
            raise SystemExit(self.lib.halyard_last_error().decode())
        return good


class Program:
    """The first function of a program on so many threads; all of its inputs are f32, and get seeded random numbers."""

    def __init__(self, library, path, threads):
        self.library, lib = library, library.lib
        self.program = c.c_void_p(library.check(lib.halyard_program_load(path.encode())))
        self.instance = c.c_void_p(library.check(lib.halyard_instance_create(self.program, c.c_size_t(threads))))
        self.name = lib.halyard_program_function_name(self.program, c.c_size_t(0))
        rng, self.arrays = np.random.default_rng(0), []
        count = lib.halyard_program_input_count(self.program, c.c_size_t(0))
        self.inputs = (Tensor * count)()
        for i in range(count):
            spec = Spec()
            library.check(lib.halyard_program_input(self.program, c.c_size_t(0), c.c_size_t(i), c.byref(spec)) == 0)
            shape = [spec.shape[d] for d in range(spec.rank)]
            if spec.dtype != F32 or -1 in shape:
                raise SystemExit(f"{path}: input {i} is not f32 of known shape")
            self.arrays.append((rng.standard_normal(shape).astype(np.float32), (c.c_int64 * len(shape))(*shape)))
            array, sizes = self.arrays[-1]
            self.inputs[i] = Tensor(F32, len(shape), sizes, array.ctypes.data)

    def call(self):
        lib = self.library.lib
        self.library.check(
            lib.halyard_instance_call(self.instance, self.name, self.inputs, c.c_size_t(len(self.inputs))) == 0
        )

    def output(self):
        """The first output of the last call."""
        tensor = Tensor()
        self.library.check(self.library.lib.halyard_instance_output(self.instance, c.c_size_t(0), c.byref(tensor)) == 0)
        shape = tuple(tensor.shape[d] for d in range(tensor.rank))
        return np.ctypeslib.as_array(c.cast(tensor.data, c.POINTER(c.c_float)), shape).copy()
