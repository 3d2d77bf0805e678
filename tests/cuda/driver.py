"""What the CUDA driver and cuBLAS do by themselves, by ctypes alone: the bandwidth of a copy, the time of a product."""

import ctypes
import glob
import os
import sys

import numpy as np

# cudaDataType and cublasComputeType_t; numpy's type and cuBLAS's types of factors and sums, and how it computes.
R_32F, R_16F, R_8I, R_32I, R_16BF = 0, 2, 3, 10, 14
COMPUTE_32F, COMPUTE_32I, COMPUTE_32F_FAST_TF32 = 68, 72, 77
PRODUCTS = {
    "f16": (np.float16, R_16F, R_32F, COMPUTE_32F),
    "bf16": (np.uint16, R_16BF, R_32F, COMPUTE_32F),
    "f32": (np.float32, R_32F, R_32F, COMPUTE_32F),
    "tf32": (np.float32, R_32F, R_32F, COMPUTE_32F_FAST_TF32),
    "i8": (np.int8, R_8I, R_32I, COMPUTE_32I),
}


class Driver:
    """The first device, its memory and its clock."""

    def __init__(self):
        self.cu = ctypes.CDLL("libcuda.so.1")
        self.device, self.context, self.memory = ctypes.c_int(), ctypes.c_void_p(), []
        self.start, self.end = ctypes.c_void_p(), ctypes.c_void_p()
        self.must("cuInit", 0)
        self.must("cuDeviceGet", ctypes.byref(self.device), 0)
        self.must("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), self.device)
        self.must("cuCtxSetCurrent", self.context)
        for event in (self.start, self.end):
            self.must("cuEventCreate", ctypes.byref(event), 0)

    def must(self, name, *args):
        code = getattr(self.cu, name)(*args)
        if code:
            raise OSError(f"{name}: CUDA error {code}")

    def allocate(self, size):
        pointer = ctypes.c_uint64()
        self.must("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(size))
        self.memory.append(pointer)
        return pointer

    def upload(self, array):
        pointer = self.allocate(array.nbytes)
        self.must("cuMemcpyHtoD_v2", pointer, array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(array.nbytes))
        return pointer

    def seconds(self, work, stream, times=20, warm=3):
        """The shortest time of some work on a stream."""
        took, ms = [], ctypes.c_float()
        for _ in range(times):
            self.must("cuEventRecord", self.start, stream)
            work()
            self.must("cuEventRecord", self.end, stream)
            self.must("cuStreamSynchronize", stream)
            self.must("cuEventElapsedTime", ctypes.byref(ms), self.start, self.end)
            took.append(ms.value / 1e3)
        return min(took[warm:])

    def close(self):
        for pointer in self.memory:
            self.must("cuMemFree_v2", pointer)
        for event in (self.start, self.end):
            self.must("cuEventDestroy_v2", event)
        self.must("cuDevicePrimaryCtxRelease_v2", self.device)


def copy_bandwidth(size=1 << 28):
    """Bytes per second that a copy on the device reads and writes; None without a driver."""
    try:
        driver = Driver()
    except OSError:
        return None
    stream = ctypes.c_void_p()
    driver.must("cuStreamCreate", ctypes.byref(stream), 1)
    a, b = driver.allocate(size), driver.allocate(size)
    took = driver.seconds(lambda: driver.must("cuMemcpyDtoDAsync_v2", b, a, ctypes.c_size_t(size), stream), stream)
    driver.must("cuStreamDestroy_v2", stream)
    driver.close()
    return 2 * size / took if took > 0 else None


def cublas_library():
    """cuBLAS: the system's, or that of the Python package `nvidia-cublas-cu12`, which torch brings along; None without one."""
    folders = [os.path.join(p, "nvidia", "*", "lib") for p in sys.path if p]
    for name in ("libcublas.so.12", "libcublas.so.13", "libcublas.so"):
        found = [name, *(f for folder in folders for f in sorted(glob.glob(os.path.join(folder, name))))]
        for path in found:
            try:
                if os.path.isabs(path):
                    # It is made of two libraries, of which the other one need not be on the search path.
                    ctypes.CDLL(path.replace("libcublas.", "libcublasLt."), mode=ctypes.RTLD_GLOBAL)
                return ctypes.CDLL(path)
            except OSError:
                continue
    return None


def cublas_seconds(n, dtype):
    """The time of cuBLAS for a product of n by n; None without a library or a driver."""
    library = cublas_library()
    try:
        driver = Driver() if library else None
    except OSError:
        driver = None
    if not driver:
        return None
    of, factor, total, compute = PRODUCTS[dtype]
    random = np.random.default_rng(0)
    values = (
        random.integers(-100, 100, (2, n, n)) if of == np.int8 else random.uniform(-1, 1, (2, n, n)).astype(np.float32)
    )
    arrays = (values.view(np.uint32) >> 16).astype(of) if dtype == "bf16" else values.astype(of)
    a, b, c = (
        driver.upload(np.ascontiguousarray(arrays[0])),
        driver.upload(np.ascontiguousarray(arrays[1])),
        driver.allocate(4 * n * n),
    )
    one, none = (ctypes.c_int32, ctypes.c_int32) if of == np.int8 else (ctypes.c_float, ctypes.c_float)
    alpha, beta, handle = one(1), none(0), ctypes.c_void_p()

    def product():
        # Row-major a b is column-major b a.
        code = library.cublasGemmEx(handle, 0, 0, n, n, n, ctypes.byref(alpha), b, factor, n, a, factor, n,
                                    ctypes.byref(beta), c, total, n, compute, -1)  # fmt: skip
        if code:
            raise OSError(f"cublasGemmEx: error {code}")

    try:
        if library.cublasCreate_v2(ctypes.byref(handle)):
            return None
        took = driver.seconds(product, None)
        library.cublasDestroy_v2(handle)
    except OSError as e:
        print(f"cuBLAS {dtype}: {e}")
        return None
    finally:
        driver.close()
    return took
