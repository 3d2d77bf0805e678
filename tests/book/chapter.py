"""Does what a reader of a chapter does: chapter.py CHAPTER.md FOLDER [--write-only]

Works through the fenced blocks of a chapter in order, in the empty FOLDER, and fails at the first one that is no longer true:

    ```c file=NAME     writes the file
    ```sh              runs the commands, with `set -e`; the working directory is FOLDER for each block
    ```sh skip=WHY     is not run: it installs something, or needs a device
    ```text            what the block before printed: its lines, in order. `…` stands for anything, a number with a
                       decimal point for any such number, a time for any time

With --write-only it writes the files, and runs nothing. A chapter without a command that runs is an error.
"""

import os
import re
import subprocess
import sys

FENCE = re.compile(r"^( *)```(.*)$")
NUMBER = r"[\d.]*\d"
TIME = re.compile(r"\d+(\.\d+)? (ns|µs|ms|s)\b")


def blocks(text):
    """The fenced blocks: their line, language, `key=value` words, and lines."""
    inside = None
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if fence and inside is None:
            words = fence[2].split(" ")
            more = dict(word.split("=", 1) for word in words[1:] if "=" in word)
            inside = (number, words[0], more, [], len(fence[1]))
        elif fence:
            yield inside[:4]
            inside = None
        elif inside is not None:
            inside[3].append(line[inside[4] :])
    if inside is not None:
        sys.exit(f"line {inside[0]}: this block does not end")


def pattern(line):
    """What a line of expected output stands for."""
    parts = []
    for part in line.split("…"):
        marked = TIME.sub("\0", part)
        marked = re.sub(r"\d+\.\d+", "\1", marked)
        escaped = re.sub(r"(\\ )+", r"\\s+", re.escape(marked.strip()))
        parts.append(escaped.replace("\0", NUMBER + r"\s+(?:ns|µs|ms|s)").replace("\1", NUMBER))
    return ".*".join(parts)


def first_missing(expected, output):
    """The first expected line that the output does not have, after those before it."""
    lines = iter(output.splitlines())
    for line in expected:
        if line.strip() in ("", "…"):
            continue
        wanted = re.compile(pattern(line))
        if not any(wanted.search(printed) for printed in lines):
            return line
    return None


def main(chapter, folder, write_only):
    with open(chapter, encoding="utf-8") as file:
        text = file.read()
    os.makedirs(folder, exist_ok=True)
    ran, output = 0, None
    for number, language, more, lines in blocks(text):
        here = f"{chapter}:{number}"
        if unknown := set(more) - {"file", "skip"}:
            sys.exit(f"{here}: unknown word `{unknown.pop()}=`")
        if "file" in more:
            with open(os.path.join(folder, more["file"]), "w", encoding="utf-8") as file:
                file.write("\n".join(lines) + "\n")
        elif write_only:
            continue
        elif language == "sh":
            output = None
            if "skip" in more:
                continue
            command = "set -eu\n" + "\n".join(lines)
            done = subprocess.run(
                ["bash", "-c", command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
            )
            print(f"# {here}\n{command}\n{done.stdout}", flush=True)
            if done.returncode:
                sys.exit(f"{here}: exit code {done.returncode}")
            ran, output = ran + 1, done.stdout
        elif language == "text" and output is not None:
            missing = first_missing(lines, output)
            if missing is not None:
                sys.exit(f"{here}: the commands before did not print `{missing}`")
    if not (ran or write_only):
        sys.exit(f"{chapter}: no command was run")
    print(f"{ran} blocks ran")


if __name__ == "__main__":
    arguments = [a for a in sys.argv[1:] if a != "--write-only"]
    if len(arguments) != 2:
        sys.exit(__doc__)
    main(*arguments, write_only="--write-only" in sys.argv)
