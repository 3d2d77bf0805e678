# RUN: rm -rf %t && mkdir -p %t && %python %s %S %t
# REQUIRES: numpy, x86
"""Every kind of file in the place of an executable: it works and computes what it says, or is refused in words.

A row is a name, what is run, and what must come out: the results of the program for `RIGHT`, otherwise an exit code and
words of the message. A refused command writes no program, and none may crash or hang. Prints the table.
"""

import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np

HERE, FOLDER = sys.argv[1:]
INPUTS = os.path.join(HERE, "Inputs")
HEADERS = os.path.join(HERE, "../../common/runtime/include")
X = np.arange(8, dtype=np.float32)


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
    clang("absolute.o", "int table[64];\n" + KERNEL.format("triple", "table[(int)x[i] & 63]"), "-fno-pic", "-mcmodel=small", "-fno-pie")
    clang("calls.o", "float helper(float);\n" + KERNEL.format("triple", "helper(x[i])"))
    clang("helper.o", "float helper(float x) { return 6 * x; }\n")
    clang("libm.o", "float expf(float);\n" + KERNEL.format("triple", "expf(x[i])"))
    clang("inc.o", KERNEL.format("inc", "x[i] + 2"))
    clang("inctwice.o", KERNEL.format("inc", "x[i] + 2") + KERNEL.format("twice", "3 * x[i]"))
    good("clang", "-x", "c++", "-O2", "-fPIC", "-c", "k.o.c", "-o", "cpp.o")
    clang("k.bc", KERNEL.format("triple", "7 * x[i]"), "-emit-llvm")
    clang("arm.bc", KERNEL.format("triple", "7 * x[i]"), "-emit-llvm", "--target=aarch64-linux-gnu")
    for name, flags in [("k.ll", ["-S", "-emit-llvm"]), ("k.s", ["-S"]), ("intel.s", ["-S", "-masm=intel"])]:
        good("clang", "-O2", "-fPIC", "-x", "c", "k.bc.c", "-o", name, *flags)
    write("crlf.s", read("k.s").replace(b"\n", b"\r\n"))
    write("wrong.s", read("k.s") + b"\tfrobnicate %rax\n")
    write("arm.s", "\t.text\n\t.globl triple\ntriple:\n\tldr x0, [x1]\n\tret\n")
    write("wrong.ll", "define void @triple(ptr %x) {\n  ret i32 0\n}\n")
    write("plain.ll", 'define void @triple(ptr %x, ptr %o, ptr %w) {\n  store float 1.0, ptr %o\n  ret void\n}\n')
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
    write("added.mlir", executable(more="func.func @extra(%x: tensor<8xf32>) -> tensor<8xf32> attributes {hal.export} { return %x : tensor<8xf32> }"))
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
        "objects": {"scale.cpu_x86_64.o": "k.o", "README": "text.o", "scale.c": "k.o.c", "scale.benchmark.mlir": "p.mlir"},
        "double": {"scale.cpu_x86_64.o": "k.o", "scale.cpu_x86_64.s": "k.s"},
        "stale": {"scale.mlir": "k.mlir", "scale.cpu_x86_64.o": "k.o"},
        "unknown": {"scale.mlir": "k.mlir", "scael.mlir": "k.mlir"},
        "odd": {"sc%2Fa%25le.mlir": "odd-kernel.mlir"},
    }.items():
        os.mkdir(path(name))
        for to, file in files.items():
            shutil.copy(path(file), os.path.join(path(name), to))


class Right:
    """The substituted program gives this."""

    def __init__(self, scale=3, inc=1, twice=2, exp=False, plugin=None):
        self.scale, self.inc, self.twice, self.exp = scale, inc, twice, exp
        self.flags = [f"--executable-plugin={plugin}"] if plugin else []

    def result(self):
        x = np.exp(X) if self.exp else self.scale * X
        return (x + self.inc) * self.twice


UNREADABLE = "/proc/self/mem" if os.geteuid() == 0 else "unreadable.o"

# Name, input, words of the command, what comes out.
ROWS = [
    # Kinds of files.
    ("ELF object", "o", ["scale=k.o"], Right(5)),
    ("ELF object before hal-translate", "p", ["scale=k.o"], Right(5)),
    ("ELF object by variant", "o", ["scale/cpu_x86_64=k.o"], Right(5)),
    ("ELF object by export", "o", ["pair/cpu_x86_64/inc=inc.o"], Right(inc=2)),
    ("ELF object for two exports", "o", ["pair=inctwice.o"], Right(inc=2, twice=3)),
    ("ELF object named .mlir", "o", ["scale=object.mlir"], Right(5)),
    ("static archive", "o", ["scale=k.a"], Right(5)),
    ("static archive, member needs another", "o", ["scale=calls.a"], Right(6)),
    ("two objects", "o", ["scale=calls.o", "scale+=helper.o"], Right(6)),
    ("LLVM bitcode", "o", ["scale=k.bc"], Right(7)),
    ("LLVM bitcode named .o", "o", ["scale=bitcode-in-object.o"], Right(7)),
    ("LLVM IR", "o", ["scale=k.ll"], Right(7)),
    ("LLVM IR before hal-translate", "p", ["scale=k.ll"], Right(7)),
    ("LLVM IR without a triple", "o", ["scale=plain.ll"], (0, "1 of 1")),
    ("assembly", "o", ["scale=k.s"], Right(7)),
    ("assembly, Intel syntax", "o", ["scale=intel.s"], Right(7)),
    ("assembly with CRLF", "o", ["scale=crlf.s"], Right(7)),
    ("MLIR text", "p", ["scale=k.mlir"], Right(4)),
    ("MLIR text in a module", "p", ["scale=wrapped.mlir"], Right(4)),
    ("MLIR text with CRLF", "p", ["scale=crlf.mlir"], Right(4)),
    ("MLIR bytecode named .o", "p", ["scale=bytecode.o"], Right(4)),
    ("MLIR text named .o", "p", ["scale=mlir.o"], Right(4)),
    ("MLIR with a helper function", "p", ["scale=helper.mlir"], Right(4)),
    ("shared object", "o", ["scale=k.so"], Right(5, plugin="k.so")),
    ("shared object before hal-translate", "p", ["scale=k.so"], Right(5, plugin="k.so")),
    ("shared object for one export", "o", ["pair/cpu_x86_64/inc=inc.so"], Right(inc=2, plugin="inc.so")),
    ("executable ELF", "o", ["scale=program"], (1, "starts by itself and cannot be linked")),
    ("executable ELF at a fixed place", "o", ["scale=fixed"], (1, "starts by itself and cannot be linked")),
    ("thin archive", "o", ["scale=thin.a"], (1, "thin archive.*llvm-ar rc")),
    ("PTX", "o", ["scale=k.ptx"], (1, "this is PTX, which is for NVIDIA")),
    ("cubin", "o", ["scale=k.cubin"], (1, "a cubin, which is for NVIDIA")),
    ("fatbin", "o", ["scale=k.fatbin"], (1, "a fatbin, which is for NVIDIA")),
    ("SPIR-V", "o", ["scale=k.spv"], (1, "SPIR-V module, which is for Vulkan")),
    ("Mach-O", "o", ["scale=mac.o"], (1, "Mach-O file, which is for another system")),
    ("COFF", "o", ["scale=windows.o"], (1, "COFF file, which is for another system")),
    ("C source", "o", ["scale=k.o.c"], (1, "compile it")),
    ("text", "o", ["scale=text.o"], (1, "text of an unknown kind")),
    # Damage.
    ("empty file", "o", ["scale=empty"], (1, "empty-input.*the file is empty")),
    ("blanks only", "o", ["scale=blank"], (1, "empty-input.*the file is empty")),
    ("object cut off", "o", ["scale=cut.o"], (1, "the object is damaged")),
    ("object with a broken header", "o", ["scale=header.o"], (1, "the object is damaged")),
    ("zeros", "o", ["scale=zeros.o"], (1, "wrong-kind")),
    ("noise", "o", ["scale=random.o"], (1, "wrong-kind")),
    ("archive cut off", "o", ["scale=cut.a"], (1, "the archive is damaged")),
    ("archive without members", "o", ["scale=empty.a"], (1, "the archive has no members")),
    ("archive with assembly", "o", ["scale=mixed.a"], (1, "member `k.s`: this is assembly")),
    ("bitcode damaged", "o", ["scale=damaged.bc"], (1, "llvm-failed")),
    ("bitcode cut off", "o", ["scale=cut.bc"], (1, "llvm-failed")),
    ("LLVM IR that is wrong", "o", ["scale=wrong.ll"], (1, r"wrong\.ll:2:")),
    ("assembly that is wrong", "o", ["scale=wrong.s"], (1, r"invalid instruction mnemonic 'frobnicate'.*wrong\.s:\d+:")),
    ("MLIR that is wrong", "p", ["scale=syntax.mlir"], (1, r"syntax\.mlir:4:\d+")),
    ("MLIR cut off", "p", ["scale=cut.mlir"], (1, r"cut\.mlir:\d+:\d+")),
    ("bytecode cut off", "p", ["scale=cut.mlirbc"], (1, "error")),
    # Objects that do not fit.
    ("other architecture", "o", ["scale=arm.o"], (1, "is for `aarch64`, the target for `x86_64`")),
    ("other architecture before hal-translate", "p", ["scale=arm.o", "--target=cpu:x86-64@x86_64-linux-gnu"], (1, "wrong-architecture")),
    ("32 bits", "o", ["scale=i386.o"], (1, "is for `i386`")),
    ("archive of another architecture", "o", ["scale=arm.a"], (1, "wrong-architecture")),
    ("bitcode of another architecture", "o", ["scale=arm.bc"], (1, "wrong-architecture.*aarch64")),
    ("assembly of another architecture", "o", ["scale=arm.s"], (1, r"llvm-failed.*arm\.s:4:")),
    ("shared object without the function", "o", ["scale=none.so"], (1, "no function `triple` in `none.so`.*is `tripel` meant")),
    ("shared object with data", "o", ["scale=data.so"], (1, "`triple` is data, not a function")),
    ("shared object of another architecture", "o", ["scale=arm.so"], (1, "`arm.so` is for `aarch64`")),
    ("shared object cut off", "o", ["scale=cut.so"], (1, "is damaged|no function")),
    ("function missing", "o", ["scale=none.o"], (1, "missing-kernel.*no function `triple`.*is `tripel` meant")),
    ("function missing in an archive", "o", ["scale=without.a"], (1, "no function `triple`.*`helper`, `tripel`")),
    ("data instead of a function", "o", ["scale=data.o"], (1, "`triple` is data, not a function")),
    ("static function", "o", ["scale=static.o"], (1, "no function `triple`.*leave out `static`")),
    ("hidden function", "o", ["scale=hidden.o"], (1, "is hidden")),
    ("C++ name", "o", ["scale=cpp.o"], (1, 'declare it `extern "C"')),
    ("function in two members", "o", ["scale=twice.a"], (1, "`triple` is defined twice")),
    ("function in two objects", "o", ["scale=k.o", "scale+=k2.o"], (1, "`triple` is defined twice")),
    ("undefined symbol", "o", ["scale=calls.o"], (0, "undefined-symbol.*`helper` .needed by `calls.o`")),
    ("function of libm", "o", ["scale=libm.o"], Right(exp=True)),
    ("not position-independent", "o", ["scale=absolute.o"], (1, "relocation R_X86_64_32S?.*-fPIC")),
    ("one function of two exports", "o", ["pair=inc.o"], (1, "no function `twice`")),
    ("one export of two before hal-translate", "p", ["pair/*/inc=inc.o"], (1, "nothing is given for export `twice`")),
    ("two variants, none named", "o2", ["scale=k.o"], (2, "has 2 variants.*scale/cpu_x86_64_v2")),
    ("two variants, both", "o2", ["scale/*=k.o"], Right(5)),
    # Sources that do not fit.
    ("source after hal-translate", "o", ["scale=k.mlir"], (1, "wrong-phase.*before `hal-translate`")),
    ("source for a variant", "o", ["scale/cpu_x86_64=k.mlir"], (2, "replaces an executable as a whole")),
    ("executable of another name", "p", ["scale=other.mlir"], (1, "is to replace `@scale`, but holds `@other`")),
    ("export renamed", "p", ["scale=renamed.mlir"], (1, "interface-changed.*lost its export `@triple`")),
    ("export dropped", "p", ["pair=dropped.mlir"], (1, "lost its export `@twice`")),
    ("export added", "p", ["scale=added.mlir"], (1, "new export `@extra`")),
    ("binding of another shape", "p", ["scale=type.mlir"], (1, "argument 0 is `tensor<8xf32>` in the original, `tensor<16xf32>` here")),
    ("binding of another type", "p", ["scale=element.mlir"], (1, "interface-changed")),
    ("body dropped", "p", ["scale=bodiless.mlir"], (1, "no-body|without a body")),
    ("two executables in a file", "p", ["scale=both.mlir"], (1, "holds other executables, too.*`@pair`")),
    ("no executable in a file", "p", ["scale=none.mlir"], (1, "error")),
    ("a bare function", "p", ["scale=function.mlir"], (1, "error")),
    ("a whole program", "p", ["scale=p.mlir"], (1, "holds other executables, too.*`@pair`")),
    ("a whole program, all of it", "p", ["scale=p.mlir", "pair=p.mlir"], Right()),
    ("a foreign version", "p", ["scale=version.mlir"], (1, "wrong-version")),
    # Names.
    ("unknown executable", "o", ["scael=k.o"], (2, "unknown-name.*did you mean `scale`")),
    ("unknown variant", "o", ["scale/cpu_x86_65=k.o"], (2, "no variant `cpu_x86_65`.*did you mean `cpu_x86_64`")),
    ("unknown variant before hal-translate", "p", ["scale/cpu_x86_64=k.o"], (2, "`hal-translate` makes variants")),
    ("unknown export", "o", ["pair/cpu_x86_64/ink=inc.o"], (2, "no export `ink`.*did you mean `inc`")),
    ("two files for one name", "o", ["scale=k.o", "scale=k2.o"], (2, "given-twice.*`k.o`, `k2.o`")),
    ("two files for one place", "o", ["scale=k.o", "scale/cpu_x86_64=k2.o"], (1, "given-twice.*both replace")),
    ("source and object for one name", "p", ["scale=k.mlir", "scale+=k.o"], (1, "a source stands alone")),
    ("an addition to nothing", "o", ["scale+=k.o"], (2, "adds to nothing")),
    ("too many parts", "o", ["a/b/c/d=k.o"], (2, "4 parts")),
    ("slash and percent, escaped", "odd", ["sc%2Fa%25le=odd-kernel.mlir"], Right(4)),
    ("slash and percent, plain", "odd", ["sc/a%le=odd-kernel.mlir"], (2, r"%25")),
    ("slash, plain", "odd", ["sc/a%25le=odd-kernel.mlir"], (2, "`sc%2Fa%25le`")),
    # Places.
    ("folder", "o", ["scale=folder"], (3, "is a folder, not a file")),
    ("no such file", "o", ["scale=nowhere.o"], (3, "there is no file `nowhere.o`")),
    ("unreadable file", "o", [f"scale={UNREADABLE}"], (3, "cannot read")),
    ("device", "o", ["scale=/dev/zero"], (3, "is a device")),
    ("pipe that nobody writes to", "o", ["scale=pipe"], (1, "nobody wrote to this pipe")),
    ("link in a circle", "o", ["scale=loop"], (3, "cannot read `loop`")),
    ("link to nowhere", "o", ["scale=dangling"], (3, "cannot read `dangling`")),
    ("search path", "o", ["scale=found.o", "--search-path=folder", "--search-path=search"], Right(5)),
    ("file name with =", "o", ["scale=a=b.o"], Right(5)),
    ("standard input twice", None, ["scale=-"], (2, "cannot be both")),
    ("folder of sources", "p", ["--from=sources"], Right(4)),
    ("folder of objects", "o", ["--from=objects"], Right(5)),
    ("folder, slash and percent", "odd", ["--from=odd"], Right(4)),
    ("folder with two files for one name", "o", ["--from=double"], (1, "given-twice.*name the one")),
    ("folder with source and object", "o", ["--from=stale"], (1, "given a source.*and an object")),
    ("folder with source and object, objects", "o", ["--objects-from=stale"], Right(5)),
    ("folder with an unknown name", "p", ["--from=unknown"], (1, "unknown-name.*did you mean `scale`")),
    ("folder with an unknown name, allowed", "p", ["--from=unknown", "--allow-unmatched"], Right(4)),
    ("no such folder", "p", ["--from=nowhere"], (3, "cannot read the folder")),
    ("nothing to do", "p", [], (2, "nothing to substitute")),
    ("workgroups for nothing", "o", ["scale=k.o", "--workgroups=pair=3"], (2, "is for no object")),
    ("workgroups of zero", "o", ["scale=k.o", "--workgroups=scale=0"], (2, "no number of workgroups")),
]


def cell(number, given, words, expected):
    """What is wrong with a row; nothing if it is as it should be."""
    output = f"out{number}.mlir"
    inputs = [f"{given}.mlir"] if given else []
    with open(path("p.mlir"), "rb") as stdin:
        done = run(["hal-substitute", *inputs, *words, "-o", output], stdin)
    said = done.stderr.decode(errors="replace")
    if isinstance(expected, Right):
        if done.returncode:
            return f"exit code {done.returncode}: {said}"
        linked = run(["sh", "-c", f"hal-translate {output} 2>/dev/null | hal-link -o out{number}.so || hal-link {output} -o out{number}.so"])
        if linked.returncode:
            return f"does not link: {linked.stderr.decode()}"
        ran = run(["hal-run", f"out{number}.so", "--input=@x.npy", f"--output=@y{number}.npy", *expected.flags])
        if ran.returncode:
            return f"does not run: {ran.stderr.decode()}"
        y = np.load(path(f"y{number}.npy"))
        return "" if np.allclose(y, expected.result(), rtol=1e-5) else f"computes {y}, not {expected.result()}"
    code, words = expected
    if done.returncode != code:
        return f"exit code {done.returncode}: {said}"
    if not re.search(words, said, re.S):
        return f"does not say `{words}`: {said}"
    if code and os.path.exists(path(output)):
        return "left an output"
    return "crashed" if "this is a bug" in said else ""


def main():
    prepare()
    np.save(path("x.npy"), X)
    if UNREADABLE == "unreadable.o":
        write(UNREADABLE, read("k.o"))
        os.chmod(path(UNREADABLE), 0)
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda item: cell(item[0], *item[1][1:]), enumerate(ROWS)))
    width = max(len(row[0]) for row in ROWS)
    for (name, given, words, expected), wrong in zip(ROWS, results):
        wanted = "right" if isinstance(expected, Right) else "accepted" if expected[0] == 0 else f"refused, {expected[0]}"
        print(f"{name:{width}}  {(given or '-'):4}{wanted:12}{'WRONG' if wrong else 'ok'}")
    for row, wrong in zip(ROWS, results):
        if wrong:
            print(f"\n{row[0]}: {' '.join(row[2])}: {wrong[:800]}")
    print(f"\n{sum(not w for w in results)} of {len(ROWS)} rows as they should be")
    sys.exit(any(results))


main()
