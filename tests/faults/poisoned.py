#!/usr/bin/env python3
"""Gives hal-tune and hal-compile tuning databases that something else changed.

    PATH=$PWD/target/debug:$PATH tests/faults/poisoned.py --count=200 --seed=1

Changed bytes; files that are no databases; entries that were changed behind the tools' back; winners that were exported, changed or exchanged,
and merged again. Each is an error or a warning, or changes nothing, and no program is ever wrong.
"""

import json
import os
import random
import re
import sqlite3
import subprocess

import harness
from harness import contents
from tuned import Tunes

# A module that is a variant, of another interface than all executables of the program.
OTHER = """module @e attributes {hal.executable, hal.version = 1 : i32} { module @v attributes {hal.variant, hal.target =
#llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "x86-64-v3">} { func.func @k(%a: tensor<4xf32>) -> tensor<4xf32>
attributes {hal.export} { return %a : tensor<4xf32> } } }""".replace("\n", " ")
# What may be changed behind the tools' back, by SQL.
CHANGES = [
    "update winner set content = replace(content, 'workgroups = 1', 'workgroups = 2')",
    "update winner set content = '[\"{workgroups = 1}\"]', kind = 'schedule' where kind = 'variant'",
    "update winner set kind = 'variant' where kind = 'schedule'",
    "update winner set content = (select content from winner other where other.rowid != winner.rowid)",
    "update winner set ratio = ratio * 2, ratio_high = ratio_high * 2",
    "update winner set version = '9.9'",
    "update winner set content = cast(zeroblob(400) as text)",
    "update trial set ratio = 9, ratio_low = 8, ratio_high = 10 where ratio is not null",
    "update trial set rejected = 'because', time_ns = null, ratio = null where ratio is not null",
]


def flipped(tunes, base, rng):
    """A few bits are others."""
    data = bytearray(base)
    for _ in range(rng.choice([1, 2, 8, 64])):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return "", bytes(data)


def foreign(tunes, base, rng):
    """No tuning database at all."""
    with sqlite3.connect("other.db") as connection:
        connection.executescript("drop table if exists winner; create table winner (key, content)")
    connection.close()
    files = {
        "text": b"not a database, but longer than the header of one " * 40,
        "empty": b"",
        "zeros": bytes(8192),
        "lines": b'{"halyard_tuning":1}\n{"winner":{"key":"x"\n',
        "program": contents("p.mlir"),
        "sqlite": contents("other.db"),
        "half": base[: len(base) // 2],
    }
    kind = rng.choice(sorted(files))
    return kind, files[kind]


def changed(tunes, base, rng):
    """An entry says something else than what was recorded."""
    with open("changed.db", "wb") as f:
        f.write(base)
    change = rng.choice(CHANGES)
    connection = sqlite3.connect("changed.db")
    if not connection.execute(change).rowcount:
        raise SystemExit(f"nothing to change: {change}")
    connection.commit()
    connection.close()
    return change, contents("changed.db")


def crafted(tunes, base, rng):
    """Winners that are sound in themselves, and not for their executables: exported, changed, and merged again."""
    entries = exported(tunes, "base.db")
    winners = [e["winner"] for e in entries if "winner" in e]
    variant = next(w for w in winners if w["kind"] == "variant")
    code = variant.get("text") or bytes.fromhex(variant["hex"]).decode()
    kind = rng.choice(
        ["exchanged", "illegal schedule", "another interface", "no code", "another target", "a cut object"]
    )
    new = {
        "exchanged": None,
        "illegal schedule": ("schedule", '["{tile = [7, 7, 7, 7], lanes = 3}"]'),
        "another interface": ("variant", OTHER),
        "no code": ("variant", "module {}"),
        "another target": ("variant", OTHER.replace("x86-64-v3", "znver1")),
        "a cut object": ("variant", re.sub(r'("?0x[0-9A-Fa-f]{64})[0-9A-Fa-f]+', r"\1", code)),
    }[kind]
    contents_ = [{k: w.pop(k) for k in ("kind", "text", "hex") if k in w} for w in winners]
    for winner, other in zip(winners, reversed(contents_)):
        winner.update(other if new is None else {"kind": new[0], "text": new[1]})
    write_lines("crafted.jsonl", entries)
    if os.path.exists("crafted.db"):
        os.remove("crafted.db")
    tunes.call("hal-tune", "--tuning=crafted.db", "--merge=crafted.jsonl", "-q")
    return kind, contents("crafted.db")


def exported(tunes, database):
    words = ["hal-tune", f"--tuning={database}", "--export=-"]
    done = subprocess.run(words, env=tunes.env, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()[1:]]


def write_lines(path, entries):
    with open(path, "w") as f:
        f.write('{"halyard_tuning":1}\n' + "".join(json.dumps(e) + "\n" for e in entries))


def make_base(tunes):
    """A database with trials, a variant as a winner of one executable, and a schedule as that of the other."""
    words = ["hal-tune", "p.mlir", "-o", "base.mlir", "--tuning=base.db", "--checks=1"]
    tunes.call(*words, "--executable=main_dispatch_0", "--budget=4")
    words += ["--executable=main_dispatch_1", "--budget=1", "--candidate=main_dispatch_1=k.c"]
    tunes.call(*words, "--workgroups=main_dispatch_1=2", "--cc=cc -O3 -fno-math-errno -fno-trapping-math")
    entries = exported(tunes, "base.db")
    has_variant = {e["winner"]["key"] for e in entries if "winner" in e and e["winner"]["kind"] == "variant"}
    trial = next(e["trial"] for e in entries if "trial" in e and e["trial"]["key"] not in has_variant)
    # Whether a search finds a schedule for the product is not sure: one that is legal is taken.
    winner = {k: trial[k] for k in ("key", "target", "machine", "version")}
    winner |= {
        "kind": "schedule",
        "text": '["{workgroups = 1}"]',
        "ratio": [99.5, 99.4, 99.6],
        "trials": 3,
        "origin": "",
    }
    write_lines("winner.jsonl", [{"winner": winner}])
    tunes.call("hal-tune", "--tuning=base.db", "--merge=winner.jsonl", "-q")
    said = tunes.call("hal-compile", "m.mlir", "--cache=off", "-o", "poisoned.so", "--tuning=base.db")
    if "2 of 2 executables use winners" not in said or not tunes.is_right("poisoned.so", "poisoned"):
        raise SystemExit(f"the winners are not used: {said}")
    return contents("base.db")


def is_damaged(tunes, data):
    with open("checked.db", "wb") as f:
        f.write(data)
    done = subprocess.run(["hal-tune", "--tuning=checked.db", "--check"], env=tunes.env, capture_output=True)
    return done.returncode != 0


def must_tell(tunes, way, kind, tool, data):
    """Whether a tool has to say something about a database."""
    if way == "foreign":
        return kind != "empty" or tool == "hal-compile"
    if way == "crafted":
        return tool == "hal-compile"
    if way == "changed":
        return is_damaged(tunes, data) and (tool == "hal-tune" or "winner" in kind)
    return False


def poison(tunes, args, rng):
    base = make_base(tunes)
    tools = {
        "hal-compile": (["hal-compile", "m.mlir", "--cache=off", "-o", "poisoned.so"], "poisoned.so"),
        "hal-tune": (["hal-tune", "p.mlir", "--budget=2", "--checks=1", "-o", "poisoned.mlir"], "poisoned.mlir"),
    }
    for i in range(args.count):
        make = (flipped, foreign, changed, crafted)[i % 4]
        way, (kind, data) = make.__name__, make(tunes, base, rng)
        for tool, (words, program) in tools.items():
            for file in [program, "poisoned.db-journal"]:
                if os.path.exists(file):
                    os.remove(file)
            with open("poisoned.db", "wb") as f:
                f.write(data)
            ran = subprocess.run([*words, "--tuning=poisoned.db"], env=tunes.env, capture_output=True, text=True)
            what, said = f"{i}, {way} {kind}, {tool}", ran.stderr
            if "panicked" in said or "this is a bug" in said or ran.returncode not in (0, 1, 3):
                tunes.note(what, f"exit code {ran.returncode}: {said}")
            elif ran.returncode and ("error" not in said or os.path.exists(program)):
                tunes.note(what, f"no error, or an output in spite of it: {said}")
            elif ran.returncode == 0 and not tunes.is_right(program, "poisoned"):
                tunes.note(what, "the program is wrong")
            if must_tell(tunes, way, kind, tool, data) and "warning[tuning" not in said and "bad-tuning" not in said:
                tunes.note(what, f"it says nothing: {said}")
            if ran.returncode and contents("poisoned.db") != data:
                tunes.note(what, "a file that it refuses was changed")
            outcome = (
                "error" if ran.returncode else "warning" if "tuning]" in said or "tuning-entry]" in said else "neither"
            )
            tunes.counts[f"{way}, {tool}: {outcome}"] += 1


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("--count", type=int, default=80, help="databases")
    args = parser.parse_args()
    tunes = Tunes()
    poison(tunes, args, random.Random(args.seed))
    tunes.finish("poisoned", args)


if __name__ == "__main__":
    main()
