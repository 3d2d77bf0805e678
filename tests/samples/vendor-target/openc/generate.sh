#!/bin/sh
# The code generator of the target: an executable on standard input, an object on standard output.
# The arguments are the C compiler and its flags.
set -e
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
cat >"$work/executable.mlir"
hal-extract -q "$work/executable.mlir" --as=c --to="$work/c" -o "$work/same.mlir"
"$@" -fPIC -I"$work/c" -c "$work"/c/*.c -o "$work/kernels.o"
cat "$work/kernels.o"
