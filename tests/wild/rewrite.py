#!/usr/bin/env python3
"""Rewrites exported models as people do before they ship them: quantised, in float16, by onnxruntime's optimisers.

    build/wild/bin/python tests/wild/rewrite.py build/wild/models build/wild/rewritten [--kind REGEX]
    build/wild/bin/python tests/wild/compare.py build/wild/rewritten

NAME.onnx becomes NAME.KIND.onnx for each kind of `KINDS`, with the inputs of NAME.json. What a tool cannot rewrite, or leaves as it is, is left out.
"""

import argparse
import contextlib
import glob
import io
import json
import logging
import os
import re
import shutil
import sys
import tempfile
import warnings

import onnx
import onnxruntime as ort
from compare import given
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static
from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer
from onnxruntime.quantization.shape_inference import quant_pre_process

warnings.simplefilter("ignore")
logging.disable(logging.WARNING)
ort.set_default_logger_severity(4)
U8, S8, U16, S16 = QuantType.QUInt8, QuantType.QInt8, QuantType.QUInt16, QuantType.QInt16
# What one step of a number of 8 bits may change, in parts of the largest number of the output.
COARSE = 3e-2


class Reader(CalibrationDataReader):
    """The inputs of the model's runs, to calibrate by."""

    def __init__(self, path):
        with open(path.removesuffix(".onnx") + ".json", encoding="utf-8") as f:
            spec = json.load(f)
        names = [i.name for i in ort.InferenceSession(path).get_inputs()]
        self.left = iter(list(given(path, spec, names))[:1])

    def get_next(self):
        return next(self.left, None)


def dynamic(**words):
    return lambda source, target: quantize_dynamic(source, target, **words)


def static(kind, activations, weights, **words):
    def write(source, target):
        prepared = target + ".prepared.onnx"
        try:
            # Shapes that are known only in part are none of its business.
            quant_pre_process(source, prepared, skip_symbolic_shape=True, skip_optimization=False)
        except Exception:  # noqa: BLE001
            prepared = source
        quantize_static(
            prepared,
            target,
            Reader(source),
            quant_format=kind,
            activation_type=activations,
            weight_type=weights,
            **words,
        )

    return write


def blocks(**words):
    def write(source, target):
        quantiser = MatMulNBitsQuantizer(onnx.load(source), **words)
        quantiser.process()
        onnx.save(quantiser.model.model, target)

    return write


def half(**words):
    def write(source, target):
        from onnxruntime.transformers.float16 import convert_float_to_float16

        onnx.save(convert_float_to_float16(onnx.load(source), **words), target)

    return write


def session(level):
    def write(source, target):
        options = ort.SessionOptions()
        options.graph_optimization_level, options.optimized_model_filepath = level, target
        ort.InferenceSession(source, options, providers=["CPUExecutionProvider"])

    return write


TYPES = [("t5", "t5"), ("whisper|bart|pegasus|marian", "bart"), ("gpt2|gpt_neo$|opt", "gpt2"), ("gpt_neox", "gpt_neox"), ("phi", "phi"), ("qwen3|llama|mistral|gemma", "qwen3"),
         ("clip", "clip"), ("unet", "unet"), ("vae", "vae"), ("vit|deit|beit", "vit"), ("swin", "swin"), ("conformer", "conformer")]  # fmt: skip


def fused(to_half=False, **words):
    def write(source, target):
        from onnxruntime.transformers.optimizer import optimize_model

        name = os.path.basename(source)
        kind = next((k for pattern, k in TYPES if re.search(pattern, name)), "bert")
        model = optimize_model(source, model_type=kind, num_heads=0, hidden_size=0, **words)
        if to_half:
            model.convert_float_to_float16(keep_io_types=True)
        model.save_model_to_file(target)

    return write


# What writes each kind, and what may be off.
KINDS = {
    "dynamic-u8": (dynamic(weight_type=U8), COARSE),
    "dynamic-s8": (dynamic(weight_type=S8), COARSE),
    "dynamic-s8-channels": (dynamic(weight_type=S8, per_channel=True), COARSE),
    "dynamic-u8-channels-7bit": (dynamic(weight_type=U8, per_channel=True, reduce_range=True), COARSE),
    "dynamic-s8-all": (dynamic(weight_type=S8, op_types_to_quantize=["MatMul", "Gemm", "Gather", "Attention", "LSTM", "EmbedLayerNormalization", "Conv"]), COARSE),
    "qdq-u8s8": (static(QuantFormat.QDQ, U8, S8), COARSE),
    "qdq-s8s8-channels": (static(QuantFormat.QDQ, S8, S8, per_channel=True), COARSE),
    "qdq-u8u8": (static(QuantFormat.QDQ, U8, U8), COARSE),
    "qdq-u16s8": (static(QuantFormat.QDQ, U16, S8), COARSE),
    "qdq-s16s16": (static(QuantFormat.QDQ, S16, S16), COARSE),
    "qdq-symmetric": (static(QuantFormat.QDQ, S8, S8, extra_options={"ActivationSymmetric": True, "QuantizeBias": False, "AddQDQPairToWeight": True}), COARSE),
    "qop-u8u8": (static(QuantFormat.QOperator, U8, U8), COARSE),
    "qop-u8s8": (static(QuantFormat.QOperator, U8, S8), COARSE),
    "qop-u8s8-channels": (static(QuantFormat.QOperator, U8, S8, per_channel=True), COARSE),
    "qop-s8s8-channels": (static(QuantFormat.QOperator, S8, S8, per_channel=True), COARSE),
    "blocks-4": (blocks(bits=4, block_size=32), 1e-3),
    "blocks-4-symmetric": (blocks(bits=4, block_size=16, is_symmetric=True), 1e-3),
    "blocks-4-integers": (blocks(bits=4, block_size=32, accuracy_level=4), COARSE),
    "blocks-8": (blocks(bits=8, block_size=64), 1e-3),
    "blocks-4-qdq": (blocks(bits=4, block_size=32, quant_format=QuantFormat.QDQ), 1e-3),
    "blocks-4-gather": (blocks(bits=4, block_size=32, op_types_to_quantize=("MatMul", "Gather")), 1e-3),
    "half": (half(), 2e-2),
    "half-inside": (half(keep_io_types=True), 2e-2),
    "session-basic": (session(ort.GraphOptimizationLevel.ORT_ENABLE_BASIC), 1e-3),
    "session-extended": (session(ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED), 2e-3),
    "fused": (fused(), 2e-3),
    "fused-extended": (fused(opt_level=2), 2e-3),
    "fused-half": (fused(to_half=True), 2e-2),
}  # fmt: skip


def rewrite(source, target, kind):
    """Writes a model of this kind; returns whether it differs from its source."""
    write, tolerance = KINDS[kind]
    with (
        tempfile.TemporaryDirectory(prefix="hal-rewrite-") as folder,
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        # One file: not all tools keep weights that lie beside a model.
        plain, made = os.path.join(folder, os.path.basename(source)), os.path.join(folder, "model.onnx")
        before = onnx.load(source)
        onnx.save(before, plain)
        for beside in glob.glob(glob.escape(source.removesuffix(".onnx")) + ".[jn][sp][oz]*"):
            shutil.copy(beside, folder)
        write(plain, made)
        model = onnx.load(made)
    if [n.op_type for n in model.graph.node] == [n.op_type for n in before.graph.node] and "half" not in kind:
        return False
    # It does not run what it wrote itself now and then.
    ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    onnx.save(model, target)
    with open(source.removesuffix(".onnx") + ".json", encoding="utf-8") as f:
        spec = json.load(f)
    halves = {i.name for i in model.graph.input if i.type.tensor_type.elem_type == onnx.TensorProto.FLOAT16}
    for run in spec.get("inputs", []):
        for i, info in enumerate(
            x for x in model.graph.input if x.name not in {t.name for t in model.graph.initializer}
        ):
            if info.name in halves:
                run[i]["dtype"] = "float16"
    with open(target.removesuffix(".onnx") + ".json", "w", encoding="utf-8") as f:
        json.dump({**spec, "tolerance": tolerance}, f)
    return True


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("models")
    p.add_argument("folder")
    p.add_argument("--filter", default="", metavar="REGEX", help="only models whose name matches")
    p.add_argument("--kind", default="", metavar="REGEX", help="only these kinds: " + ", ".join(KINDS))
    a = p.parse_args()
    os.makedirs(a.folder, exist_ok=True)
    written = failed = 0
    for name in sorted(n.removesuffix(".onnx") for n in os.listdir(a.models) if n.endswith(".onnx")):
        for kind in [k for k in KINDS if re.search(a.filter, name) and re.search(a.kind, k)]:
            try:
                written += rewrite(
                    os.path.join(a.models, name + ".onnx"), os.path.join(a.folder, f"{name}.{kind}.onnx"), kind
                )
            except Exception as e:  # noqa: BLE001
                failed += 1
                print(f"FAILED   {name}.{kind}: {type(e).__name__}: {' '.join(str(e).split())[:200]}", flush=True)
    print(f"{written} written, {failed} that the tools could not write or onnxruntime does not run")
    sys.exit(not written)


if __name__ == "__main__":
    main()
