#!/usr/bin/env python3
"""Runs the numerical tests on another architecture, in qemu: cross-builds hal-run, compiles each program here for the other machine, runs it
there, and compares with numpy. `programs.py aarch64 --families=matmul,conv`. Takes some minutes of building, then minutes for each family.
"""

import argparse
import glob
import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
top = os.path.dirname(os.path.dirname(here))
MACHINES = {
    "aarch64": ("aarch64-unknown-linux-gnu", "aarch64-linux-gnu", "cpu:neoverse-n1@aarch64-linux-gnu"),
    "riscv64": ("riscv64gc-unknown-linux-gnu", "riscv64-linux-gnu", "cpu:@riscv64-linux-gnu"),
}


def build(rust, gnu, profile):
    """The folder with hal-run for the machine."""
    target = os.path.join(os.environ.get("CARGO_TARGET_DIR", os.path.join(top, "target")), "cross")
    linker = f"CARGO_TARGET_{rust.upper().replace('-', '_')}_LINKER"
    environment = {**os.environ, "CARGO_TARGET_DIR": target, linker: os.environ.get(linker, f"{gnu}-gcc")}
    command = ["cargo", "build", "--locked", "-p", "hal-run", f"--target={rust}", f"--profile={profile}"]
    subprocess.run(command, cwd=top, env=environment, check=True)
    return os.path.join(target, rust, "debug" if profile == "dev" else profile)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("machine", choices=MACHINES)
    p.add_argument("--families", default="", help="of tests/numerics, with commas between (default: all)")
    p.add_argument("--filter", default="", help="only cases whose name contains this")
    p.add_argument("--target", help="another target for the programs, as for hal-translate")
    p.add_argument("--cpu", default="max", help="the processor that qemu emulates (default %(default)s)")
    p.add_argument("--profile", default="dev", help="how hal-run is built (default %(default)s)")
    p.add_argument("-O", "--opt-level", default="3", help="as for hal-translate (default %(default)s)")
    p.add_argument("-j", "--jobs", default="1", help="modules at once (default %(default)s)")
    a = p.parse_args()
    rust, gnu, target = MACHINES[a.machine]
    numerics = os.path.join(top, "tests", "numerics")
    known = {os.path.basename(f)[:-3] for f in glob.glob(f"{numerics}/*.py")} - {"harness", "text"}
    families = a.families.split(",") if a.families else sorted(known)
    if unknown := set(families) - known:
        sys.exit(f"there is no family {', '.join(sorted(unknown))}: {', '.join(sorted(known))}")
    built = build(rust, gnu, a.profile)
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        wrapper = os.path.join(folder, "hal-run")
        with open(wrapper, "w", encoding="utf-8") as f:
            f.write(f'#!/bin/sh\nexec qemu-{a.machine} -cpu {a.cpu} -L /usr/{gnu} {built}/hal-run "$@"\n')
        os.chmod(wrapper, 0o755)
        environment = {**os.environ, "PATH": f"{folder}:{top}/target/debug:/usr/lib/llvm-22/bin:{os.environ['PATH']}"}
        for family in families:
            words = [f"--target={a.target or target}", f"-O{a.opt_level}", f"-j{a.jobs}", f"--filter={a.filter}"]
            print(f"{family}: ", end="", flush=True)
            done = subprocess.run([sys.executable, f"{numerics}/{family}.py", *words], env=environment, check=False)
            failed += [family] * (done.returncode != 0)
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)


main()
