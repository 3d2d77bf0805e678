#!/usr/bin/env python3
"""Makes the first inputs of the fuzzer from what the tools write and the tests hold: `seeds.py FOLDER`.

Tools (ours, `clang`, `llvm-ar`, `llvm-objcopy`, `glslc`, `ptxas`) are taken from PATH; kinds whose tool is missing are left out.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np
from safetensors.numpy import save_file

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")

PROGRAMS = {
    "add": "func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {\n %c = arith.addf %a, %b : tensor<4xf32>\n return %c : tensor<4xf32>\n}",
    "loop": """func.func @main(%a: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%x = %a) -> tensor<?xf32> {
    %y = arith.mulf %x, %x : tensor<?xf32>
    scf.yield %y : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}""",
    "choose": """func.func @main(%a: tensor<2x3xi32>, %c: i1) -> tensor<2x3xi32> {
  %k = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %r = scf.if %c -> tensor<2x3xi32> {
    %y = arith.addi %a, %k : tensor<2x3xi32>
    scf.yield %y : tensor<2x3xi32>
  } else {
    scf.yield %a : tensor<2x3xi32>
  }
  return %r : tensor<2x3xi32>
}""",
    "state": """ml_program.global private mutable @grows(dense<0.0> : tensor<1x0x4xf32>) : tensor<1x?x4xf32> {hal.name = "past", hal.dim_names = ["", "n", ""]}
ml_program.global private mutable @fixed(dense<[1, 2]> : tensor<2xi64>) : tensor<2xi64>
func.func @main(%a: tensor<1x1x4xf32>) -> tensor<2xi64> {
  %old = ml_program.global_load @grows : tensor<1x?x4xf32>
  %new = tensor.concat dim(1) %old, %a : (tensor<1x?x4xf32>, tensor<1x1x4xf32>) -> tensor<1x?x4xf32>
  ml_program.global_store @grows = %new : tensor<1x?x4xf32>
  %f = ml_program.global_load @fixed : tensor<2xi64>
  %g = arith.addi %f, %f : tensor<2xi64>
  ml_program.global_store @fixed = %g : tensor<2xi64>
  return %f : tensor<2xi64>
}""",
}

# A weight that a variant takes packed.
CONVOLUTION = f"""ml_program.global private @w(dense_resource<w> : tensor<32x16x3x3xf32>) : tensor<32x16x3x3xf32>
func.func @main(%x: tensor<1x16x14x14xf32>) -> tensor<1x32x12x12xf32> {{
  %w = ml_program.global_load_const @w : tensor<32x16x3x3xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x32x12x12xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x32x12x12xf32>) -> tensor<1x32x12x12xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x16x14x14xf32>, tensor<32x16x3x3xf32>) outs(%f : tensor<1x32x12x12xf32>) -> tensor<1x32x12x12xf32>
  return %r : tensor<1x32x12x12xf32>
}}
{{-# dialect_resources: {{ builtin: {{ w: "0x04000000{np.arange(32 * 16 * 9, dtype="f4").tobytes().hex()}" }} }} #-}}
"""
PROGRAMS["convolution"] = CONVOLUTION

KERNEL = """
typedef long int64_t;
static float table[4] = {1, 2, 3, 4};
float helper(float x) { return x * table[(int)x & 3]; }
void kernel(const float *a, float *b, int64_t n, float s, const void *wg) { for (int64_t i = 0; i < n; i++) b[i] = helper(a[i]) * s; }
void other(const double *a, int *b) { b[0] = (int)a[1]; }
__attribute__((section(".hal.load_constants"))) const char names[] = "kernel=device.threads,user.tile";
__attribute__((section(".hal.packed_weights"))) const char packed[] = "kernel=0:winograd2";
"""

SHADER = """
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) writeonly buffer B { float b[]; };
layout(push_constant) uniform P { uint n; float s; };
shared float part[64];
void main() { uint i = gl_GlobalInvocationID.x; part[gl_LocalInvocationIndex] = i < n ? a[i] : 0; barrier(); if (i < n) b[i] = part[gl_LocalInvocationIndex] * s; }
"""


class Seeds:
    def __init__(self, folder):
        self.folder, self.scratch = folder, tempfile.mkdtemp(prefix="hal-seeds-")

    def put(self, reader, name, data):
        data = data.encode() if isinstance(data, str) else data
        if 0 < len(data) <= 1 << 16:
            os.makedirs(os.path.join(self.folder, reader), exist_ok=True)
            with open(os.path.join(self.folder, reader, name), "wb") as f:
                f.write(data)

    def tool(self, *command):
        """Runs a command where files may lie around; says whether it worked."""
        done = (
            subprocess.run(command, cwd=self.scratch, capture_output=True, check=False)
            if shutil.which(command[0])
            else None
        )
        if done is None or done.returncode:
            print(f"left out: {' '.join(command)}", file=sys.stderr)
        return done is not None and done.returncode == 0

    def take(self, reader, pattern):
        for path in sorted(glob.glob(os.path.join(self.scratch, pattern))):
            with open(path, "rb") as f:
                self.put(reader, os.path.relpath(path, self.scratch).replace(os.sep, "-"), f.read())

    def file(self, name, text):
        with open(os.path.join(self.scratch, name), "w", encoding="utf-8") as f:
            f.write(text)

    def programs(self):
        for name, text in PROGRAMS.items():
            self.file(f"{name}.mlir", text)
            for target in ("cpu:x86-64-v3", "vulkan", "cuda"):
                kind = re.split("[:]", target)[0]
                self.tool(
                    "hal-compile", f"{name}.mlir", "-o", f"{name}-{kind}.so", f"--target={target}", "--weights-to=embed"
                )
                self.tool(
                    "llvm-objcopy",
                    f"--dump-section=.hal.program={name}-{kind}.schedule",
                    f"{name}-{kind}.so",
                    "/dev/null",
                )
                self.tool(
                    "sh",
                    "-c",
                    f"hal-import {name}.mlir | hal-translate --target={target} --save-code={kind}-{name} >{name}.out",
                )
        self.take("program", "*.so")
        self.take("elf", "cpu*/*.o")
        self.take("spirv", "vulkan*/*.spv")
        self.take("ptx", "cuda*/*.ptx")
        for path in glob.glob(os.path.join(self.scratch, "*.schedule")):
            with open(path, "rb") as f:
                self.put("commands", os.path.basename(path), f.read()[20:])

    def code(self):
        self.file("kernel.c", KERNEL)
        for name, flags in {
            "plain": ["-O2"],
            "debug": ["-g", "-O1"],
            "data": ["-fdata-sections", "-ffunction-sections", "-fPIC"],
        }.items():
            self.tool("clang", "-c", "kernel.c", "-o", f"{name}.o", *flags)
        self.tool("clang", "-c", "kernel.c", "-o", "arm.o", "--target=aarch64-linux-gnu", "-ffreestanding")
        self.tool("clang", "-shared", "-fPIC", "-O2", "kernel.c", "-o", "library.so", "-nostdlib")
        self.tool("llvm-ar", "rc", "both.a", "plain.o", "debug.o")
        self.tool("llvm-ar", "rc", "one.a", "data.o")
        self.take("elf", "*.o")
        self.take("shared", "library.so")
        self.take("archive", "*.a")
        self.file("shader.comp", SHADER)
        self.tool("glslc", "shader.comp", "-o", "shader.spv")
        self.tool("glslc", "-g", "shader.comp", "-o", "shader-names.spv")
        self.take("spirv", "shader*.spv")
        for path in sorted(glob.glob(os.path.join(self.scratch, "cuda*", "*.ptx"))):
            name = os.path.basename(os.path.dirname(path))
            self.tool("ptxas", "-arch=sm_80", path, "-o", f"{name}.cubin")
            self.tool(
                "fatbinary",
                "--64",
                f"--create={name}.fatbin",
                f"--image3=kind=elf,sm=80,file={name}.cubin",
                f"--image3=kind=ptx,sm=80,file={path}",
            )
        self.take("cuda", "*.cubin")
        self.take("cuda", "*.fatbin")
        self.take("cuda", "cuda*/*.ptx")

    def tensors(self):
        folder = os.path.join(self.scratch, "arrays")
        os.makedirs(folder)
        arrays = {t: np.arange(6).reshape(2, 3).astype(t) for t in ("f4", "f8", "f2", "i1", "u2", "i8", "?", ">f4")}
        arrays |= {"fortran": np.asfortranarray(np.ones((2, 3), np.float32)), "scalar": np.float32(3), "empty": np.zeros((0, 4), np.int32),
                   "opaque": np.zeros(3, "V2")}  # fmt: skip
        for name, array in arrays.items():
            np.save(os.path.join(folder, f"{name.strip('?>')}-{len(name)}.npy"), array)
        plain = {k: v for k, v in arrays.items() if k in ("f4", "i8", "scalar")}
        np.savez(os.path.join(folder, "stored.npz"), **plain)
        np.savez_compressed(os.path.join(folder, "deflated.npz"), **plain)
        save_file({"a": arrays["f4"], "b": np.zeros(3, np.float16)}, os.path.join(folder, "two.safetensors"))
        self.take("tensors", "arrays/*")

    def weights(self):
        folder = os.path.join(self.scratch, "weights")
        os.makedirs(folder)
        maker = os.path.join(TOP, "tests", "import", "Inputs", "make-weights.py")
        subprocess.run([sys.executable, maker, "small"], cwd=folder, check=True)
        self.take("weights", "weights/*.gguf")
        self.take("weights", "weights/*.safetensors")
        self.take("weights", "weights/*.json")

    def models(self):
        """Graphs of the other fuzzer: each operator once at least."""
        sys.path.insert(0, os.path.join(TOP, "tests", "fuzz", "onnx"))
        from graphs import OPERATORS
        from grow import Graph

        known = set()
        for seed in range(600):
            graph = Graph(seed).grow(OPERATORS, nodes=2)
            operators = {n.proto.op_type for n in graph.nodes}
            data = graph.model()[0].SerializeToString() if graph.nodes else b""
            if not operators <= known and len(data) < 2000:
                known |= operators
                self.put("onnx", f"seed-{seed}", data)

    def texts(self):
        """What stands behind flags in the tests, and manifests."""
        found = {"stage": set(), "target": set(), "tensor-argument": set()}
        flags = {"stage": "stage", "target": "target", "input": "tensor-argument", "expect": "tensor-argument"}
        for path in sorted(glob.glob(os.path.join(TOP, "tests", "**", "*"), recursive=True)):
            if path.endswith((".mlir", ".test")):
                with open(path, encoding="utf-8", errors="replace") as f:
                    for flag, quoted, plain in re.findall(
                        r"--(stage|target|input|expect)=(?:'([^'\n]*)'|([^'\s|]+))", f.read()
                    ):
                        found[flags[flag]].add(quoted or plain)
            if os.path.basename(path) == "plugin.toml":
                with open(path, "rb") as f:
                    self.put("manifest", os.path.relpath(path, TOP).replace(os.sep, "-"), f.read())
        for reader, words in found.items():
            for i, word in enumerate(sorted(words)):
                self.put(reader, f"{i:03}", word)


def main():
    seeds = Seeds(sys.argv[1])
    os.makedirs(seeds.folder, exist_ok=True)
    try:
        for make in (seeds.programs, seeds.code, seeds.tensors, seeds.weights, seeds.models, seeds.texts):
            make()
    finally:
        shutil.rmtree(seeds.scratch, ignore_errors=True)
    for reader in sorted(os.listdir(seeds.folder)):
        files = os.listdir(os.path.join(seeds.folder, reader))
        print(
            f"{reader:16} {len(files):4} files, {sum(os.path.getsize(os.path.join(seeds.folder, reader, f)) for f in files):8} bytes"
        )


if __name__ == "__main__":
    main()
