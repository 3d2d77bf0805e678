#!/usr/bin/env python3
"""Many tools at once, on one cache, one tuning database and one folder for scratch.

    PATH=$PWD/target/debug:$PATH tests/faults/crowd.py --count=100

In each round `--count` tools start together on an empty cache; some of them are killed. All others give the right bytes, the cache is
sound afterwards, and what the killed ones left in the scratch folder goes with the next run.
"""

import os
import random
import shutil
import signal
import subprocess
import time

import harness


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--kills", type=int, default=10, help="how many of them are killed")
    args = parser.parse_args()
    bench = harness.Bench("^(hal-translate|hal-compile|hal-link|hal-import)$")
    rng = random.Random(args.seed)
    for round_ in range(args.rounds):
        for tool in bench.tools:
            bench.reset(tool)
        bench.mark = f"FAULT_ROUND={os.getpid()}-crowd-{round_}-"
        env = dict(bench.env, FAULT_ROUND=bench.mark.split("=")[1])
        started = []
        for n in range(args.count):
            tool = rng.choice(bench.tools)
            folder = bench.at(f"out{n}")
            shutil.rmtree(folder, ignore_errors=True)
            os.mkdir(folder)
            with open(os.path.join(folder, "messages"), "w") as messages:
                child = subprocess.Popen(tool.words, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=messages)
            started.append((tool, folder, child, n < args.kills))
        for _, _, child, doomed in started:
            if doomed:
                time.sleep(rng.random() / 2)
                child.send_signal(signal.SIGKILL)
        for tool, folder, child, doomed in started:
            code, bad = child.wait(), []
            with open(os.path.join(folder, "messages")) as f:
                text = f.read()
            os.remove(os.path.join(folder, "messages"))
            for out, how in tool.outputs.items():
                got = harness.contents(os.path.join(folder, out))
                if how == "bytes" and got != bench.right[tool.name][out] and not (code and got is None):
                    bad.append(f"`{out}` is not whole")
            if code and not (doomed and code == -signal.SIGKILL):
                bad.append(f"exit code {code}")
            if text and not doomed:
                bad.append("it warns")
            bench.counts[
                tool.name, "killed" if code == -signal.SIGKILL else "succeeds" if code == 0 else f"exit code {code}"
            ] += 1
            if bad:
                bench.note(f"round {round_}, {tool.name}", bad, text)
        translate = next(tool for tool in bench.tools if tool.name == "hal-translate")
        last = bench.run(translate)
        checked = subprocess.run(["hal-cache", "verify"], env=bench.env, capture_output=True, text=True)
        rest = os.listdir(bench.at("tmp")) if last.code == 0 else ["everything"]
        # One that was killed before it held its lock is swept after a minute.
        rest = [name for name in rest if os.listdir(bench.at("tmp", name)) not in ([], [".locking"])]
        for wrong, what in [
            (last.code, "the next run fails"),
            (checked.returncode, f"the cache is unsound: {checked.stderr}"),
            (rest, f"scratch stays: {rest}"),
        ]:
            if wrong:
                bench.note(f"round {round_}", [what], last.text)
    bench.finish("crowd", args)


if __name__ == "__main__":
    main()
