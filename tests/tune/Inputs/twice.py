"""Counts the candidates that were found slow, wrong or impossible, and tried again."""

import json
import sys

seen, twice = set(), 0
for line in open(sys.argv[1]):
    try:
        trial = json.loads(line)
    except ValueError:
        continue
    place = (trial["key"], trial["candidate"])
    twice += place in seen
    if trial.get("ratio", 9) >= 0.98:
        seen.add(place)
print(f"slow candidates that were measured twice: {twice}")
