#!/usr/bin/env python3
"""Builds the wheel, installs it in a new environment, and compiles and runs a program there.

    wheel.py [--tools target/debug] [--profile dev]

With --tools the wheel takes tools that are built already. HALYARD_TOOLS and PYTHONPATH are not used. Building needs the
network, for maturin and numpy."""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import venv

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = '''
import halyard, numpy, os, subprocess
from halyard import tools
assert "site-packages" in halyard.__file__, halyard.__file__
assert "site-packages" in tools.find("hal-compile"), tools.find("hal-compile")
for tool in ["hal-run", "hal-opt", "hal-import"]:
    subprocess.run([tools.find(tool), "--version"], check=True)
program = halyard.compile("""
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.absf %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
""")
assert program(numpy.float32([-1, 2])).tolist() == [1, 2]
plugins = subprocess.run([tools.find("hal-compile"), "--list-plugins"], check=True, capture_output=True, text=True)
assert "stablehlo" in plugins.stdout, plugins.stdout
print("the wheel works")
'''


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=pathlib.Path, help="a folder of tools that are built already")
    parser.add_argument("--profile", help="cargo's profile for the extension module [default: release]")
    options = parser.parse_args()
    environment = {k: v for k, v in os.environ.items() if k not in ("HALYARD_TOOLS", "PYTHONPATH")}
    if options.tools:
        environment["HALYARD_WHEEL_TOOLS"] = str(options.tools.resolve())
    if options.profile:
        environment["MATURIN_PEP517_ARGS"] = f"--profile={options.profile}"
    with tempfile.TemporaryDirectory() as folder:
        venv.create(f"{folder}/venv", with_pip=True)
        python = f"{folder}/venv/bin/python"
        subprocess.run(
            [python, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, ROOT], check=True, env=environment
        )
        (wheel,) = pathlib.Path(folder).glob("*.whl")
        print(f"{wheel.name}, {wheel.stat().st_size >> 20} MB")
        if "abi3-manylinux" not in wheel.name:
            print("the name does not say abi3 and manylinux")
            return 1
        subprocess.run([python, "-m", "pip", "install", "-q", wheel], check=True, env=environment)
        subprocess.run([python, "-c", EXAMPLE], check=True, env=environment, cwd=folder)
    return 0


sys.exit(main())
