"""The command line of scripts/replay."""

import argparse
import fcntl
import os
import re
import sys
import time

from cache import Cache
from corpus import TARGETS, from_files, programs
from report import Report
from sides import Side, SideError, built_at, built_here, folder_side, start_of_branch
from work import compare_all

TOP = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


def arguments(doc):
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rev", nargs="?", metavar="REV", help="a commit [default: where the branch began, else HEAD]")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count(), metavar="N", help="programs at once [default: one per CPU]")  # fmt: skip
    parser.add_argument("--only", type=re.compile, metavar="REGEX", help="only programs whose name matches")
    parser.add_argument("--target", action="append", choices=TARGETS, help="only these targets; repeatable")
    parser.add_argument(
        "--full", action="store_true", help="every program for every target, and more programs; takes an hour"
    )
    parser.add_argument(
        "--all", action="store_true", help="print a diff for each kernel that changed, not only the first"
    )
    parser.add_argument("--no-import", action="store_true", help="do not ask whether hal-import changed")
    parser.add_argument(
        "--list", action="store_true", help="print the names of the programs with their targets, and stop"
    )
    parser.add_argument(
        "--tools", metavar="FOLDER", help="take tools that are built already in the place of those of REV"
    )
    parser.add_argument("--new-tools", metavar="FOLDER", help="take tools that are built already in the place of those of the tree")  # fmt: skip
    parser.add_argument(
        "--input", action="append", metavar="FILE", help="replay FILE in the place of the corpus; repeatable"
    )
    parser.add_argument(
        "--work", metavar="FOLDER", help="where builds, programs and results are kept [default: target/replay]"
    )
    a = parser.parse_args()
    if a.tools and a.rev:
        parser.error("REV and --tools both say what to compare with: give one of them")
    if a.jobs < 1:
        parser.error(f"--jobs={a.jobs}: at least one program at once")
    return a


def sides(a, work) -> tuple[Side, Side]:
    """The tools to compare with, and those of the tree. The tree's are built first: what does not compile is known at once."""
    new = folder_side(a.new_tools, "the tools in " + a.new_tools) if a.new_tools else built_here(TOP, work)
    if a.tools:
        return folder_side(a.tools, "the tools in " + a.tools), new
    return built_at(TOP, a.rev or start_of_branch(TOP), work), new


def main(doc):
    a = arguments(doc)
    # Below `target`, which cargo makes and git ignores.
    work = os.path.abspath(a.work or os.path.join(TOP, "target", "replay"))
    os.makedirs(work, exist_ok=True)
    families = a.target or list(TARGETS)
    lock = open(os.path.join(work, "lock"), "w")  # held until the process ends
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print(f"replay: waiting for another one that works in {work}", file=sys.stderr)
        fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        chosen = from_files(a.input, families) if a.input else programs(TOP, work, families, a.full)
        chosen = [p for p in chosen if not a.only or a.only.search(p.name)]
        if not chosen:
            raise SideError("no program has such a name; --list prints all")
        if a.list:
            print("\n".join(f"{p.name}  {' '.join(p.targets)}" for p in chosen))
            return 0
        old, new = sides(a, work)
        start = time.monotonic()
        report = Report(old, new, os.path.join(work, "differences"))
        compare_all(chosen, old, new, Cache(work), report, a.jobs, not a.no_import)
        print(f"replay: {len(chosen)} programs in {time.monotonic() - start:.0f} s", file=sys.stderr)
        return report.finish(a.all)
    except SideError as e:
        print(f"replay: error: {e}", file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        return 130
