# RUN: rm -rf %t && mkdir -p %t && %python %s %S %t
# REQUIRES: numpy, x86
"""Every kind of file in the place of an executable: it works and computes what it says, or is refused in words.

A row is a name, what is run, and what must come out: the results of the program for `RIGHT`, otherwise an exit code and
words of the message. A refused command writes no program, and none may crash or hang. Prints the table.
"""

import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np

HERE, FOLDER = sys.argv[1:]
sys.path.insert(0, os.path.join(HERE, "Inputs"))
from abuse import path, prepare, read, run, write  # noqa: E402

X = np.arange(8, dtype=np.float32)


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
    ("one object for all kernels", "o", ["scale=all.o", "pair=all.o"], Right(8, 9, 10)),
    ("one object for all kernels before hal-translate", "p", ["scale=all.o", "pair=all.o"], Right(8, 9, 10)),
    ("one object for all kernels, variants", "o2", ["scale/*=all.o", "pair/*=all.o"], Right(8, 9, 10)),
    ("one object for all kernels, one wanted", "o", ["scale=all.o"], Right(8)),
    ("one object for all kernels, one export", "o", ["pair/*/inc=all.o"], Right(inc=9)),
    (
        "one object for all kernels, both exports",
        "o",
        ["pair/*/inc=all.o", "pair/*/twice=all.o"],
        Right(inc=9, twice=10),
    ),
    ("one archive for all kernels", "o", ["scale=all.a", "pair=all.a"], Right(8, 9, 10)),
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
    ("executable ELF", "o", ["scale=program"], (1, "is a complete program and cannot be linked")),
    ("executable ELF at a fixed place", "o", ["scale=fixed"], (1, "is a complete program and cannot be linked")),
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
    (
        "assembly that is wrong",
        "o",
        ["scale=wrong.s"],
        (1, r"invalid instruction mnemonic 'frobnicate'.*wrong\.s:\d+:"),
    ),
    ("MLIR that is wrong", "p", ["scale=syntax.mlir"], (1, r"syntax\.mlir:4:\d+")),
    ("MLIR cut off", "p", ["scale=cut.mlir"], (1, r"cut\.mlir:\d+:\d+")),
    ("bytecode cut off", "p", ["scale=cut.mlirbc"], (1, "error")),
    # Objects that do not fit.
    ("other architecture", "o", ["scale=arm.o"], (1, "is for `aarch64`, the target for `x86_64`")),
    (
        "other architecture before hal-translate",
        "p",
        ["scale=arm.o", "--target=cpu:x86-64@x86_64-linux-gnu"],
        (1, "wrong-architecture"),
    ),
    ("32 bits", "o", ["scale=i386.o"], (1, "is for `i386`")),
    ("archive of another architecture", "o", ["scale=arm.a"], (1, "wrong-architecture")),
    ("bitcode of another architecture", "o", ["scale=arm.bc"], (1, "wrong-architecture.*aarch64")),
    ("assembly of another architecture", "o", ["scale=arm.s"], (1, r"llvm-failed.*arm\.s:4:")),
    (
        "shared object without the function",
        "o",
        ["scale=none.so"],
        (1, "no function `triple` in `none.so`.*did you mean `tripel`"),
    ),
    ("shared object with data", "o", ["scale=data.so"], (1, "`triple` is data, not a function")),
    ("shared object of another architecture", "o", ["scale=arm.so"], (1, "`arm.so` is for `aarch64`")),
    ("shared object cut off", "o", ["scale=cut.so"], (1, "is damaged|no function")),
    ("function missing", "o", ["scale=none.o"], (1, "missing-kernel.*no function `triple`.*did you mean `tripel`")),
    ("function missing in an archive", "o", ["scale=without.a"], (1, "no function `triple`.*`helper`, `tripel`")),
    (
        "function of another signature, LLVM IR",
        "o",
        ["scale=few.bc"],
        (1, "wrong-signature.*takes 1 argument, a kernel of this interface 3"),
    ),
    (
        "function of another signature, object with -g",
        "o",
        ["scale=double.o"],
        (1, "wrong-signature.*`f64 .`, that of the kernel `f32 .`"),
    ),
    ("data instead of a function", "o", ["scale=data.o"], (1, "`triple` is data, not a function")),
    ("static function", "o", ["scale=static.o"], (1, "no function `triple`.*leave out `static`")),
    ("hidden function", "o", ["scale=hidden.o"], (1, "is hidden")),
    ("C++ name", "o", ["scale=cpp.o"], (1, 'declare it `extern "C"`')),
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
    (
        "source for a variant after hal-translate",
        "o",
        ["scale/cpu_x86_64=k.mlir"],
        (1, "wrong-phase.*before `hal-translate`"),
    ),
    ("source for a variant", "p", ["scale/cpu_x86_64=k.mlir", "--target=cpu:x86-64"], (0, "1 of 1")),
    (
        "source for a variant of no target",
        "p",
        ["scale/cpu_x86_65=k.mlir", "--target=cpu:x86-64"],
        (2, "did you mean `cpu_x86_64`"),
    ),
    ("source for all variants", "p", ["scale/*=k.mlir"], (2, "`scale=k.mlir` replaces the source")),
    (
        "source of another shape for a variant",
        "p",
        ["scale/cpu_x86_64=type.mlir", "--target=cpu:x86-64"],
        (1, "interface-changed"),
    ),
    ("executable of another name", "p", ["scale=other.mlir"], (1, "is to replace `@scale`, but holds `@other`")),
    ("export renamed", "p", ["scale=renamed.mlir"], (1, "interface-changed.*lost its export `@triple`")),
    ("export dropped", "p", ["pair=dropped.mlir"], (1, "lost its export `@twice`")),
    ("export added", "p", ["scale=added.mlir"], (1, "new export `@extra`")),
    (
        "binding of another shape",
        "p",
        ["scale=type.mlir"],
        (1, "argument 0 is `tensor<8xf32>` in the original, `tensor<16xf32>` here"),
    ),
    ("binding of another type", "p", ["scale=element.mlir"], (1, "interface-changed")),
    ("body dropped", "p", ["scale=bodiless.mlir"], (1, "no-body|without a body")),
    ("two executables in a file", "p", ["scale=both.mlir"], (1, "contains other executables, too.*`@pair`")),
    ("no executable in a file", "p", ["scale=none.mlir"], (1, "error")),
    ("a bare function", "p", ["scale=function.mlir"], (1, "error")),
    ("a whole program", "p", ["scale=p.mlir"], (1, "contains other executables, too.*`@pair`")),
    ("a whole program, all of it", "p", ["scale=p.mlir", "pair=p.mlir"], Right()),
    ("a foreign version", "p", ["scale=version.mlir"], (1, "wrong-version")),
    # Names.
    ("unknown executable", "o", ["scael=k.o"], (2, "unknown-name.*did you mean `scale`")),
    ("name like no other", "o", ["q=k.o"], (2, "unknown-name.*the program has 2 executables, such as `scale`")),
    ("export instead of an executable", "o", ["triple=k.o"], (2, "it is an export of `scale`")),
    ("unknown variant", "o", ["scale/cpu_x86_65=k.o"], (2, "no variant `cpu_x86_65`.*did you mean `cpu_x86_64`")),
    ("unknown variant before hal-translate", "p", ["scale/cpu_x86_64=k.o"], (2, "`hal-translate` creates variants")),
    ("unknown export", "o", ["pair/cpu_x86_64/ink=inc.o"], (2, "no export `ink`.*did you mean `inc`")),
    ("two files for one name", "o", ["scale=k.o", "scale=k2.o"], (2, "given-twice.*`k.o`, `k2.o`")),
    ("two files for one place", "o", ["scale=k.o", "scale/cpu_x86_64=k2.o"], (1, "given-twice.*both replace")),
    (
        "source and object for one name",
        "p",
        ["scale=k.mlir", "scale+=k.o"],
        (1, "a source cannot be combined with other files"),
    ),
    ("an addition to nothing", "o", ["scale+=k.o"], (2, "has nothing to add to")),
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
    ("workgroups for nothing", "o", ["scale=k.o", "--workgroups=pair=3"], (2, "matches no given object")),
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
        linked = run(
            [
                "sh",
                "-c",
                f"hal-translate {output} 2>/dev/null | hal-link -o out{number}.so || hal-link {output} -o out{number}.so",
            ]
        )
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
    for (name, given, _, expected), wrong in zip(ROWS, results):
        wanted = (
            "right" if isinstance(expected, Right) else "accepted" if expected[0] == 0 else f"refused, {expected[0]}"
        )
        print(f"{name:{width}}  {(given or '-'):4}{wanted:12}{'WRONG' if wrong else 'ok'}")
    for row, wrong in zip(ROWS, results):
        if wrong:
            print(f"\n{row[0]}: {' '.join(row[2])}: {wrong[:800]}")
    print(f"\n{sum(not w for w in results)} of {len(ROWS)} rows as they should be")
    sys.exit(any(results))


main()
