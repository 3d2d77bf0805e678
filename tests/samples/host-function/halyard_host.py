"""Halyard programs in Python, with host functions in Python: `ctypes` and the standard library, nothing else.

def double(call):
    x = call.input(0)
    out = call.result(0, x.shape)
    for i in range(len(x)):
        out[i] = 2 * x[i]

runtime = Runtime("libhalyard.so")
program = runtime.load("model.so", {"my.double": ("(tensor<?xf32>) -> tensor<?xf32>", double)})
print(program.call("main", [("f32", [3], [1, 2, 3])]))
"""

import ctypes
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_void_p

# In the order of hal_dtype_t. Halves are two bytes, for who knows them (numpy: `numpy.frombuffer`).
TYPES = {"f32": ctypes.c_float, "f64": ctypes.c_double, "f16": ctypes.c_uint16, "bf16": ctypes.c_uint16}
TYPES |= {"i1": ctypes.c_bool, "i8": ctypes.c_int8, "u8": ctypes.c_uint8, "i16": ctypes.c_int16, "u16": ctypes.c_uint16}
TYPES |= {"i32": ctypes.c_int32, "u32": ctypes.c_uint32, "i64": ctypes.c_int64, "u64": ctypes.c_uint64}
NAMES = list(TYPES)


class CTensor(ctypes.Structure):
    """hal_tensor_t."""

    _fields_ = [("dtype", c_uint32), ("rank", c_uint32), ("shape", POINTER(c_int64)), ("data", c_void_p)]


class CCall(ctypes.Structure):
    """hal_call_t."""


CCall._fields_ = [
    ("input_count", c_uint32),
    ("result_count", c_uint32),
    ("inputs", POINTER(CTensor)),
    ("results", POINTER(CTensor)),
    ("allocate", CFUNCTYPE(c_void_p, POINTER(CCall), c_uint32, c_uint32, POINTER(c_int64))),
    ("fail", CFUNCTYPE(c_int, POINTER(CCall), c_char_p)),
]
HostFunction = CFUNCTYPE(c_int, POINTER(CCall), c_void_p)


class Value(ctypes.Structure):
    """halyard_tensor_t."""

    _fields_ = [("dtype", c_uint32), ("rank", c_size_t), ("shape", POINTER(c_int64)), ("data", c_void_p)]


def elements(dtype, shape, data):
    """The memory of a tensor as an array of all its elements, which has their type and `shape` beside."""
    count = 1
    for size in shape:
        count *= size
    kind = type("Elements", (TYPES[dtype] * count,), {"_type_": TYPES[dtype], "_length_": count})
    array = kind.from_address(data) if count else kind()
    array.dtype, array.shape = dtype, list(shape)
    return array


class Call:
    """What a host function works on."""

    def __init__(self, pointer):
        self._pointer = pointer

    def input(self, index):
        """An argument; a number is one element."""
        tensor = self._pointer.contents.inputs[index]
        return elements(NAMES[tensor.dtype], tensor.shape[: tensor.rank], tensor.data)

    def result(self, index, shape=()):
        """A result of that shape, to be written."""
        dtype = NAMES[self._pointer.contents.results[index].dtype]
        sizes = (c_int64 * len(shape))(*shape)
        data = self._pointer.contents.allocate(self._pointer, index, len(shape), sizes)
        if not data:
            raise ValueError(f"the program does not expect shape {list(shape)} of result {index}")
        return elements(dtype, shape, data)


def callback(function):
    """A function of Python as one of C. An exception, which C cannot see, becomes the message of the call."""

    def run(pointer, _state):
        try:
            function(Call(pointer))
            return 0
        except BaseException as e:  # noqa: BLE001
            return pointer.contents.fail(pointer, f"{type(e).__name__}: {e}".encode())

    return HostFunction(run)


class Runtime:
    """The library."""

    def __init__(self, path):
        self.c = ctypes.CDLL(path)
        for name in ["halyard_loader_create", "halyard_loader_load", "halyard_instance_create"]:
            getattr(self.c, name).restype = c_void_p
        self.c.halyard_last_error.restype = c_char_p
        self.c.halyard_instance_output_count.restype = c_size_t

    def check(self, result):
        """Raises what went wrong."""
        if result in (None, -1):
            raise RuntimeError(self.c.halyard_last_error().decode())
        return result

    def load(self, path, functions, threads=0):
        """Loads a program with host functions: a dictionary from name to (signature, function)."""
        return Program(self, path, functions, threads)


class Program:
    """A program that can be called."""

    def __init__(self, runtime, path, functions, threads):
        self.runtime, c = runtime, runtime.c
        self.loader = c_void_p(c.halyard_loader_create())
        self.callbacks = []  # they live as long as the program that calls them
        for name, (signature, function) in functions.items():
            self.callbacks.append(callback(function))
            added = c.halyard_loader_add_function(
                self.loader, name.encode(), signature.encode(), self.callbacks[-1], None
            )
            runtime.check(added)
        program = c_void_p(runtime.check(c.halyard_loader_load(self.loader, path.encode())))
        self.instance = c_void_p(runtime.check(c.halyard_instance_create(program, c_size_t(threads))))
        c.halyard_program_free(program)
        c.halyard_loader_free(self.loader)

    def call(self, function, inputs):
        """Calls a function with inputs (element type, shape, list of elements); gives such results."""
        c, values, kept = self.runtime.c, [], []
        for dtype, shape, data in inputs:
            sizes, array = (c_int64 * len(shape))(*shape), (TYPES[dtype] * len(data))(*data)
            kept += [sizes, array]
            values.append(Value(NAMES.index(dtype), len(shape), sizes, ctypes.addressof(array)))
        array = (Value * len(values))(*values)
        self.runtime.check(c.halyard_instance_call(self.instance, function.encode(), array, c_size_t(len(values))))
        results = []
        for i in range(c.halyard_instance_output_count(self.instance)):
            value = Value()
            self.runtime.check(c.halyard_instance_output(self.instance, c_size_t(i), ctypes.byref(value)))
            shape, dtype = value.shape[: value.rank], NAMES[value.dtype]
            results.append((dtype, shape, list(elements(dtype, shape, value.data))))
        return results
