"""Every executable of a model as C, put back: the same results, whole and executable by executable. models.py MODEL.onnx FOLDER"""

import pathlib
import subprocess
import sys

import onnx

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "models"))
from randomize import randomize  # noqa: E402


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stderr


def main(model, folder):
    folder = pathlib.Path(folder)
    loaded = onnx.load(model)
    # The light models' weights are constant: their results hide errors.
    randomize(loaded, 0)
    onnx.save(loaded, folder / "model.onnx")
    run("hal-import", folder / "model.onnx", "-o", folder / "p.mlir")
    said = run("hal-extract", folder / "p.mlir", f"--to={folder}/c", "--as=c", "-o", "/dev/null")
    if "warning" in said:
        sys.exit(said)
    run(sys.executable, HERE / "replace_all.py", folder / "p.mlir", folder / "c", folder / "q.mlir")
    run("hal-compile", "-q", folder / "p.mlir", "-o", folder / "p.so")
    run("hal-compile", "-q", folder / "q.mlir", "-o", folder / "q.so")
    fast = ["--runs=1", "--min-time=0", "--warmup=0", "--rtol=1e-3", "--atol=1e-4"]
    run("hal-benchmark", folder / "p.so", folder / "q.so", *fast)
    print(f"{len(list((folder / 'c').glob('*.c')))} executables in C, the same results")


main(*sys.argv[1:])
