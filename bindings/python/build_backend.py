"""Builds wheels: maturin builds the extension module, this file puts the tools beside it.

HALYARD_WHEEL_TOOLS names a folder with tools that are built already; otherwise cargo builds them."""

import os
import pathlib
import shutil
import subprocess

import maturin
from maturin import *  # noqa: F403  (the other hooks of PEP 517)

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLACE = pathlib.Path(__file__).resolve().parent / "halyard" / "_tools"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    names = sorted(p.name for p in (ROOT / "tools").iterdir())
    folder = os.environ.get("HALYARD_WHEEL_TOOLS")
    if folder is None:
        packages = [word for name in names for word in ("--package", name)]
        subprocess.run(["cargo", "build", "--release", "--locked", *packages], cwd=ROOT, check=True)
        folder = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
    shutil.rmtree(PLACE, ignore_errors=True)
    (PLACE / "bin").mkdir(parents=True)
    for name in names:
        # Debug information would be most of the wheel.
        subprocess.run(["strip", "-o", PLACE / "bin" / name, pathlib.Path(folder) / name], check=True)
    # Where tools look for the plugins that come with them.
    shutil.copytree(
        ROOT / "plugins",
        PLACE / "share" / "halyard" / "plugins",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    words = os.environ.get("MATURIN_PEP517_ARGS", "")
    if "--compatibility" not in words and "--manylinux" not in words:
        # The tag of the oldest system that the module runs on; without this, wheels built by pip have none.
        os.environ["MATURIN_PEP517_ARGS"] = f"{words} --compatibility pypi"
    try:
        return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)
    finally:
        shutil.rmtree(PLACE, ignore_errors=True)
