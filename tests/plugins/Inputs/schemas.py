"""The schemas that editors use accept and refuse what the tools do: schemas.py FOLDER"""

import glob
import json
import os
import re
import subprocess
import sys
import tomllib

import jsonschema
import manifests
import yaml

TOP = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.."))
# What no schema can know: files, other entries, the syntax within texts, that a folder holds the plugin.
BEYOND = [
    "there is no option `x`",
    "is of type `int`, not `bool`",
    "is not used",
    "is not among the values",
    "4:28: `a` is a string, and option `x` is of type `int`",  # by its default
    "is not declared",
    "stands in quotes",
    "is there twice",
    "is not there",
    "no file is named",
]
PIPELINES = [
    "pipeline:\n  - pass: cse\n",
    "description: d\nvariables:\n  n: 3\npipeline:\n  - pass: canonicalize{max-iterations=${n}}\n",
    "Pipeline:\n  - pass: cse\n",
    "pipeline:\n  - when: not tosa\n    pass: cse\n",
    "pipeline:\n  - when: scf.forall\n    pipeline:\n      - pass: cse\n      - pass: canonicalize\n",
    "pipeline:\n  - pas: cse\n",
    "stages:\n  - pass: cse\n",
    "pipeline:\n  - pass: cse\n    include: a.yaml\n",
    "pipeline:\n  - pass: [cse]\n",
    "pipeline:\n  - cse\n",
    "pipeline: {pass: cse}\n",
    "pipeline: []\n",
    "description: d\n",
    "- pass: cse\n",
    "variables: {a.b: 1}\npipeline:\n  - pass: cse\n",
    "variables: {a: {b: 1}}\npipeline:\n  - pass: cse\n",
    "pipeline:\n  - pipeline:\n      - pass: cse\n",
    "pipeline:\n  - when: tosa\n",
    "pipeline:\n  - when: 3\n    pass: cse\n",
    "pipeline:\n  - pass:\n",
]


def validator(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        schema = json.load(file)
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    return kind(schema)


def tool(*words):
    done = subprocess.run(["hal-opt", *words], input="module {}", capture_output=True, check=False, text=True)
    return done.returncode, done.stderr


def manifest_keys(schema, folder):
    """The keys that the parser lists when it meets an unknown one, and those of the schema."""
    definitions = schema["definitions"]
    head = 'name = "p"\ndescription = "d"\n'
    cases = [
        (head + "zzzzzz = 1\n[[stages]]\n", schema["properties"]),
        (head + "[[stages]]\nzzzzzz = 1\n", definitions["stage"]["properties"]),
        (head + "[[targets]]\nzzzzzz = 1\n", definitions["target"]["properties"]),
        (head + "[libraries]\nzzzzzz = []\n", schema["properties"]["libraries"]["properties"]),
        (head + "[tuning]\nzzzzzz = []\n", schema["properties"]["tuning"]["properties"]),
        (head + "[options]\nx = {zzzzzz = 1}\n", definitions["option"]["properties"]),
    ]
    for text, properties in cases:
        write(os.path.join(folder, "p", "plugin.toml"), text)
        _, said = tool("--plugin=p", "--plugin-path=" + folder)
        note = re.search(r"it may have (.*)", said)
        known = set(re.findall(r"`([^`]+)`", note[1])) if note else set()
        # `call` is for plugins that are compiled in.
        if known - {"call"} != set(properties):
            yield f"the parser knows {sorted(known)}, the schema {sorted(properties)}\n{said}"


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main(folder):
    plugin = validator("common/manifest/schemas/plugin.schema.json")
    pipeline = validator("common/stages/schemas/pipeline.schema.json")
    bad = list(manifest_keys(plugin.schema, os.path.join(folder, "keys")))

    own = [p for pattern in ("plugins", "tests") for p in glob.glob(f"{TOP}/{pattern}/**/plugin.toml", recursive=True)]
    for path in own:
        with open(path, "rb") as file:
            bad += [f"{path}: {e.message}" for e in plugin.iter_errors(tomllib.load(file))]
    refused = 0
    for text, place, words, _ in manifests.ROWS:
        message = f"{place}: {words}"
        try:
            wrong = not plugin.is_valid(tomllib.loads(text))
        except tomllib.TOMLDecodeError:
            continue
        refused += wrong
        if wrong == any(part in message for part in BEYOND):
            bad.append(f"{text}: the tools say `{message}`, the schema {'refuses' if wrong else 'accepts'} it")
    for text, *_ in manifests.LATER:
        bad += [f"{text}: {e.message}" for e in plugin.iter_errors(tomllib.loads(text))]

    files = glob.glob(f"{TOP}/common/stages/library/*.yaml") + glob.glob(f"{TOP}/tests/**/*.yaml", recursive=True)
    for path in files:
        with open(path, encoding="utf-8") as file:
            bad += [f"{path}: {e.message}" for e in pipeline.iter_errors(yaml.safe_load(file))]
    for text in PIPELINES:
        path = os.path.join(folder, "pipeline.yaml")
        write(path, text)
        code, said = tool("--stage=" + path)
        if (code == 0) != pipeline.is_valid(yaml.safe_load(text)):
            bad.append(f"{text}: exit code {code}, the schema says the opposite\n{said}")
    print("\n".join(bad))
    counts = f"{len(own)} manifests, {refused} wrong ones, {len(files)} pipelines, {len(PIPELINES)} short ones"
    print(f"{counts}: {len(bad)} disagreements")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main(sys.argv[1])
