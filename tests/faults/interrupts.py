#!/usr/bin/env python3
"""Calls that are interrupted, move a part, or would wait; files that go stale; standard streams that are closed or do not block.

    PATH=$PWD/target/debug:$PATH tests/faults/interrupts.py

- Half of all reads, writes, polls, waits and locks end with EINTR; reads and writes of files, pipes and sockets move a part: the tools must
  not notice.
- The N-th open, stat, read or map of a file fails with ESTALE, EIO, or ENOENT (removed in between): an error that says so.
- Standard streams: each of them closed, and pipes that do not block with a slow other end.
"""

import os
import random
import threading
import time

import harness

UNSEEN = ["read,write,pipe,wait:eintr", "read,write:short", "pipe:short"]
# What messages say of each error, SQLite and LLVM included. SQLite opens for reading what it cannot open for writing, and takes
# a single EIO for damage: when the tools look for the cause, the disk gives the file again.
DATABASE = (
    "disk I/O error|unable to open database|attempt to write a readonly database|disk image is malformed|error code="
)
SAYS = {
    "ESTALE": f"stale|{DATABASE}",
    "EIO": f"input/output error|{DATABASE}",
    "ENOENT": f"no such file|does not exist|there is no|cannot be found|not there|file exists|{DATABASE}",
}
ABSENT = "no such file|does not exist|there is no |cannot be found|not there"


def unseen(bench, args):
    for tool in bench.tools:
        for fault in UNSEEN:
            bench.reset(tool)
            result = bench.run(tool, fault)
            # Nothing but success will do; ld.lld gives up, with a message, where opening or writing its output is interrupted.
            codes = (4,) if "ld.lld" in result.text and "Interrupted system call" in result.text else ()
            bench.judge(tool, result, fault, codes=codes)


def stale(bench, args):
    rng = random.Random(args.seed)
    for tool in bench.tools:
        for calls in ["open", "stat", "read", "map"]:
            bench.reset(tool)
            total = bench.run(tool, f"{calls}:ESTALE:0").calls
            for n in harness.chosen(range(1, total + 1), args):
                error = rng.choice(["ESTALE", "EIO"] + ["ENOENT"] * (calls in ("open", "stat")))
                fault = f"{calls}:{error}:{n}"
                bench.reset(tool)
                # A scratch folder that cannot be looked at cannot be removed; the next run does it.
                bench.judge(
                    tool,
                    bench.run(tool, fault),
                    fault,
                    says=SAYS[error],
                    # What cannot be looked at is not absent.
                    never="" if error == "ENOENT" else ABSENT,
                    codes=(1, 3, 4),
                    scratch=calls not in ("open", "stat"),
                )


def closed(bench, args):
    for tool in bench.tools:
        for fds in [(0,), (1,), (2,), (0, 1), (1, 2), (0, 1, 2)]:
            bench.reset(tool)

            def before(fds=fds):
                for fd in fds:
                    os.close(fd)

            result = bench.run(tool, before=before)
            # Nobody hears a message that goes to a closed standard error.
            result.text += "closed" if 2 in fds else ""
            reads, writes = 0 in fds and tool.stdin, 1 in fds and "<stdout>" in tool.outputs
            bench.judge(tool, result, f"descriptors {fds} are closed", codes=(1, 3) if reads or writes else ())


def does_not_block(bench, args):
    """`hal-import < pipe | slow`, where neither pipe blocks, as some programs leave them behind."""
    for tool in (tool for tool in bench.tools if tool.stdin):
        bench.reset(tool)
        (in_r, in_w), (out_r, out_w) = os.pipe(), os.pipe()
        for fd in (in_r, out_w):
            os.set_blocking(fd, False)
        with open(bench.at("in", tool.stdin), "rb") as f:
            text = f.read()
        got = []

        def feed(fd=in_w, text=text):
            with open(fd, "wb", buffering=0) as pipe:
                for i in range(0, len(text), 1000):
                    time.sleep(0.01)
                    pipe.write(text[i : i + 1000])

        def drain(fd=out_r, got=got):
            time.sleep(1)
            with open(fd, "rb", buffering=0) as pipe:
                while piece := pipe.read(4096):
                    got.append(piece)
                    time.sleep(0.001)

        threads = [threading.Thread(target=f) for f in (feed, drain)]
        for thread in threads:
            thread.start()
        result = bench.run(tool, stdin=in_r, stdout=out_w)
        os.close(in_r)
        os.close(out_w)
        for thread in threads:
            thread.join()
        with open(bench.output("<stdout>"), "wb") as f:
            f.write(b"".join(got))
        bench.judge(tool, result, "standard streams that do not block", codes=())


PARTS = {"unseen": unseen, "stale": stale, "closed": closed, "blocking": does_not_block}


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("--part", choices=PARTS, action="append")
    args = parser.parse_args()
    bench = harness.Bench(args.only)
    for part in args.part or PARTS:
        PARTS[part](bench, args)
    bench.finish("interrupts", args)


if __name__ == "__main__":
    main()
