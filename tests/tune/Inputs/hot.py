"""Compares the hot spots of a trial with what llvm-objdump says of the object: hot.py TRIALS.jsonl OBJECT."""

import json
import re
import subprocess
import sys

trials, object_file = sys.argv[1:]
command = ["llvm-objdump", "-d", "--no-show-raw-insn", object_file]
listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
code = {}
for line in listing.splitlines():
    if found := re.match(r"\s*([0-9a-f]+):\s+(.*)", line):
        code[int(found[1], 16)] = found[2]


def plain(text):
    """An instruction without spaces, and numbers as they are."""
    return re.sub(r"0x([0-9a-f]+)", lambda m: str(int(m[1], 16)), re.sub(r"#.*|\s", "", text))


hot = [spot for line in open(trials) for spot in json.loads(line).get("hot", [])]
# Objects lack the places of data and of what is jumped to.
fixed = [
    spot for spot in hot if "%rip" not in spot["instruction"] and not spot["instruction"].startswith(("j", "call"))
]
wrong = [spot for spot in fixed if plain(code.get(spot["offset"], "")) != plain(spot["instruction"])]
print(f"{'some' if fixed else 'no'} hot spots, wrong: {wrong}")
print("in order:", [s["share"] for s in hot] == sorted((s["share"] for s in hot), reverse=True))
print(
    "shares are parts:", 0.2 < sum(s["share"] for s in hot) <= 1.01 and all(s["block_share"] >= s["share"] for s in hot)
)
