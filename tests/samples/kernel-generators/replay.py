"""A generator for hal-tune that replays answers, as the agent of a language model would give them: C kernels, each written after the
verdict on the one before.

usage: hal-tune program.mlir --generator='python3 replay.py FOLDER'

FOLDER has, for a content key or an export, files KEY.1.c, KEY.2.c, … An agent would get `files`, `interface`, `machine` and `trials` of each
question as its prompt, and write the next file.
"""

import json
import os
import re
import sys

folder = sys.argv[1]
turn = {}
for line in sys.stdin:
    question = json.loads(line)
    for trial in question["trials"]:
        print(f"{trial['id']}: {trial['outcome']} {trial.get('reason', trial.get('ratio', ''))}", file=sys.stderr)
    key = question["key"]
    turn[key] = turn.get(key, 0) + 1
    # Exports have other names once the model changes; what comes after the number does not.
    kernel = re.sub(r"^.*_dispatch_\d+_", "", question["export"])
    path = os.path.join(folder, f"{kernel}.{turn[key]}.c")
    candidates = []
    if os.path.exists(path):
        own = os.path.join(question["folder"], os.path.basename(path))
        with open(path) as source, open(own, "w") as out:
            out.write(source.read().replace("EXPORT", question["export"]))
        candidates.append({"id": os.path.basename(path), "file": own, "workgroups": [1]})
    print(json.dumps({"candidates": candidates}), flush=True)
