"""A generator that writes its first question to a file, and proposes one schedule."""

import json
import sys

first = True
for line in sys.stdin:
    if first:
        with open(sys.argv[1], "w") as file:
            file.write(line)
    print(json.dumps({"candidates": [{"schedule": "{lanes = 4}"}] if first else []}), flush=True)
    first = False
