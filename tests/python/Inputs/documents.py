"""Runs the examples of a document, and of the package's own documentation."""

import doctest
import sys

import halyard

FLAGS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
found = [doctest.testfile(sys.argv[1], module_relative=False, optionflags=FLAGS), doctest.testmod(halyard)]
print(f"{len(found)} documents, {sum(f.attempted for f in found)} examples, {sum(f.failed for f in found)} wrong")
