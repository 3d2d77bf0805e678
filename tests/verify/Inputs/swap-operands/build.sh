#!/bin/sh
exec clang++ -shared -fPIC -O1 -std=c++17 -fno-exceptions -I"$(llvm-config --includedir)" "$(dirname "$0")/swap-operands.cpp" -o "$1"
