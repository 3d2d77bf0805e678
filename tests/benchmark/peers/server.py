#!/usr/bin/env python3
"""Runs a model with onnxruntime or OpenVINO when it is asked to: a line of JSON on standard input, a line of JSON back.

{"run": {NAME: FILE.npy}, "output": FILE.npy} runs it once and writes the first output;
{"measure": {NAME: FILE.npy}, "seconds": S} runs it for S seconds after a warm-up and answers with the seconds of each call.

usage: server.py onnxruntime|openvino MODEL.onnx THREADS
"""

import json
import sys
import time

import numpy as np


def onnxruntime(model, threads):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    # It warns of each weight that is an input, too, as in old models.
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return lambda feeds: session.run(None, feeds)[0]


def openvino(model, threads):
    import openvino

    # Default options, but computing in f32 as everybody else does.
    options = {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1, "INFERENCE_PRECISION_HINT": "f32"}
    compiled = openvino.Core().compile_model(model, "CPU", options)
    request = compiled.create_infer_request()
    return lambda feeds: request.infer(feeds)[0]


def main():
    kind, model, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
    call = {"onnxruntime": onnxruntime, "openvino": openvino}[kind](model, threads)
    for line in sys.stdin:
        question = json.loads(line)
        feeds = {name: np.load(path) for name, path in question.get("run", question.get("measure")).items()}
        if "run" in question:
            np.save(question["output"], call(feeds))
            print("{}", flush=True)
            continue
        end = time.perf_counter() + 0.2 * question["seconds"]
        call(feeds)
        while time.perf_counter() < end:
            call(feeds)
        taken, end = [], time.perf_counter() + question["seconds"]
        while len(taken) < 3 or time.perf_counter() < end:
            begun = time.perf_counter()
            call(feeds)
            taken.append(time.perf_counter() - begun)
        print(json.dumps(taken), flush=True)


if __name__ == "__main__":
    main()
