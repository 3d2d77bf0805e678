"""Where the tools are, and what they say."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .errors import Error, HalyardWarning, InputError, ResourceError, ToolError, UsageError

#: By exit code, as `hal-compile --help` lists them.
KINDS: dict[int, type[Error]] = {1: InputError, 2: UsageError, 3: ResourceError}


def find(tool: str) -> str:
    """The tool in HALYARD_TOOLS, in the package, or on PATH."""
    own = Path(__file__).parent / "_tools" / "bin"
    asked = os.environ.get("HALYARD_TOOLS")
    for folder in [asked] if asked else [own]:
        if (Path(folder) / tool).exists():
            return str(Path(folder) / tool)
    found = None if asked else shutil.which(tool)
    if found:
        return found
    where = f"`{asked}` (HALYARD_TOOLS)" if asked else "the package and on PATH"
    raise ResourceError(f"`{tool}` is not in {where}\nhint: HALYARD_TOOLS=FOLDER names the folder of the tools")


def run(tool: str, words: Sequence[str]) -> None:
    """Runs a tool: its errors become an exception, its warnings warnings."""
    command = [find(tool), "--message-format=json", *words]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    except OSError as e:
        raise ResourceError(f"cannot run `{command[0]}`: {e.strerror}") from e
    messages, rest = parsed(done.stderr.decode(errors="replace"))
    for message in messages:
        if message["severity"] == "warning":
            warnings.warn(shown(message), HalyardWarning, stacklevel=4)
    if done.returncode == 0:
        return
    if "error while loading shared libraries" in rest:
        raise ResourceError(
            f"`{tool}` does not start: {rest.strip()}\n"
            "note: the compiler uses the shared libraries of LLVM and MLIR 22, which are not in the package; "
            "loading and running programs does not need them\n"
            "hint: install them: on Debian and Ubuntu, `apt install libmlir-22 libllvm22 lld-22` (apt.llvm.org)"
        )
    errors = [m for m in messages if m["severity"] == "error"]
    text = "\n".join([*(shown(m) for m in errors), *([rest.strip()] if rest.strip() else [])])
    if done.returncode < 0:
        text = f"`{tool}` was ended by signal {-done.returncode}\n{text}".strip()
    error = KINDS.get(done.returncode, ToolError)(text or f"`{tool}` failed with exit code {done.returncode}")
    error.code = next((m["code"] for m in errors if m.get("code")), None)
    raise error


def parsed(text: str) -> tuple[list[dict[str, Any]], str]:
    """The messages in what a tool wrote, and the rest."""
    messages, rest = [], []
    for line in text.splitlines():
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        if isinstance(message, dict) and "severity" in message:
            messages.append(message)
        else:
            rest.append(line)
    return messages, "\n".join(rest)


def shown(message: dict[str, Any]) -> str:
    """A message with its place, facts and next steps."""
    place = message.get("place") or {}
    where = ":".join(str(place[k]) for k in ("file", "line", "column") if k in place)
    where = where or message.get("origin") or ""
    lines = [f"{where}: {message['message']}" if where else message["message"]]
    lines += [f"note: {note}" for note in message.get("notes", [])]
    lines += [f"hint: {hint}" for hint in message.get("hints", [])]
    return "\n".join(lines)
