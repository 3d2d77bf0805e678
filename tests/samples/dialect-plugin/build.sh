#!/bin/sh
# Builds the plugin: `build.sh OUTPUT`. mlir-tblgen makes C++ of Poly.td.
set -e
here=$(dirname "$0") include=$(llvm-config --includedir)
made=$(mktemp -d)
trap 'rm -r "$made"' EXIT
generate() { mlir-tblgen "$1" -I"$include" "$here/Poly.td" -o "$made/$2"; }
generate -gen-dialect-decls PolyDialect.h.inc
generate -gen-dialect-defs PolyDialect.cpp.inc
generate -gen-op-decls PolyOps.h.inc
generate -gen-op-defs PolyOps.cpp.inc
clang++ -shared -fPIC -O1 -std=c++17 -fno-exceptions -I"$include" -I"$made" "$here/poly.cpp" -o "$1"
