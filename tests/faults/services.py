"""Servers that tools use and that harnesses kill: a shared store, and one of the Remote Execution API."""

import os
import signal
import subprocess
import sys
import time

import harness

HERE = os.path.dirname(os.path.abspath(__file__))


class Service:
    """A server in a process of its own, with files in a folder that outlive it; `script` runs a command while it is there."""

    def __init__(self, folder, script, *words):
        self.folder, self.words, self.starts = folder, [sys.executable, os.path.join(HERE, "..", script), *words], 0
        os.makedirs(folder, exist_ok=True)
        self.process = None
        self.ready()

    def at(self, name):
        return os.path.join(self.folder, name)

    def ready(self):
        """Its address; a dead one is started again."""
        if self.process is None or self.process.poll() is not None:
            self.stop()
            self.starts += 1
            self.mark = f"FAULT_SERVICE={os.getpid()}-{os.path.basename(self.folder)}-{self.starts}-"
            key, value = self.mark.split("=")
            # It stays as long as its command reads what nobody writes.
            command = [*self.words, "sh", "-c", f"echo @SERVER@ $HALYARD_CACHE_REMOTE > {self.at('url')}; exec cat"]
            with open(self.at("errors"), "w") as errors:
                self.process = subprocess.Popen(
                    command, stdin=subprocess.PIPE, stderr=errors, env=dict(os.environ, **{key: value})
                )
            for _ in range(600):
                if os.path.exists(self.at("url")) and self.url():
                    break
                if self.process.poll() is not None:
                    raise SystemExit(f"{self.words} does not start; see {self.at('errors')}")
                time.sleep(0.05)
        return self.url()

    def url(self):
        with open(self.at("url")) as f:
            return (f.read().replace("@SERVER@", "").split() or [""])[0]

    def victims(self):
        """The server, and what works for it."""
        own = [self.process.pid]
        for pid in harness.processes(self.mark):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as f:
                    own += [pid] * (b"--remote-worker" in f.read())
            except OSError:
                pass
        return own

    def stop(self):
        if self.process is None:
            return
        self.process.stdin.close()
        for pid in harness.processes(self.mark):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()
        if os.path.exists(self.at("url")):
            os.remove(self.at("url"))
