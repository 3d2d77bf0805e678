"""Malformed manifests: each is refused with a place and words, by the tool that uses the plugin and by --list-plugins."""

import os
import subprocess
import sys

HEAD = 'name = "p"\ndescription = "d"\n'
STAGE = '[[stages]]\nat = "input"\npass = "cse"\n'
OPTION = "[options]\nx = 1\n"
# What stands in the manifest, line and column of what is wrong, words of the message, words of a note or hint.
ROWS = [
    ("", "1:1", "the manifest has no `name`", 'write `name = "…"`'),
    ('name = "p"\n' + STAGE, "1:1", "the manifest has no `description`", ""),
    ('name = "p"\ndescription = " "\n' + STAGE, "2:15", "`description` is empty", ""),
    (HEAD, "1:1", "plugin `p` contributes nothing", "`[[stages]]`, `[[targets]]`, `[libraries]` or `[tuning]`"),
    ("name = \n", "1:8", "the manifest is no TOML", ""),
    ('name = "p"\nname = "q"\n', "2:1", "the manifest is no TOML: duplicate key", ""),
    ("name = 3\n", "1:8", "`name` has to be a text, this is an integer", ""),
    ('name = "1p"\n', "1:8", "`1p` cannot be the name of a plugin", "begin with a letter"),
    ('name = "a b"\n', "1:8", "`a b` cannot be the name of a plugin", ""),
    (HEAD + 'safe = "yes"\n' + STAGE, "3:8", "`safe` has to be a boolean, this is a text", ""),
    (HEAD + "colour = 1\n" + STAGE, "3:1", "unknown key `colour` in the manifest", "it may have `name`, `description`"),
    (HEAD + "[[stage]]\n" + 'at = "input"\n', "3:3", "unknown key `stage` in the manifest", "did you mean `stages`?"),
    (HEAD + "[stages]\n", "3:1", "`stages` has to be a list of tables", "write `[[stages]]`"),
    (HEAD + "stages = [1]\n", "3:11", "a stage has to be a table, this is an integer", ""),
    (HEAD + '[[stages]]\npass = "cse"\n', "3:1", "a stage has no `at`", ""),
    (HEAD + '[[stages]]\nat = "inputs"\npass = "cse"\n', "4:6", "there is no hook `inputs`", "did you mean `input`?"),
    (
        HEAD + '[[stages]]\nat = "first"\npass = "cse"\n',
        "4:6",
        "there is no hook `first`",
        "hooks are `input`, `global`",
    ),
    (
        HEAD + '[[stages]]\nat = "input"\n',
        "3:1",
        "the stage has no `pass`, `transform`, `include` or `command`",
        "`pass`, `transform`, `include`, `command`",
    ),
    (
        HEAD + '[[stages]]\nat = "input"\npass = "cse"\ncommand = "cat"\n',
        "6:11",
        "a stage has `pass` or `command`, not both",
        "",
    ),
    (HEAD + '[[stages]]\nat = "input"\npass = ""\n', "5:8", "`pass` is empty", ""),
    (HEAD + '[[stages]]\nat = "input"\npas = "cse"\n', "5:1", "unknown key `pas` in a stage", "did you mean `pass`?"),
    (
        HEAD + '[[stages]]\nat = "input"\ncall = "f"\n',
        "5:8",
        "only plugins that are compiled in have functions to call",
        "`command` runs",
    ),
    (HEAD + STAGE + "bytecode = true\n", "6:12", "`bytecode` is for commands", ""),
    (HEAD + STAGE + 'timeout = "1s"\n', "6:11", "`timeout` is for commands, and for stages at `executable`", ""),
    (
        HEAD + '[[stages]]\nat = "object"\ncommand = "cat"\nbytecode = true\n',
        "6:12",
        "`bytecode` has no meaning for objects",
        "",
    ),
    (HEAD + STAGE + 'if = "x"\n', "6:6", "there is no option `x`", "`if` names an option of type `bool`"),
    (HEAD + OPTION + STAGE + 'if = "x"\n', "8:6", "option `x` is of type `int`, not `bool`", ""),
    (HEAD + OPTION + STAGE, "4:1", "option `x` is not used", "write `${x}` where its value belongs"),
    (HEAD + "options = 1\n" + STAGE, "3:11", "`options` has to be a table", "write `[options]`"),
    (HEAD + "[options]\n'1x' = 1\n" + STAGE, "4:1", "`1x` cannot be the name of an option", ""),
    (HEAD + "[options]\nfolder = 1\n" + STAGE, "4:1", "`folder` is the folder of the plugin", ""),
    (
        HEAD + "[options]\nx = 1979-05-27\n" + STAGE,
        "4:5",
        "an option cannot have this value",
        "numbers, booleans, strings and lists",
    ),
    (HEAD + "[options]\nx = {}\n" + STAGE, "4:5", "option `x` has neither a `type` nor a `default`", ""),
    (
        HEAD + '[options]\nx = {type = "text"}\n' + STAGE,
        "4:13",
        "unknown type `text`",
        "`bool`, `int`, `float`, `string`, `list`",
    ),
    (
        HEAD + '[options]\nx = {type = "int", default = "a"}\n' + STAGE,
        "4:30",
        "`a` is a string, and option `x` is of type `int`",
        "",
    ),
    (
        HEAD + "[options]\nx = {default = 1, values = [2, 3]}\n" + STAGE,
        "4:16",
        "`1` is not among the values of option `x`",
        "",
    ),
    (
        HEAD + '[options]\nx = {default = 1, values = ["a"]}\n' + STAGE,
        "4:28",
        "`a` is a string, and option `x` is of type `int`",
        "",
    ),
    (HEAD + '[options]\nx = {default = 1, unit = "s"}\n' + STAGE, "4:19", "unknown key `unit` in option `x`", ""),
    (
        HEAD + '[[stages]]\nat = "input"\npass = "cse{a=${y}}"\n',
        "5:15",
        "option `y` is not declared",
        "declare it with its default: `y = …` below `[options]`",
    ),
    (
        HEAD + '[[stages]]\nat = "input"\ncommand = "t \'${folder}/x\'"\n',
        "5:15",
        "`${folder}` stands in quotes",
        "leave out the quotes around it",
    ),
    (HEAD + '[[targets]]\ncommand = "c"\n', "3:1", "a target has no `name`", ""),
    (HEAD + '[[targets]]\nname = "t"\n', "3:1", "a target has no `command`", ""),
    (HEAD + '[[targets]]\nname = "cpu"\ncommand = "c"\n', "4:8", "`cpu` cannot be the name of a target", ""),
    (
        HEAD + '[[targets]]\nname = "t"\ncommand = "c"\n[[targets]]\nname = "t"\ncommand = "c"\n',
        "7:8",
        "target `t` is there twice",
        "",
    ),
    (
        HEAD + '[[targets]]\nname = "t"\ncommand = "c"\nworkgroups = 0\n',
        "6:14",
        "`workgroups` has to be a number above 0",
        "",
    ),
    (
        HEAD + '[[targets]]\nname = "t"\ncommand = "c"\nworkgroups = [1, 2, 3, 4]\n',
        "6:14",
        "`workgroups` has to be a number above 0",
        "x, y and z",
    ),
    (HEAD + '[libraries]\npasses = "a.so"\n', "4:10", "`passes` has to be a list of texts, this is a text", ""),
    (
        HEAD + '[libraries]\npasses = ["a.so"]\n',
        "4:11",
        "file `a.so` is not there",
        "it belongs in the folder of the plugin",
    ),
    (
        HEAD + '[libraries]\nkernels = ["a.so"]\n',
        "4:1",
        "unknown key `kernels` in `libraries`",
        "`passes`, `dialects`, `host`, `device`",
    ),
    (HEAD + '[tuning]\ncandidates = ["a.mlir"]\n', "4:15", "file `a.mlir` is not there", ""),
    (HEAD + '[tuning]\ncandidates = ["*.mlir"]\n', "4:15", "no file is named `*.mlir`", ""),
]
# What is only told when the plugin is used: its stages are read then.
LATER = [
    (
        HEAD + '[[stages]]\nat = "input"\npass = "canonicalise"\n',
        "5:9",
        "unknown pass `canonicalise`",
        "plugin `p` runs it at `input`",
    ),
    (HEAD + '[[stages]]\nat = "link"\npass = "cse{x=1}"\n', "5:13", "x", "plugin `p` runs it at `link`"),
    (HEAD + '[[stages]]\nat = "input"\nschedule = "none.mlir"\n', "5:13", "cannot read `none.mlir`", ""),
    (HEAD + '[[stages]]\nat = "input"\nschedule = "cse"\n', "5:13", "this is no file", ""),
    (HEAD + '[[stages]]\nat = "input"\ncommand = "cat"\ntimeout = "soon"\n', "6:12", "`soon` does not fit", ""),
]


def run(words):
    return subprocess.run(words, input=b"", capture_output=True, check=False, text=False)


def main():
    folder = os.path.join(sys.argv[1], "plugins")
    path = os.path.join(folder, "p", "plugin.toml")
    os.makedirs(os.path.dirname(path))
    bad = []
    for number, (text, place, message, more) in enumerate(ROWS + LATER):
        with open(path, "w") as f:
            f.write(text)
        flags = ["--plugin-path=" + folder]
        used = run(["hal-opt", "--plugin=p", *flags])
        said = used.stderr.decode()
        listed = run(["hal-opt", "--list-plugins", *flags])
        shown = listed.stdout.decode()
        later = number >= len(ROWS)
        good = [
            used.returncode in (1, 2, 3),
            f"{path}:{place}" in said,
            message in said,
            more in said,
            "budget (compiled in" in shown and listed.returncode == 0,
            later or (f"{path}:{place}" in shown and message in shown and "cannot be used" in shown),
        ]
        if not all(good):
            bad.append(f"{text}\n---- {place}: {message} ({more}) {good}\n{said}\n{shown}")
    print("\n\n".join(bad))
    print(f"{len(ROWS + LATER) - len(bad)} of {len(ROWS + LATER)}")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
