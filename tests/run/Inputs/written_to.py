"""Does something to a program while `hal-run` waits for a reader of its output: `written_to.py PROGRAM written|emptied|replaced`."""

import os
import subprocess
import sys

program, how = sys.argv[1:]
os.mkfifo("y.npy")
run = subprocess.Popen(["hal-run", program, "--input=65536xf32=1", "-o", "y.npy"], stderr=subprocess.PIPE, text=True)
# Opens when the tool writes, which is while the program is loaded; it waits for us, as a pipe does not hold all of the output.
with open("y.npy", "rb") as pipe:
    with open(program, "rb") as f:
        same = f.read()
    if how == "replaced":
        with open("new", "wb") as f:
            f.write(same)
        os.rename("new", program)
    else:
        with open(program, "r+b") as f:
            f.truncate(0) if how == "emptied" else f.write(same)
    pipe.read()
os.remove("y.npy")
print(run.stderr.read(), end="")
sys.exit(run.wait())
