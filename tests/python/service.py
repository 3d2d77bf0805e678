#!/usr/bin/env python3
"""An HTTP service over one program: eight client threads, requests of any size, joined to batches.

    service.py [--seconds 300] [--lib target/debug]

Every answer is compared with numpy. Exit code 1 if an answer is wrong, if a request fails, if memory grows by more than
8 MB after the first tenth of the time, or if a call takes 20 µs of CPU time more than by the C API (--lib has libhalyard.so; clang
compiles the program that calls it)."""

import argparse
import http.client
import http.server
import pathlib
import queue
import subprocess
import sys
import tempfile
import threading
import time

import halyard
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "Inputs"))
from programs import ADD  # noqa: E402

CLIENTS, MOST_ROWS, WAIT = 8, 64, 0.001


class Batches:
    """Joins requests that wait into one call; several threads call."""

    def __init__(self, program, workers):
        self.program, self.waiting, self.sizes = program, queue.SimpleQueue(), []
        for _ in range(workers):
            threading.Thread(target=self.work, daemon=True).start()

    def ask(self, rows):
        answer = queue.SimpleQueue()
        self.waiting.put((rows, answer))
        found = answer.get()
        if isinstance(found, Exception):
            raise found
        return found

    def work(self):
        y = np.float32([1, 2, 3, 4])
        while True:
            batch, end = [self.waiting.get()], time.monotonic() + WAIT
            while len(batch) < CLIENTS:
                try:
                    batch.append(self.waiting.get(timeout=max(0, end - time.monotonic())))
                except queue.Empty:
                    break
            try:
                result = self.program(np.concatenate([rows for rows, _ in batch]), y)
                self.sizes.append(len(batch))
            except Exception as e:
                [answer.put(e) for _, answer in batch]
                continue
            start = 0
            for rows, answer in batch:
                answer.put(result[start : start + len(rows)])
                start += len(rows)


def serve(batches):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            try:
                answer, status = batches.ask(np.frombuffer(body, np.float32).reshape(-1, 4)).tobytes(), 200
            except Exception as e:
                answer, status = str(e).encode(), 500
            self.send_response(status)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def client(port, seed, end, counts, wrong):
    rng, connection = np.random.default_rng(seed), http.client.HTTPConnection("127.0.0.1", port)
    while time.monotonic() < end:
        x = rng.standard_normal((rng.integers(1, MOST_ROWS + 1), 4)).astype(np.float32)
        connection.request("POST", "/", x.tobytes())
        response = connection.getresponse()
        body = response.read()
        if response.status != 200:
            wrong.append(body.decode())
        elif not np.array_equal(np.frombuffer(body, np.float32).reshape(-1, 4), x + np.float32([1, 2, 3, 4])):
            wrong.append("another answer than numpy's")
        counts[seed] += 1


def resident():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4096


def overhead(path, lib):
    """Microseconds of CPU time a call by the C API and by Python, the least of several runs."""
    program = halyard.load(path, threads=1)
    with tempfile.TemporaryDirectory() as folder:
        include = HERE.parents[1] / "common" / "runtime" / "include"
        sources = [HERE / "Inputs" / "overhead.c", f"-I{include}"]
        subprocess.run(
            ["clang", "-O2", *sources, f"-L{lib}", "-lhalyard", f"-Wl,-rpath,{lib}", "-o", f"{folder}/a"], check=True
        )
        c, python = [], []
        x, y = np.zeros((8, 4), np.float32), np.zeros(4, np.float32)
        for _ in range(7):
            done = subprocess.run([f"{folder}/a", path, "8", "20000"], capture_output=True, text=True, check=True)
            c.append(float(done.stdout) / 1e3)
            start = time.thread_time()
            for _ in range(20000):
                program(x, y)
            python.append((time.thread_time() - start) / 20000 * 1e6)
    return min(c), min(python)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--lib", type=pathlib.Path, help="the folder of libhalyard.so, to compare with the C API")
    options = parser.parse_args()
    program = halyard.compile(ADD, threads=1)
    bad = []
    if options.lib:
        c, python = overhead(program.path, options.lib.resolve())
        print(f"a call takes {c:.1f} µs of CPU time by the C API, {python:.1f} µs in Python: {python - c:.1f} µs more")
        bad += ["calls take too long"] if python - c > 20 else []
    batches = Batches(program, 2)
    port = serve(batches)
    counts, wrong = [0] * CLIENTS, []
    begin = time.monotonic()
    end = begin + options.seconds
    clients = [threading.Thread(target=client, args=(port, i, end, counts, wrong)) for i in range(CLIENTS)]
    [c.start() for c in clients]
    time.sleep(options.seconds / 10)
    first = resident()
    [c.join() for c in clients]
    grown = resident() - first
    bad += [f"{len(wrong)} requests failed: {wrong[0]}"] if wrong else []
    bad += [f"memory grew by {grown >> 10} KB"] if grown > 8 << 20 else []
    print(f"{sum(counts)} requests in {options.seconds:g} s by {CLIENTS} threads, {np.mean(batches.sizes):.1f} a call")
    print(f"memory: {first >> 10} KB, and {grown >> 10} KB more at the end")
    print("; ".join(bad) or "no error")
    return 1 if bad else 0


sys.exit(main())
