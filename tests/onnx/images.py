#!/usr/bin/env python3
"""ImageDecoder: channels as the node asks for them, files that are no images, several calls in one program. What decoders make of real files is in the suite of ONNX."""

import os
import struct
import subprocess
import sys
import zlib

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper

PIXELS = np.array([[[1, 2, 3], [255, 128, 0]], [[9, 9, 9], [0, 0, 255]]], np.uint8)
GRAY = np.array([[[7], [255], [0]]], np.uint8)
FORMATS = ["RGB", "BGR", "Grayscale"]


def png(pixels):
    """A PNG of 8-bit channels: gray, red, green and blue, or with alpha."""
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    height, width, channels = pixels.shape
    head = struct.pack(">IIBBBBB", width, height, 8, {1: 0, 3: 2, 4: 6}[channels], 0, 0, 0)
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def pnm(pixels):
    height, width, channels = pixels.shape
    return f"P{6 if channels == 3 else 5} {width} {height} 255\n".encode() + pixels.tobytes()


def wanted(pixels, form):
    rgb = pixels[:, :, :3] if pixels.shape[2] > 1 else np.repeat(pixels, 3, axis=2)
    if form == "Grayscale":
        # ITU-R 601-2, rounded.
        return ((rgb.astype(np.uint32) @ np.array([19595, 38470, 7471], np.uint32) + 0x8000) >> 16).astype(np.uint8)[
            :, :, None
        ]
    return rgb if form == "RGB" else rgb[:, :, ::-1]


def main(folder):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "m")
    nodes = [helper.make_node("ImageDecoder", ["file"], [form], pixel_format=form) for form in FORMATS]
    outputs = [
        helper.make_tensor_value_info(form, T.UINT8, ["h", "w", 1 if form == "Grayscale" else 3]) for form in FORMATS
    ]
    graph = helper.make_graph(nodes, "images", [helper.make_tensor_value_info("file", T.UINT8, ["N"])], outputs)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9), f"{path}.onnx")
    subprocess.run(["hal-compile", f"{path}.onnx", "-o", f"{path}.so", "-j1"], check=True)
    alpha = np.concatenate([PIXELS, PIXELS[:, :, :1]], axis=2)
    images = [(kind(pixels), pixels) for kind in (png, pnm) for pixels in (PIXELS, GRAY)] + [(png(alpha), alpha)]
    broken = [b"", b"text", pnm(PIXELS)[:-1], png(PIXELS)[:40], b"\xff\xd8\xff\xe0", b"\0\0\0\x0cjP  "]
    for file, pixels in images + [(file, np.zeros((0, 0, 3), np.uint8)) for file in broken]:
        np.save(f"{path}.npy", np.frombuffer(file, np.uint8))
        files = [f"{path}.{form}.npy" for form in FORMATS]
        done = subprocess.run(
            ["hal-run", f"{path}.so", f"--input={path}.npy", *(f"--output={f}" for f in files)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{file[:20]}: {done.stderr}"
        for form, name in zip(FORMATS, files):
            got, want = np.load(name).view(np.uint8), wanted(pixels, form)
            assert got.shape == want.shape and (got == want).all(), f"{form} of {file[:20]}: {got} for {want}"


if __name__ == "__main__":
    main(sys.argv[1])
