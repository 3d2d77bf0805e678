"""Compiles models by the tools."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import tools
from ._folder import Folder
from .errors import ResourceError, UsageError
from .program import Program, load


def compile(
    model: Any,
    example_inputs: Sequence[Any] | None = None,
    *,
    target: str | Sequence[str] | None = None,
    output: str | os.PathLike[str] | None = None,
    options: Sequence[str] = (),
    weights: str | os.PathLike[str] | None = None,
    dynamic_shapes: Any = None,
    device: str | None = None,
    **loading: Any,
) -> Program:
    """Compiles a model and loads the program.

    model    a file (ONNX, MLIR), its contents as bytes or text, an `onnx.ModelProto`, a module of MLIR's Python
             bindings, or a `torch.nn.Module` or `torch.export.ExportedProgram` with `example_inputs`
    target   as for `hal-compile --target`: `cpu`, `cpu:CHIP`, `vulkan`, `cuda:sm_90`, or several
    output   where the program is kept; by default it lives in a temporary folder, as long as the object
    options  further arguments of `hal-compile`, such as `["--dim=batch=4"]`
    weights  a file with weights that the model lacks (`--weights`)
    device, threads, … are those of `halyard.load`; the device is by default that of the target
    """
    targets = [target] if isinstance(target, str) else list(target or [])
    keep = Folder()
    file = source(model, example_inputs, dynamic_shapes, keep.path)
    to = Path(output) if output is not None else keep.path / "program.so"
    words = [str(file), f"--output={to}", *(f"--target={t}" for t in targets)]
    words += [f"--weights={os.fspath(weights)}"] if weights is not None else []
    tools.run("hal-compile", [*words, *options])
    program = load(to, device or device_of(targets), **loading)
    if output is None:
        program._keep = keep
    return program


def source(model: Any, example_inputs: Sequence[Any] | None, dynamic_shapes: Any, folder: Path) -> Path:
    """The file with the model; a new one in `folder` unless it is one already."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(model, (torch.nn.Module, torch.export.ExportedProgram)):
        from . import torch as frontend

        return frontend.exported(model, example_inputs, dynamic_shapes, folder)
    if example_inputs is not None or dynamic_shapes is not None:
        raise UsageError("`example_inputs` and `dynamic_shapes` are for modules of PyTorch")
    if hasattr(model, "SerializeToString"):
        model = model.SerializeToString()
    elif hasattr(model, "operation") and hasattr(model.operation, "get_asm"):
        model = model.operation.get_asm()
    if isinstance(model, str) and "\n" in model:
        model = model.encode()
    if isinstance(model, (bytes, bytearray, memoryview)):
        return written(bytes(model), folder)
    if not isinstance(model, (str, os.PathLike)):
        raise UsageError(
            f"`{type(model).__name__}` is no model\n"
            "hint: a path, bytes, an onnx.ModelProto, MLIR text or a torch.nn.Module"
        )
    if not Path(model).exists():
        raise ResourceError(f"there is no file `{os.fspath(model)}`")
    return Path(model)


def written(model: bytes, folder: Path) -> Path:
    if model.startswith(b"ML\xefR"):
        name = "model.mlirbc"
    elif is_text(model[:4096]):
        name = "model.mlir"
    else:
        name = "model.onnx"
    (folder / name).write_bytes(model)
    return folder / name


def is_text(start: bytes) -> bool:
    """ONNX begins with the number of a field, a byte that no text has."""
    return bool(start) and all(byte >= 32 or byte in b"\t\r\n" for byte in start)


def device_of(targets: Sequence[str]) -> str:
    """The device that code for the only target runs on."""
    kinds = {t.partition(":")[0] for t in targets}
    return kinds.pop() if kinds in ({"vulkan"}, {"cuda"}) else "cpu"
