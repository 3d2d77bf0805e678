#!/usr/bin/env python3
"""Runs the kernels of IREE's samples of custom dispatch, unedited: `run.py [--from CHECKOUT] [--keep FOLDER]`.

Their sources are no part of this tree: they are taken from a checkout of IREE, or downloaded at the revision below; either way
their checksums are compared. The models beside this file declare them, with `hal.arguments`; results are compared with what
IREE's samples expect, and with numpy. What a machine lacks (a network, glslc, Vulkan) is skipped, with a line that says so.
CUDA kernels run by the driver of tests/cuda that interprets PTX, or on a GPU with --gpu.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

import numpy as np

REVISION = "b48a5955575cf8924ffc191f3b0804976e5738b9"
FOLDER = "samples/custom_dispatch"
SOURCES = {
    "cpu/embedded/functions.c": "b2456b5af86af45ec068d255110a890a3a4a9be3507e126e056d137418a430dd",
    "cuda/kernels/kernels.cu": "bc696cd2d280275dad69c48ede3310376633366085919345834a648a5595a79d",
    "vulkan/shaders/simple_mul.glsl": "f9bf6a2696382534f716e4665a093a2ea141b0f4f4c6c6c1ffdee0078a665aa3",
    "vulkan/shaders/simple_mul_inplace.glsl": "468d4ec5a74f2149ddce03bf97383c31b1911afb1e7378eac4678c31a9907680",
    "vulkan/shaders/one_workgroup_argmax_subgroup_f32.glsl": (
        "d1270846d7124f99c8dfcf7e0082989bf3c1bdc2b8fb75e356cf35e7f34d0d63"
    ),
}
HERE = os.path.dirname(os.path.abspath(__file__))


class Skip(Exception):
    """Why something is not run here."""


def fetch(checkout, to):
    """Brings the sources to a folder. Their bytes are what they were."""
    for path, digest in SOURCES.items():
        if checkout:
            with open(os.path.join(checkout, FOLDER, path), "rb") as file:
                data = file.read()
        else:
            url = f"https://raw.githubusercontent.com/iree-org/iree/{REVISION}/{FOLDER}/{path}"
            try:
                with urllib.request.urlopen(url, timeout=30) as reply:
                    data = reply.read()
            except (urllib.error.URLError, OSError) as error:
                raise Skip(f"{url} cannot be read ({error}); `--from CHECKOUT` names a checkout of IREE") from error
        if hashlib.sha256(data).hexdigest() != digest:
            sys.exit(f"error: {path} is not the file of revision {REVISION}")
        with open(os.path.join(to, os.path.basename(path)), "wb") as file:
            file.write(data)


def must(*command, cwd, env=None):
    """Runs a command; what it says is shown if it fails."""
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"error: {' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def need(tool):
    """The path of a tool, or the end of this case."""
    found = shutil.which(tool) or shutil.which(f"{tool}-22")
    if not found:
        raise Skip(f"there is no `{tool}`")
    return found


def mixed(program, device, folder, run=("hal-run",)):
    """The invocation of all of IREE's examples: (a * b + b) * (a * b); 96 for 2 and 4."""
    both = (
        (np.float32([2] * 8), np.float32([4] * 8), "8 elements"),
        (
            np.random.default_rng(1).standard_normal(1000, np.float32),
            np.random.default_rng(2).standard_normal(1000, np.float32),
            "1000 elements",
        ),
    )
    for a, b, _ in both:
        np.save(os.path.join(folder, "a.npy"), a)
        np.save(os.path.join(folder, "b.npy"), b)
        np.save(os.path.join(folder, "y.npy"), (a * b + b) * (a * b))
        inputs = ("--input=@a.npy", "--input=@b.npy", "--expect=@y.npy")
        must(*run, program, f"--device={device}", "--function=mixed_invocation", *inputs, cwd=folder)
    assert np.all((np.float32(2) * 4 + 4) * (np.float32(2) * 4) == 96)


def cpu(folder, _):
    must(need("clang"), "-O2", "-fPIC", "-ffreestanding", "-c", "functions.c", "-o", "functions.o", cwd=folder)
    must("hal-compile", "-q", os.path.join(HERE, "cpu.mlir"), "-o", "cpu.so", cwd=folder)
    mixed("cpu.so", "cpu", folder)


def spec(folder, _):
    """The example of a preprocessing spec. Its kernel adds 1, so that one sees that it ran."""
    must(need("clang"), "-O2", "-fPIC", "-ffreestanding", "-c", "functions.c", "-o", "functions.o", cwd=folder)
    stage = f"--stage=input:{os.path.join(HERE, 'cpu_spec.mlir')}"
    model = os.path.join(HERE, "cpu_spec_model.mlir")
    must("hal-compile", "-q", model, stage, "--require-match", "-o", "spec.so", cwd=folder)
    a, b = (np.random.default_rng(seed).standard_normal(1000, np.float32) for seed in (3, 4))
    for name, data in (("a", a), ("b", b), ("y", -np.abs(a * b) + 1)):
        np.save(os.path.join(folder, f"{name}.npy"), data)
    must("hal-run", "spec.so", "--input=@a.npy", "--input=@b.npy", "--expect=@y.npy", cwd=folder)


def vulkan(folder, _):
    glslc = need("glslc")
    for name in ("simple_mul", "simple_mul_inplace"):
        must(glslc, "-fshader-stage=compute", f"{name}.glsl", "-o", f"{name}.spv", cwd=folder)
    must("hal-compile", "-q", os.path.join(HERE, "vulkan.mlir"), "--target=vulkan", "-o", "vulkan.so", cwd=folder)
    if (
        subprocess.run(["hal-run", "--list-devices"], capture_output=True, text=True, check=False).stdout.find(
            "vulkan:"
        )
        < 0
    ):
        raise Skip("linked, not run: there is no Vulkan device")
    mixed("vulkan.so", "vulkan", folder)


def argmax(folder, _):
    """It takes its workgroup for one subgroup of 64 threads, which few devices have: it is linked, not run."""
    flags = ("-fshader-stage=compute", "--target-spv=spv1.3")
    must(need("glslc"), *flags, "one_workgroup_argmax_subgroup_f32.glsl", "-o", "argmax.spv", cwd=folder)
    stage = f"--stage=input:{os.path.join(HERE, 'argmax_spec.mlir')}"
    model = os.path.join(HERE, "argmax.mlir")
    must("hal-compile", "-q", model, stage, "--require-match", "--target=vulkan", "-o", "argmax.so", cwd=folder)
    listed = must("hal-run", "--list", "argmax.so", cwd=folder)
    assert "argmax_1d_f32" in listed, listed


def cuda(folder, gpu):
    # The declarations that nvcc has built in.
    words = ("-D__global__=__attribute__((global))", "-include", "__clang_cuda_builtin_vars.h")
    flags = (
        "-x",
        "cuda",
        "--cuda-device-only",
        "-nocudainc",
        "-nocudalib",
        "--cuda-gpu-arch=sm_80",
        "--cuda-feature=+ptx70",
    )
    must(need("clang"), *flags, *words, "-O3", "-S", "kernels.cu", "-o", "kernels.ptx", cwd=folder)
    must("hal-compile", "-q", os.path.join(HERE, "cuda.mlir"), "--target=cuda:sm_80", "-o", "cuda.so", cwd=folder)
    run = ("hal-run",) if gpu else (os.path.join(HERE, "..", "bin", "with-fake-cuda"), "hal-run")
    mixed("cuda.so", "cuda", folder, run)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="checkout", help="a checkout of IREE")
    parser.add_argument("--keep", help="leave all files in this folder")
    parser.add_argument("--gpu", action="store_true", help="run CUDA kernels on a GPU")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or scratch
        os.makedirs(folder, exist_ok=True)
        try:
            fetch(options.checkout, folder)
        except Skip as why:
            print(f"skipped: {why}")
            return
        for case in (cpu, spec, vulkan, argmax, cuda):
            try:
                case(folder, options.gpu)
                print(f"right: {case.__name__}")
            except Skip as why:
                print(f"skipped: {case.__name__}: {why}")


if __name__ == "__main__":
    main()
