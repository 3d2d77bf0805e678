"""What goes wrong, as Python says it."""

import os
import tempfile
import warnings

import halyard
import numpy as np
from programs import ADD, COUNTER, HOST


def show(name, run):
    try:
        run()
    except halyard.Error as e:
        kinds = [c.__name__ for c in type(e).__mro__ if c in (ValueError, TypeError, OSError, RuntimeError)]
        print(f"{name}: {type(e).__name__}({', '.join(kinds)}) [{e.code}] {e}")
    else:
        print(f"{name}: no error")


add = halyard.compile(ADD)
x, y = np.ones((2, 4), np.float32), np.ones(4, np.float32)
show("missing", lambda: add(x))
show("too many", lambda: add(x, y, y))
show("name", lambda: add(x, yy=y))
show("twice", lambda: add(x, y, x=x))
show("dtype", lambda: add(x.astype(np.float64), y))
show("shape", lambda: add(x, y[:3]))
show("text", lambda: add(x, "no"))
show("endian", lambda: add(x.astype(">f4"), y))
show(
    "numbers",
    lambda: halyard.compile(ADD.replace("f32", "i32").replace("addf", "addi"))([[1, 2, 3, 4.5]], [1, 2, 3, 4]),
)
show("function", lambda: add["other"])
show("no file", lambda: halyard.load("missing.so"))
show("no model", lambda: halyard.compile("missing.onnx"))
show("kind", lambda: halyard.compile(42))
show("device", lambda: halyard.load("missing.so", device="vulcan"))
show("option", lambda: halyard.compile(ADD, options=["--tarhet=cpu"]))
show("syntax", lambda: halyard.compile("func.func @main(\n"))
show("empty", lambda: halyard.empty((2,), "float"))
show("state", lambda: halyard.compile(COUNTER)(1))
show("unknown state", lambda: halyard.compile(COUNTER).session().state("other"))
show("host function", lambda: halyard.compile(HOST))

with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    halyard.compile(ADD, constants={"tile": 4})
    print("warning:", caught[0].message)
    os.environ["HALYARD_TOOLS"] = folder
    show("no tools", lambda: halyard.compile(ADD))
    with open(f"{folder}/hal-compile", "w") as f:
        f.write(
            '#!/bin/sh\necho "hal-compile: error while loading shared libraries: libMLIR.so.22.1: cannot open" >&2\nexit 127\n'
        )
    os.chmod(f"{folder}/hal-compile", 0o755)
    show("no MLIR", lambda: halyard.compile(ADD))
    with open(f"{folder}/hal-compile", "w") as f:
        f.write("#!/bin/sh\nkill -9 $$\n")
    show("killed", lambda: halyard.compile(ADD))
