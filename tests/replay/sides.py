"""The two sides of a comparison: tools of a commit, of the tree, or of a folder."""

import functools
import hashlib
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass

TOOLS = ["hal-import", "hal-translate"]
# Tools of as many commits are kept.
KEPT = 4


class SideError(Exception):
    """Something without which there is nothing to compare."""


@dataclass(frozen=True)
class Side:
    """Tools in a folder, and what to call them."""

    folder: str
    name: str

    def tool(self, name):
        return os.path.join(self.folder, name)

    def fingerprint(self, name):
        """A hash of a tool: results of equal tools are equal."""
        return hash_of(self.tool(name))


@functools.cache
def hash_of(path):
    with open(path, "rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()[:20]


def folder_side(folder, name):
    """Tools that are built already."""
    for tool in TOOLS:
        if not os.access(os.path.join(folder, tool), os.X_OK):
            raise SideError(f"no {tool} in {folder}")
    return Side(os.path.abspath(folder), name)


def git(top, *words):
    done = subprocess.run(["git", "-C", top, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SideError(f"git {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout.strip()


def start_of_branch(top):
    """The newest commit that the branch shares with its upstream, which is HEAD without one."""
    for upstream in ["@{upstream}", "origin/HEAD", "origin/main"]:
        try:
            return git(top, "merge-base", "HEAD", upstream)
        except SideError:
            continue
    return "HEAD"


def cargo_build(tree, target):
    """Builds all tools of a tree, with cargo's words on standard error."""
    cargo = shutil.which("cargo") or os.path.expanduser("~/.cargo/bin/cargo")
    # All packages at once: fewer would be built with other features, and thus again.
    command = [
        cargo,
        "build",
        "--workspace",
        "--locked",
        "--quiet",
        f"--manifest-path={os.path.join(tree, 'Cargo.toml')}",
    ]
    # Cargo adds up the settings of all folders above the working directory, and a worktree lies within the tree: with
    # those of both, all packages would be built with other flags than those of the tree, and none could be taken over.
    command += ["--config", os.path.join(tree, ".cargo", "config.toml")]
    env = {**os.environ, "CARGO_TARGET_DIR": target}
    if toolchain := toolchain_of(tree):
        env["RUSTUP_TOOLCHAIN"] = toolchain
    if subprocess.run(command, cwd="/", env=env, stdout=sys.stderr, check=False).returncode:
        raise SideError(f"`{' '.join(command)}` failed")


def toolchain_of(tree):
    """The toolchain that rustup takes in a folder."""
    rustup = shutil.which("rustup") or os.path.expanduser("~/.cargo/bin/rustup")
    try:
        words = [rustup, "show", "active-toolchain"]
        return subprocess.run(words, cwd=tree, capture_output=True, text=True, check=True).stdout.split()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return None


def built_here(top, work):
    """The tools of the tree as it is now: copies, as the tree may be built again while they run."""
    target = os.environ.get("CARGO_TARGET_DIR", os.path.join(top, "target"))
    print("replay: building the tree", file=sys.stderr)
    cargo_build(top, target)
    tools = os.path.join(work, "tools", "tree")
    shutil.rmtree(tools, ignore_errors=True)
    keep(os.path.join(target, "debug"), tools)
    return folder_side(tools, "the tree")


def built_at(top, rev, work):
    """The tools of a commit, from a worktree that all commits share: what they have in common is compiled once."""
    commit = git(top, "rev-parse", "--verify", f"{rev}^{{commit}}")
    name = git(top, "log", "-1", "--format=%h (%s)", commit)
    tools = os.path.join(work, "tools", commit)
    if not os.path.isdir(tools):
        print(f"replay: building {name}; the first build takes minutes", file=sys.stderr)
        tree, target = os.path.join(work, "tree"), os.path.join(work, "build")
        check_out(top, tree, commit)
        seed(os.path.join(top, "target", "debug"), os.path.join(target, "debug"))
        cargo_build(tree, target)
        keep(os.path.join(target, "debug"), tools)
    os.utime(tools)
    return folder_side(tools, name)


def check_out(top, tree, commit):
    """Puts a commit into the worktree. Files that do not change keep their times, so cargo compiles only what differs."""
    if os.path.exists(os.path.join(tree, ".git")):
        try:
            git(tree, "checkout", "--quiet", "--force", "--detach", commit)
            return
        except SideError:
            shutil.rmtree(tree)
    git(top, "worktree", "prune")
    git(top, "worktree", "add", "--quiet", "--force", "--detach", tree, commit)


def seed(source, target):
    """Takes over what cargo compiled of other people's packages for the tree: they are the same, and most of the time."""
    if os.path.isdir(target):
        return
    for part in ["build", "deps", ".fingerprint"]:
        if not os.path.isdir(os.path.join(source, part)):
            continue
        ours = lambda folder, names, top=os.path.join(source, part): (
            [n for n in names if re.match(r"(lib)?hal(yard)?[-_]", n)] if folder == top else []
        )
        shutil.copytree(os.path.join(source, part), os.path.join(target, part), ignore=ours, symlinks=True)


def keep(source, tools):
    """Copies tools to where the next build does not overwrite them; those of the oldest commits go."""
    new = f"{tools}.new"
    shutil.rmtree(new, ignore_errors=True)
    os.makedirs(new)
    for tool in TOOLS:
        shutil.copy2(os.path.join(source, tool), new)
    os.rename(new, tools)
    parent = os.path.dirname(tools)
    others = sorted((os.path.join(parent, n) for n in os.listdir(parent)), key=os.path.getmtime, reverse=True)
    for old in others[KEPT:]:
        if old != tools:
            shutil.rmtree(old)
