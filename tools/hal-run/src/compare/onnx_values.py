"""Runs an ONNX model on given inputs and writes tensors of it, also of its middle, to files.

Reads a request from standard input: the model, its inputs (name, .npy), the names of the tensors, a folder for them. Answers one
line of JSON: what ran the model, and the files; or what is missing or failed.
"""

import sys

# A program named `ast.so` in the working directory is no module of Python.
sys.path[:] = [path for path in sys.path if path]

import json  # noqa: E402
import os  # noqa: E402


def answer(**fields):
    sys.stdout.write(json.dumps(fields) + "\n")


def with_outputs(onnx, model, names):
    """Makes tensors of the top graph outputs; gives the names of all outputs."""
    made = {name for node in model.graph.node for name in node.output}
    there = [output.name for output in model.graph.output]
    for name in names:
        if name in made and name not in there:
            model.graph.output.append(onnx.ValueInfoProto(name=name))
            there.append(name)
    return there


def by_onnxruntime(onnxruntime, onnx, request, inputs):
    model = onnx.load(request["model"], load_external_data=False)
    outputs = with_outputs(onnx, model, request["values"])
    options = onnxruntime.SessionOptions()
    # What the nodes say, one by one; fused, tensors of the middle would be others.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    folder = os.path.dirname(request["model"])
    options.add_session_config_entry("session.model_external_initializers_file_folder_path", folder)
    providers = ["CPUExecutionProvider"]
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=providers)
    check_inputs([i.name for i in session.get_inputs()], inputs)
    return "onnxruntime " + onnxruntime.__version__, outputs, session.run(outputs, inputs)


def by_reference(onnx, request, inputs):
    from onnx.reference import ReferenceEvaluator

    model = onnx.load(request["model"])
    initialised = {t.name for t in model.graph.initializer}
    check_inputs([i.name for i in model.graph.input if i.name not in initialised], inputs)
    outputs = with_outputs(onnx, model, request["values"])
    evaluator = ReferenceEvaluator(model)
    return "the reference evaluator of onnx " + onnx.__version__, outputs, evaluator.run(outputs, inputs)


class Unfit(Exception):
    """The model takes other inputs."""


def check_inputs(takes, inputs):
    missing = [name for name in takes if name not in inputs]
    unknown = [name for name in inputs if name not in takes]
    if missing:
        raise Unfit(f"it takes the input `{missing[0]}`, which the program does not have")
    if unknown:
        raise Unfit(f"it has no input `{unknown[0]}`, which the program takes")


def run(onnx, request, inputs):
    """With onnxruntime; where that is missing or does not take the model, with the reference evaluator."""
    try:
        import onnxruntime
    except ImportError:
        return by_reference(onnx, request, inputs)
    try:
        return by_onnxruntime(onnxruntime, onnx, request, inputs)
    except Unfit:
        raise
    except Exception as error:
        try:
            by, names, values = by_reference(onnx, request, inputs)
        except Exception:
            raise error from None
        why = str(error).strip().splitlines()[0]
        return f"{by}, since onnxruntime does not: {why}", names, values


def main():
    request = json.load(sys.stdin)
    try:
        import numpy
        import onnx
    except ImportError as error:
        answer(missing=error.name or str(error), python=sys.executable)
        return
    inputs = {name: numpy.load(file) for name, file in request["inputs"]}
    try:
        by, names, values = run(onnx, request, inputs)
    # Whatever a model makes them raise.
    except Exception as error:
        answer(failed=str(error).strip() or type(error).__name__)
        return
    written = []
    for name, value in zip(names, values):
        # Sequences, optionals, strings and objects have no counterpart in a program.
        if not isinstance(value, numpy.ndarray) or value.dtype.kind in "OUS":
            continue
        file = os.path.join(request["folder"], f"value{len(written)}.npy")
        # Types that numpy lacks are written as bytes of their width.
        numpy.save(file, value if value.dtype.isbuiltin == 1 else value.view(f"V{value.dtype.itemsize}"))
        written.append([name, file])
    answer(by=by, values=written)


main()
