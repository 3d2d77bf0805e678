"""lit: which files are tests, and where the tools are."""

import os

import lit.formats

config.name = "kernels"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
config.test_exec_root = os.environ.get("TEST_OUTPUT", os.path.join(config.test_source_root, "build"))
config.environment["PATH"] = os.pathsep.join(["/usr/lib/llvm-22/bin", os.environ["PATH"]])
config.environment["NO_COLOR"] = "1"
# Where halyard/kernel.h is: the package libhalyard-dev has it in /usr/include.
config.substitutions.append(("%include", os.environ.get("HALYARD_INCLUDE", "/usr/include")))
