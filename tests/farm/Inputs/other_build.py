"""Writes hal-translate as another build would be: a script that asks the real one for another build's work."""

import shutil

print(f"""#!/bin/sh
# The worker reads a request for a build that it is not.
sed '1s/^halyard-jobs 1 [0-9a-f]*/halyard-jobs 1 0123456789abcdef/' | {shutil.which("hal-translate")} "$@"
""")
