"""The files that the abuse table puts in the place of executables."""

import os
import shutil
import subprocess
import sys

HERE, FOLDER = sys.argv[1:]
INPUTS = os.path.join(HERE, "Inputs")
HEADERS = os.path.join(HERE, "../../common/runtime/include")


def run(command, stdin=None, **options):
    return subprocess.run(command, stdin=stdin, capture_output=True, cwd=FOLDER, timeout=60, check=False, **options)


def good(*command):
    done = run(command)
    assert done.returncode == 0, (command, done.stderr.decode())
    return done.stdout


def path(name):
    return os.path.join(FOLDER, name)


def write(name, data):
    with open(path(name), "wb") as f:
        f.write(data.encode() if isinstance(data, str) else data)


def read(name):
    with open(path(name), "rb") as f:
        return f.read()


def clang(name, source, *flags):
    write(name + ".c", source)
    good("clang", "-x", "c", "-O2", "-fPIC", "-I", HEADERS, "-c", name + ".c", "-o", name, *flags)


KERNEL = "void {0}(const float *x, float *out, const void *wg) {{ for (int i = 0; i < 8; ++i) out[i] = {1}; }}\n"


def executable(name="scale", export="triple", shape="8xf32", op="mulf", value="4.0", body=True, more=""):
    """MLIR of an executable that does one thing."""
    signature = f"func.func {'' if body else 'private '}@{export}"
    if body:
        code = f""" {{
      %c = arith.constant dense<{value}> : tensor<{shape}>
      %r = arith.{op} %x, %c : tensor<{shape}>
      return %r : tensor<{shape}>
    }}"""
        text = f"{signature}(%x: tensor<{shape}>) -> tensor<{shape}> attributes {{hal.export}}{code}"
    else:
        text = f"{signature}(tensor<{shape}>) -> tensor<{shape}> attributes {{hal.export}}"
    return f"module @{name} attributes {{hal.executable}} {{\n  {text}\n  {more}\n}}\n"


def prepare():
    shutil.copy(os.path.join(INPUTS, "program.mlir"), path("p.mlir"))
    target = "--target=cpu:x86-64@x86_64-linux-gnu"
    good("hal-translate", "p.mlir", target, "-o", "o.mlir")
    good("hal-translate", "p.mlir", target + ",cpu:x86-64-v2@x86_64-linux-gnu", "-o", "o2.mlir")
    clang("k.o", KERNEL.format("triple", "5 * x[i]"))
    clang("data.o", "float triple[8] = {1};\n")
    clang("none.o", KERNEL.format("tripel", "x[i]"))
    clang("static.o", "static " + KERNEL.format("triple", "x[i]") + "void *keep(void) { return triple; }\n")
    clang("hidden.o", KERNEL.format("triple", "x[i]"), "-fvisibility=hidden")
    clang("arm.o", KERNEL.format("triple", "x[i]"), "--target=aarch64-linux-gnu")
    clang("i386.o", KERNEL.format("triple", "x[i]"), "--target=i386-linux-gnu")
    clang("mac.o", KERNEL.format("triple", "x[i]"), "--target=x86_64-apple-macos13")
    clang("windows.o", KERNEL.format("triple", "x[i]"), "--target=x86_64-windows-gnu")
    clang(
        "absolute.o",
        "int table[64];\n" + KERNEL.format("triple", "table[(int)x[i] & 63]"),
        "-fno-pic",
        "-mcmodel=small",
        "-fno-pie",
    )
    clang("calls.o", "float helper(float);\n" + KERNEL.format("triple", "helper(x[i])"))
    clang("helper.o", "float helper(float x) { return 6 * x; }\n")
    clang("libm.o", "float expf(float);\n" + KERNEL.format("triple", "expf(x[i])"))
    clang("inc.o", KERNEL.format("inc", "x[i] + 2"))
    clang("inctwice.o", KERNEL.format("inc", "x[i] + 2") + KERNEL.format("twice", "3 * x[i]"))
    helper = "float helper(float x) { return x; }\n"
    kernels = [("triple", "8 * helper(x[i])"), ("inc", "x[i] + 9"), ("twice", "10 * helper(x[i])")]
    clang("all.o", helper + "".join(KERNEL.format(*k) for k in kernels))
    good("llvm-ar", "rc", "all.a", "all.o")
    good("clang", "-x", "c++", "-O2", "-fPIC", "-c", "k.o.c", "-o", "cpp.o")
    clang("k.bc", KERNEL.format("triple", "7 * x[i]"), "-emit-llvm")
    clang("arm.bc", KERNEL.format("triple", "7 * x[i]"), "-emit-llvm", "--target=aarch64-linux-gnu")
    for name, flags in [("k.ll", ["-S", "-emit-llvm"]), ("k.s", ["-S"]), ("intel.s", ["-S", "-masm=intel"])]:
        good("clang", "-O2", "-fPIC", "-x", "c", "k.bc.c", "-o", name, *flags)
    write("crlf.s", read("k.s").replace(b"\n", b"\r\n"))
    write("wrong.s", read("k.s") + b"\tfrobnicate %rax\n")
    write("arm.s", "\t.text\n\t.globl triple\ntriple:\n\tldr x0, [x1]\n\tret\n")
    write("wrong.ll", "define void @triple(ptr %x) {\n  ret i32 0\n}\n")
    write("plain.ll", "define void @triple(ptr %x, ptr %o, ptr %w) {\n  store float 1.0, ptr %o\n  ret void\n}\n")
    clang("few.bc", "void triple(const float *x) {}\n", "-emit-llvm")
    clang("double.o", "void triple(const double *x, double *out, const void *wg) { out[0] = x[0]; }\n", "-g")
    write("bitcode-in-object.o", read("k.bc"))
    write("damaged.bc", read("k.bc")[:300] + b"\xff" * 64 + read("k.bc")[364:])
    write("cut.bc", read("k.bc")[:400])
    good("llvm-ar", "rc", "k.a", "none.o", "k.o")
    good("llvm-ar", "rc", "without.a", "none.o", "helper.o")
    shutil.copy(path("k.o"), path("k2.o"))
    good("llvm-ar", "rc", "twice.a", "k.o", "k2.o")
    good("llvm-ar", "rc", "calls.a", "helper.o", "calls.o")
    good("llvm-ar", "rc", "mixed.a", "k.o", "k.s")
    good("llvm-ar", "rc", "arm.a", "arm.o")
    good("llvm-ar", "--thin", "-rc", "thin.a", "k.o")
    write("empty.a", "!<arch>\n")
    write("cut.a", read("k.a")[:-100])
    good("clang", "-shared", "k.o", "-o", "k.so")
    for name in ["none", "inc", "data"]:
        good("clang", "-shared", f"{name}.o", "-o", f"{name}.so")
    good("ld.lld", "-shared", "arm.o", "-o", "arm.so")
    write("cut.so", read("k.so")[:2000])
    write("main.c", "int main(void) { return 0; }\n")
    good("clang", "-no-pie", "main.c", "-o", "fixed")
    shutil.copy("/bin/sh", path("program"))
    write("empty", "")
    write("blank", " \n\n")
    write("cut.o", read("k.o")[:200])
    header = bytearray(read("k.o"))
    header[40:48] = b"\xff" * 8
    write("header.o", bytes(header))
    write("zeros.o", b"\0" * 500)
    write("random.o", bytes((i * 7919 + i * i) % 251 for i in range(2000)))
    shutil.copy(path("k.o"), path("object.mlir"))
    write("text.o", "hello, world\n")
    write("mlir.o", executable())
    write("k.ptx", "//\n.version 8.5\n.target sm_90\n.address_size 64\n.visible .entry triple() { ret; }\n")
    write("k.spv", b"\x03\x02\x23\x07\0\0\1\0" + b"\0" * 12)
    write("k.cubin", bytes([0x7F, 69, 76, 70, 2, 1, 1, 0]) + b"\0" * 8 + b"\x02\0\xbe\0" + b"\0" * 44)
    write("k.fatbin", b"\x50\xed\x55\xba\x01\0\x10\0" + b"\0" * 40)
    # Sources.
    write("k.mlir", executable())
    write("wrapped.mlir", "module {\n" + executable() + "}\n")
    write("crlf.mlir", executable().replace("\n", "\r\n"))
    write("bytecode.o", run(["hal-opt", "k.mlir", "--emit=bytecode"]).stdout)
    write("other.mlir", executable(name="other"))
    write("renamed.mlir", executable(export="quadruple"))
    write("type.mlir", executable(shape="16xf32"))
    write("element.mlir", executable(shape="8xf64"))
    write("dropped.mlir", executable(name="pair", export="inc"))
    write("bodiless.mlir", executable(body=False))
    write(
        "added.mlir",
        executable(
            more="func.func @extra(%x: tensor<8xf32>) -> tensor<8xf32> attributes {hal.export} { return %x : tensor<8xf32> }"
        ),
    )
    write("helper.mlir", executable(more="func.func private @unused() { return }"))
    write("both.mlir", "module {\n" + executable() + executable(name="pair", export="inc") + "}\n")
    write("none.mlir", "module {\n}\n")
    write("function.mlir", "func.func @triple(%x: tensor<8xf32>) -> tensor<8xf32> { return %x : tensor<8xf32> }\n")
    write("syntax.mlir", executable().replace("arith.mulf %x", "arith.mulf %y"))
    write("cut.mlir", executable()[:150])
    write("version.mlir", executable().replace("{hal.executable}", "{hal.executable, hal.version = 7 : i32}"))
    bytecode = read("bytecode.o")
    write("cut.mlirbc", bytecode[: len(bytecode) // 2])
    os.mkdir(path("folder"))
    os.mkfifo(path("pipe"))
    os.symlink("loop", path("loop"))
    os.symlink("nowhere", path("dangling"))
    os.mkdir(path("search"))
    shutil.copy(path("k.o"), path("search/found.o"))
    shutil.copy(path("k.o"), path("a=b.o"))
    odd = read("p.mlir").replace(b"@scale", b'@"sc/a%le"')
    write("odd.mlir", odd)
    write("odd-kernel.mlir", executable(name='"sc/a%le"'))
    # Folders of files named after executables.
    for name, files in {
        "sources": {"scale.mlir": "k.mlir"},
        "objects": {
            "scale.cpu_x86_64.o": "k.o",
            "README": "text.o",
            "scale.c": "k.o.c",
            "scale.benchmark.mlir": "p.mlir",
        },
        "double": {"scale.cpu_x86_64.o": "k.o", "scale.cpu_x86_64.s": "k.s"},
        "stale": {"scale.mlir": "k.mlir", "scale.cpu_x86_64.o": "k.o"},
        "unknown": {"scale.mlir": "k.mlir", "scael.mlir": "k.mlir"},
        "odd": {"sc%2Fa%25le.mlir": "odd-kernel.mlir"},
    }.items():
        os.mkdir(path(name))
        for to, file in files.items():
            shutil.copy(path(file), os.path.join(path(name), to))
