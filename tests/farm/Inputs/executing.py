"""Runs a command while a server of the Remote Execution API is there: `executing.py [--spoil=HOW] FOLDER COMMAND…`.

The server executes in folders below FOLDER, on this machine, and keeps blobs there. `@SERVER@` in the command is its URL. FOLDER/log
says what it was asked. HOW is what it does to every execution whose number --every divides, the first one first, or with --first to
all of the first job; see `Server.execute` and `Server.spoilt`.
"""

import argparse
import concurrent.futures
import contextlib
import hashlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time

import grpc
import reapi

V2 = "build.bazel.remote.execution.v2"
# Where many tests run at once, the reply is often there before the stream is.
MOMENT = 0.05


def any_of(message, kind):
    return reapi.Any(type_url=f"type.googleapis.com/{kind}", value=message.SerializeToString())


class Job:
    """An execution: what it came to, as soon as it is over."""

    def __init__(self, number):
        self.name, self.number = f"operations/{number}", number
        self.over, self.process, self.response = threading.Event(), None, None

    def operation(self, response=None):
        if response is None:
            return reapi.Operation(name=self.name)
        return reapi.Operation(name=self.name, done=True, response=any_of(response, f"{V2}.ExecuteResponse"))


class Server:
    def __init__(self, args):
        self.args, self.folder = args, args.folder
        self.lock = threading.Lock()
        self.jobs, self.count, self.previous, self.first = {}, 0, None, None
        for name in ["cas", "run"]:
            (self.folder / name).mkdir(parents=True, exist_ok=True)

    def say(self, text):
        with self.lock, open(self.folder / "log", "a") as log:
            print(text, file=log)

    # Blobs.

    def path(self, digest):
        return self.folder / "cas" / digest.hash

    def has(self, digest):
        path = self.path(digest)
        return path.is_file() and path.stat().st_size == digest.size_bytes

    def keep(self, data):
        digest = reapi.Digest(hash=hashlib.sha256(data).hexdigest(), size_bytes=len(data))
        new = self.folder / "cas" / f"{digest.hash}.{threading.get_ident()}"
        new.write_bytes(data)
        new.chmod(0o755)
        new.replace(self.path(digest))
        return digest

    def blob(self, kind, digest):
        return kind.FromString(self.path(digest).read_bytes())

    def find_missing(self, request, context):
        return reapi.FindMissingBlobsResponse(missing_blob_digests=[d for d in request.blob_digests if not self.has(d)])

    def update(self, request, context):
        response = reapi.BatchUpdateBlobsResponse()
        if sum(len(one.data) for one in request.requests) > self.args.batch:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "too much for one message")
        for one in request.requests:
            right = self.keep(one.data) == one.digest
            response.responses.add(digest=one.digest, status=reapi.Status(code=0 if right else 3))
        return response

    def batch_read(self, request, context):
        response = reapi.BatchReadBlobsResponse()
        for digest in request.digests:
            data = self.path(digest).read_bytes() if self.has(digest) else b""
            if self.args.spoil == "blob" and self.count % self.args.every == 1 % self.args.every:
                data = data[:-9] + b"otherwise"
            status = reapi.Status(code=0 if self.has(digest) else 5)
            response.responses.add(digest=digest, data=data, status=status)
        return response

    def read(self, request, context):
        hash, size = request.resource_name.split("/")[-2:]
        digest = reapi.Digest(hash=hash, size_bytes=int(size))
        if not self.has(digest):
            context.abort(grpc.StatusCode.NOT_FOUND, "no such blob")
        with open(self.path(digest), "rb") as file:
            while piece := file.read(1 << 20):
                yield reapi.ReadResponse(data=piece)

    def write(self, requests, context):
        data, name = bytearray(), ""
        for request in requests:
            name = name or request.resource_name
            data += request.data
        self.say(f"large {name.split('/')[-1]}")
        if self.keep(bytes(data)).hash != name.split("/")[-2]:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "another hash")
        return reapi.WriteResponse(committed_size=len(data))

    # Executions.

    def capabilities(self, request, context):
        if request.instance_name != self.args.instance:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "no such instance")
        cache = reapi.CacheCapabilities(digest_functions=[1], max_batch_total_size_bytes=self.args.batch)
        if self.args.spoil == "cache-alone":
            return reapi.ServerCapabilities(cache_capabilities=cache)
        execution = reapi.ExecutionCapabilities(digest_function=1, exec_enabled=True)
        return reapi.ServerCapabilities(cache_capabilities=cache, execution_capabilities=execution)

    def lay_out(self, digest, folder):
        folder.mkdir(parents=True)
        directory = self.blob(reapi.Directory, digest)
        for file in directory.files:
            os.link(self.path(file.digest), folder / file.name)
        for below in directory.directories:
            self.lay_out(below.digest, folder / below.name)

    def perform(self, job, action):
        """Executes an action; what came out."""
        command = self.blob(reapi.Command, action.command_digest)
        folder = self.folder / "run" / str(job.number)
        shutil.rmtree(folder, ignore_errors=True)
        self.lay_out(action.input_root_digest, folder)
        where = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
        try:
            job.process = subprocess.Popen(command.arguments, env={"LC_ALL": "C"}, start_new_session=True, **where)
        except OSError as error:
            return reapi.ExecuteResponse(status=reapi.Status(code=3, message=str(error)))
        _, said = job.process.communicate()
        result = reapi.ActionResult(exit_code=job.process.returncode & 0xFF, stderr_raw=said)
        result.execution_metadata.worker = f"worker-{job.number % 2}"
        with contextlib.suppress(FileNotFoundError):
            data = (folder / command.output_paths[0]).read_bytes()
            result.output_files.add(path=command.output_paths[0], digest=self.keep(data))
        shutil.rmtree(folder, ignore_errors=True)
        return reapi.ExecuteResponse(result=result)

    def start(self, job, action):
        def work():
            job.response = self.perform(job, action)
            job.over.set()

        self.jobs[job.name] = job
        threading.Thread(target=work, daemon=True).start()

    def execute(self, request, context):
        with self.lock:
            number, self.count = self.count, self.count + 1
            self.first = self.first or request.action_digest.hash
        chosen = request.action_digest.hash == self.first if self.args.first else number % self.args.every == 0
        spoil = self.args.spoil if chosen else None
        self.say(f"execute {number} {spoil or ''}")
        if spoil == "unavailable":
            context.abort(grpc.StatusCode.UNAVAILABLE, "we are moving")
        if spoil == "busy":
            context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "all workers are busy")
        if spoil == "invalid":
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "the action is not to our taste")
        if spoil == "helper":
            self.kill_helper()
        action = self.blob(reapi.Action, request.action_digest)
        if spoil == "missing":
            self.path(action.command_digest).unlink(missing_ok=True)
        if spoil == "removed":
            # As servers do that do not look before they start.
            job = Job(number)
            for path in (self.folder / "cas").iterdir():
                path.unlink()
            yield job.operation()
            yield job.operation(reapi.ExecuteResponse(status=reapi.Status(code=13, message="a tree is not complete")))
            return
        absent = [d for d in [action.command_digest, action.input_root_digest] if not self.has(d)]
        if absent:
            failure = reapi.PreconditionFailure()
            for digest in absent:
                failure.violations.add(type="MISSING", subject=f"blobs/{digest.hash}/{digest.size_bytes}")
            status = reapi.Status(code=9, message="blobs are missing")
            status.details.append(any_of(failure, "google.rpc.PreconditionFailure"))
            context.set_trailing_metadata([("grpc-status-details-bin", status.SerializeToString())])
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, "blobs are missing")
        assert request.skip_cache_lookup and action.do_not_cache
        self.say("properties " + " ".join(f"{p.name}={p.value}" for p in action.platform.properties))
        job = Job(number)
        if spoil == "hang":
            self.jobs[job.name] = job
        else:
            self.start(job, action)
        yield job.operation()
        if spoil == "die":
            return
        if spoil == "forget":
            del self.jobs[job.name]
            context.abort(grpc.StatusCode.INTERNAL, "out of memory")
        if spoil == "restart":
            self.args.restart.set()
            time.sleep(60)
        if spoil == "wrong":
            yield reapi.Operation(name=job.name, done=True, response=reapi.Any(type_url="x", value=b"\xff\xff"))
            return
        yield from self.follow(job, context, spoil)

    def kill_helper(self):
        """Kills the process that talks to this server."""
        for line in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                words = line.read_bytes().split(b"\0")
                if b"execute" in words and f"grpc://127.0.0.1:{self.args.port}".encode() in words:
                    os.kill(int(line.parent.name), signal.SIGKILL)

    def wait(self, request, context):
        self.say(f"wait {request.name}")
        job = self.jobs.get(request.name)
        if job is None:
            context.abort(grpc.StatusCode.NOT_FOUND, "no such operation")
        yield job.operation()
        yield from self.follow(job, context, None)

    def follow(self, job, context, spoil):
        while not job.over.wait(MOMENT):
            if not context.is_active():
                return
        response = self.spoilt(job, spoil)
        yield job.operation(response)

    def spoilt(self, job, spoil):
        response = reapi.ExecuteResponse()
        response.CopyFrom(job.response)
        output = response.result.output_files[0] if response.result.output_files else None
        data = self.path(output.digest).read_bytes() if output else b""
        if spoil == "digest":
            output.digest.hash = hashlib.sha256(b"something else").hexdigest()
        elif spoil == "size":
            output.digest.size_bytes = 1 << 60
        elif spoil == "cut":
            output.digest.CopyFrom(self.keep(data[: len(data) // 2]))
        elif spoil == "damage":
            output.digest.CopyFrom(self.keep(data.replace(b"\1", b"\2")))
        elif spoil == "inline":
            output.contents = b"not what its hash says"
        elif spoil == "other":
            with self.lock:
                self.previous, before = data, self.previous
            output.digest.CopyFrom(self.keep(before if before is not None else b"nothing yet"))
        elif spoil == "no-reply":
            del response.result.output_files[:]
        elif spoil == "exit":
            response.result.exit_code = 137
            response.result.stderr_raw = b"Killed\n"
        elif spoil == "status":
            response.status.code, response.status.message = 4, "it took too long"
        elif spoil == "nothing":
            response = reapi.ExecuteResponse()
        return response

    def cancel(self, request, context):
        self.say(f"cancel {request.name}")
        job = self.jobs.get(request.name)
        if job is not None and job.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(job.process.pid, signal.SIGKILL)
        return reapi.Empty()

    def handlers(self):
        one = grpc.unary_unary_rpc_method_handler
        many = grpc.unary_stream_rpc_method_handler
        services = {
            f"{V2}.Capabilities": {"GetCapabilities": (one, self.capabilities, reapi.GetCapabilitiesRequest)},
            f"{V2}.ContentAddressableStorage": {
                "FindMissingBlobs": (one, self.find_missing, reapi.FindMissingBlobsRequest),
                "BatchUpdateBlobs": (one, self.update, reapi.BatchUpdateBlobsRequest),
                "BatchReadBlobs": (one, self.batch_read, reapi.BatchReadBlobsRequest),
            },
            "google.bytestream.ByteStream": {
                "Read": (many, self.read, reapi.ReadRequest),
                "Write": (grpc.stream_unary_rpc_method_handler, self.write, reapi.WriteRequest),
            },
            f"{V2}.Execution": {
                "Execute": (many, self.execute, reapi.ExecuteRequest),
                "WaitExecution": (many, self.wait, reapi.WaitExecutionRequest),
            },
            "google.longrunning.Operations": {"CancelOperation": (one, self.cancel, reapi.CancelOperationRequest)},
            f"{V2}.ActionCache": {
                "GetActionResult": (one, self.get_result, reapi.GetActionResultRequest),
                "UpdateActionResult": (one, self.update_result, reapi.UpdateActionResultRequest),
            },
        }
        for service, methods in services.items():
            made = {
                name: kind(
                    method, request_deserializer=message.FromString, response_serializer=lambda m: m.SerializeToString()
                )
                for name, (kind, method, message) in methods.items()
            }
            yield grpc.method_handlers_generic_handler(service, made)

    def get_result(self, request, context):
        path = self.folder / "cas" / f"action-{request.action_digest.hash}"
        if not path.is_file():
            context.abort(grpc.StatusCode.NOT_FOUND, "no such result")
        return reapi.ActionResult.FromString(path.read_bytes())

    def update_result(self, request, context):
        (self.folder / "cas" / f"action-{request.action_digest.hash}").write_bytes(
            request.action_result.SerializeToString()
        )
        return request.action_result


class Token(grpc.ServerInterceptor):
    def __init__(self, token):
        self.token = token

    def intercept_service(self, go_on, details):
        if ("authorization", f"Bearer {self.token}") in [(m.key, m.value) for m in details.invocation_metadata]:
            return go_on(details)
        refuse = lambda _, context: context.abort(grpc.StatusCode.UNAUTHENTICATED, "who are you?")  # noqa: E731
        return grpc.unary_unary_rpc_method_handler(refuse)


def listen(server, args, port):
    options = [("grpc.so_reuseport", 0), ("grpc.max_receive_message_length", 4 << 20)]
    options += [("grpc.max_concurrent_streams", args.streams)]
    pool = concurrent.futures.ThreadPoolExecutor(64)
    made = grpc.server(pool, options=options, interceptors=[Token(args.token)] if args.token else [])
    made.add_generic_rpc_handlers(tuple(server.handlers()))
    address = f"{args.host}:{port}"
    if args.tls:
        certificate, key = (pathlib.Path(name).read_bytes() for name in args.tls.split(","))
        port = made.add_secure_port(address, grpc.ssl_server_credentials([(key, certificate)]))
    else:
        port = made.add_insecure_port(address)
    made.start()
    return made, port


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--spoil")
    parser.add_argument("--every", type=int, default=3)
    parser.add_argument("--first", action="store_true")
    parser.add_argument("--instance", default="")
    parser.add_argument("--batch", type=int, default=4 << 20, help="bytes of blobs in one message")
    parser.add_argument("--streams", type=int, default=100, help="requests at once on a connection")
    parser.add_argument("--token")
    parser.add_argument("--tls", help="CERTIFICATE,KEY")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    args.folder = args.folder.absolute()
    args.restart = threading.Event()
    server = Server(args)
    made, port = listen(server, args, 0)
    args.port = port

    def restart():
        nonlocal made
        args.restart.wait()
        made.stop(0).wait()
        server.say("gone")
        # Another process would not know them.
        server.jobs = {}
        time.sleep(4)
        made, _ = listen(server, args, port)
        server.say("back")

    threading.Thread(target=restart, daemon=True).start()
    url = f"{'grpcs' if args.tls else 'grpc'}://{args.host}:{port}"
    url += f"/{args.instance}" if args.instance else ""
    process = subprocess.Popen([word.replace("@SERVER@", url) for word in args.command])
    code = process.wait()
    made.stop(0)
    left = [job for job in server.jobs.values() if job.process is not None and job.process.poll() is None]
    for job in left:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(job.process.pid, signal.SIGKILL)
    server.say(f"left {len(left)}")
    os._exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    sys.exit(main())
