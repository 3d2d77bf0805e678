"""Runs of programs whose slices may leave their tensors, under `--guard`."""

import subprocess

import numpy as np

# What upstream's verifier, or the import, says of slices that never fit.
NEVER = ("out-of-bounds", "sizes-do-not-fit", "out-of-range")


def is_right(program, inputs, output, expected, about):
    """Whether a run gives what is expected; `False` where that is `None` and the run is refused. All else is an error."""
    command = ["hal-run", "--guard", program, *(f"--input={value}" for value in inputs), "-o", output]
    ran = subprocess.run(command, capture_output=True, text=True)
    about = f"{about}: {' '.join(command)}\n{ran.stderr}"
    if expected is None:
        assert ran.returncode == 1 and "assertion-failed" in ran.stderr, f"not refused: {about}"
        return False
    assert ran.returncode == 0, f"refused: {about}"
    assert np.array_equal(np.load(output), expected), f"wrong: {about}"
    return True
