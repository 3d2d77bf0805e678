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


def is_right_or_refused(program, inputs, output, expected, about, may_be_refused=False):
    """The same for numbers of any size: a refusal may also say that there is not as much memory, and other checks may make it.
    With `may_be_refused`, a run that has a result may be refused, too."""
    command = ["hal-run", "--guard", "--timeout=60", program, *(f"--input={value}" for value in inputs), "-o", output]
    ran = subprocess.run(command, capture_output=True, text=True)
    about = f"{about}{ran.stderr}"
    if expected is None or (may_be_refused and ran.returncode == 1):
        # 3: there is not as much memory.
        memory = ran.returncode == 3 and "out-of-memory" in ran.stderr
        assert ran.returncode == 1 or memory, f"not refused: {about}"
        return False
    assert ran.returncode == 0, f"refused: {about}"
    assert np.array_equal(np.load(output), expected), f"wrong: {about}"
    return True
