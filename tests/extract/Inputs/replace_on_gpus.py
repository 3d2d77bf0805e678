"""Every executable of a program as a kernel in GLSL and CUDA, compiled as it was extracted and put back by the command in its comment: the
results are those of the CPU. replace_on_gpus.py PROGRAM FOLDER DEVICES INPUT… -- TOLERANCES…"""

import pathlib
import re
import shlex
import subprocess
import sys

CLANG = (
    "clang-22 -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_80 --cuda-feature=+ptx70 -O2 -Werror"
)


def run(*command, cwd=None):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False, cwd=cwd)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def compile_all(folder, language):
    """The words that hal-substitute is to be given."""
    words = []
    sources = sorted(folder.glob("*.comp" if language == "glsl" else "*.cu"))
    for source in sources:
        comment = source.read_text().split("*/")[0]
        words += shlex.split(re.search(r"hal-substitute PROGRAM (.*) -o NEW", comment).group(1).replace("X,Y,Z", "3"))
        if language == "glsl":
            run(
                "glslc",
                "--target-env=vulkan1.1",
                "-O",
                "-Werror",
                source.name,
                "-o",
                source.with_suffix(".spv").name,
                cwd=folder,
            )
        else:
            run(*CLANG.split(), "-I.", "-S", source.name, "-o", source.with_suffix(".ptx").name, cwd=folder)
    return words, len(sources)


def main(program, folder, devices, *rest):
    program, folder = pathlib.Path(program).resolve(), pathlib.Path(folder).resolve()
    inputs, tolerances = rest[: rest.index("--")], rest[rest.index("--") + 1 :]
    languages = {"vulkan": "glsl", "cuda": "cuda"}
    run("hal-compile", "-q", program, "-o", folder / "cpu.so")
    results = re.search(r"main\(.*\) -> (.*)", run("hal-run", "--list", folder / "cpu.so")).group(1)
    files = [folder / f"y{i}.npy" for i in range(results.count(",") + 1)]
    run("hal-run", folder / "cpu.so", *inputs, *(f"--output={f}" for f in files))
    expected = [f"--expect=@{f}" for f in files]
    for device in devices.split(","):
        own = folder / device
        said = run("hal-extract", program, f"--to={own}", f"--as={languages[device]}", "-o", "/dev/null")
        if "warning" in said:
            sys.exit(said)
        words, number = compile_all(own, languages[device])
        run("hal-substitute", "-qq", program, *words, "-o", own / "q.mlir", cwd=own)
        run(
            "hal-compile",
            "-q",
            f"--target={device if device == 'vulkan' else 'cuda:sm_80'}",
            own / "q.mlir",
            "-o",
            own / "q.so",
        )
        start = ["with-fake-cuda"] if device == "cuda" else []
        run(*start, "hal-run", own / "q.so", f"--device={device}", *inputs, *expected, *tolerances)
        print(f"{number} executables in {languages[device]}, the same results on {device}")


main(*sys.argv[1:])
