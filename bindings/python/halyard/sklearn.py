"""Models with scikit-learn's calls: `predict`, `predict_proba`, `transform`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._convert import NUMPY
from .compiler import compile
from .errors import UsageError
from .program import Program, load

LABELS = ("label", "output_label", "variable", "predictions")
PROBABILITIES = ("probabilities", "output_probability", "probability", "scores")


class Model:
    """A program with the calls of an estimator.

    `model` is a fitted estimator or pipeline (converted by the package skl2onnx), an ONNX model of a converter, a
    compiled `.so`, or a program. One matrix is cast to the type of the program's input, as its converter does; a data
    frame, or a dictionary, gives each column to the input of that name."""

    def __init__(self, model: Any, **compiling: Any):
        self.program = _program(model, compiling)
        self._names = [info.name or f"output{i}" for i, info in enumerate(self.program.outputs)]

    def predict(self, X: Any) -> np.ndarray[Any, Any]:
        """Labels, or a regression's values."""
        found = self._run(X)
        name = next((n for n in LABELS if n in found), self._names[0])
        # A converter writes one value a row as a column.
        return found[name].reshape(-1) if found[name].ndim == 2 and found[name].shape[1] == 1 else found[name]

    def predict_proba(self, X: Any) -> np.ndarray[Any, Any]:
        """A row of probabilities for each row of X."""
        name = self._probabilities()
        return self._run(X)[name]

    def transform(self, X: Any) -> np.ndarray[Any, Any]:
        """The only result."""
        if len(self._names) != 1:
            raise UsageError(f"the model has {len(self._names)} results: {', '.join(self._names)}\nhint: `program.run`")
        return self._run(X)[self._names[0]]

    def _probabilities(self) -> str:
        for name in PROBABILITIES:
            if name in self._names:
                return name
        raise UsageError(
            f"the model has no probabilities: its results are {', '.join(self._names)}\n"
            "hint: convert classifiers with the option `zipmap=False`"
        )

    def _run(self, X: Any) -> dict[str, np.ndarray[Any, Any]]:
        inputs = self.program.inputs
        columns = hasattr(X, "columns") or isinstance(X, dict)
        if columns and {info.name for info in inputs} <= set(X.keys()):
            feed = {info.name: np.asarray(X[info.name]).reshape(-1, 1) for info in inputs}
        elif len(inputs) == 1:
            feed = {inputs[0].name: np.asarray(X)}
        else:
            names = ", ".join(f"`{info.name}`" for info in inputs)
            raise UsageError(
                f"the model takes {len(inputs)} inputs, {names}\nhint: pass a data frame with these columns"
            )
        for info in inputs:
            if info.dtype in NUMPY:
                feed[info.name] = feed[info.name].astype(NUMPY[info.dtype])
        return self.program.run({str(name): value for name, value in feed.items()})


def _program(model: Any, compiling: dict[str, Any]) -> Program:
    if isinstance(model, Program):
        return model
    if hasattr(model, "predict") or hasattr(model, "transform"):
        model = _converted(model)
    if isinstance(model, str) and model.endswith(".so"):
        return load(model, **compiling)
    return compile(model, **compiling)


def _converted(estimator: Any) -> Any:
    try:
        from skl2onnx import to_onnx
    except ImportError:
        raise UsageError(
            "estimators are converted by the package skl2onnx, which is not installed\nhint: `pip install skl2onnx`"
        ) from None
    count = getattr(estimator, "n_features_in_", None)
    if count is None:
        raise UsageError("the estimator is not fitted")
    options = {id(estimator): {"zipmap": False}} if hasattr(estimator, "predict_proba") else None
    return to_onnx(estimator, np.zeros((1, count), np.float32), options=options)
