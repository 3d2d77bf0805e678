"""The kernel table: single kernels through `hal-compile` and `hal-benchmark`, beside OpenBLAS (numpy), onnxruntime and IREE.

    kernels.py [--threads 1,2] [--peers numpy,ort,iree] [--rounds 3] [CASE ...]

A case is a name or the start of one. Candidates take turns; the lowest fifth of all samples of a candidate counts, so that
a busy machine disturbs little. Ratios are peer / Halyard: above 1 Halyard is faster. GF is billions of operations, GB/s what
must at least be moved.
HALYARD_TOOLS names another folder of tools than target/release.
"""

import argparse
import json
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import kernel_cases  # noqa: E402

from common import TARGET, WORK, cpu, peers  # noqa: E402

TOOLS = os.environ.get("HALYARD_TOOLS", os.path.join(TARGET, "release"))
BUILT = os.path.join(WORK, "kernels")
# Its default, and its fastest: without reassociation sums are scalar.
IREE = {
    "default": [],
    "o3dt": ["--iree-opt-level=O3", "--iree-opt-data-tiling", "--iree-llvmcpu-reassociate-fp-reductions"],
}
SAVED = 60  # samples of each candidate of each case


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(command)}\n{done.stderr[-2000:]}")
    return done.stdout


def halyard(case, threads):
    """Compiles; gives a function that measures for a moment."""
    source, program, out = (os.path.join(BUILT, case.name + end) for end in (".mlir", ".so", ".json"))
    with open(source, "w", encoding="utf-8") as f:
        f.write(kernel_cases.text(case))
    run([os.path.join(TOOLS, "hal-compile"), source, "-o", program])

    def measure(seconds):
        run(
            [
                os.path.join(TOOLS, "hal-benchmark"),
                program,
                f"--threads={threads}",
                f"--min-time={seconds}",
                f"--json={out}",
            ]
        )
        with open(out, encoding="utf-8") as f:
            return json.load(f)["results"][0]["samples"]

    return measure


def arrays(case, numpy):
    rng = numpy.random.default_rng(0)
    return [rng.standard_normal(s, numpy.float32) for s in case.inputs]


def timed(call):
    """A function that calls until the time is up."""

    def measure(seconds):
        samples, end = [], time.perf_counter() + seconds
        while time.perf_counter() < end or len(samples) < 5:
            start = time.perf_counter()
            call()
            samples.append(time.perf_counter() - start)
        return samples

    return measure


def numpy_blas(case, _threads):
    import numpy

    if case.numpy is None:
        return None
    inputs, out = arrays(case, numpy), numpy.empty(case.output, numpy.float32)
    return timed(lambda: case.numpy(numpy, *inputs, out))


def graph(case):
    """The case as an ONNX model."""
    import numpy
    from onnx import TensorProto, helper, numpy_helper

    nodes, constants = [], []
    for at, (op, inputs, attributes, values) in enumerate(case.nodes):
        nodes.append(helper.make_node(op, inputs, ["r" if at == len(case.nodes) - 1 else f"t{at}"], **attributes))
        for name, value in values:
            array = numpy.array(value, numpy.float32 if isinstance(value, float) else numpy.int64)
            constants.append(numpy_helper.from_array(array, name))
    value = lambda name, shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)  # noqa: E731
    made = helper.make_graph(
        nodes, "g", [value(f"a{i}", s) for i, s in enumerate(case.inputs)], [value("r", case.output)], constants
    )
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 20)])
    model.ir_version = 9
    return model.SerializeToString()


def ort(case, threads):
    import numpy
    import onnxruntime

    if not case.nodes:
        return None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(graph(case), options, providers=["CPUExecutionProvider"])
    binding, keep = session.io_binding(), arrays(case, numpy)
    for at, array in enumerate(keep):
        binding.bind_cpu_input(f"a{at}", array)
    out = numpy.empty(case.output, numpy.float32)
    binding.bind_output("r", "cpu", 0, numpy.float32, case.output, out.ctypes.data)

    def call(kept=(keep, out)):
        session.run_with_iobinding(binding)

    return timed(call)


def iree(case, threads):
    """The best of two ways of compiling."""
    bin_, source = peers(), os.path.join(BUILT, case.name + ".mlir")
    programs = []
    for name, flags in IREE.items():
        program = os.path.join(BUILT, f"{case.name}.{name}.vmfb")
        programs.append(program)
        if not os.path.exists(program):
            target = [
                "--iree-hal-target-device=local",
                "--iree-hal-local-target-device-backends=llvm-cpu",
                "--iree-llvmcpu-target-cpu=host",
            ]
            run([os.path.join(bin_, "iree-compile"), *target, *flags, source, "-o", program])
    device = "local-sync" if threads == 1 else "local-task"
    shapes = [f"--input={'x'.join(map(str, [*s, 'f32']))}=0.1" for s in case.inputs]

    def measure(seconds):
        best = []
        for program in programs:
            out = run([os.path.join(bin_, "iree-benchmark-module"), f"--module={program}", f"--device={device}", "--function=main",
                       f"--task_topology_group_count={threads}", f"--benchmark_min_time={seconds / 2}s", "--benchmark_repetitions=3",
                       "--device_allocator=caching", "--benchmark_format=json", *shapes])  # fmt: skip
            runs = [r for r in json.loads(out)["benchmarks"] if r["run_type"] == "iteration"]
            unit = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
            best.append([r["real_time"] * unit[r["time_unit"]] for r in runs])
        return min(best, key=min)

    return measure


PEERS = {"numpy": numpy_blas, "ort": ort, "iree": iree}


def lowest_fifth(samples):
    return sorted(samples)[len(samples) // 5]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", default="1")
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.2, help="of each candidate in each round")
    parser.add_argument("--json", help=f"write samples, {SAVED} of each candidate of each case at most")
    parser.add_argument("cases", nargs="*")
    asked = parser.parse_args()
    chosen = [n for n in asked.peers.split(",") if n]
    counts = [int(t) for t in asked.threads.split(",")]
    if len(counts) > 1:
        # OpenBLAS reads its number of threads once.
        for count in counts:
            subprocess.run([sys.executable, *sys.argv, f"--threads={count}"], check=True)
        return
    threads = counts[0]
    core = "SkylakeX" if "avx512f" in open("/proc/cpuinfo", encoding="utf-8").read() else ""
    wanted = {"OPENBLAS_NUM_THREADS": str(threads), **({"OPENBLAS_CORETYPE": core} if core else {})}
    if any(os.environ.get(k) != v for k, v in wanted.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **wanted})
    os.makedirs(BUILT, exist_ok=True)
    cases = [c for c in kernel_cases.CASES if not asked.cases or any(c.name.startswith(n) for n in asked.cases)]
    print(f"{'case':<28}{'us':>10}{'GF':>8}{'GB/s':>7} " + "".join(f"{n + '/hal':>11}" for n in chosen), flush=True)
    saved, worst = {}, {}
    for case in cases:
        made = {"hal": halyard(case, threads), **{n: PEERS[n](case, threads) for n in chosen}}
        samples = {n: [] for n, f in made.items() if f}
        for _ in range(asked.rounds):
            for name in samples:
                samples[name] += made[name](asked.seconds)
        taken = {n: lowest_fifth(s) for n, s in samples.items()}
        us = taken["hal"]
        gf = f"{case.flops / us * 1e-9:8.1f}" if case.flops else " " * 8
        gb = f"{case.bytes / us * 1e-9:7.1f}" if case.bytes else " " * 7
        ratios = "".join(f"{taken[n] / us:11.2f}" if n in taken else " " * 11 for n in chosen)
        print(f"{case.name:<28}{us * 1e6:10.1f}{gf}{gb} {ratios}", flush=True)
        saved[case.name] = {n: s[:: -(-len(s) // SAVED)] for n, s in samples.items()}
        worst[case.name] = min([taken[n] / us for n in chosen if n in taken], default=0)
    slower = sorted((r, n) for n, r in worst.items() if 0 < r < 1)
    print(
        f"{threads} thread(s): slower than the best peer: " + (", ".join(f"{n} {r:.2f}" for r, n in slower) or "none")
    )
    if asked.json:
        with open(asked.json, "w", encoding="utf-8") as f:
            json.dump({"threads": threads, "cpu": cpu(), "samples": saved}, f)
            f.write("\n")


if __name__ == "__main__":
    main()
