"""The calls of onnxruntime that a service makes: `import halyard.onnxruntime as onnxruntime`.

Models are compiled when the session is made; a `.so` that `hal-compile` wrote is loaded. What this module does not
do is refused, not ignored: bindings of memory, profiles, custom operators, providers for devices."""

from __future__ import annotations

import enum
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .compiler import compile
from .errors import ArgumentError, HalyardWarning, UsageError
from .program import Program, TensorInfo, load

PROVIDER = "CPUExecutionProvider"
TYPES = {"f32": "float", "f64": "double", "f16": "float16", "bf16": "bfloat16", "i1": "bool", "string": "string"}
TYPES |= {f"i{bits}": f"int{bits}" for bits in (8, 16, 32, 64)} | {
    f"u{bits}": f"uint{bits}" for bits in (8, 16, 32, 64)
}


class GraphOptimizationLevel(enum.IntEnum):
    """Models are always optimised; the compiler's own levels are `-O0` to `-O3`."""

    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_LAYOUT = 3
    ORT_ENABLE_ALL = 99


class ExecutionMode(enum.IntEnum):
    ORT_SEQUENTIAL = 0
    ORT_PARALLEL = 1


class SessionOptions:
    """`intra_op_num_threads` counts, `halyard_options` are further arguments of `hal-compile`."""

    def __init__(self) -> None:
        self.intra_op_num_threads = 0
        self.halyard_options: list[str] = []
        # Accepted, since they change no result.
        self.inter_op_num_threads = 0
        self.execution_mode = ExecutionMode.ORT_SEQUENTIAL
        self.graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_ALL
        self.enable_cpu_mem_arena = True
        self.enable_mem_pattern = True
        self.enable_mem_reuse = True
        self.log_severity_level = 2
        self.log_verbosity_level = 0
        self.logid = ""
        self.enable_profiling = False

    def add_session_config_entry(self, key: str, value: str) -> None:
        warnings.warn(f"`{key}` is a setting of onnxruntime and has no effect", HalyardWarning, stacklevel=2)

    def register_custom_ops_library(self, path: str) -> None:
        raise UsageError(
            "libraries of custom operators are for onnxruntime\n"
            "hint: `halyard_options = ['--onnx-op=DOMAIN::NAME=FUNCTION@FILE']` implements an operator"
        )

    def add_free_dimension_override_by_name(self, name: str, size: int) -> None:
        self.halyard_options.append(f"--dim={name}={size}")


class RunOptions:
    """Accepted for the call's sake; nothing in it changes a result."""


@dataclass(frozen=True)
class NodeArg:
    name: str
    shape: list[int | str | None]
    type: str

    @classmethod
    def _of(cls, info: TensorInfo, index: int) -> NodeArg:
        return cls(info.name or f"{index}", list(info.shape), f"tensor({TYPES[info.dtype]})")


class InferenceSession:
    """A model that is ready to run. Threads may call `run` at once, unless the program keeps state."""

    def __init__(
        self,
        path_or_bytes: str | os.PathLike[str] | bytes,
        sess_options: SessionOptions | None = None,
        providers: Sequence[str | tuple[str, Any]] | None = None,
        provider_options: Sequence[Any] | None = None,
        **more: Any,
    ):
        if more:
            raise UsageError(f"`{next(iter(more))}` of onnxruntime's sessions is not supported")
        self._options = sess_options or SessionOptions()
        if self._options.enable_profiling:
            raise UsageError("onnxruntime's profiles are not written\nhint: `session.program.dispatches(…)` has times")
        _check(providers)
        self.program = self._made(path_or_bytes)
        self._session = self.program.session() if self.program.states else None
        self._main = (self._session or self.program)._main()
        self._outputs = [info.name or f"output{i}" for i, info in enumerate(self._main.outputs)]

    def _made(self, model: Any) -> Program:
        threads = self._options.intra_op_num_threads or None
        if isinstance(model, (str, os.PathLike)) and os.fspath(model).endswith(".so"):
            return load(model, threads=threads)
        return compile(model, options=self._options.halyard_options, threads=threads)

    def run(
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, Any],
        run_options: RunOptions | None = None,
    ) -> list[Any]:
        found = self._main.run(input_feed)
        if not output_names:
            return list(found.values())
        for name in output_names:
            if name not in found:
                known = ", ".join(f"`{n}`" for n in self._outputs)
                raise ArgumentError(f"the model has no output `{name}`\nhint: it has {known}")
        return [found[name] for name in output_names]

    def get_inputs(self) -> list[NodeArg]:
        return [NodeArg._of(info, i) for i, info in enumerate(self._main.inputs)]

    def get_outputs(self) -> list[NodeArg]:
        return [NodeArg._of(info, i) for i, info in enumerate(self._main.outputs)]

    def get_providers(self) -> list[str]:
        return [PROVIDER]

    def get_session_options(self) -> SessionOptions:
        return self._options

    def io_binding(self) -> Any:
        raise UsageError(
            "memory cannot be bound to inputs and outputs\n"
            "note: `run` reads arrays of `halyard.empty`, and tensors of torch and jax, without a copy, and returns new ones\n"
            "hint: call `run`"
        )

    def run_with_iobinding(self, iobinding: Any, run_options: RunOptions | None = None) -> None:
        self.io_binding()


def _check(providers: Sequence[str | tuple[str, Any]] | None) -> None:
    """The CPU is what there is. As in onnxruntime, the first provider that exists is used."""
    names = [p if isinstance(p, str) else p[0] for p in providers or [PROVIDER]]
    if PROVIDER not in names:
        raise UsageError(
            f"provider `{names[0]}` is not supported, only `{PROVIDER}`\n"
            "hint: for GPUs, `halyard.compile(model, target=…)` and its program"
        )
    if names[0] != PROVIDER:
        warnings.warn(f"provider `{names[0]}` is not supported, `{PROVIDER}` is used", HalyardWarning, stacklevel=3)


def get_available_providers() -> list[str]:
    return [PROVIDER]


def get_device() -> str:
    return "CPU"
