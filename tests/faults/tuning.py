#!/usr/bin/env python3
"""Kills hal-tune at random moments, and lets two tune at once on one database.

    PATH=$PWD/target/debug:$PATH tests/faults/tuning.py --count=100 --seed=1

`kills`: each round starts a tune with another seed and kills it, or one of its processes, with SIGKILL at a random moment. After each, all
trials that were printed are in the database, the database is sound, the output is absent or whole, and no process is left. What was found
slow or wrong before is not tried again. After every five kills the search goes on to its end: no scratch folder is left, and its program and
what a compilation makes with the database compute what the untuned program computes.

`together`: two tunes on one database, of which one is sometimes killed. All trials of both are there, and the programs are right.
"""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import time

import harness
from harness import contents, processes
from tuned import Tunes

# A candidate that took less of the time is worth another trial.
PROMISING = 0.98
# Kills between two searches that go on to their end.
GENERATION = 5


def identity(trial):
    return tuple(trial[k] for k in ("key", "target", "machine", "kind", "hash"))


def lines(path):
    """The trials of a file, but for a last line that was cut off."""
    try:
        with open(path) as f:
            text = f.read()
    except FileNotFoundError:
        return []
    return [json.loads(line) for line in text.split("\n")[:-1]]


def stored(tunes, database):
    """The trials of a database, by identity: `None` if it was rejected, else the part of the time that it takes."""
    done = subprocess.run(
        ["hal-tune", f"--tuning={database}", "--export=-"], env=tunes.env, capture_output=True, text=True, check=True
    )
    trials = {}
    for line in map(json.loads, done.stdout.splitlines()[1:]):
        trial = line.get("trial")
        if trial:
            place = (trial["key"], trial["target"], trial["machine"], trial["kind"], trial.get("text") or trial["hex"])
            trials[place] = 1 / trial["measured"]["ratio"][0] if "measured" in trial else None
    return trials


def missing(trials, known):
    """The trials of files that a database lacks, or tells otherwise than one of the lines about a candidate."""
    was_measured = {}
    for trial in trials:
        if trial["outcome"] != "skipped":
            was_measured.setdefault(identity(trial), set()).add(trial["outcome"] == "measured")
    return [
        place for place, told in was_measured.items() if place not in known or (known[place] is not None) not in told
    ]


def is_slow(trial):
    return trial["outcome"] not in ("skipped", "measured") or trial.get("ratio", 0) >= PROMISING


def commands(tunes, rng):
    """A way to tune, whose name is the first; what has commands of others may fail with a message if these are killed."""
    common = ["hal-tune", "p.mlir", "-o", "out.mlir", "--tuning=u.db", f"--seed={rng.randrange(1000)}", "--checks=1"]
    return rng.choice(
        [
            ("schedules", [*common, "--budget=10"], False),
            ("schedules of one executable", [*common, "--budget=8", "--executable=main_dispatch_0"], False),
            ("a script", [*common, "--budget=8", "--candidate=main_dispatch_0=knobs.mlir"], False),
            ("a file", [*common, "--budget=2", "--candidate=main_dispatch_1=k.c", "--cc=cc -O2 -fno-math-errno"], True),
            ("a generator", [*common, "--budget=8", "--generator=sh counts.sh"], True),
        ]
    )


def check_left(tunes, what, mark):
    """No process of a tune is left soon after it ended."""
    for _ in range(150):
        left = processes(mark)
        if not left:
            return
        time.sleep(0.02)
    tunes.note(what, f"{len(left)} processes are left")
    for pid in left:
        os.kill(pid, signal.SIGKILL)


def check_after(tunes, what, files, database="u.db"):
    """The database is sound and has all that was printed."""
    if not os.path.exists(database):
        if any(lines(file) for file in files):
            tunes.note(what, "trials were printed, and there is no database")
        return {}
    checked = subprocess.run(
        ["hal-tune", f"--tuning={database}", "--check"], env=tunes.env, capture_output=True, text=True
    )
    if checked.returncode:
        tunes.note(what, f"the database is damaged: {checked.stderr}")
    known = stored(tunes, database)
    if bad := missing([trial for file in files for trial in lines(file)], known):
        tunes.note(what, f"the database lacks {bad[:3]}")
    return known


def finish(tunes, what, rng):
    """Goes on to the end: the program is right, and so is what a compilation makes with the database; nothing is left."""
    words = ["hal-tune", "p.mlir", "-o", "out.mlir", "--tuning=u.db", "--budget=4", "--candidate=main_dispatch_1=k.c"]
    done = subprocess.run([*words, f"--seed={rng.randrange(1000)}"], env=tunes.env, capture_output=True, text=True)
    if done.returncode:
        return tunes.note(what, f"the search does not go on: {done.stderr}")
    if not tunes.is_right("out.mlir"):
        tunes.note(what, "the tuned program is wrong")
    words = ["hal-compile", "m.mlir", "-q", "--tuning=u.db", "--cache=off", "-o", "made.so"]
    made = subprocess.run(words, env=tunes.env, capture_output=True, text=True)
    if made.returncode or made.stderr:
        tunes.note(what, f"a compilation with the database says {made.stderr}")
    if not tunes.is_right("made.so", "made"):
        tunes.note(what, "a program made with the database is wrong")
    if rest := os.listdir(tunes.at("tmp")):
        tunes.note(what, f"scratch is left: {rest}")


def kills(tunes, args, rng):
    took = {}
    slow, files = set(), []
    for i in range(args.count):
        if i % GENERATION == 0:
            for file in ["u.db", "u.db-journal", "out.mlir", *files]:
                if os.path.exists(file):
                    os.remove(file)
            slow, files = set(), []
        name, command, has_commands = commands(tunes, rng)
        if name not in took:
            start = time.monotonic()
            tunes.call(*[w.replace("u.db", "warm.db").replace("out.mlir", "warm.mlir") for w in command])
            took[name] = time.monotonic() - start
            os.remove("warm.db")
        # Every other one writes into the same file as the one before, whose last line may be cut off.
        file = files[-1] if files and rng.random() < 0.5 else f"trials{i}.jsonl"
        before = len(lines(file))
        files += [] if file in files else [file]
        mark = f"FAULT_ROUND={os.getpid()}-{i}-"
        output = contents("out.mlir")
        with open("messages", "w+") as messages:
            env = dict(tunes.env, FAULT_ROUND=mark.split("=")[1])
            child = subprocess.Popen(
                [*command, f"--trials={file}"], env=env, stdout=subprocess.DEVNULL, stderr=messages
            )
            time.sleep(rng.random() * took[name])
            first = harness.kill_one(child, mark, rng, 0.6)
            try:
                code = child.wait(timeout=harness.PATIENCE)
            except subprocess.TimeoutExpired:
                tunes.note(f"round {i}, {name}", "it hangs")
                child.kill()
                code = child.wait()
            messages.seek(0)
            said = messages.read()
        what = f"round {i}, {name}, killed {'itself' if first else 'below'}"
        check_left(tunes, what, mark)
        if not first and code and not (has_commands and said.strip()):
            tunes.note(what, f"exit code {code} after a kill of a worker: {said}")
        if "panicked" in said or "this is a bug" in said:
            tunes.note(what, f"it panics: {said}")
        now = contents("out.mlir")
        if code == 0 and now is None:
            tunes.note(what, "success without output")
        if now != output and not tunes.is_right("out.mlir"):
            tunes.note(what, "the output is neither absent nor right")
        new = lines(file)[before:]
        if again := [t["candidate"] for t in new if identity(t) in slow]:
            tunes.note(what, f"tried again: {again[:3]}")
        slow |= {identity(t) for t in new if is_slow(t)}
        check_after(tunes, what, files)
        result = "ran to its end" if code == 0 else "ended"
        tunes.counts[f"{name}: killed {'itself' if first else 'below'}, {result}"] += 1
        tunes.counts["trials printed before kills"] += len(new)
        if i % GENERATION == GENERATION - 1 or i + 1 == args.count:
            finish(tunes, what, rng)


def together(tunes, args, rng):
    for i in range(args.pairs):
        shutil.rmtree("pair", ignore_errors=True)
        os.mkdir("pair")
        mark = f"FAULT_ROUND={os.getpid()}-pair{i}-"
        env = dict(tunes.env, FAULT_ROUND=mark.split("=")[1])
        doomed = rng.randrange(4)
        started = []
        for n in range(2):
            words = ["hal-tune", "p.mlir", "--tuning=pair/u.db", f"--trials=pair/{n}.jsonl", f"--seed={10 * i + n}"]
            words += ["--budget=8", "--checks=1", "--threads=1", "-o", f"pair/{n}.mlir"]
            with open(f"pair/{n}.log", "w") as log:
                started.append(subprocess.Popen(words, env=env, stderr=log))
        if doomed < 2:
            time.sleep(1 + 4 * rng.random())
            started[doomed].kill()
        what = f"pair {i}"
        for n, child in enumerate(started):
            code = child.wait(timeout=harness.PATIENCE)
            with open(f"pair/{n}.log") as f:
                log = f.read()
            if code and n != doomed:
                tunes.note(what, f"exit code {code}: {log}")
            if code == 0 and not tunes.is_right(f"pair/{n}.mlir", f"pair/{n}"):
                tunes.note(what, "a tuned program is wrong")
        check_left(tunes, what, mark)
        check_after(tunes, what, ["pair/0.jsonl", "pair/1.jsonl"], "pair/u.db")
        made = subprocess.run(
            ["hal-compile", "m.mlir", "-q", "--tuning=pair/u.db", "--cache=off", "-o", "pair/m.so"], env=tunes.env
        )
        if made.returncode or not tunes.is_right("pair/m.so", "pair/m"):
            tunes.note(what, "what is made with the database is wrong")
        tunes.counts[f"two at once{', one killed' if doomed < 2 else ''}"] += 1


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("--count", type=int, default=100, help="kills")
    parser.add_argument("--pairs", type=int, default=8, help="two tunes at once")
    args = parser.parse_args()
    tunes = Tunes()
    for n, (name, part) in enumerate([("kills", kills), ("together", together)]):
        if re.search(args.only, name):
            part(tunes, args, random.Random(1000 * args.seed + n))
    tunes.finish("tuning", args)


if __name__ == "__main__":
    main()
