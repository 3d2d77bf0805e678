# RUN: rm -rf %t && mkdir -p %t && %python %s %t
# REQUIRES: numpy, glslc
"""Every kind of code for GPUs in the place of a variant: it is taken, or refused in words.

A row is a name, what is run, and what must come out: an exit code and words of the message. A refused command writes no
program, and none may crash. Prints the table. That what is taken computes what it should is in
`kernels-for-gpus-come-back.test`.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

FOLDER = sys.argv[1]
HERE = os.path.dirname(os.path.abspath(__file__))
PTXAS = "".join(
    glob.glob(os.path.join(HERE, "../../.venv/lib/python*/site-packages/nvidia/cuda_nvcc/bin/ptxas"))[:1]
) or shutil.which("ptxas")
os.chdir(FOLDER)

PROGRAM = """
#map = affine_map<(i) -> (i)>
module @m attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @e attributes {hal.executable} {
    func.func @scale(%x: tensor<8xf32>, %s: f32) -> tensor<8xf32> attributes {hal.export} {
      %e = tensor.empty() : tensor<8xf32>
      %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
      ^bb0(%a: f32, %b: f32):
        %m = arith.mulf %a, %s : f32
        linalg.yield %m : f32
      } -> tensor<8xf32>
      return %y : tensor<8xf32>
    }
  }
  func.func private @scale(tensor<8xf32>, f32) -> tensor<8xf32> attributes {hal.entry = @e::@scale}
  func.func @main(%x: tensor<8xf32>, %s: f32) -> tensor<8xf32> {
    %0 = call @scale(%x, %s) : (tensor<8xf32>, f32) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
"""
GLSL = """#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer X { float x[]; };
layout(set = 0, binding = 1, std430) buffer Y { float y[]; };
layout(push_constant, std430) uniform P { float s; };
void main() { uint i = gl_GlobalInvocationID.x; if (i < 8) y[i] = x[i] * s; }
"""
PTX = """.version 7.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 p0, .param .u64 p1, .param .u64 p2)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<8>;
  .reg .f32 %f<4>;
  .reg .pred %p<2>;
  ld.param.u64 %rd1, [p0];
  ld.param.u64 %rd2, [p1];
  ld.param.f32 %f1, [p2];
  mov.u32 %r1, %tid.x;
  setp.gt.u32 %p1, %r1, 7;
  @%p1 bra END;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.f32 %f2, [%rd4];
  mul.f32 %f3, %f2, %f1;
  st.global.f32 [%rd5], %f3;
END:
  ret;
}
"""
KERNEL = PTX[PTX.index(".visible") :]


def run(words):
    return subprocess.run(words, capture_output=True, text=True, timeout=60)


def write(name, data):
    with open(name, "wb") as file:
        file.write(data.encode() if isinstance(data, str) else data)


def glsl(name, *changes, stage="compute", env="vulkan1.1"):
    text = GLSL
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    write(f"{name}.comp", text)
    done = run(["glslc", f"-fshader-stage={stage}", f"--target-env={env}", f"{name}.comp", "-o", f"{name}.spv"])
    assert done.returncode == 0, done.stderr


def spirv(name, text, change):
    old, new = change
    assert old in text, old
    write(f"{name}.spvasm", text.replace(old, new))
    done = run(["spirv-as", "--target-env", "vulkan1.1", f"{name}.spvasm", "-o", f"{name}.spv"])
    assert done.returncode == 0, done.stderr


def ptx(name, *changes):
    text = PTX
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    write(f"{name}.ptx", text)


def prepare():
    write("p.mlir", PROGRAM)
    done = run(["hal-translate", "p.mlir", "--target=cpu,vulkan,cuda:sm_80", "-o", "o.mlir"])
    assert done.returncode == 0, done.stderr
    glsl("right")
    glsl("three", ("binding = 1", "binding = 2"))
    glsl(
        "swapped",
        ("y[i] = x[i]", "y[i] = y[i]"),
        ("binding = 0", "binding = 7"),
        ("binding = 1", "binding = 0"),
        ("binding = 7", "binding = 1"),
        ("y[i] * s", "x[i] * s"),
    )
    glsl("never", ("y[i] = x[i] * s", "if (y[i] == x[i] * s) return"))
    glsl("set1", ("set = 0, binding = 0", "set = 1, binding = 0"))
    glsl(
        "uniform",
        ("std430) readonly buffer X { float x[]; }", "std140) uniform X { vec4 x[2]; }"),
        ("x[i] * s", "x[i / 4][i % 4] * s"),
    )
    glsl("double", ("buffer X { float x[]; }", "buffer X { double x[]; }"), ("x[i] * s", "float(x[i]) * s"))
    glsl("words", ("buffer X { float x[]; }", "buffer X { uint x[]; }"), ("x[i] * s", "uintBitsToFloat(x[i]) * s"))
    glsl("std140", ("binding = 0, std430", "binding = 0, std140"))
    glsl("vectors", ("buffer X { float x[]; }", "buffer X { vec4 x[]; }"), ("x[i] * s", "x[i / 4][i % 4] * s"))
    glsl("push8", ("{ float s; }", "{ uint n; float s; }"))
    glsl("none", ("layout(push_constant, std430) uniform P { float s; };", ""), ("* s", "* 3"))
    glsl("sized", ("local_size_x = 64", "local_size_x_id = 4"))
    glsl("spec", ("void main", "layout(constant_id = 9) const int factor = 1;\nvoid main"), ("* s", "* s * factor"))
    glsl("new", env="vulkan1.2")
    write("frag.frag", "#version 450\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(1); }\n")
    assert run(["glslc", "frag.frag", "-o", "frag.spv"]).returncode == 0
    with open("right.spv", "rb") as file:
        right = file.read()
    write("object.o", right)
    write("cut.spv", right[: len(right) // 2 // 4 * 4])
    write("odd.spv", right[:-3])
    write("magic.spv", right[:4])
    write("garbage.spv", right[:20] + bytes(range(256)) * 4)
    write("swapped-bytes.spv", b"".join(right[i : i + 4][::-1] for i in range(0, len(right), 4)))
    write("empty.spv", "")
    if shutil.which("spirv-dis"):
        # glslc says the size twice; the constant counts.
        text = re.sub(r".*BuiltIn WorkgroupSize\n", "", run(["spirv-dis", "right.spv"]).stdout)
        entry = re.search(r".*OpEntryPoint.*\n", text)[0]
        spirv("two", text, (entry, entry.replace('"main"', '"skale"') + entry.replace('"main"', '"other"')))
        # glslc would not write these.
        spirv("big", text, ("LocalSize 64 1 1", "LocalSize 2048 1 1"))
        spirv("bigxy", text, ("LocalSize 64 1 1", "LocalSize 512 4 1"))
        spirv("deep", text, ("LocalSize 64 1 1", "LocalSize 1 1 128"))
        spirv("unsized", text, (re.search(r".*OpExecutionMode.*\n", text)[0], ""))
    ptx("right")
    ptx("mangled", ("scale(", "_Z5scalePKfPfx("))
    two = KERNEL.replace("scale(", "other(")
    ptx("two", (KERNEL, KERNEL.replace("scale(", "skale(") + two.replace("END", "END2")))
    ptx("cpp", (KERNEL, KERNEL.replace("scale(", "_Z5scalePKfPfx(") + two.replace("END", "END2")))
    ptx("fewer", (", .param .u64 p2", ""), ("ld.param.f32 %f1, [p2];", "mov.f32 %f1, 0f40000000;"))
    ptx("more", (".param .u64 p2", ".param .u64 p2, .param .u64 p3"))
    ptx("narrow", (".param .u64 p2", ".param .f32 p2"))
    ptx("newer", ("sm_80", "sm_90"))
    ptx("special", ("sm_80", "sm_90a"))
    ptx("older", ("sm_80", "sm_60"))
    ptx("least", ("{\n", ".maxntid 64, 1, 1\n{\n"))
    ptx("required", ("{\n", ".reqntid 32, 1, 1\n{\n"))
    ptx("extern", (".visible", ".extern .func (.param .f32 r) __nv_expf (.param .f32 x);\n.visible"))
    ptx("dynamic", (".visible", ".extern .shared .align 4 .b8 tile[];\n.visible"))
    ptx("bits32", (".address_size 64", ".address_size 32"))
    if PTXAS:
        for name, source, chip in [
            ("right", "right", 80),
            ("newer", "right", 86),
            ("other", "right", 90),
            ("fewer", "fewer", 80),
        ]:
            done = run([PTXAS, f"-arch=sm_{chip}", f"{source}.ptx", "-o", f"{name}.cubin"])
            assert done.returncode == 0, done.stderr
    write("cut.ptx", PTX[: PTX.index("END:")])
    write("garbage.ptx", ".version 7.0\n.target sm_80\n.address_size 64\nfoo bar\n")
    write("binary.ptx", b".version 7.0\n.target sm_80\n\xff\xfe\n")
    write("header.ptx", ".version 7.0\n.target sm_80\n.address_size 64\n")
    write("empty.ptx", "")
    write("source.cu", 'extern "C" __global__ void scale(const float *x) {}\n')
    write("object.cubin", b"\x7fELF\x02\x01\x01\x33\x07" + bytes(9) + b"\xbe\x00" + bytes(44))
    write("text.txt", "hello\n")


V, C = "e/vulkan=", "e/cuda_sm_80="
ROWS = [
    # SPIR-V.
    ("SPIR-V", [V + "right.spv"], (0, "1 of 1")),
    ("SPIR-V by its kind", ["e=right.spv"], (0, "`e/vulkan`: its entry point `main` is called `scale`")),
    ("SPIR-V named .o", [V + "object.o"], (0, "1 of 1")),
    ("SPIR-V, vectors", [V + "vectors.spv"], (0, "1 of 1")),
    ("SPIR-V, words in place of floats", [V + "words.spv"], (0, "1 of 1")),
    ("SPIR-V, no push constants", [V + "none.spv"], (0, "1 of 1")),
    (
        "SPIR-V, no entry point of the name",
        [V + "two.spv"],
        (1, "no entry point `scale`.*it has `skale`, `other`.*did you mean `skale`"),
    ),
    ("SPIR-V, fragment shader", [V + "frag.spv"], (1, "has no compute shader.*`main` \\(Fragment\\)")),
    ("SPIR-V, too many bindings", [V + "three.spv"], (1, "uses binding 2 \\(`Y`\\); the kernel has 2 bindings")),
    ("SPIR-V, bindings swapped", [V + "swapped.spv"], (1, "writes to binding 0 .*which the kernel only reads")),
    ("SPIR-V, result never written", [V + "never.spv"], (1, "never writes to binding 1")),
    ("SPIR-V, another set", [V + "set1.spv"], (1, "has a binding in set 1")),
    ("SPIR-V, uniform buffer", [V + "uniform.spv"], (1, "has a uniform buffer at binding 0")),
    ("SPIR-V, another type", [V + "double.spv"], (1, "numbers of type `f64` at binding 0.*`f32`")),
    ("SPIR-V, std140", [V + "std140.spv"], (1, "16 bytes from number to number.*std430")),
    (
        "SPIR-V, push constants of another size",
        [V + "push8.spv"],
        (1, "8 bytes of push constants; the kernel passes 4"),
    ),
    ("SPIR-V, LocalSize over the limit", [V + "big.spv"], (1, "2048 × 1 × 1 threads, which no device takes")),
    ("SPIR-V, LocalSize over the limit in all", [V + "bigxy.spv"], (1, "512 × 4 × 1 threads, which no device takes")),
    ("SPIR-V, LocalSize over the limit in z", [V + "deep.spv"], (1, "1 × 1 × 128 threads, which no device takes")),
    ("SPIR-V, no LocalSize", [V + "unsized.spv"], (1, "no size of its workgroups")),
    (
        "SPIR-V, LocalSize other than said",
        [V + "right.spv", "--workgroup-size=e=128"],
        (1, "64 × 1 × 1 threads, 128 × 1 × 1 are declared"),
    ),
    ("SPIR-V, LocalSize set", [V + "sized.spv", "--workgroup-size=e=128"], (0, "1 of 1")),
    ("SPIR-V, LocalSize set over the limit", [V + "sized.spv", "--workgroup-size=e=2048"], (1, "no device takes")),
    (
        "SPIR-V, specialisation constant",
        [V + "spec.spv", "--spec-constant=e:factor=3"],
        (0, "constant 9 \\(`factor`\\) is 3"),
    ),
    (
        "SPIR-V, unknown specialisation constant",
        [V + "spec.spv", "--spec-constant=e:faktor=3"],
        (1, "no specialisation constant `faktor`.*did you mean `factor`"),
    ),
    ("SPIR-V 1.5", [V + "new.spv"], (1, "SPIR-V 1.5; Vulkan 1.1 takes up to 1.3")),
    ("SPIR-V, half of it", [V + "cut.spv"], (1, "the SPIR-V module is damaged")),
    ("SPIR-V, no whole words", [V + "odd.spv"], (1, "damaged.*no whole words")),
    ("SPIR-V, the first word", [V + "magic.spv"], (1, "damaged: it ends within its header")),
    ("SPIR-V, garbage", [V + "garbage.spv"], (1, "the SPIR-V module is damaged")),
    ("SPIR-V, bytes swapped", [V + "swapped-bytes.spv"], (1, "big-endian")),
    ("an empty file for SPIR-V", [V + "empty.spv"], (1, "empty")),
    ("GLSL", [V + "right.comp"], (1, "a GLSL shader, which is to be compiled.*glslc")),
    ("text for SPIR-V", [V + "text.txt"], (1, "text of an unknown kind, not a SPIR-V module")),
    ("PTX for Vulkan", [V + "right.ptx"], (1, "for NVIDIA GPUs, and the target is `vulkan`")),
    ("MLIR for Vulkan, too late", [V + "p.mlir"], (1, "error")),
    # PTX and cubins.
    ("PTX", [C + "right.ptx"], (0, "1 of 1")),
    ("PTX by its kind", ["e=right.ptx"], (0, "1 of 1")),
    ("PTX for an older chip", [C + "older.ptx"], (0, "1 of 1")),
    ("PTX, the only kernel of another name", [C + "mangled.ptx"], (0, "its kernel `_Z5scalePKfPfx` is called `scale`")),
    (
        "PTX, no kernel of the name",
        [C + "two.ptx"],
        (1, "no kernel `scale`.*it has `skale`, `other`.*did you mean `skale`"),
    ),
    ("PTX, a name of C\\+\\+", [C + "cpp.ptx"], (1, 'a name of C\\+\\+.*extern "C"')),
    (
        "PTX, too few parameters",
        [C + "fewer.ptx"],
        (1, "takes 2 parameters, a kernel of this interface 3; the first that is missing is argument 1"),
    ),
    ("PTX, too many parameters", [C + "more.ptx"], (1, "takes 4 parameters, a kernel of this interface 3")),
    ("PTX, a parameter of another type", [C + "narrow.ptx"], (1, "the parameter 2 of type `.f32`")),
    (
        "PTX for a newer chip",
        [C + "newer.ptx"],
        (1, "is for `sm_90` and does not run on `cuda:sm_80`.*--target=cuda:sm_90"),
    ),
    ("PTX for one chip alone", [C + "special.ptx"], (1, "runs on no other chip")),
    (
        "PTX, more threads than compiled for",
        [C + "least.ptx", "--workgroup-size=e=128"],
        (1, "blocks of at most 64 threads"),
    ),
    (
        "PTX, other threads than required",
        [C + "required.ptx", "--workgroup-size=e=64"],
        (1, "must have blocks of 32 × 1 × 1"),
    ),
    ("PTX, required threads", [C + "required.ptx"], (0, "1 of 1")),
    (
        "PTX, blocks over the limit",
        [C + "right.ptx", "--workgroup-size=e=2048"],
        (1, "2048 × 1 × 1 threads, which no device takes"),
    ),
    ("PTX, an undefined function", [C + "extern.ptx"], (1, "needs the function `__nv_expf`.*libdevice")),
    ("PTX, shared memory of unsaid size", [C + "dynamic.ptx"], (1, "shared memory whose size is given at the launch")),
    ("PTX, shared memory", [C + "dynamic.ptx", "--shared-memory=e=4096"], (0, "1 of 1")),
    ("PTX, too much shared memory", [C + "dynamic.ptx", "--shared-memory=e=1000000"], (1, "no device has more than")),
    ("PTX, 32-bit addresses", [C + "bits32.ptx"], (1, "addresses have 32 bits")),
    ("PTX, half of it", [C + "cut.ptx"], (1, "PTX is damaged: a `{` has no `}`")),
    ("PTX, garbage", [C + "garbage.ptx"], (1, "PTX is damaged: `foo` stands where")),
    ("PTX, no text", [C + "binary.ptx"], (1, "error")),
    ("PTX, no kernel", [C + "header.ptx"], (1, "it has no kernel at all")),
    ("an empty file for PTX", [C + "empty.ptx"], (1, "empty")),
    ("CUDA C++", [C + "source.cu"], (1, "which is to be compiled.*nvcc -ptx")),
    ("cubin", [C + "right.cubin"], (0, "1 of 1")),
    ("cubin for a newer chip", [C + "newer.cubin"], (1, "is for `sm_86` and does not run on `cuda:sm_80`")),
    ("cubin for another chip", [C + "other.cubin"], (1, "is for `sm_90`.*of its own major version")),
    ("cubin, too few parameters", [C + "fewer.cubin"], (1, "takes 2 parameters, a kernel of this interface 3")),
    ("a damaged cubin", [C + "object.cubin"], (1, "cubin is damaged")),
    ("SPIR-V for CUDA", [C + "right.spv"], (1, "for Vulkan, and the target is `cuda:sm_80`")),
    ("text for CUDA", [C + "text.txt"], (1, "neither PTX nor a cubin")),
    # Flags.
    (
        "a specialisation constant of PTX",
        [C + "right.ptx", "--spec-constant=e:0=1"],
        (2, "matches no given SPIR-V"),
    ),
    (
        "threads for nothing",
        [V + "right.spv", "--workgroup-size=other=64"],
        (2, "matches no given SPIR-V, PTX or cubin"),
    ),
    ("shared memory on Vulkan", [V + "right.spv", "--shared-memory=e=64"], (2, "matches no given PTX or cubin")),
    ("no threads", [C + "right.ptx", "--workgroup-size=e=0"], (2, "`0` is no")),
    ("SPIR-V and PTX at once", [V + "right.spv", C + "right.ptx"], (0, "2 of 2")),
]


def cell(number, words, expected):
    file = words[0].split("=")[1]
    if not os.path.exists(file):
        return None  # It takes spirv-as, or ptxas.
    output = f"out{number}.mlir"
    done = run(["hal-substitute", "o.mlir", *words, "-o", output])
    code, text = expected
    if done.returncode != code:
        return f"exit code {done.returncode}: {done.stderr}"
    if not re.search(text, done.stderr, re.S):
        return f"does not say `{text}`: {done.stderr}"
    if code and os.path.exists(output):
        return "left an output"
    return "crashed" if "this is a bug" in done.stderr else ""


prepare()
with ThreadPoolExecutor(2) as pool:
    results = list(pool.map(lambda row: cell(row[0], *row[1][1:]), enumerate(ROWS)))
width = max(len(row[0]) for row in ROWS)
for (name, _, (code, _)), wrong in zip(ROWS, results):
    wanted = "accepted" if code == 0 else f"refused, {code}"
    print(f"{name:{width}}  {wanted:12}{'skipped' if wrong is None else 'WRONG' if wrong else 'ok'}")
for row, wrong in zip(ROWS, results):
    if wrong:
        print(f"\n{row[0]}: {' '.join(row[1])}: {wrong[:800]}")
print(f"\n{sum(not w for w in results)} of {len(ROWS)} rows as they should be")
sys.exit(any(results))
