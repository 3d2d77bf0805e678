#!/bin/sh
# Builds the plugin: `build.sh OUTPUT`. LLVM's own libraries are not linked: the tool that loads it has them.
exec clang++ -shared -fPIC -O1 -std=c++17 -fno-exceptions -I"$(llvm-config --includedir)" "$(dirname "$0")/reciprocal.cpp" -o "$1"
