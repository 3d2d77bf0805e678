"""The Python package for a machine that has no build of Halyard."""

import os
import shutil

BINDINGS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bindings", "python", "halyard")


def python_package(folder):
    """Puts the package into FOLDER/python, with the extension module that cargo built beside hal-run."""
    package, tools = os.path.join(folder, "python", "halyard"), os.path.dirname(shutil.which("hal-run"))
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(BINDINGS, package, ignore=shutil.ignore_patterns("_tools", "*.so", "__pycache__"))
    shutil.copy(os.path.join(tools, "libhalyard_native.so"), os.path.join(package, "_native.abi3.so"))
