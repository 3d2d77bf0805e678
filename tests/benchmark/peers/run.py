#!/usr/bin/env python3
"""Halyard beside its peers on this machine: prints the tables, and keeps all samples in tests/benchmark/runs.

The first run installs the peers (peers.txt) into target/benchmark/venv; HALYARD_PEERS names another virtual environment,
HALYARD_TOOLS another folder of tools than target/release. The machine should be idle. Candidates take turns; a figure is the
median over the rounds of the medians of each turn; ratios are peer / Halyard: above 1 Halyard is faster.

usage: run.py [--table models,transformer,others,llm,int8,half,dynamic,compile,many,memory,startup,kernels] [--model NAME,…] [--threads 1,2]
              [--peers openvino,onnxruntime,iree] [--rounds 5] [--count 8,32,128,1000]
       run.py --table folder --folder DIR [--only REGEX]        # ONNX models of your own, with fixed sizes

All of it takes about an hour; `--table models --model squeezenet --threads 1 --peers openvino --rounds 2` takes a minute.
"""

import argparse
import os
import subprocess
import sys

import common

common.enter_peers()

import tables  # noqa: E402  (needs numpy)

TABLES = {
    "models": tables.models,
    "transformer": tables.transformer,
    "others": tables.others,
    "llm": tables.llm,
    "int8": tables.int8,
    "half": tables.half,
    "dynamic": tables.dynamic,
    "folder": tables.folder,
    "compile": tables.compile_time,
    "many": tables.many,
    "memory": tables.memory,
    "startup": tables.startup,
}


def kernels(a):
    command = [sys.executable, os.path.join(common.HERE, "kernels.py"), f"--threads={','.join(map(str, a.threads))}"]
    subprocess.run(command, check=True)


TABLES["kernels"] = kernels


def names(known):
    def parse(text):
        unknown = [n for n in text.split(",") if n not in known]
        if unknown:
            raise argparse.ArgumentTypeError(f"`{unknown[0]}` is not one of {', '.join(known)}")
        return text.split(",")

    return parse


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    numbers = lambda text: [int(n) for n in text.split(",")]  # noqa: E731
    parser.add_argument("--table", type=names(TABLES), default=[t for t in TABLES if t != "folder"], metavar="NAME,…")
    parser.add_argument("--model", type=names(common.LIGHT + common.zoo()), default=common.LIGHT, metavar="NAME,…")
    parser.add_argument("--threads", type=numbers, default=[1, 2], metavar="N,…")
    parser.add_argument(
        "--peers",
        type=names(["openvino", "onnxruntime", "iree"]),
        default=["openvino", "onnxruntime", "iree"],
        metavar="NAME,…",
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--count", type=numbers, default=[8, 32, 128, 1000], metavar="N,…", help="sizes of the table `many`"
    )
    parser.add_argument("--folder", help="the models of the table `folder`")
    parser.add_argument("--only", metavar="REGEX", help="those whose names match")
    a = parser.parse_args()
    os.makedirs(common.WORK, exist_ok=True)
    print(f"{common.cpu()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    for table in a.table:
        TABLES[table](a)


if __name__ == "__main__":
    main()
