"""Three options, three sequences and two parameters, each given or not: all combinations as stages of one run."""

import itertools
import subprocess
import sys

tool, file = sys.argv[1:]
options = {"a": ("7", "7", "1"), "b": ('"two words"', '"two words"', '"x"'), "c": ("[1, 2]", "[1, 2]", "[0]")}
parameters = {"p": ("-3", "-3", "10"), "q": ("z", '"z"', '"q"')}


def given(settings, chosen):
    return "{" + " ".join(f"{name}={settings[name][0]}" for name in chosen) + "}"


def value(settings, chosen, name):
    return settings[name][1 if name in chosen else 2]


def subsets(names):
    names = list(names)
    return [c for n in range(len(names) + 1) for c in itertools.combinations(names, n)]


def stage(tag, sequence, chosen, bound):
    with_tag = given(options, chosen).replace("{", "{tag=" + tag + " ", 1)
    return f"--stage={file}[,{sequence}]{with_tag}{given(parameters, bound)}"


stages, expected = [], []
for chosen, bound, sequence in itertools.product(subsets(options), subsets(parameters), ("one", "two", "three")):
    tag = f"n{len(stages)}"
    stages.append(stage(tag, sequence, chosen, bound))
    a, b, c = (value(options, chosen, name) for name in options)
    p, q = (value(parameters, bound, name) for name in parameters)
    name = f"{tag}.{sequence}"
    expected += [f"{name}.options = [{a}, {b}, {c}]", f"{name}.p = {p} : i64", f"{name}.q = {q}"]
assert len(stages) == 96
run = subprocess.run([tool, "-", *stages], input="func.func @f() { return }", text=True, capture_output=True)
sys.stderr.write(run.stderr)
for text in expected:
    assert text in run.stdout, (text, run.stdout)
