"""A generator for hal-tune: all schedules of a grid of tiles and workgroup counts, sixteen at a time.

usage: hal-tune program.mlir --generator='python3 grid.py'
"""

import itertools
import json
import sys

waiting, executable = [], None
for line in sys.stdin:
    question = json.loads(line)
    if question["executable"] != executable:
        executable = question["executable"]
        # The keys that this kernel has, with their legal values.
        keys = question["space"][0] if question["space"] else {}
        tiles = keys.get("tile", {}).get("legal", {}).get("each", [])
        counts = keys.get("workgroups", {}).get("legal", [])
        grid = itertools.product(itertools.product(*tiles), counts[:4])
        waiting = [f"{{tile = {list(tile)}, workgroups = {count}}}" for tile, count in grid]
    # What became of the last ones stands in question["trials"]; a grid does not care.
    now, waiting = waiting[:16], waiting[16:]
    print(json.dumps({"candidates": [{"schedule": text} for text in now]}), flush=True)
