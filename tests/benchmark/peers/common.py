"""What the benchmarks share: the tools and their peers, models, measuring by turns, recording.

Every benchmark alternates between the candidates (A B A B ...), so that what disturbs the machine disturbs all of them,
takes medians, and keeps all samples in tests/benchmark/runs/DATE-HOSTKIND/NAME.json.
"""

import argparse
import datetime
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
# What is measured is measured: nothing comes from the cache.
os.environ["HALYARD_CACHE"] = "off"
TARGET = os.environ.get("CARGO_TARGET_DIR", os.path.join(TOP, "target"))
WORK = os.path.join(TARGET, "benchmark")


def arguments(description, rounds, model=None):
    """The command line of the small benchmarks; makes the working folder."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    if model:
        parser.add_argument("--model", default=model)
    parser.add_argument("--rounds", type=int, default=rounds)
    os.makedirs(WORK, exist_ok=True)
    return parser.parse_args()


def tool(name):
    """One of ours: as built for release, or from the folder HALYARD_TOOLS."""
    path = os.path.join(os.environ.get("HALYARD_TOOLS", os.path.join(TARGET, "release")), name)
    if not os.path.exists(path):
        sys.exit(f"no {path}: run `cargo build --release` first")
    return path


def peers():
    """The folder of the peers' programs; installs them the first time. HALYARD_PEERS names another virtual environment."""
    own = os.path.join(WORK, "venv")
    venv = os.environ.get("HALYARD_PEERS", own)
    wanted = os.path.join(HERE, "peers.txt")
    stamp = os.path.join(venv, "peers.txt")
    if venv == own and not (os.path.exists(stamp) and open(stamp).read() == open(wanted).read()):
        print("installing the peers ...", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        subprocess.run([os.path.join(venv, "bin", "python"), "-m", "pip", "install", "-q", "-r", wanted], check=True)
        shutil.copy(wanted, stamp)
    return os.path.join(venv, "bin")


def enter_peers():
    """Goes on with the interpreter of the peers, which has numpy and the rest."""
    python = os.path.join(peers(), "python")
    if os.path.realpath(sys.prefix) != os.path.realpath(os.path.dirname(os.path.dirname(python))):
        os.execv(python, [python, *sys.argv])


def seed(path, script, *words):
    """A file that a script of tests/models makes, once."""
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        python = os.path.join(peers(), "python")
        subprocess.run([python, os.path.join(TOP, "tests", "models", script), *words], check=True)
    return path


def light_model(name, realistic=False):
    """A model of the onnx wheel's test data; with realistic weights on request (made once)."""
    find = "import onnx.backend.test, os; print(os.path.dirname(onnx.backend.test.__file__))"
    python = os.path.join(peers(), "python")
    data = subprocess.run([python, "-c", find], capture_output=True, text=True, check=True).stdout.strip()
    path = os.path.join(data, "data", "light", f"light_{name}.onnx")
    if not realistic:
        return path
    made = os.path.join(WORK, f"{name}.onnx")
    return seed(made, "randomize.py", path, made)


LIGHT = [
    "bvlc_alexnet",
    "densenet121",
    "inception_v1",
    "inception_v2",
    "resnet50",
    "shufflenet",
    "squeezenet",
    "vgg19",
    "zfnet512",
]
DECODERS = {
    "decode": ("decoder.py",),
    "prefill": ("decoder.py", "--rows=128", "--past=0"),
    "decode-int8": ("decoder.py", "--level=4"),
    "prefill-int8": ("decoder.py", "--rows=128", "--past=0", "--level=4"),
    "decode-f16": ("decoder.py", "--weights=f16"),
    "prefill-f16": ("decoder.py", "--rows=128", "--past=0", "--weights=f16"),
}
# Models that `convert.py` makes of others: of which, and how.
QUANTIZED = {
    **{f"{n}-qdq": (n, "qdq") for n in ("resnet18", "mobilenet_v2", "yolo_tiny", "unet", "bert", "vision_transformer")},
    **{f"{n}-dynamic-quantized": (n, "dynamic-quantized") for n in ("bert", "gpt", "vision_transformer")},
}
HALVES = {
    f"{n}-f16": (n, "f16")
    for n in ("resnet18", "mobilenet_v2", "unet", "bert", "gpt", "vision_transformer", "convnext")
}
SYMBOLIC = {
    "mobilenet_v2-symbolic": ("mobilenet_v2", "symbolic", "B=x:0"),
    "resnet18-symbolic": ("resnet18", "symbolic", "B=x:0"),
    "resnet18-any-image": ("resnet18", "symbolic", "H=x:2", "W=x:3"),
    "mobilenet_v2-any-image": ("mobilenet_v2", "symbolic", "H=x:2", "W=x:3"),
    "bert-symbolic": ("bert", "symbolic", "B=ids:0,mask:0"),
    "transformer-symbolic": ("transformer", "symbolic", "B=x:0", "S=x:1"),
    "llama_step-symbolic": (
        "llama_step",
        "symbolic",
        "P=" + ",".join(f"{n}{i}:2" for n in ("keys", "values") for i in range(4)),
    ),
}
CONVERTED = {**QUANTIZED, **HALVES, **SYMBOLIC}
OTHERS = {"transformer": ("transformer.py",), "transformer2": ("transformer.py", "--layers=2"), **DECODERS}


def zoo():
    """The names of the models of tests/models/zoo.py."""
    python = os.path.join(peers(), "python")
    told = subprocess.run(
        [python, os.path.join(TOP, "tests", "models", "zoo.py"), "--list"], capture_output=True, text=True, check=True
    )
    return [line.split()[0] for line in told.stdout.splitlines()]


def model(name):
    """The ONNX file of a model by its name."""
    if name in LIGHT:
        return light_model(name, realistic=True)
    made = os.path.join(WORK, f"{name}.onnx")
    if name in CONVERTED:
        source, kind, *words = CONVERTED[name]
        return seed(made, "convert.py", kind, model(source), made, *words)
    if name in OTHERS:
        script, *words = OTHERS[name]
        return seed(made, script, made, *words)
    return seed(made, "zoo.py", name, made)


class Taken(float):
    """Seconds from start to end; `cpu` is what all threads and children computed, which a busy machine disturbs less.
    `peak` is the largest memory of one of its processes, in bytes."""

    cpu = None
    peak = None


# Runs a command and writes seconds, seconds of CPU, peak memory in KiB and status to a descriptor. A process inherits the
# peak of the one that started it; this one is small.
LAUNCH = """import json, os, sys, time
begun = time.perf_counter()
child = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(child, 0)
told = [time.perf_counter() - begun, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, os.waitstatus_to_exitcode(status)]
os.write(int(sys.argv[1]), json.dumps(told).encode())"""


def seconds(command, watch=None):
    """How long a command takes. It must succeed. `watch` is given the number of a process whose only child it is."""
    read, write = os.pipe()
    with tempfile.TemporaryFile() as said, open(read, encoding="utf-8") as results:
        launcher = [sys.executable, "-S", "-E", "-c", LAUNCH, str(write), *command]
        child = subprocess.Popen(launcher, stdout=subprocess.DEVNULL, stderr=said, pass_fds=[write])
        os.close(write)
        if watch:
            watch(child.pid)
        told = results.read()
        child.wait()
        if not told or json.loads(told)[3] != 0:
            said.seek(0)
            sys.exit(f"failed: {' '.join(command)}\n{said.read().decode()[-2000:]}")
        wall, cpu, peak, _ = json.loads(told)
        taken = Taken(wall)
        taken.cpu, taken.peak = cpu, peak * 1024
    return taken


def by_turns(candidates, rounds, warmup=1):
    """Samples of each candidate, a function that measures itself once and returns seconds."""
    samples = {name: [] for name in candidates}
    for turn in range(warmup + rounds):
        for name, measure in candidates.items():
            taken = measure()
            if turn >= warmup:
                samples[name].append(taken)
    return samples


def mad(samples):
    middle = statistics.median(samples)
    return statistics.median(abs(s - middle) for s in samples)


def cpu():
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        names = [line.split(":", 1)[1].strip() for line in f if line.startswith("model name")]
    return names[0] if names else platform.machine()


def save(name, samples, **facts):
    """Writes all samples of a benchmark, with the machine."""
    machine = {"cpu": cpu(), "cores": os.cpu_count(), "os": platform.platform(), "load": os.getloadavg()[0]}
    kind = f"{platform.machine()}-{os.cpu_count()}core"
    folder = os.path.join(
        os.environ.get("HALYARD_RUNS", os.path.join(TOP, "tests", "benchmark", "runs")),
        f"{datetime.date.today().isoformat()}-{urllib.parse.quote(kind)}",
    )
    os.makedirs(folder, exist_ok=True)
    results = []
    for candidate, values in samples.items():
        measured = [v for v in values if isinstance(v, Taken)]
        result = {"name": candidate, "median": statistics.median(values), "mad": mad(values), "samples": values}
        result |= {"cpu": [v.cpu for v in measured], "peak": [v.peak for v in measured]} if measured else {}
        results.append(result)
    path = os.path.join(folder, f"{name}.json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"schema": 1, "machine": machine, **facts, "results": results}, f, indent=1)
        f.write("\n")
    return path


def record(name, samples, **facts):
    """Prints medians and writes all samples."""
    width = max(map(len, samples))
    for candidate, values in samples.items():
        computed = [v.cpu for v in values if isinstance(v, Taken)]
        cpu_time = f", {statistics.median(computed) * 1e3:.2f} ms of CPU" if computed else ""
        print(
            f"{candidate:{width}}  {statistics.median(values) * 1e3:10.2f} ms ± {mad(values) * 1e3:.2f}{cpu_time}  ({len(values)} runs)"
        )
    save(name, samples, **facts)


def print_table(title, head, rows):
    """Prints rows of texts as a Markdown table, numbers to the right."""
    print(f"\n### {title}\n")
    widths = [max(len(str(r[i])) for r in [head, *rows]) for i in range(len(head))]
    line = lambda cells: (
        "| "
        + " | ".join(str(c).ljust(w) if i == 0 else str(c).rjust(w) for i, (c, w) in enumerate(zip(cells, widths)))
        + " |"
    )
    print(line(head))
    print("|" + "|".join("-" * (w + 1) + ("-" if i == 0 else ":") for i, w in enumerate(widths)) + "|")
    for row in rows:
        print(line(row), flush=True)
