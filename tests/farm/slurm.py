#!/usr/bin/env python3
"""Translates programs through Slurm: two nodes on this machine, killed in the middle of the work.

    PATH=$PWD/target/debug:$PATH tests/farm/slurm.py --executables=200

Starts a cluster of its own (Debian: slurm-wlm, munge; needs root), translates a program here and through `srun`, then kills
a node with its tasks, the daemon of a step, and tasks, while others run. Each time the output must be that of this machine,
byte for byte. Prints a line for each case; the exit code is 0 if all are right, 77 if there is no Slurm.
"""

import argparse
import filecmp
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Cluster:
    """Two nodes of Slurm below a folder."""

    def __init__(self, folder):
        self.folder = folder
        host = subprocess.run(["hostname", "-s"], capture_output=True, text=True).stdout.strip()
        for name in ["state", "spool.n1", "spool.n2", "log", "run", "munge"]:
            os.makedirs(f"{folder}/{name}")
        os.chmod(folder, 0o755)
        with open(f"{folder}/munge/key", "wb") as f:
            f.write(os.urandom(256))
        os.chmod(f"{folder}/munge", 0o700)
        os.chmod(f"{folder}/munge/key", 0o600)
        self.conf = f"{folder}/slurm.conf"
        nodes = "".join(
            f"NodeName={n} NodeHostname={host} NodeAddr=127.0.0.1 Port={free_port()} CPUs=2 RealMemory=4000\n"
            for n in ["n1", "n2"]
        )
        with open(self.conf, "w") as f:
            f.write(f"""ClusterName=hal
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmUser=root
AuthInfo=socket={folder}/run/munge.sock,cred_expire=10
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/run/slurmctld.pid
SlurmdPidFile={folder}/run/slurmd.%n.pid
SlurmctldLogFile={folder}/log/slurmctld
SlurmdLogFile={folder}/log/slurmd.%n
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SlurmdTimeout=10
UnkillableStepTimeout=5
{nodes}PartitionName=farm Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
""")
        os.environ["SLURM_CONF"] = self.conf
        munge = f"{folder}/munge"
        self.run(
            "munged",
            "--force",
            f"--key-file={munge}/key",
            f"--socket={folder}/run/munge.sock",
            f"--pid-file={folder}/run/munged.pid",
            f"--log-file={folder}/log/munged",
            f"--seed-file={munge}/seed",
        )
        self.run("slurmctld", "-c", "-f", self.conf)
        for node in ["n1", "n2"]:
            self.start(node)
        self.wait_idle()

    def run(self, *command):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def start(self, node):
        self.run("slurmd", "-N", node, "-f", self.conf)

    def wait_idle(self):
        """Waits for both nodes; ends what hangs, and brings nodes back that Slurm gave up."""
        for i in range(120):
            states = subprocess.run(["sinfo", "-h", "-N", "-o", "%T"], capture_output=True, text=True).stdout.split()
            if states == ["idle", "idle"]:
                return
            time.sleep(0.5)
            if i % 4 == 3:
                subprocess.run(["scancel", "--quiet", "--user=root"], capture_output=True)
                for node in ["n1", "n2"]:
                    subprocess.run(["scontrol", "update", f"NodeName={node}", "State=RESUME"], capture_output=True)
        sys.exit(f"the nodes of the cluster do not become idle: {states}")

    def pid(self, name):
        try:
            with open(f"{self.folder}/run/{name}.pid") as f:
                return int(f.read())
        except (OSError, ValueError):
            return None

    def ours(self):
        """Processes of this cluster: their numbers, command lines and nodes."""
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as f:
                    variables = dict(v.split(b"=", 1) for v in f.read().split(b"\0") if b"=" in v)
                with open(f"/proc/{pid}/cmdline", "rb") as f:
                    line = f.read().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if variables.get(b"SLURM_CONF", b"").decode() == self.conf:
                yield int(pid), line, variables.get(b"SLURMD_NODENAME", b"").decode()

    def tasks(self, node=None):
        return [pid for pid, line, n in self.ours() if "--remote-worker" in line and n and (node is None or n == node)]

    def steps(self, node):
        """The daemons of a node's steps: children of its slurmd."""
        return [
            pid for pid, line, _ in self.ours() if line.startswith("slurmstepd") and node_of_step(pid, self) == node
        ]

    def stop(self):
        for name in ["slurmd.n1", "slurmd.n2", "slurmctld", "munged"]:
            if pid := self.pid(name):
                end(pid, signal.SIGTERM)
        time.sleep(0.5)
        for pid, line, _ in list(self.ours()):
            if pid != os.getpid() and ("slurm" in line.split(" ")[0] or "--remote-worker" in line):
                end(pid, signal.SIGKILL)


def node_of_step(pid, cluster):
    """A step daemon's node, by its tasks."""
    for child, _, node in cluster.ours():
        try:
            with open(f"/proc/{child}/stat") as f:
                if int(f.read().rsplit(")", 1)[1].split()[1]) == pid:
                    return node
        except OSError:
            pass
    return None


def end(pid, how):
    try:
        os.kill(pid, how)
        return 1
    except ProcessLookupError:
        return 0


def translate(program, out, launcher, jobs):
    command = ["hal-translate", program, "--cache=off", "--emit=bytecode", "-o", out, f"--time-json={out}.json"]
    if launcher:
        command += [f"--launcher={launcher}", f"--launcher-jobs={jobs}"]
    return command


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--executables", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=4, help="jobs at once")
    args = parser.parse_args()
    missing = [t for t in ["slurmctld", "slurmd", "srun", "munged"] if not shutil.which(t)]
    if missing or os.geteuid() != 0:
        print(f"skipped: no {', '.join(missing)}" if missing else "skipped: a cluster is started by root")
        sys.exit(77)
    folder = tempfile.mkdtemp(prefix="halyard-farm")
    cluster = None
    wrong = 0
    try:
        cluster = Cluster(folder)
        program, here = f"{folder}/p", f"{folder}/here"
        with open(f"{folder}/m.mlir", "w") as f:
            subprocess.run([sys.executable, f"{HERE}/Inputs/many.py", str(args.executables)], stdout=f, check=True)
        subprocess.run(["hal-import", f"{folder}/m.mlir", "--emit=bytecode", "-o", program], check=True)
        start = time.monotonic()
        subprocess.run(translate(program, here, None, 0), check=True)
        print(f"here: {args.executables} executables in {time.monotonic() - start:.1f} s")

        def tasks(node):
            return lambda: sum(end(pid, signal.SIGKILL) for pid in cluster.tasks(node))

        def whole_node():
            victims = cluster.steps("n2") + cluster.tasks("n2")
            if not victims:
                return 0
            victims.insert(0, cluster.pid("slurmd.n2"))
            return sum(end(pid, signal.SIGKILL) for pid in victims)

        def step():
            return sum(end(pid, signal.SIGKILL) for pid in cluster.steps("n1")[:1])

        cases = [
            ("nothing is killed", None),
            ("tasks are killed", tasks(None)),
            ("the daemon of a step is killed", step),
            ("a node is killed with its steps and tasks", whole_node),
        ]
        for i, (what, kill) in enumerate(cases):
            out = f"{folder}/out{i}"
            start = time.monotonic()
            child = subprocess.Popen(
                translate(program, out, "srun -Q -n1", args.jobs), stderr=subprocess.PIPE, text=True
            )
            killed = 0
            while kill and not killed and child.poll() is None:
                time.sleep(0.05)
                if time.monotonic() - start > 0.6:
                    killed = kill()
            _, said = child.communicate(timeout=900)
            took = time.monotonic() - start
            same = child.returncode == 0 and filecmp.cmp(out, here, shallow=False)
            wrong += not same or (kill is not None and not killed)
            line = f"{what}: {'the same bytes' if same else 'WRONG'} in {took:.1f} s, exit code {child.returncode}"
            if os.path.exists(out + ".json"):
                with open(out + ".json") as f:
                    launches = json.load(f)["launches"]
                hosts = {}
                for job in launches:
                    hosts[job["host"] or "lost"] = hosts.get(job["host"] or "lost", 0) + len(job["executables"])
                line += f"; {len(launches)} jobs: " + ", ".join(
                    f"{n} on {h}" if h != "lost" else f"{n} lost" for h, n in sorted(hosts.items())
                )
            if kill:
                line += f"; {killed} processes killed"
            print(line)
            if said:
                print("  " + said.strip().replace("\n", "\n  "))
            if kill and cluster.pid("slurmd.n2") and not os.path.exists(f"/proc/{cluster.pid('slurmd.n2')}"):
                cluster.start("n2")
            cluster.wait_idle()
        left = [line for _, line, node in cluster.ours() if "--remote-worker" in line]
        print(f"workers left: {len(left)}")
        wrong += bool(left)
    finally:
        if cluster:
            cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
