"""Programs: what `halyard.load` and `halyard.compile` return."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _native
from ._convert import array, joined, split
from .errors import ArgumentError, HalyardWarning

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class TensorInfo:
    """An input, an output or a state: `shape` has a number, the name of a size, or None for each dimension."""

    name: str | None
    dtype: str
    shape: tuple[int | str | None, ...]
    #: The type of its bytes where `dtype` does not state it, such as `f8E4M3FN`.
    element: str | None = None

    @classmethod
    def _of(cls, spec: tuple[Any, ...]) -> TensorInfo:
        name, dtype, sizes, names, element = spec
        names = names or [""] * len(sizes)
        shape = tuple(s if s is not None else n or None for s, n in zip(sizes, names))
        return cls(name, "string", shape) if element == "string" else cls(name, dtype, shape, element)


@dataclass(frozen=True)
class Dispatch:
    """A kernel that ran in a call."""

    kernel: str
    executable: str
    variant: str
    #: The nodes of the model that it comes from.
    origin: tuple[str, ...]
    workgroups: tuple[int, int, int]
    scalars: tuple[int, ...]
    #: The bytes of each tensor that it reads or writes.
    bytes: tuple[int, ...]
    seconds: float

    @classmethod
    def _of(cls, record: dict[str, Any]) -> Dispatch:
        seconds = record.pop("nanoseconds") * 1e-9
        parts: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in record.items()}
        return cls(seconds=seconds, **parts)


class Function:
    """A function of a program or of a session; call it with its inputs, by position or by name."""

    def __init__(self, native: Any, name: str, inputs: list[Any], outputs: list[Any]):
        self._native, self.name = native, name
        self._specs = inputs, outputs
        self._strings = any(spec[4] == "string" for spec in inputs + outputs)
        self.inputs = tuple(_logical(inputs))
        self.outputs = tuple(_logical(outputs))
        self._names = [info.name or f"output{i}" for i, info in enumerate(self.outputs)]

    def __call__(self, *args: Any, out: Any = None, **named: Any) -> Any:
        """The result as an array; several as a tuple.

        out  an array that the result is written to and that is returned, as in numpy; for several results a tuple, with None
             for those that get arrays of their own. Type and shape are those of the result. An input called `out` takes
             precedence
        """
        if out is not None and any(info.name == "out" for info in self.inputs):
            named, out = {**named, "out": out}, None
        found = self._call(args, named) if out is None else self._call_into(out, args, named)
        return found[0] if len(found) == 1 else tuple(found)

    def run(self, inputs: Mapping[str, Any]) -> dict[str, Array]:
        """Calls with inputs by name; returns the results by name (`output0`, … for those without)."""
        return dict(zip(self._names, self._call((), inputs)))

    def dispatches(self, *args: Any, **named: Any) -> list[Dispatch]:
        """Calls, and returns each dispatch with its time, in order. Timed one by one, they do not overlap."""
        args, named = self._plain(args, named)
        return [Dispatch._of(record) for record in self._native.profile(self.name, args, named or None)]

    def _call(self, args: tuple[Any, ...], named: Mapping[str, Any]) -> list[Array]:
        if self._strings:
            args, named = self._plain(args, named)
            return self._texts([array(t) for t in self._native.call(self.name, args, named or None)])
        return [array(t) for t in self._native.call(self.name, args, dict(named) if named else None)]

    def _call_into(self, out: Any, args: tuple[Any, ...], named: Mapping[str, Any]) -> list[Any]:
        if self._strings:
            raise ArgumentError(f"function `{self.name}` takes or returns strings, which have no array to write to")
        count = len(self.outputs)
        outs = list(out) if isinstance(out, (tuple, list)) else [out]
        if len(outs) != count:
            plural = "" if count == 1 else "s"
            raise ArgumentError(f"function `{self.name}` has {count} output{plural}, `out` has {len(outs)}")
        for i, given in enumerate(outs):
            _check_out(given, f"output {i} of function `{self.name}`")
        found = self._native.call_into(self.name, outs, args, dict(named) if named else None)
        return [given if made is None else array(made) for given, made in zip(outs, found)]

    def _plain(self, args: tuple[Any, ...], named: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with tensors of strings in two parts."""
        if not self._strings:
            return args, dict(named)
        if len(args) > len(self.inputs):
            raise ArgumentError(f"function `{self.name}` takes {len(self.inputs)} inputs, got {len(args)}")
        parts: dict[int, Any] = {}
        place = {spec[0]: i for i, spec in enumerate(self._specs[0])}
        given = {info.name: value for info, value in zip(self.inputs, args)}
        for name, value in named.items():
            if name not in place:
                raise ArgumentError(f"function `{self.name}` has no input `{name}`")
            if name in given:
                raise ArgumentError(f"input `{name}` of function `{self.name}` is given twice")
            given[name] = value
        for info in self.inputs:
            if info.name not in given:
                raise ArgumentError(f"function `{self.name}` lacks input `{info.name}`")
            value, at = given[info.name], place[info.name]
            if info.dtype == "string":
                parts[at], parts[place[f"{info.name}.bytes"]] = split(value)
            else:
                parts[at] = value
        return tuple(parts[i] for i in sorted(parts)), {}

    def _texts(self, found: list[Array]) -> list[Array]:
        specs = self._specs[1]
        data = {spec[0]: a for spec, a in zip(specs, found)}
        made = []
        for spec, value in zip(specs, found):
            if spec[4] == "string":
                made.append(joined(value, data[f"{spec[0]}.bytes"]))
            elif not _is_text(spec, specs):
                made.append(value)
        return made

    def __repr__(self) -> str:
        return f"<halyard function {self.name}({_listed(self.inputs)}) -> ({_listed(self.outputs)})>"


class _Callable:
    """What has functions."""

    _native: Any
    functions: dict[str, Function]

    def _main(self) -> Function:
        if len(self.functions) == 1:
            return next(iter(self.functions.values()))
        if "main" in self.functions:
            return self.functions["main"]
        names = ", ".join(self.functions)
        raise ArgumentError(f"the program has several functions and none is called `main`\nhint: one of {names}")

    def __getitem__(self, name: str) -> Function:
        """The function of that name."""
        try:
            return self.functions[name]
        except KeyError:
            known = ", ".join(f"`{n}`" for n in self.functions)
            raise ArgumentError(f"the program has no function `{name}`\nhint: it has {known}") from None

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Calls the only function, or `main`."""
        return self._main()(*args, **named)

    def run(self, inputs: Mapping[str, Any]) -> dict[str, Array]:
        """Calls it with inputs by name; returns the results by name."""
        return self._main().run(inputs)

    def dispatches(self, *args: Any, **named: Any) -> list[Dispatch]:
        """Calls it, and returns each dispatch with its time."""
        return self._main().dispatches(*args, **named)

    @property
    def inputs(self) -> tuple[TensorInfo, ...]:
        return self._main().inputs

    @property
    def outputs(self) -> tuple[TensorInfo, ...]:
        return self._main().outputs

    def _bind(self, described: Iterable[tuple[str, list[Any], list[Any]]]) -> None:
        self.functions = {name: Function(self._native, name, ins, outs) for name, ins, outs in described}


class Program(_Callable):
    """A loaded program. Any number of threads may call it at once; each call uses an instance of its own."""

    def __init__(self, native: _native.Program, path: str, keep: Any = None):
        self._native, self.path, self._keep = native, path, keep
        self._bind(native.functions())

    @property
    def exports(self) -> dict[str, Function]:
        """The functions by name."""
        return self.functions

    @property
    def states(self) -> tuple[TensorInfo, ...]:
        """What the program keeps between calls of a session."""
        return tuple(TensorInfo._of(spec) for spec in self._native.states())

    @property
    def device(self) -> str:
        return str(self._native.device)

    def session(self) -> Session:
        """An instance with its own states, for one thread at a time."""
        return Session(self)

    def __repr__(self) -> str:
        return f"<halyard program {self.path!r} on {self.device}: {', '.join(self.functions)}>"


class Session(_Callable):
    """A program with states of its own. Calls from several threads at once are refused."""

    def __init__(self, program: Program):
        self.program, self._native = program, _native.session(program._native)
        self._bind(program._native.functions())

    def state(self, name: str) -> Array:
        """A copy of a state."""
        return array(self._native.state(name))

    def set_state(self, name: str, value: Any) -> None:
        self._native.set_state(name, value)

    def reset(self, name: str | None = None) -> None:
        """Sets a state, or all, to the initial value."""
        self._native.reset(name)

    def __repr__(self) -> str:
        return f"<halyard session of {self.program!r}>"


def load(
    path: str | os.PathLike[str],
    device: str = "cpu",
    *,
    threads: int | None = None,
    fallback: bool = False,
    libraries: Iterable[str | os.PathLike[str]] = (),
    modules: Iterable[str | os.PathLike[str]] = (),
    functions: Mapping[str, tuple[str, Callable[..., Any]]] | None = None,
    constants: Mapping[str, int] | None = None,
) -> Program:
    """Loads a program that `hal-compile` or `hal-link` wrote.

    device     where it runs: `cpu`, `vulkan`, `cuda:1`; with `fallback`, kernels for other devices run on the CPU
    threads    how many execute one call; None is one per core. A service that calls from many threads wants 1
    libraries  kernel libraries; `modules`: host libraries; `constants`: user-defined load-time constants
    functions  host functions: name to (signature, function of arrays)
    """
    native = _native.load(
        os.fspath(path),
        device=device,
        threads=threads or 0,
        fallback=fallback,
        libraries=[os.fspath(p) for p in libraries],
        modules=[os.fspath(p) for p in modules],
        functions=dict(functions or {}),
        constants=dict(constants or {}),
    )
    for idle in native.idle():
        warnings.warn(f"the program does not use {idle}", HalyardWarning, stacklevel=2)
    for name in native.fallen_back():
        warnings.warn(f"executable `{name}` runs on the CPU", HalyardWarning, stacklevel=2)
    return Program(native, os.fspath(path))


def _check_out(given: Any, what: str) -> None:
    """Refuses what is no memory, such as numbers, and arrays that libraries count on never to change."""
    if given is None:
        return
    if not hasattr(given, "__array_interface__") and not hasattr(given, "__dlpack__"):
        raise ArgumentError(f"{what}: `out` has an object of type `{type(given).__name__}`, which is no array")
    if type(given).__module__.partition(".")[0] in ("jax", "jaxlib"):
        raise ArgumentError(f"{what}: arrays of JAX cannot be written")


def _is_text(spec: Any, specs: list[Any]) -> bool:
    """Whether a tensor holds the bytes of strings."""
    return any(other[4] == "string" and spec[0] == f"{other[0]}.bytes" for other in specs)


def _logical(specs: list[Any]) -> list[TensorInfo]:
    return [TensorInfo._of(spec) for spec in specs if not _is_text(spec, specs)]


def _listed(infos: tuple[TensorInfo, ...]) -> str:
    def text(info: TensorInfo) -> str:
        kind = "x".join([*("?" if s is None else str(s) for s in info.shape), info.element or info.dtype])
        return f"{info.name}: {kind}" if info.name else kind

    return ", ".join(text(info) for info in infos)
