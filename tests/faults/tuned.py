"""What the harnesses of hal-tune share: a program, its right results, and how what is made of it is judged."""

import array
import collections
import os
import shutil
import subprocess
import sys
import tempfile

import harness

INPUTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tune", "Inputs")
SAMPLES = os.path.join(INPUTS, "..", "..", "samples", "kernel-generators")
KERNEL = "main_dispatch_1_elementwise_asin_128x512_f64"


class Tunes:
    """A folder with a program, its right results, and the commands that tune it."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="faults")
        self.env = harness.environment(self.folder)
        os.mkdir(self.at("tmp"))
        os.mkdir(self.at("home"))
        # The peaks of the machine are measured once for all rounds.
        self.env["XDG_CACHE_HOME"] = os.environ.get("XDG_CACHE_HOME", self.at("home", "cache"))
        os.chdir(self.folder)
        shutil.copy(os.path.join(INPUTS, "knobs.mlir"), ".")
        shutil.copy(os.path.join(SAMPLES, "counts.sh"), ".")
        with open(os.path.join(INPUTS, "asin.c")) as f, open("k.c", "w") as out:
            out.write(f.read().replace("EXPORT", KERNEL))
        shutil.copy(os.path.join(INPUTS, "asin-after-a-product.mlir"), "m.mlir")
        self.call("hal-import", "m.mlir", "-o", "p.mlir")
        for name, shape in [("x", (128, 64)), ("w", (64, 512)), ("y", (128, 512))]:
            write_npy(f"{name}.npy", shape)
        self.plain = self.outputs("p.mlir", "plain")
        self.wrong, self.counts = [], collections.Counter()

    def at(self, *names):
        return os.path.join(self.folder, *names)

    def call(self, *words, env=None, code=0):
        """Runs a tool to its end: its messages. Any other exit code than `code` ends the harness."""
        done = subprocess.run(words, env=env or self.env, capture_output=True, text=True)
        if done.returncode != code:
            raise SystemExit(f"{' '.join(words)}: exit code {done.returncode}\n{done.stderr}")
        return done.stderr

    def outputs(self, program, name):
        """What a program in phase `executables` or a linked one computes; `None` if a tool fails."""
        if not program.endswith(".so"):
            linked = f"{name}.so"
            with open(f"{name}.objects", "wb") as out:
                made = subprocess.run(
                    ["hal-translate", program, "--tuning=", "--cache=off"],
                    env=self.env,
                    stdout=out,
                    stderr=subprocess.PIPE,
                )
            if (
                made.returncode
                or subprocess.run(["hal-link", f"{name}.objects", "-o", linked], env=self.env).returncode
            ):
                return None
            program = linked
        files = [f"{name}.{i}.npy" for i in range(2)]
        words = [f"--input=@{file}.npy" for file in "xwy"] + [f"--output=@{file}" for file in files]
        ran = subprocess.run(["hal-run", program, *words], env=self.env, capture_output=True, text=True)
        return None if ran.returncode else [read_npy(file) for file in files]

    def is_right(self, program, name="tuned"):
        found = self.outputs(program, name)
        return found is not None and all(
            len(a) == len(b) and all(abs(x - y) <= 1e-9 * (1 + abs(y)) for x, y in zip(a, b))
            for a, b in zip(found, self.plain)
        )

    def note(self, what, bad):
        """Notes what is wrong, and shows it at once."""
        self.wrong.append((what, bad))
        print(f"{what}: {bad}", file=sys.stderr, flush=True)

    def finish(self, name, args):
        """Prints the counts, records them if asked to, and ends the process."""
        told = [f"{count:6} {what}" for what, count in sorted(self.counts.items())]
        told += [f"seed {args.seed}: {len(self.wrong)} wrong", *(f"  {what}: {bad}" for what, bad in self.wrong)]
        print("\n".join(told))
        if args.record:
            harness.record(name, told)
        os.chdir("/")
        shutil.rmtree(self.folder, ignore_errors=True)
        sys.exit(1 if self.wrong else 0)


def write_npy(name, shape):
    """Doubles between -1 and 1 that differ from one another."""
    count = shape[0] * shape[1]
    values = array.array("d", (((i * 7919 + 13) % 10007) / 10007 * 2 - 1 for i in range(count)))
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(name, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + values.tobytes())


def read_npy(name):
    with open(name, "rb") as f:
        data = f.read()
    values = array.array("d")
    values.frombytes(data[10 + int.from_bytes(data[8:10], "little") :])
    return values
