"""Runs cases through the tools and compares with numpy.

A family file makes a list of `Case`s and calls `main(cases)`. Cases are put together, many functions to a module, because
starting tools costs more than compiling small kernels; if a module fails to compile it is halved until the guilty case
stands alone. `FAMILY.py --help` shows what else there is.
"""

import argparse
import functools
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

try:
    from ml_dtypes import bfloat16
except ImportError:  # comes with onnx
    bfloat16 = None

PIPE = ["hal-import", "hal-translate"]


@dataclass
class Case:
    """A function `@NAME` in MLIR text with inputs and what numpy expects of it."""

    name: str
    text: str
    inputs: list
    expected: list
    rtol: float = 1e-5
    atol: float = 1e-6
    # Top-level ops that stand beside the function (globals, helpers, maps), and `#name = …` aliases.
    beside: str = ""
    # Instead of the tolerances: how far a float may be from the exact result, in units in the last place of that, and the
    # exact result in a wider type; the sign of zero counts.
    ulp: float = 0
    exact: np.ndarray = None


class ToolError(Exception):
    """A tool ended with an error."""


# What devices do not compute with, whatever they are; `common/targets/src/dtypes.rs` has the table.
REFUSED = re.compile(
    r"error\[unsupported-type\]: .*?((?:arithmetic in )?`(?:bf16|f8\w+|f4\w+)` is not possible on `[^`]*`: [^\n]*)"
)
REFUSED_TYPES = re.compile(r"\b(?:\d+x)*(?:bf16|f8E\w+|f4E\w+)\b")


class Refused(ToolError):
    """A target refuses a type by name."""


def tool(command, data=None, cwd=None, timeout=300, silent=False):
    """Runs a tool and returns its stdout; raises ToolError with its stderr, if it must be `silent` for any word there."""
    try:
        done = subprocess.run(command, input=data, capture_output=True, cwd=cwd, timeout=timeout, check=False)
    except subprocess.TimeoutExpired as e:
        raise ToolError(f"{command[0]}: ran longer than {timeout} s") from e
    if done.returncode != 0 or (silent and done.stderr):
        message = done.stderr.decode(errors="replace").strip()
        refused = REFUSED.search(message)
        if refused and done.returncode == 1:
            raise Refused(refused[1])
        raise ToolError(f"{' '.join(command)}: exit code {done.returncode}\n{message}")
    return done.stdout


def compile_text(text, output, cwd=None, target="cpu", validate=False, opt_level=3, flags=()):
    """MLIR text to a linked program: `hal-import | hal-translate | hal-link -o OUTPUT`."""
    data, code = text.encode(), output + ".code"
    for name in PIPE:
        words = [f"--target={target}", f"-O{opt_level}", *flags] if name == "hal-translate" else []
        words += [f"--save-code={code}"] if words and validate else []
        data = tool([name, "--emit=bytecode", *words], data, cwd)
    for module in sorted(glob.glob(os.path.join(code, "*.spv"))):
        tool(["spirv-val", "--target-env", "vulkan1.1", module])
    tool(["hal-link", "-o", output], data, cwd)


def save(path, array):
    """Writes what hal-run reads. numpy has no bf16: its bits go as two opaque bytes, as ml_dtypes does itself."""
    np.save(path, np.ascontiguousarray(array) if array.ndim else array)


def run_program(program, function, inputs, outputs, folder, words=()):
    """hal-run: arrays in, `outputs` (dtypes) arrays out."""
    command = ["hal-run", program, f"--function={function}", "--threads=1", *words]
    for i, array in enumerate(inputs):
        path = os.path.join(folder, f"in{i}.npy")
        save(path, array)
        command.append(f"--input=@{path}")
    paths = [os.path.join(folder, f"out{i}.npy") for i in range(len(outputs))]
    tool(command + [f"--output={path}" for path in paths], silent="--device-debug" in words)
    return [load(path, dtype) for path, dtype in zip(paths, outputs)]


def load(path, dtype):
    """Reads what hal-run wrote."""
    array = np.load(path)
    return array.view(dtype) if array.dtype.kind == "V" else array


def difference(got, want, rtol, atol):
    """What is wrong with `got`, or None. NaN equals NaN; infinities must have the same sign."""
    want = np.asarray(want)
    if got.shape != want.shape:
        return f"shape {got.shape}, expected {want.shape}"
    if got.dtype != want.dtype:
        return f"dtype {got.dtype}, expected {want.dtype}"
    if want.dtype.kind in "iub":
        bad = got != want
    else:
        got, want = got.astype(np.float64), want.astype(np.float64)
        with np.errstate(invalid="ignore"):
            bad = ~np.isclose(got, want, rtol=rtol, atol=atol, equal_nan=True)
    if not bad.any():
        return None
    at = tuple(int(i) for i in np.argwhere(bad)[0]) if want.ndim else ()
    return f"{int(bad.sum())} of {want.size} differ, first at {list(at)}: {got[at]}, expected {want[at]}"


def ulps(got, exact):
    """How far floats are from exact results, in units in the last place: those of the type of `got` where the result lies.
    Infinity counts as the first number that is none."""
    info = np.finfo(got.dtype)
    top = exact.dtype.type(2) ** (info.maxexp)
    with np.errstate(all="ignore"):
        near = np.where(np.isinf(got), np.copysign(top, got), got.astype(exact.dtype))
        bounded = np.where(np.abs(exact) > top, np.copysign(top, exact), exact)
        exponent = np.clip(np.frexp(bounded)[1] - 1, info.minexp, info.maxexp - 1)
        return np.abs(near - bounded) / np.ldexp(exact.dtype.type(1), exponent - info.nmant)


def distance(case, got):
    """What is wrong with floats that must be near exact results, or None."""
    exact, nan = case.exact, np.isnan(case.exact)
    far = ~(ulps(got, exact) <= case.ulp)
    zero = (exact == 0) & (np.signbit(exact) != np.signbit(got))
    bad = np.where(nan | np.isnan(got), nan != np.isnan(got), far | zero)
    if not bad.any():
        return None
    worst = np.argmax(np.where(bad, np.nan_to_num(ulps(got, exact), nan=np.inf), -1))
    where = f"{int(bad.sum())} of {bad.size} are wrong, the worst at {[x[worst] for x in case.inputs]}"
    return f"{where}: {got[worst]}, exactly {exact[worst]}"


def check(case, program, folder, words=()):
    """Runs one case of a compiled module; returns what is wrong, or None."""
    os.makedirs(folder, exist_ok=True)
    expected = [np.asarray(e) for e in case.expected]
    try:
        got = run_program(program, case.name, case.inputs, [e.dtype for e in expected], folder, words)
    except ToolError as e:
        return str(e)
    return judge(case, got)


def judge(case, got):
    """What is wrong with the results of a case, or None."""
    if case.ulp:
        return distance(case, got[0])
    expected = [np.asarray(e) for e in case.expected]
    wrong = [
        f"result {i}: {d}"
        for i, (g, w) in enumerate(zip(got, expected))
        if (d := difference(g, w, case.rtol, case.atol))
    ]
    return "; ".join(wrong) or None


def module(cases):
    """The text of a module that holds all cases."""
    beside = dict.fromkeys(c.beside.strip() for c in cases if c.beside)
    aliases = [b for b in beside if b.startswith("#")]
    others = [b for b in beside if not b.startswith("#")]
    return "\n".join([*aliases, "module {", *others, *(c.text for c in cases), "}\n"])


def run_group(cases, folder, build, words=()):
    """Compiles and runs cases; returns [(case, wrong or None)], where `wrong` may be what was refused."""
    os.makedirs(folder, exist_ok=True)
    source, program = os.path.join(folder, "module.mlir"), os.path.join(folder, "module.so")
    text = module(cases)
    with open(source, "w", encoding="utf-8") as f:
        f.write(text)
    try:
        build(text, program)
    except ToolError as e:
        if len(cases) == 1:
            return [(cases[0], e if isinstance(e, Refused) else str(e))]
        half = len(cases) // 2
        return run_group(cases[:half], folder + "a", build, words) + run_group(cases[half:], folder + "b", build, words)
    return [(c, check(c, program, os.path.join(folder, c.name), words)) for c in cases]


def grouped(cases, size, device):
    """Cases by modules; on a GPU those that may be refused stand alone."""
    alone = [device != "cpu" and REFUSED_TYPES.search(c.text) is not None for c in cases]
    others = [c for c, a in zip(cases, alone) if not a]
    return [others[i : i + size] for i in range(0, len(others), size)] + [[c] for c, a in zip(cases, alone) if a]


def main(cases):
    """The command line of a family file. Exit code 1 if a case fails."""
    p = argparse.ArgumentParser(description="Compiles programs, runs them and compares with numpy.")
    p.add_argument("--filter", default="", help="only cases whose name contains this")
    p.add_argument("--list", action="store_true", help="print the names")
    p.add_argument("--print", action="store_true", help="print the module")
    p.add_argument("--write", metavar="DIR", help="write the modules to DIR as FAMILY-N.mlir, and stop")
    p.add_argument("--keep", metavar="DIR", help="leave sources, programs and arrays in DIR")
    p.add_argument("--group", type=int, default=24, help="functions to a module (default %(default)s)")
    p.add_argument("-j", "--jobs", type=int, default=1, help="modules at once (default %(default)s)")
    p.add_argument("--target", default="cpu", help="as for hal-translate; it must run here (default %(default)s)")
    p.add_argument(
        "-O",
        "--opt-level",
        type=int,
        default=3,
        help="as for hal-translate; on Vulkan 0 is plain loops (default %(default)s)",
    )
    p.add_argument("--validate", action="store_true", help="let spirv-val check every module for Vulkan")
    p.add_argument(
        "--device-debug", action="store_true", help="run with the checks of the driver; what they say is an error"
    )
    p.add_argument("-v", "--verbose", action="store_true", help="name what passes and what is refused, too")
    a = p.parse_args()
    cases = [c for c in cases if a.filter in c.name]
    names = [c.name for c in cases]
    assert len(set(names)) == len(names), f"a name is used twice: {sorted({n for n in names if names.count(n) > 1})}"
    if a.list or a.print:
        print("\n".join(names) if a.list else module(cases))
        return
    if a.write:
        # On a GPU, some types are refused; those cases stand alone.
        for number, group in enumerate(grouped(cases, a.group, "vulkan")):
            family = os.path.splitext(os.path.basename(sys.argv[0]))[0]
            with open(os.path.join(a.write, f"{family}-{number}.mlir"), "w", encoding="utf-8") as f:
                f.write(module(group))
        return
    folder = a.keep or tempfile.mkdtemp(prefix="hal-numerics-")
    device = a.target.split(":")[0].split(",")[0]
    groups = grouped(cases, a.group, device)
    failed = refused = 0
    build = functools.partial(compile_text, target=a.target, validate=a.validate, opt_level=a.opt_level)
    words = [f"--device={device}"] + ["--device-debug"] * a.device_debug
    try:
        with ThreadPoolExecutor(a.jobs) as pool:
            runs = pool.map(
                lambda g: run_group(g[1], os.path.join(folder, f"group{g[0]}"), build, words), enumerate(groups)
            )
            for case, wrong in (r for run in runs for r in run):
                if isinstance(wrong, Refused):
                    refused += 1
                elif wrong:
                    failed += 1
                    print(f"FAIL {case.name}: {wrong}", flush=True)
                if a.verbose and (not wrong or isinstance(wrong, Refused)):
                    print(f"refused {case.name}: {wrong}" if wrong else f"pass {case.name}", flush=True)
    except Exception:
        traceback.print_exc()
        sys.exit(2)
    finally:
        if not a.keep:
            shutil.rmtree(folder, ignore_errors=True)
    print(
        f"{len(cases) - failed - refused} of {len(cases)} passed"
        + (f", {refused} refused by the type that they need" if refused else "")
    )
    sys.exit(failed > 0 or not cases)
