"""A shared store that damages its answers: `poisoned.py PROGRAM [--answers=N] [--seed=S] [--first=RUN]`.

Each run translates PROGRAM with an empty folder and such a store. The run must end well, give the bytes of a translation without
a cache, take from the store exactly the entries that it gave undamaged, and name every damaged answer with `-v`. Runs go on until
N answers were damaged; a line for each kind of damage says how many.
"""

import argparse
import collections
import hashlib
import http.server
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import threading
import time

# Damage of the result under a key, and of the blob that it names.
RESULTS = ["swapped result", "result without an end", "wrong size", "page in place of a result", "empty result"]
BLOBS = [
    "bit flipped", "bit flipped, hash mended", "truncated", "swapped blob", "longer", "newer version",
    "truncated, hash mended", "foreign blob, hash mended",
]  # fmt: skip
# These hold up a request or end its connection.
SLOW = ["hangs", "slow loris", "endless body"]
BROKEN = ["status 500", "redirected", "nonsense", "closed", "length too long", "length too large"]


def varint(n):
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def field(number, payload):
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def result_of(blob, size=None):
    """An ActionResult with one output file, `entry`."""
    digest = field(1, hashlib.sha256(blob).hexdigest().encode()) + b"\x10" + varint(len(blob) if size is None else size)
    return field(2, field(1, b"entry") + field(2, digest))


class Store(http.server.ThreadingHTTPServer):
    """Keeps what is put, and damages what is got while `share` is above 0."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answers)
        self.files, self.lock = {}, threading.Lock()
        self.share, self.rng, self.kinds = 0.0, random.Random(0), []
        # By key: the damage of this run; blobs that stand for others.
        self.damaged, self.sound, self.blobs = {}, set(), {}

    def handle_error(self, request, client_address):
        pass

    def address(self):
        return f"http://127.0.0.1:{self.server_port}"

    def start_run(self, seed, share, kinds):
        with self.lock:
            self.rng, self.share, self.kinds = random.Random(seed), share, kinds
            self.damaged, self.sound, self.blobs = {}, set(), {}

    def blob_of(self, key):
        """The entry of a key, by the result that was put under it."""
        result = self.files[f"/ac/{key}"]
        return self.files["/cas/" + re.search(rb"[0-9a-f]{64}", result).group().decode()]

    def other(self, key):
        return self.rng.choice(
            [k for k in (f.removeprefix("/ac/") for f in sorted(self.files) if f.startswith("/ac/")) if k != key]
        )

    def result(self, key):
        """What the store says under a key, and what it does with it."""
        with self.lock:
            if self.rng.random() >= self.share:
                self.sound.add(key)
                return "sound", self.files[f"/ac/{key}"]
            kind = self.rng.choice(self.kinds)
            self.damaged[key] = kind
            blob, other = self.blob_of(key), self.blob_of(self.other(key))
            at = self.rng.randrange(len(blob))
            flipped = blob[:at] + bytes([blob[at] ^ 1 << self.rng.randrange(8)]) + blob[at + 1 :]
            match kind:
                case "swapped result":
                    return kind, result_of(other)
                case "result without an end":
                    return kind, self.files[f"/ac/{key}"][:-3]
                case "wrong size":
                    return kind, result_of(blob, len(blob) + self.rng.choice([-1, 1, 1000, 1 << 40]))
                case "page in place of a result":
                    return kind, b"<html><body>Please log in.</body></html>"
                case "empty result":
                    return kind, b""
                case "bit flipped, hash mended":
                    self.blobs[hashlib.sha256(flipped).hexdigest()] = flipped
                    return kind, result_of(flipped)
                case "truncated, hash mended":
                    self.blobs[hashlib.sha256(blob[:at]).hexdigest()] = blob[:at]
                    return kind, result_of(blob[:at])
                case "newer version":
                    newer = blob.replace(b"halyard-object 1", b"halyard-object 2", 1)
                    self.blobs[hashlib.sha256(newer).hexdigest()] = newer
                    return kind, result_of(newer)
                case "foreign blob, hash mended":
                    foreign = self.rng.randbytes(self.rng.randrange(3000))
                    self.blobs[hashlib.sha256(foreign).hexdigest()] = foreign
                    return kind, result_of(foreign)
            named = hashlib.sha256(blob).hexdigest()
            match kind:
                case "bit flipped":
                    self.blobs[named] = flipped
                case "truncated":
                    self.blobs[named] = blob[:at]
                case "swapped blob":
                    self.blobs[named] = other
                case "longer":
                    self.blobs[named] = blob + b"x"
                case _:
                    return kind, self.files[f"/ac/{key}"]
            return kind, self.files[f"/ac/{key}"]


class Answers(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def do_PUT(self):
        self.server.files[self.path] = self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(201)

    def do_GET(self):
        path, server = self.path, self.server
        if path.startswith("/cas/"):
            body = server.blobs.get(path.removeprefix("/cas/"), server.files.get(path))
            return self.answer(404) if body is None else self.answer(200, body)
        if path not in server.files:
            return self.answer(404)
        kind, body = server.result(path.removeprefix("/ac/")) if server.share else ("sound", server.files[path])
        self.damage(kind, body)

    def damage(self, kind, body):
        match kind:
            case "hangs":
                time.sleep(3)
                self.close_connection = True
            case "slow loris":
                self.close_connection = True
                self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
                for _ in range(100):
                    self.wfile.write(b"x")
                    time.sleep(0.05)
            case "endless body":
                self.close_connection = True
                self.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                while True:
                    self.wfile.write(b"1000\r\n" + b"x" * 4096 + b"\r\n")
            case "status 500":
                self.answer(500, b"oh")
            case "redirected":
                self.answer(302, Location="http://127.0.0.1:1/elsewhere")
            case "nonsense":
                self.close_connection = True
                self.wfile.write(b"\x00\xff\x00 nonsense\r\n\r\n")
            case "closed":
                self.close_connection = True
            case "length too long":
                self.close_connection = True
                self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n" + body)
            case "length too large":
                self.close_connection = True
                self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n" + body)
            case _:
                self.answer(200, body)

    def log_message(self, *_):
        pass


def translate(program, folder, *flags):
    """Translates; the output, which executables were cached, what was said."""
    out, times = folder / "out", folder / "times.json"
    command = ["hal-translate", program, "-o", out, f"--time-json={times}", *flags]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{command} ended with {done.returncode}:\n{done.stderr}"
    cached = [e["cached"] for e in json.loads(times.read_text())["executables"]]
    return out.read_bytes(), sum(cached), done.stderr


def report(counts, runs, entries):
    """Also of runs before one that failed, or before an interruption."""
    for kind, count in sorted(counts.items()):
        print(f"{count:6} {kind}")
    print(
        f"{sum(counts.values()):6} damaged answers in {runs} runs of {entries} executables, all named, no byte changed",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--answers", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first run, to repeat one that failed")
    parser.add_argument("--share", type=float, default=0.8, help="of the answers that are damaged")
    args = parser.parse_args()
    store = Store()
    threading.Thread(target=store.serve_forever, daemon=True).start()
    counts, runs, start = collections.Counter(), args.first, time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        reference, _, _ = translate(args.program, folder, "--cache=off")
        flags = [f"--cache={folder}/fill", f"--cache-remote={store.address()}"]
        assert translate(args.program, folder, *flags)[0] == reference
        entries = sum(name.startswith("/ac/") for name in store.files)
        try:
            while sum(counts.values()) < args.answers:
                # Wrong answers cost a round trip. Those that hold up or break connections end the questions after some in a row,
                # so that they come one kind at a time.
                rng = random.Random(args.seed * 1_000_003 + runs)
                quick = runs % 4 != 3
                kinds = RESULTS + BLOBS if quick else [rng.choice(SLOW + BROKEN)]
                store.start_run(rng.random(), args.share if quick else 0.3, kinds)
                # A sound answer that is late on a busy machine would count as damaged.
                remote = f"--cache-remote={store.address()}?mode=read&timeout={5 if quick else 0.4}"
                out, cached, said = translate(args.program, folder, f"--cache={folder}/run{runs}", remote, "-v")
                place = f"run {runs}, seed {args.seed}"
                assert out == reference, f"{place}: other bytes"
                named = set(re.findall(r"entry ([0-9a-f]{16}): ", said))
                unnamed = {key: kind for key, kind in store.damaged.items() if key[:16] not in named}
                assert not unnamed, f"{place}: not named: {unnamed}\n{said}"
                assert said.count("warning[shared-store]") == (1 if named else 0), f"{place}: {said}"
                if quick:
                    assert len(store.damaged) + len(store.sound) == entries, place
                    assert len(named) == len(store.damaged) and cached == len(store.sound), f"{place}: {cached} taken"
                counts.update(store.damaged.values())
                runs += 1
                for file in (folder / f"run{runs - 1}").iterdir():
                    file.unlink()
        finally:
            report(counts, runs - args.first, entries)
    print(f"seed {args.seed}, {time.monotonic() - start:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
