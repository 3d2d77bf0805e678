"""Checks that twelve properties can be those of a machine, in the order of all.c: the output of `hal-run` as a file."""

import sys

import numpy

threads, cores, vector, line, l1, l2, l3, page, workgroup, subgroup, shared, memory = map(int, numpy.load(sys.argv[1]))
assert threads == 5, threads
assert 1 <= cores <= 4096, cores
assert vector in (16, 32, 64), vector
assert line in (0, 32, 64, 128, 256), line
assert l1 == 0 or 8 << 10 <= l1 <= 1 << 20, l1
assert l2 == 0 or l2 >= l1, l2
assert l3 == 0 or l3 >= l2 // 2, l3
assert page in (4096, 16384, 65536), page
assert (workgroup, subgroup, shared) == (1, 1, 0), (workgroup, subgroup, shared)
assert memory > 64 << 20, memory
