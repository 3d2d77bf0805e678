"""PyTorch: `torch.compile(model, backend="halyard")`, and the export behind `halyard.compile(module, …)`."""

from __future__ import annotations

import contextlib
import io
import logging
import threading
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from .errors import Error, HalyardWarning, InputError, UsageError
from .program import Program

# The fused operators of nn.TransformerEncoderLayer and nn.MultiheadAttention cannot be exported. This has to be said
# before Dynamo reads the model; the models compute the same without them.
torch.backends.mha.set_fastpath_enabled(False)

#: Programs that a graph keeps: one for each set of sizes that it was called with.
PROGRAMS = 16


def exported(model: Any, example_inputs: Sequence[Any] | None, dynamic_shapes: Any, folder: Path) -> Path:
    """Writes a module as ONNX: by torch.export, then torch's own exporter."""
    if isinstance(model, torch.export.ExportedProgram):
        program = model
    elif example_inputs is None:
        raise UsageError("a module of PyTorch needs `example_inputs`, a tuple of its arguments")
    else:
        with evaluating(model), torch.no_grad():
            try:
                program = torch.export.export(model, tuple(example_inputs), dynamic_shapes=dynamic_shapes)
            except Exception as e:
                raise InputError(f"torch.export refuses the module: {because(e)}") from e
    check(program)
    program = with_safe_attention(program)
    file = folder / "model.onnx"
    try:
        with torch.no_grad(), quiet():
            made = torch.onnx.export(program, dynamo=True, verbose=False)
            made.save(str(file), external_data=True)
    except ImportError as e:
        raise UsageError(f"torch's exporter needs a package: {e}\nhint: `pip install onnx onnxscript`") from e
    except Exception as e:
        raise InputError(f"torch's exporter to ONNX refuses the module: {because(e)}") from e
    return file


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Without the exporter's progress, and its remarks on packages that are not installed."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)


@contextlib.contextmanager
def evaluating(model: torch.nn.Module) -> Iterator[None]:
    """The module as it is after training: without dropout, with the statistics of its normalisations."""
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        yield
    finally:
        for module, training in modes:
            module.training = training


def check(program: torch.export.ExportedProgram) -> None:
    """Refuses what a function of tensors cannot be."""
    signature = program.graph_signature
    changed = [*signature.user_inputs_to_mutate.values(), *signature.buffers_to_mutate.values()]
    if changed:
        raise InputError(f"the module changes a tensor in place: {', '.join(changed)}")
    for spec in signature.output_specs:
        if isinstance(spec.arg, torch.export.graph_signature.ConstantArgument) and spec.arg.value is not None:
            raise InputError(f"the module returns `{spec.arg.value}`, which is no tensor\nhint: return tensors only")
    for node in program.graph.nodes:
        if torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ()) and draws(node):
            raise InputError(f"the module draws random numbers: {node.target}")


def draws(node: torch.fx.Node) -> bool:
    """Whether an operator that may draw random numbers does: many have a switch."""
    arguments = node.target._schema.arguments
    values = {a.name: a.default_value for a in arguments if a.has_default_value()}
    values |= dict(zip((a.name for a in arguments), node.args)) | dict(node.kwargs)
    on_training = [values[name] for name in ("train", "training") if name in values]
    chances = [values[name] for name in ("dropout_p", "dropout", "p") if name in values]
    return not (False in on_training or 0 in chances)


def with_safe_attention(program: torch.export.ExportedProgram) -> torch.export.ExportedProgram:
    """Attention to nothing, where a mask of truth values hides all, is zero in PyTorch; the exporter makes it a mean."""
    attention = torch.ops.aten.scaled_dot_product_attention.default
    if any(node.target is attention and hides(node) for node in program.graph.nodes):
        return program.run_decompositions({attention: safe_attention})
    return program


def hides(node: torch.fx.Node) -> bool:
    """Whether attention has a mask of truth values."""
    mask = node.args[3] if len(node.args) > 3 else node.kwargs.get("attn_mask")
    return isinstance(mask, torch.fx.Node) and mask.meta["val"].dtype == torch.bool


def safe_attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    attn_mask: torch.Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Any:
    """Attention of plain operators, for masks of truth values."""
    if attn_mask is None or attn_mask.dtype != torch.bool:
        return NotImplemented
    if enable_gqa:
        k, v = (t.repeat_interleave(q.shape[-3] // t.shape[-3], -3) for t in (k, v))
    factor = q.shape[-1] ** -0.5 if scale is None else scale
    scores = (q * factor) @ k.transpose(-2, -1)
    weights = torch.softmax(scores.masked_fill(~attn_mask, torch.finfo(q.dtype).min), -1)
    return weights.masked_fill(~attn_mask, 0) @ v


def because(error: BaseException) -> str:
    """The exporter's last words: those at the end of its chain of exceptions."""
    while error.__cause__ is not None:
        error = error.__cause__
    return f"{type(error).__name__}: {error}"


class Frozen(torch.nn.Module):
    """A graph of Dynamo whose weights are constants; it is called with the other tensors."""

    def __init__(self, graph: torch.fx.GraphModule, values: Sequence[Any], passed: Sequence[int]):
        super().__init__()
        self.graph_module, self.passed, self.count = graph, list(passed), len(values)
        self.constants = {}
        for i, value in enumerate(values):
            if i in self.passed:
                continue
            if isinstance(value, torch.Tensor):
                self.register_buffer(f"value{i}", value.detach())
            else:
                self.constants[i] = value

    def forward(self, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        given = dict(zip(self.passed, tensors))
        values = []
        for i in range(self.count):
            if i in given:
                values.append(given[i])
            elif i in self.constants:
                values.append(self.constants[i])
            else:
                values.append(getattr(self, f"value{i}"))
        found = self.graph_module(*values)
        # Without those that are no tensors: their places are kept by the caller.
        return tuple(v for v in found if isinstance(v, torch.Tensor))


@dataclass
class Entry:
    """A program for one set of sizes."""

    program: Program
    #: The kind of the results, and for each the number of a tensor, or a tuple with what else it is.
    kind: type
    places: list[Any]
    #: They keep their memory, so that no other weight gets its address.
    weights: list[Any]


class Compiled:
    """A graph of Dynamo. For each set of sizes, and each state of the weights, it has one program."""

    def __init__(self, graph: torch.fx.GraphModule, example: Sequence[Any], options: dict[str, Any]):
        self.graph = graph
        self.eager = options.pop("fallback_to_eager", True)
        self.options = options
        nodes = [node for node in graph.graph.nodes if node.op == "placeholder"]
        self.weights = {i for i, (node, value) in enumerate(zip(nodes, example)) if is_weight(node, value)}
        self.entries: dict[Any, Entry | None] = {}
        self.noted: set[str] = set()
        self.lock = threading.Lock()

    def __call__(self, *values: Any) -> Any:
        if torch.is_grad_enabled() and any(isinstance(v, torch.Tensor) and v.requires_grad for v in values):
            self.note("a call that needs gradients runs in PyTorch\nhint: call the model in `torch.no_grad()`")
            return self.graph(*values)
        key = tuple(self.part(i, value) for i, value in enumerate(values))
        with self.lock:
            if key not in self.entries:
                while len(self.entries) >= PROGRAMS:
                    self.entries.pop(next(iter(self.entries)))
                self.entries[key] = self.compiled(values)
            entry = self.entries[key]
        if entry is None:
            return self.graph(*values)
        given = tuple(v.detach().resolve_conj().resolve_neg() for i, v in enumerate(values) if self.is_passed(i, v))
        main = entry.program._main()
        tensors = [torch.from_dlpack(t) for t in main._native.call(main.name, given, None)]
        found = [tensors[p] if isinstance(p, int) else p[0] for p in entry.places]
        return entry.kind(found)

    def is_passed(self, index: int, value: Any) -> bool:
        return isinstance(value, torch.Tensor) and index not in self.weights

    def part(self, index: int, value: Any) -> Any:
        """What a program depends on: sizes, types, numbers, and that weights are those of before."""
        if not isinstance(value, torch.Tensor):
            return value
        if index in self.weights:
            return value.data_ptr(), value._version
        return value.dtype, tuple(value.shape), value.device.type

    def note(self, text: str) -> None:
        """Warns, once for each text."""
        if text not in self.noted:
            self.noted.add(text)
            warnings.warn(text, HalyardWarning, stacklevel=4)

    def compiled(self, values: Sequence[Any]) -> Entry | None:
        """A program, or None where PyTorch runs the graph."""
        try:
            return self.entry(values)
        except Error as e:
            if not self.eager:
                raise
            self.note(f"a graph of {len(self.graph.graph.nodes)} nodes runs in PyTorch: {e}")
            return None

    def entry(self, values: Sequence[Any]) -> Entry:
        from .compiler import compile

        if any(isinstance(v, torch.Tensor) and v.device.type != "cpu" for v in values):
            raise UsageError("programs take tensors of the CPU")
        passed = [i for i, v in enumerate(values) if self.is_passed(i, v)]
        tensors = tuple(values[i].detach().clone() for i in passed)
        frozen = Frozen(self.graph, values, passed)
        with torch.no_grad():
            program = torch.export.export(frozen, tensors)
            # What the graph returns besides tensors. It is pure, see `check`.
            check(program)
            returned = self.graph(*(tensors[passed.index(i)] if i in passed else v for i, v in enumerate(values)))
        count = 0
        places: list[Any] = []
        for value in returned:
            places.append(count if isinstance(value, torch.Tensor) else (value,))
            count += isinstance(value, torch.Tensor)
        made = compile(program, **self.options)
        if len(made.inputs) != len(passed) or len(made.outputs) != count:
            raise InputError(f"the exporter kept {len(made.inputs)} of {len(passed)} inputs")
        return Entry(made, type(returned), places, [values[i] for i in self.weights])


def is_weight(node: torch.fx.Node, value: Any) -> bool:
    """Whether an input of the graph is a parameter or a buffer of the module."""
    static = node.meta.get("tensor_dict", {}).get("_dynamo_static_input_type")
    return isinstance(value, torch.nn.Parameter) or static is not None


def backend(graph: torch.fx.GraphModule, example: Sequence[Any], options: dict[str, Any] | None = None) -> Any:
    """The backend `halyard` of torch.compile. `options` are those of `halyard.compile`, and `fallback_to_eager`."""
    compiled = Compiled(graph, example, dict(options or {}))
    # What it calls is no part of the model.
    return torch.compiler.disable(lambda *values: compiled(*values))
